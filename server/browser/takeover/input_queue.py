"""What a person does in a browser, in order, as fast as the page takes it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from server.browser.takeover.user_input import Input, Mouse, Wheel
from server.browser.takeover.viewer import Viewer
from server.errors import Conflict

MOST_WAITING = 400
"""Strokes that wait for a page that does not take them."""

Do = Callable[[Viewer, Input | None], Awaitable[None]]


class InputQueue:
    """`do` carries out one input; None among them asks for the list of elements."""

    def __init__(self, do: Do) -> None:
        self._do = do
        self._waiting: deque[tuple[Viewer, Input | None]] = deque()
        self._writer: asyncio.Task[None] | None = None

    def put(self, viewer: Viewer, wanted: Input | None) -> None:
        """Raises Conflict `page_busy`."""
        if len(self._waiting) >= MOST_WAITING:
            raise Conflict("The page does not take input now.", code="page_busy")
        if self._waiting and (joined := _join(self._waiting[-1][1], wanted)):
            self._waiting.pop()
            wanted = joined
        self._waiting.append((viewer, wanted))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write(), name="person's input")

    async def drain(self, seconds: float) -> None:
        """Wait until all is done, or time is up."""
        if self._writer:
            await asyncio.wait([self._writer], timeout=seconds)

    def clear(self) -> None:
        self._waiting.clear()

    async def aclose(self) -> None:
        if self._writer:
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)

    async def _write(self) -> None:
        while self._waiting:
            await self._do(*self._waiting.popleft())


def _join(last: Input | None, wanted: Input | None) -> Mouse | Wheel | None:
    """Of moves that wait only the last one counts; wheels that wait are one."""
    match last, wanted:
        case Mouse(kind="move"), Mouse(kind="move") as newer:
            return newer
        case Wheel() as older, Wheel() as newer:
            return newer.model_copy(update={"dx": older.dx + newer.dx, "dy": older.dy + newer.dy})
    return None
