"""When an automation is due: iCalendar recurrence rules (RFC 5545) in the local time of a zone. Pure.

Local time holds over changes of the zone's clock. A local time that does not exist moves to the next valid
minute; one that exists twice counts once, at its first occurrence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import islice
from types import FunctionType, SimpleNamespace
from zoneinfo import ZoneInfo, available_timezones

from dateutil import rrule as recurrence
from dateutil.rrule import DAILY, HOURLY, MINUTELY, SECONDLY, WEEKLY, rrule, rrulestr

from server.errors import Explained
from wording.catalogue import sentence

MIN_INTERVAL_MINUTES = 5
"""The least number of minutes between two due times."""
MAX_RULE_CHARS = 600
MAX_INTERVAL = 10_000
MAX_OCCURRENCES = 10_000
YEARS = range(1990, 2200)
"""Allowed years of DTSTART."""
AHEAD, AHEAD_IN_DAYS = timedelta(days=366 * 10), timedelta(days=60)
"""How far ahead due times are searched; the second is for MINUTELY and HOURLY rules."""
UNIT_LENGTHS = {
    MINUTELY: timedelta(minutes=1), HOURLY: timedelta(hours=1), DAILY: timedelta(days=1), WEEKLY: timedelta(weeks=1),
}  # fmt: skip
RULE_PARTS = frozenset(
    {"FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYDAY", "BYHOUR",
     "BYMINUTE", "BYSETPOS"}
)  # fmt: skip
NUMBERED_PARTS = frozenset(name for name in RULE_PARTS if name.startswith("BY")) - {
    "BYDAY",
    "BYHOUR",
    "BYMINUTE",
}


class RuleRefused(Explained, ValueError):
    """The text says what is wrong."""


@dataclass(frozen=True, slots=True)
class DueTimes:
    text: str
    """The stored form: a DTSTART and an RRULE line, in local time."""
    zone: ZoneInfo
    local: rrule
    """In local time, without zone and without COUNT."""
    count: int | None

    def next_after(self, moment: datetime) -> datetime | None:
        """The first due time after `moment`; None if there is none within `AHEAD`."""
        return next(self.between(moment, moment + AHEAD), None)

    def between(self, after: datetime, until: datetime) -> Iterator[datetime]:
        """The due times after `after`, up to and including `until`, in UTC."""
        begin = _local(after, self.zone) - timedelta(hours=3)  # a DST gap moves due times by less than that
        last = None
        times = _search(_bounded(self.local, begin, moves=self.count is None))
        for local in islice(times, self.count):
            if local < begin:
                continue
            moment = _to_utc(local, self.zone)
            if moment > until:
                return
            if moment > after and moment != last:
                yield moment
            last = moment


@lru_cache(256)
def read_rule(text: str, zone: str, start: datetime | None = None) -> DueTimes:
    """Parse the lines `DTSTART:...` and `RRULE:...`. Without DTSTART the rule begins at `start`.

    Raises RuleRefused.
    """
    place = _zone_of(zone)
    if len(text) > MAX_RULE_CHARS:
        raise RuleRefused(sentence("rule.too_long", n=MAX_RULE_CHARS))
    begin, parts = _read_lines(text, place)
    if begin is None and start is not None:
        begin = _local(start, place)
    if begin is None:
        raise RuleRefused(sentence("rule.needs_dtstart"))
    begin = begin.replace(second=0, microsecond=0)
    if begin.year not in YEARS:
        raise RuleRefused(sentence("rule.year"))
    line = _line_of(parts)
    if {"COUNT", "UNTIL"} <= parts.keys():
        raise RuleRefused(sentence("rule.count_or_until"))
    until = _until(parts.pop("UNTIL", None), place)
    try:
        rule = rrulestr(_line_of(parts), dtstart=begin)
    except (ValueError, TypeError, AttributeError) as error:
        raise RuleRefused(sentence("rule.unreadable_because", why=str(error))) from None
    if not isinstance(rule, rrule):
        raise RuleRefused(sentence("rule.unreadable"))
    if until:
        rule = rule.replace(until=until)
    _check(rule, parts)
    count = rule._count
    rule = rule.replace(count=None)
    _check_falls_due(rule)
    return DueTimes(f"DTSTART:{begin:%Y%m%dT%H%M%S}\nRRULE:{line}", place, rule, count)


def _zone_of(zone: str) -> ZoneInfo:
    if zone not in available_timezones():
        raise RuleRefused(sentence("rule.unknown_zone"))
    return ZoneInfo(zone)


def _read_lines(text: str, zone: ZoneInfo) -> tuple[datetime | None, dict[str, str]]:
    begin: datetime | None = None
    parts: dict[str, str] = {}
    for line in text.split():
        name, colon, value = line.upper().partition(":")
        if not colon:
            name, value = "RRULE", name
        if name == "DTSTART" and begin is None:
            begin = _moment(value, zone)
        elif name == "RRULE" and not parts:
            parts = _read_parts(value)
        else:
            raise RuleRefused(sentence("rule.one_each"))
    if not parts:
        raise RuleRefused(sentence("rule.needs_rrule"))
    return begin, parts


def _read_parts(value: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in value.strip(";").split(";"):
        name, equals, what = part.partition("=")
        if not equals or not what or name in parts:
            raise RuleRefused(sentence("rule.parts"))
        if name not in RULE_PARTS:
            raise RuleRefused(sentence("rule.unusable_part", name=name[:20], n=MIN_INTERVAL_MINUTES))
        parts[name] = what
    return parts


def _moment(value: str, zone: ZoneInfo) -> datetime:
    """A date, a local time, or a time in UTC, as a local time."""
    try:
        if len(value) == 8:
            return datetime.strptime(value, "%Y%m%d")
        found = datetime.strptime(value.removesuffix("Z"), "%Y%m%dT%H%M%S")
    except ValueError:
        raise RuleRefused(sentence("rule.not_a_time", text=value[:20])) from None
    return _local(found.replace(tzinfo=UTC), zone) if value.endswith("Z") else found


def _until(value: str | None, zone: ZoneInfo) -> datetime | None:
    if value is None:
        return None
    found = _moment(value, zone)
    return found.replace(hour=23, minute=59) if len(value) == 8 else found


def _line_of(parts: Mapping[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _check(rule: rrule, parts: dict[str, str]) -> None:
    """Raises RuleRefused for due times that are too close, and for rules that are too expensive to evaluate."""
    frequency, interval, count = rule._freq, rule._interval, rule._count
    if not 1 <= interval <= MAX_INTERVAL or (count is not None and not 1 <= count <= MAX_OCCURRENCES):
        raise RuleRefused(sentence("rule.interval", n=MAX_INTERVAL))
    minutes = sorted(rule._byminute or ())
    gaps = (
        [later - earlier for earlier, later in zip(minutes, [*minutes[1:], minutes[0] + 60], strict=True)]
        if minutes
        else []
    )
    is_close = frequency == SECONDLY or (frequency == MINUTELY and interval < MIN_INTERVAL_MINUTES)
    if is_close or any(gap < MIN_INTERVAL_MINUTES for gap in gaps):
        raise RuleRefused(sentence("rule.too_often", minutes=MIN_INTERVAL_MINUTES))
    if frequency in (MINUTELY, HOURLY) and parts.keys() & NUMBERED_PARTS:
        raise RuleRefused(sentence("rule.only_by"))


def _check_falls_due(rule: rrule) -> None:
    """Raises RuleRefused for a rule without any due time in the `AHEAD` of its start."""
    try:
        first = next(_search(_bounded(rule, rule._dtstart, moves=False)), None)
    except ValueError as error:
        raise RuleRefused(sentence("rule.unreadable_because", why=str(error))) from None
    if first is None:
        raise RuleRefused(sentence("rule.never"))


def _search(rule: rrule) -> Iterator[datetime]:
    """The times of a rule with an end.

    By itself dateutil searches up to the year 9999 for the first time after the end: seconds, where there is none, as
    for 30 February. It takes that year from `datetime.MAXYEAR`; here it is the year of the end.
    """
    bounds = SimpleNamespace(MAXYEAR=rule._until.year, date=date, datetime=datetime)
    search = FunctionType(rrule._iter.__code__, vars(recurrence) | {"datetime": bounds})
    times: Iterator[datetime] = search(rule)
    return times


def _bounded(rule: rrule, begin: datetime, *, moves: bool) -> rrule:
    """The rule with an end; with `moves` it starts just before `begin`, which avoids iterating over years of due times.

    The end limits the search for the next due time.
    """
    end = max(begin, rule._dtstart) + (AHEAD_IN_DAYS if rule._freq in (MINUTELY, HOURLY) else AHEAD)
    values: dict[str, object] = {"until": min(rule._until, end) if rule._until else end}
    unit = UNIT_LENGTHS.get(rule._freq)
    if moves and unit and begin > rule._dtstart:
        step = unit * rule._interval
        values["dtstart"] = rule._dtstart + max((begin - rule._dtstart) // step - 1, 0) * step
    return rule.replace(**values)


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _to_utc(local: datetime, zone: ZoneInfo) -> datetime:
    """The first moment with this local time; if there is none, the end of the gap that it lies in."""
    moment = local.replace(tzinfo=zone).astimezone(UTC)
    if _local(moment, zone) == local:
        return moment
    return _end_of_gap(local, zone)


def _end_of_gap(local: datetime, zone: ZoneInfo) -> datetime:
    """The first minute after the gap: by bisection between two moments around it."""
    before = local.replace(tzinfo=zone, fold=1).astimezone(UTC)
    after = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    low, high = sorted((before, after))
    low, high = low.replace(second=0), high.replace(second=0)
    offset = high.astimezone(zone).utcoffset()
    while high - low > timedelta(minutes=1):
        middle = low + timedelta(minutes=(high - low) // timedelta(minutes=2))
        if middle.astimezone(zone).utcoffset() == offset:
            high = middle
        else:
            low = middle
    return high
