"""Queues the user's input and processes it in order, as fast as the page accepts it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from server.browser.takeover.user_input import Input, Mouse, Wheel
from server.browser.takeover.viewer import Viewer
from server.errors import Conflict

MOST_WAITING = 400
"""Maximum number of queued inputs."""

Do = Callable[[Viewer, Input | None], Awaitable[None]]


class InputQueue:
    """`do` executes one input; None as an input requests the element list."""

    def __init__(self, do: Do) -> None:
        self._do = do
        self._waiting: deque[tuple[Viewer, Input | None]] = deque()
        self._writer: asyncio.Task[None] | None = None

    def put(self, viewer: Viewer, wanted: Input | None) -> None:
        """Enqueue an input. Raises Conflict `page_busy` if the queue is full."""
        if len(self._waiting) >= MOST_WAITING:
            raise Conflict("The page does not take input now.", code="page_busy")
        if self._waiting and (joined := _join(self._waiting[-1][1], wanted)):
            self._waiting.pop()
            wanted = joined
        self._waiting.append((viewer, wanted))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write(), name="person's input")

    async def drain(self, seconds: float) -> None:
        """Wait until the queue is empty, at most `seconds`."""
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
    """Merge two consecutive queued inputs: keep the last of two moves, add up two wheel events, else None."""
    match last, wanted:
        case Mouse(kind="move"), Mouse(kind="move") as newer:
            return newer
        case Wheel() as older, Wheel() as newer:
            return newer.model_copy(update={"dx": older.dx + newer.dx, "dy": older.dy + newer.dy})
    return None
