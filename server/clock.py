"""Clocks for deadlines: they are not affected by changes of the system time."""

from __future__ import annotations

import time
from collections.abc import Callable


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
