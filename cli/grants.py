"""Grants at the prompt: the words after `/yes`, such as `always x3 until 2026-12-31 max 50 month 200`."""

from __future__ import annotations

import re
from datetime import datetime, time

from cli.errors import Misused
from cli.json_types import JsonObject
from cli.words import say

SCOPES = ("once", "run", "session", "automation", "always")
USAGE = (
    "Write it as /yes [REF] run|session|automation|always [xCOUNT] [until DATE] [max AMOUNT] [month AMOUNT]"
)
COUNT = re.compile(r"x(\d{1,6})")


def read_grant(text: str, now: datetime) -> JsonObject:
    """What is to be allowed, as the API takes it. `now` has the zone that the date is in. Raises Misused."""
    scope, *rest = text.lower().split()
    if scope not in SCOPES:
        raise Misused(say(USAGE))
    grant: JsonObject = {"scope": scope}
    words = iter(rest)
    for word in words:
        if found := COUNT.fullmatch(word):
            grant["count"] = int(found[1])
        elif word in ("until", "max", "month"):
            grant |= _limit(word, next(words, ""), now)
        else:
            raise Misused(say(USAGE))
    return grant


def _limit(name: str, value: str, now: datetime) -> JsonObject:
    try:
        if name == "until":  # the end of that day
            day = datetime.fromisoformat(value).date()
            return {"ends_at": datetime.combine(day, time(23, 59, 59), now.tzinfo).isoformat()}
        return {"act_amount" if name == "max" else "month_amount": float(value.replace(",", "."))}
    except ValueError:
        raise Misused(say(USAGE)) from None
