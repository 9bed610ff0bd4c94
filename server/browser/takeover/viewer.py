"""The parts of a live view: its viewers, the queue of their input, and the element list that they request."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from server.browser.takeover.browser_view import InputRefused, Listing, LiveFrame
from server.browser.takeover.user_input import Input, Mouse, Wheel
from server.errors import Conflict
from server.ops.json_types import JsonObject
from wording.catalogue import Wording, sentence

IN_FLIGHT = 2
"""Maximum number of frames sent to a viewer and not yet acknowledged."""
MAX_WAITING = 400
"""Maximum number of queued inputs."""
LOOK_AGAIN = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds between two reads of a page that is still loading."""

ViewerMessage = JsonObject


class Viewer:
    """One connected viewer. Buffers the latest message of each kind and the latest frame until they can be sent."""

    def __init__(self) -> None:
        self.sent_state: ViewerMessage | None = None
        self.first_start = 0
        """`Screen.start` of the first browser that it saw; 0 before any."""
        self._messages: dict[str, ViewerMessage] = {}
        self._frame: LiveFrame | None = None
        self._in_flight = 0
        self._news = asyncio.Event()

    def send(self, message: ViewerMessage) -> None:
        kind = f"{message['type']} {message.get('code', '')}"
        self._messages.pop(kind, None)
        self._messages[kind] = message
        self._news.set()

    def show(self, frame: LiveFrame) -> None:
        self._frame = frame
        self._news.set()

    def ack(self) -> None:
        self._in_flight = max(0, self._in_flight - 1)
        self._news.set()

    async def next(self) -> LiveFrame | ViewerMessage:
        """Wait for the next message or frame to send, and return it. Messages come first."""
        while True:
            if self._messages:
                return self._messages.pop(next(iter(self._messages)))
            if self._frame and self._in_flight < IN_FLIGHT:
                frame, self._frame = self._frame, None
                self._in_flight += 1
                return frame
            self._news.clear()
            await self._news.wait()


Do = Callable[[Viewer, Input | None], Awaitable[None]]


class InputQueue:
    """Processes the user's input in order, as fast as the page accepts it.

    `do` executes one input; None as an input requests the element list."""

    def __init__(self, do: Do) -> None:
        self._do = do
        self._waiting: deque[tuple[Viewer, Input | None]] = deque()
        self._writer: asyncio.Task[None] | None = None

    def put(self, viewer: Viewer, wanted: Input | None) -> None:
        """Enqueue an input. Raises Conflict `page_busy` if the queue is full."""
        if len(self._waiting) >= MAX_WAITING:
            raise Conflict(sentence("page.takes_no_input"), code="page_busy")
        if self._waiting and (joined := _join(self._waiting[-1][1], wanted)):
            self._waiting.pop()
            wanted = joined
        self._waiting.append((viewer, wanted))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write(), name="user's input")

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


class ElementPoller:
    """Refreshes a requested element list until the page has loaded. `look` returns the current list."""

    def __init__(
        self, look: Callable[[], Awaitable[Listing]], *, pauses: tuple[float, ...] = LOOK_AGAIN
    ) -> None:
        self._look = look
        self._pauses = pauses
        self._task: asyncio.Task[None] | None = None

    def ask(self, show: Callable[[Listing], None], refuse: Callable[[Wording], None]) -> None:
        """Call `show` with the list now and after each change, or `refuse` with the reason why there is none.

        Replaces an earlier request.
        """
        self.stop()
        self._task = asyncio.create_task(self._poll(show, refuse), name="list of elements")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def aclose(self) -> None:
        self.stop()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _poll(self, show: Callable[[Listing], None], refuse: Callable[[Wording], None]) -> None:
        sent: Listing | None = None
        for pause in (*self._pauses, 0.0):
            try:
                listing = await self._look()
            except InputRefused as error:
                refuse(error.why)
                return
            if listing != sent:
                show(listing)
            if not listing.is_loading:
                return
            sent = listing
            await asyncio.sleep(pause)
