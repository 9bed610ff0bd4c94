"""One connected viewer of a live view."""

from __future__ import annotations

import asyncio

from server.browser.takeover.browser_view import LiveFrame
from server.ops.json_types import JsonObject

IN_FLIGHT = 2
"""Maximum number of frames sent to a viewer and not yet acknowledged."""

ViewerMessage = JsonObject


class Viewer:
    """Buffers the latest message of each kind and the latest frame until they can be sent."""

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
