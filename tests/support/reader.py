"""A reader of one session's stream that can be cut off anywhere and comes back with the last id it saw."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI

from tests.support.chat import Event, parse_sse


class Reader:
    """Follows the session from run to run; `events` are all that it has received, over all its connections."""

    def __init__(self, session_id: str, headers: dict[str, str]) -> None:
        self.session_id = session_id
        self.events: list[Event] = []
        self.has_missed = False
        """It got a `resync`, or the server that it read from is gone."""
        self._headers = headers
        self._connection: asyncio.Task[None] | None = None
        self._leaves = asyncio.Event()

    @property
    def last_id(self) -> str | None:
        return self.events[-1]["id"] if self.events else None

    async def connect(self, app: FastAPI) -> None:
        headers = self._headers | ({"last-event-id": self.last_id} if self.last_id else {})
        scope: dict[str, Any] = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
            "path": f"/api/sessions/{self.session_id}/stream", "query_string": b"follow=true", "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9999), "state": {},
        }  # fmt: skip
        self._leaves = asyncio.Event()
        self._connection = asyncio.create_task(app(scope, self._receive, self._send))  # type: ignore[arg-type]

    async def cut(self) -> None:
        """Go away, however much of the stream is still to come."""
        self._leaves.set()
        if self._connection:
            await self._connection

    def lose(self) -> None:
        """The server is gone, and with it the events that it had not sent yet."""
        self._connection, self.has_missed = None, True

    async def _receive(self) -> dict[str, Any]:
        await self._leaves.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if self._leaves.is_set():
            return
        for event in parse_sse(message.get("body", b"").decode().splitlines()):
            if event["type"] == "resync":
                self.has_missed = True
            else:
                self.events.append(event)
