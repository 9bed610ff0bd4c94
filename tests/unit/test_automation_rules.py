"""When automations are due."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from server.automations.rules import MIN_INTERVAL_MINUTES, RuleRefused, read_rule

ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Sao_Paulo",
]  # fmt: skip


def times(rule: str, zone: str, day: str, days: int = 1) -> list[str]:
    begin = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    found = read_rule(rule, zone).between(begin - timedelta(minutes=1), begin + timedelta(days=days))
    return [f"{moment.astimezone(ZoneInfo(zone)):%m-%d %H:%M}" for moment in found]


def test_local_time_holds_over_changes_of_the_clock() -> None:
    rule = "DTSTART:20260101T080000\nRRULE:FREQ=DAILY"
    assert times(rule, "Europe/Berlin", "2026-03-28", 3) == ["03-28 08:00", "03-29 08:00", "03-30 08:00"]
    assert times(rule, "Europe/Berlin", "2026-10-24", 3) == ["10-24 08:00", "10-25 08:00", "10-26 08:00"]
    moments = read_rule(rule, "Europe/Berlin").between(
        datetime(2026, 3, 28, tzinfo=UTC), datetime(2026, 3, 30, tzinfo=UTC)
    )
    assert [moment.hour for moment in moments] == [7, 6]


def test_a_time_that_does_not_exist_moves_to_the_next_valid_minute() -> None:
    rule = "DTSTART:20260101T023000\nRRULE:FREQ=DAILY"
    assert times(rule, "Europe/Berlin", "2026-03-28", 3) == ["03-28 02:30", "03-29 03:00", "03-30 02:30"]
    quarter = "DTSTART:20260101T020000\nRRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=0,15,30,45"
    # Lord Howe's clocks go from 02:00 to 02:30: two of the four times do not exist.
    assert times(quarter, "Australia/Lord_Howe", "2026-10-04") == ["10-04 02:30", "10-04 02:45"]


def test_a_time_that_exists_twice_counts_once() -> None:
    rule = "DTSTART:20260101T023000\nRRULE:FREQ=DAILY"
    assert times(rule, "Europe/Berlin", "2026-10-25") == ["10-25 02:30"]
    hours = times("DTSTART:20260101T000000\nRRULE:FREQ=HOURLY", "Europe/Berlin", "2026-10-25")
    assert hours[:5] == ["10-25 00:00", "10-25 01:00", "10-25 02:00", "10-25 03:00", "10-25 04:00"]


def test_a_rule_without_start_begins_when_it_is_made() -> None:
    made = datetime(2026, 5, 4, 6, 41, 17, tzinfo=UTC)
    rule = read_rule("RRULE:FREQ=WEEKLY", "Europe/Berlin", made)
    assert rule.text == "DTSTART:20260504T084100\nRRULE:FREQ=WEEKLY"
    assert rule.next_after(made) == datetime(2026, 5, 11, 6, 41, tzinfo=UTC)


def test_the_end_of_a_rule_is_read_in_utc_local_time_or_as_a_day() -> None:
    for until in ("20260103T070000Z", "20260103T080000", "20260103"):
        rule = f"DTSTART:20260101T080000\nRRULE:FREQ=DAILY;UNTIL={until}"
        assert times(rule, "Europe/Berlin", "2026-01-01", 9) == ["01-01 08:00", "01-02 08:00", "01-03 08:00"]
    counted = "DTSTART:20260101T080000\nRRULE:FREQ=DAILY;COUNT=2"
    assert times(counted, "UTC", "2026-01-01", 9) == ["01-01 08:00", "01-02 08:00"]
    assert read_rule(counted, "UTC").next_after(datetime(2026, 2, 1, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY", "FREQ=MINUTELY", "FREQ=MINUTELY;INTERVAL=4", "FREQ=HOURLY;BYMINUTE=0,4",
        "FREQ=DAILY;BYMINUTE=2,58", "FREQ=DAILY;BYSECOND=1,2", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;COUNT=0",
        "FREQ=DAILY;INTERVAL=99999999999999999999", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;BYDAY=XX", "FREQ=SOMETIMES",
        "nonsense", "", "DTSTART:20260101T080000", "DTSTART;TZID=Europe/Berlin:20260101T080000\nRRULE:FREQ=DAILY",
        "DTSTART:20260231T080000\nRRULE:FREQ=DAILY", "RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY",
        "RRULE:FREQ=DAILY\nEXDATE:20260101T080000", "FREQ=MINUTELY;INTERVAL=5;BYMONTH=2", "DTSTART:00010101T000000\nFREQ=DAILY",
        "FREQ=DAILY;" + "BYHOUR=1," * 100,
    ],
)  # fmt: skip
def test_what_is_no_rule_or_too_frequent_is_refused(rule: str) -> None:
    with pytest.raises(RuleRefused):
        read_rule(rule, "UTC", datetime(2026, 1, 1, tzinfo=UTC))


def test_an_unknown_zone_is_refused() -> None:
    for zone in ("Moon", "../etc/passwd", ""):
        with pytest.raises(RuleRefused, match="is not known"):
            read_rule("DTSTART:20260101T080000\nRRULE:FREQ=DAILY", zone)


NEVER_DUE = [
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;COUNT=3;BYMONTH=2;BYMONTHDAY=30",
    "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2,4,6,9,11", "FREQ=DAILY;BYYEARDAY=400",
    "FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYDAY=6MO", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYSETPOS=3",
    "FREQ=DAILY;INTERVAL=7;BYDAY=TU", "FREQ=MONTHLY;INTERVAL=12;BYMONTH=2", "FREQ=HOURLY;INTERVAL=168;BYDAY=TU",
    "FREQ=MINUTELY;INTERVAL=1440;BYHOUR=1", "FREQ=DAILY;UNTIL=19891231",
]  # fmt: skip


@pytest.mark.parametrize("rule", NEVER_DUE)
def test_a_rule_that_never_falls_due_is_refused_soon(rule: str) -> None:
    began = time.thread_time()
    with pytest.raises(RuleRefused, match=r"never falls due|cannot be read"):
        read_rule(f"DTSTART:19900101T000000\nRRULE:{rule}", "UTC")
    assert time.thread_time() - began < 0.2


def test_a_rare_rule_is_found_and_an_ended_one_stays_readable() -> None:
    rare = "DTSTART:20260101T080000\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29"
    assert read_rule(rare, "UTC").next_after(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(
        2028, 2, 29, 8, tzinfo=UTC
    )
    ended = read_rule("DTSTART:19900101T000000\nRRULE:FREQ=DAILY;COUNT=3", "UTC")
    assert ended.next_after(datetime(2026, 1, 1, tzinfo=UTC)) is None


RULES = [
    "FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA",
    "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=HOURLY;INTERVAL=5", "FREQ=MINUTELY;INTERVAL=7", "FREQ=HOURLY;BYMINUTE=0,30",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1", "FREQ=DAILY;BYHOUR=2;BYMINUTE=5,30",
]  # fmt: skip


@settings(max_examples=60)
@given(
    rule=st.sampled_from(RULES), zone=st.sampled_from(ZONES), hour=st.integers(0, 23),
    day=st.integers(0, 500), days=st.integers(1, 5),
)  # fmt: skip
def test_due_times_are_those_of_the_rule_from_any_moment_on(
    rule: str, zone: str, hour: int, day: int, days: int
) -> None:
    begin = datetime(2020, 1, 1, hour, 30)
    text = f"DTSTART:{begin:%Y%m%dT%H%M%S}\nRRULE:{rule}"
    after = datetime(2020, 1, 1, 12, tzinfo=UTC) + timedelta(days=day)
    until = after + timedelta(days=days)
    found = list(read_rule(text, zone).between(after, until))
    place = ZoneInfo(zone)
    wanted: list[datetime] = []
    low, high = (moment.astimezone(place).replace(tzinfo=None) for moment in (after, until))
    whole = rrulestr(rule, dtstart=begin)
    for local in whole.between(low - timedelta(hours=3), high + timedelta(hours=3), inc=True):
        moment = local.replace(tzinfo=place).astimezone(UTC)
        while moment.astimezone(place).replace(tzinfo=None) != local:  # it does not exist: minute by minute
            local += timedelta(minutes=1)
            moment = local.replace(tzinfo=place).astimezone(UTC)
        if after < moment <= until and moment not in wanted:
            wanted.append(moment)
    assert found == wanted
    assert found == sorted(set(found))
    offsets = {moment.astimezone(place).utcoffset() for moment in (after, *found, until)}
    if len(offsets) == 1:
        assert all(
            later - earlier >= timedelta(minutes=MIN_INTERVAL_MINUTES) for earlier, later in pairwise(found)
        )
