"""One who watches a live view."""

from __future__ import annotations

import asyncio
from typing import Any

from server.browser.takeover.browser_view import LiveFrame

IN_FLIGHT = 2
"""Frames that a viewer may have and not yet have painted."""

Told = dict[str, Any]


class Viewer:
    """One who watches: gets the newest message of each kind, and the newest frame as soon as there is room for it."""

    def __init__(self) -> None:
        self.told_state: Told | None = None
        self.first_start = 0
        """The start of the browser that it saw first."""
        self._messages: dict[str, Told] = {}
        self._frame: LiveFrame | None = None
        self._in_flight = 0
        self._news = asyncio.Event()

    def tell(self, message: Told) -> None:
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

    async def next(self) -> LiveFrame | Told:
        """The next thing to send; waits for it."""
        while True:
            if self._messages:
                return self._messages.pop(next(iter(self._messages)))
            if self._frame and self._in_flight < IN_FLIGHT:
                frame, self._frame = self._frame, None
                self._in_flight += 1
                return frame
            self._news.clear()
            await self._news.wait()
