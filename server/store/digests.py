"""When the ends of runs are sent together."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from server.ops.json_types import JsonObject

COLLECTED = ("done", "failed")
"""Questions, and what a person has to do something about, are sent at once."""


def end_of_window(digest: JsonObject, moment: datetime) -> datetime:
    """When a message is sent that collects what has happened since `moment`."""
    if minutes := digest.get("minutes"):
        return moment + timedelta(minutes=minutes)
    zone, at = ZoneInfo(digest["zone"]), time.fromisoformat(digest["at"])
    local = moment.astimezone(zone)
    today = datetime.combine(local.date(), at, zone)
    tomorrow = datetime.combine(local.date() + timedelta(days=1), at, zone)
    return (today if today > local else tomorrow).astimezone(moment.tzinfo)
