"""Time that nobody can set: for deadlines, which a jump of the wall clock must neither shorten nor stretch."""

from __future__ import annotations

import time
from collections.abc import Callable


def elapsed() -> float:
    """Seconds since some moment, also those that the machine was suspended, where the system counts them."""
    boottime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boottime is None else time.clock_gettime(boottime)


class SteadyClock:
    """Unix time as it was when this began, and the seconds that have passed since: it never jumps."""

    def __init__(self, wall: Callable[[], float] = time.time, passed: Callable[[], float] = elapsed) -> None:
        self._passed = passed
        self._offset = wall() - passed()

    def __call__(self) -> float:
        return self._offset + self._passed()


steady_time = SteadyClock()
"""This process's own."""
