"""Arguments of answers at the prompt: what `/yes` allows (`always x3 until 2026-12-31 max 50`), when `/later` is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from cli.errors import UsageError
from cli.words import t

SCOPES = ("once", "run", "session", "automation", "always")
USAGE = (
    "Write it as /yes [REF] run|session|automation|always [xCOUNT] [until DATE] [max AMOUNT] [month AMOUNT]"
)
SPAN = re.compile(r"(\d{1,4})([mh])")
COUNT = re.compile(r"x(\d{1,6})")


def read_grant(text: str, now: datetime) -> dict[str, object]:
    """What is to be allowed, as the API takes it. `now` has the zone that the date is in. Raises UsageError."""
    scope, *rest = text.lower().split()
    if scope not in SCOPES:
        raise UsageError(t(USAGE))
    grant: dict[str, object] = {"scope": scope}
    words = iter(rest)
    for word in words:
        if found := COUNT.fullmatch(word):
            grant["count"] = int(found[1])
        elif word in ("until", "max", "month"):
            grant |= _limit(word, next(words, ""), now)
        else:
            raise UsageError(t(USAGE))
    return grant


def read_login(text: str, ids: Sequence[str]) -> dict[str, object]:
    """Which login, by its number in the question, and for how long, from `2 session`. Raises UsageError."""
    known: dict[str, object] = {}
    for word in text.lower().split():
        if word.isdecimal() and 1 <= int(word) <= len(ids):
            known["id"] = ids[int(word) - 1]
        elif word in ("session", "automation"):
            known["choice"] = word
        else:
            raise UsageError(t("Write it as /yes, /yes 2 with a number of the list, or /yes session."))
    return known


def read_effects(text: str, count: int) -> list[int]:
    """The places of what is allowed, of `count`, from `1 3` or `none`. Raises UsageError."""
    words = [] if text.lower() == "none" else text.replace(",", " ").split()
    chosen = [int(word) - 1 for word in words if word.isdecimal()]
    if len(chosen) < len(words) or any(not 0 <= at < count for at in chosen):
        raise UsageError(t("Write it as /yes, /yes none, or /yes 1 3 with the numbers of what is allowed."))
    return chosen


def _limit(name: str, value: str, now: datetime) -> dict[str, object]:
    try:
        if name == "until":  # the end of that day
            day = datetime.fromisoformat(value).date()
            return {"ends_at": datetime.combine(day, time(23, 59, 59), now.tzinfo).isoformat()}
        return {"act_amount" if name == "max" else "month_amount": float(value.replace(",", "."))}
    except ValueError:
        raise UsageError(t(USAGE)) from None


def read_time(text: str, now: datetime) -> datetime:
    """The next `18:00`, or the end of a span like `90m` or `3h`. Raises UsageError."""
    if span := SPAN.fullmatch(text):
        return now + timedelta(**{"minutes" if span[2] == "m" else "hours": int(span[1])})
    try:
        hour, minute = (int(part) for part in text.split(":"))
        moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    except ValueError:
        raise UsageError(t("{time} is no time of day.", time=text)) from None
    return moment if moment > now else moment + timedelta(days=1)
