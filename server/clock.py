"""Clocks for deadlines, which no change of the system time affects; zones and languages of persons, and their day."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from server.errors import Explained
from wording.catalogue import sentence

TODAY = "Today: "
_NO_PLACES = frozenset({"Factory", "localtime", "posixrules"})
"""Names in the zone database that stand for no place: `localtime` is the server's own zone."""
_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def elapsed() -> float:
    """Seconds of a monotonic clock that also counts suspend time, where the OS provides one."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


class SteadyClock:
    """Unix time at creation plus the elapsed seconds, so that it never jumps."""

    def __init__(self, wall: Callable[[], float] = time.time, passed: Callable[[], float] = elapsed) -> None:
        self._passed = passed
        self._offset = wall() - passed()

    def __call__(self) -> float:
        return self._offset + self._passed()


steady_time = SteadyClock()
"""The process-wide instance."""


@lru_cache(1)
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones()) - _NO_PLACES


class LocaleRefused(Explained, ValueError):
    """It is no zone or no language; the text says so."""


def check_zone(name: str) -> str:
    """The name of an IANA zone. Raises LocaleRefused for anything else."""
    if name not in _zone_names():
        raise LocaleRefused(sentence("rule.unknown_zone"))
    return name


def check_locale(name: str) -> str:
    """A language tag like `de` or `pt-BR`. Raises LocaleRefused for anything else."""
    if not _LOCALE.fullmatch(name):
        raise LocaleRefused(sentence("settings.no_language"))
    return name


def local(moment: datetime, zone: str | None) -> tuple[datetime, str]:
    """The moment in the zone, and the zone's name; None is the server's zone, which the name says."""
    place: tzinfo | None = ZoneInfo(zone) if zone else None
    at = moment.astimezone(place)
    return at, zone or f"{at.tzname()}, server's zone"


def today(moment: datetime, zone: str | None, locale: str | None = None) -> str:
    """Such as `Today: Friday, 2026-11-27, 18:05 (Europe/Berlin), de-DE`: at most 20 tokens."""
    at, name = local(moment, zone)
    return f"{TODAY}{_WEEKDAYS[at.weekday()]}, {at:%Y-%m-%d, %H:%M} ({name}){f', {locale}' if locale else ''}"
