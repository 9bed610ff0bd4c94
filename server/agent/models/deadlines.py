"""Deadlines for an async generator, with one timer per stream instead of one per item."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
MAX_PATIENCE_FACTOR = 4
"""How often the time for the first item may pass while a server says that it is alive."""


async def watched(
    source: AsyncGenerator[T, None],
    first: float,
    idle: float,
    *,
    counts: Callable[[T], bool] = lambda item: True,
    is_patient: bool = False,
) -> AsyncGenerator[T, None]:
    """Yield the items of `source`. Raises TimeoutError if the first item that `counts` takes longer than
    `first` seconds, or a later one longer than `idle`. Only time spent waiting for the source is measured.

    `is_patient`: each sign of life begins the time for the first item again, up to MAX_PATIENCE_FACTOR times `first`.
    """
    watch = _CallDeadline(first)
    async with aclosing(source):
        try:
            while True:
                watch.begin()
                waiting = _waiting.set(watch) if is_patient else None
                try:
                    item = await anext(source)
                except StopAsyncIteration:
                    return
                except asyncio.CancelledError:
                    watch.raise_if_expired()
                    raise
                finally:
                    if waiting:
                        _waiting.reset(waiting)
                    watch.pause()
                if counts(item):
                    watch.renew(idle)
                yield item
        finally:
            watch.close()


def note_life() -> None:
    """Called by the transport for whatever a server sends, such as comments that keep the connection open."""
    if watch := _waiting.get():
        watch.note_life()


class _CallDeadline:
    """Cancels the waiting task when its allowance in seconds is used up. Extends the timer when it fires."""

    def __init__(self, allowance: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._allowance = allowance
        self._used = 0.0
        self._patient_until: float | None = self._loop.time() + MAX_PATIENCE_FACTOR * allowance
        self._began: float | None = None
        self._task: asyncio.Task[object] | None = None
        self._has_expired = False
        self._timer = self._loop.call_later(allowance, self._on_timer)

    def begin(self) -> None:
        self._task = asyncio.current_task()
        self._began = self._loop.time()

    def pause(self) -> None:
        if self._began is not None:
            self._used += self._loop.time() - self._began
            self._began = None

    def note_life(self) -> None:
        now = self._loop.time()
        if self._patient_until is not None and now + self._allowance <= self._patient_until:
            self._used, self._began = 0.0, now

    def renew(self, allowance: float) -> None:
        self._allowance, self._used, self._patient_until = allowance, 0.0, None
        if self._timer.when() > self._loop.time() + allowance:
            self._set_timer(allowance)

    def raise_if_expired(self) -> None:
        if self._has_expired and self._task is not None and self._task.uncancel() == 0:
            raise TimeoutError from None

    def close(self) -> None:
        self._timer.cancel()

    def _set_timer(self, delay: float) -> None:
        self._timer.cancel()
        self._timer = self._loop.call_later(delay, self._on_timer)

    def _on_timer(self) -> None:
        left = self._allowance - self._used
        if self._began is None:
            self._set_timer(max(left, 0.25))
            return
        left -= self._loop.time() - self._began
        if left > 0.001:
            self._set_timer(left)
        elif self._task is not None:
            self._has_expired = True
            self._task.cancel()


_waiting: ContextVar[_CallDeadline | None] = ContextVar("waiting", default=None)
