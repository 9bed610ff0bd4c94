"""Watchdog thread that logs the event loop's stack while the loop is blocked (docs/evidence/reliability.md, row 11)."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

logger = logging.getLogger(__name__)

STALL_SECONDS = 5.0


@contextmanager
def log_stalls(seconds: float = STALL_SECONDS) -> Iterator[None]:
    """While the block runs, log each time the loop is blocked for `seconds`, once, with the current stack."""
    loop, over = asyncio.get_running_loop(), threading.Event()
    stuck = _Watch(loop, threading.get_ident(), seconds, over)
    watching = threading.Thread(target=stuck.watch, name="stall watch", daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()


class _Watch:
    def __init__(
        self, loop: asyncio.AbstractEventLoop, thread: int, seconds: float, over: threading.Event
    ) -> None:
        self._loop, self._thread, self._seconds, self._over = loop, thread, seconds, over
        self._answered = threading.Event()

    def watch(self) -> None:
        while not self._over.wait(self._seconds):
            self._answered.clear()
            try:
                self._loop.call_soon_threadsafe(self._answered.set)
            except RuntimeError:  # the loop is closed
                return
            if not self._answered.wait(self._seconds) and not self._over.is_set():
                self._log_stall()

    def _log_stall(self) -> None:
        began = time.monotonic() - self._seconds
        frame = sys._current_frames().get(self._thread)
        stack = "".join(traceback.format_stack(frame)) if frame else ""
        logger.error("the event loop has stood still for %.0f s:\n%s", self._seconds, stack)
        while not self._over.is_set() and not self._answered.wait(self._seconds):
            pass
        if not self._over.is_set():
            logger.error("the event loop goes on after %.0f s", time.monotonic() - began)
