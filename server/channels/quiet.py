"""Quiet hours: a time of each day, in a zone, in which nothing is sent."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from server.clock import LocaleRefused, check_zone
from server.errors import Explained
from server.ops.json_types import JsonObject
from wording.catalogue import sentence


class QuietRefused(Explained, ValueError):
    """The text says what is wrong."""


def check_quiet(begin: str, end: str, zone: str) -> JsonObject:
    """As they are stored: `{from, to, zone}`. Raises QuietRefused."""
    times = [check_daily(text, zone)["at"] for text in (begin, end)]
    if times[0] == times[1]:
        raise QuietRefused(sentence("quiet.equal_times"))
    return {"from": times[0], "to": times[1], "zone": zone}


def check_daily(at: str, zone: str) -> JsonObject:
    """A time of each day: `{at, zone}`. Raises QuietRefused."""
    try:
        check_zone(zone)
    except LocaleRefused as unknown:
        raise QuietRefused(unknown.why) from None
    try:
        return {"at": time.fromisoformat(at).strftime("%H:%M"), "zone": zone}
    except ValueError:
        raise QuietRefused(sentence("quiet.time_form")) from None


def end_of_quiet(quiet: JsonObject, moment: datetime) -> datetime | None:
    """When the quiet hours end that `moment` lies in; None if it lies in none.

    The hours hold in the zone's local time, also over a change of its clock.
    """
    zone = ZoneInfo(quiet["zone"])
    begin, end = time.fromisoformat(quiet["from"]), time.fromisoformat(quiet["to"])
    local = moment.astimezone(zone)
    clock = local.time()
    is_quiet = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not is_quiet:
        return None
    day = local.date() + timedelta(days=clock >= end)
    return datetime.combine(day, end, zone).astimezone(moment.tzinfo)
