"""Automations at the prompt: `/schedule`, `/automations` and `/automation`."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from cli.errors import UsageError
from cli.words import t

DAYS = {"mon": "MO", "tue": "TU", "wed": "WE", "thu": "TH", "fri": "FR", "sat": "SA", "sun": "SU"}
USAGE = "Write it as /schedule daily|weekdays|mon,thu|monthly 15|hours 6, a time like 08:00, then the task."
WHEN = re.compile(
    r"(?P<often>daily|weekdays|monthly\s+(?P<day>\d{1,2})|hours\s+(?P<hours>\d{1,3})|[a-z]{3}(?:,[a-z]{3})*)"
    r"(?:\s+(?P<time>\d{1,2}:\d\d))?\s+(?P<task>\S.*)",
    re.DOTALL | re.IGNORECASE,
)
NAME_CHARS = 60
SETTINGS = {
    "ask-first": ("ask_first", True, "it asks before it starts"),
    "begin-alone": ("ask_first", False, "it starts without asking"),
    "only-changes": ("only_changes", True, "it reports only changes"),
    "each-run": ("only_changes", False, "it reports each run"),
    "one-model": ("only_first_model", True, "it never uses the second model"),
    "two-models": ("only_first_model", False, "it uses the second model where the first one fails"),
}
"""Words of `/automation`: the field that each sets, the value, and what is said then."""


def read_schedule(text: str, now: datetime, zone: str) -> dict[str, str]:
    """The automation that `/schedule TEXT` asks for, as the API takes it. `now` is local. Raises UsageError."""
    found = WHEN.fullmatch(text.strip())
    if found is None:
        raise UsageError(t(USAGE))
    often, task = found["often"].lower(), found["task"].strip()
    hour, _, minute = (found["time"] or f"{now:%H:%M}").partition(":")
    if int(hour) > 23 or int(minute) > 59:
        raise UsageError(t("{time} is no time of day.", time=found["time"]))
    begin = f"{now:%Y%m%d}T{int(hour):02}{int(minute):02}00"
    rule = f"DTSTART:{begin}\nRRULE:{_rule(often, found['day'], found['hours'])}"
    return {"name": task[:NAME_CHARS], "task": task, "rule": rule, "zone": zone}


def _rule(often: str, day: str | None, hours: str | None) -> str:
    if often == "daily":
        return "FREQ=DAILY"
    if often == "weekdays":
        return "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
    if day:
        return f"FREQ=MONTHLY;BYMONTHDAY={int(day)}"
    if hours:
        return f"FREQ=HOURLY;INTERVAL={int(hours)}"
    names = often.split(",")
    if not DAYS.keys() >= set(names):
        raise UsageError(t(USAGE))
    return f"FREQ=WEEKLY;BYDAY={','.join(DAYS[name] for name in names)}"


def local_zone(link: Path = Path("/etc/localtime")) -> str:
    """The name of this machine's zone; UTC where it has none that can be found."""
    name = os.environ.get("TZ", "").removeprefix(":")
    if not name and link.is_symlink():
        name = str(link.resolve()).rpartition("zoneinfo/")[2]
    try:
        return ZoneInfo(name).key
    except (ValueError, OSError, KeyError):  # KeyError: ZoneInfoNotFoundError
        return "UTC"
