"""A stream read on ASGI: httpx's own transport waits for the end, which most streams do not have.

async with open_stream(app, "/api/stream", headers) as stream:
    await stream.until(b"event: session")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Message

PATIENCE = 60.0


class Stream:
    """`text` is all that came so far."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.text = b""
        self.has_ended = False
        self.leaves = asyncio.Event()
        self._came = asyncio.Event()

    async def until(self, told: bytes = b"") -> None:
        """Until this text, or with "" anything at all, has come, or the stream has ended."""
        async with asyncio.timeout(PATIENCE):
            while not (self.has_ended or (self.text and told in self.text)):
                self._came.clear()
                await self._came.wait()

    def end(self) -> None:
        self.has_ended = True
        self._came.set()

    async def receive(self) -> Message:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        self.text += message.get("body", b"")
        self._came.set()


@asynccontextmanager
async def open_stream(
    app: ASGIApp, path: str, headers: Mapping[str, str | bytes], query: bytes = b""
) -> AsyncIterator[Stream]:
    """Leaves at the end of the block and waits for the app. Raises what the app raises."""
    scope: dict[str, Any] = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode("utf-8", "replace"), "query_string": query, "root_path": "",
        "headers": [(name.encode(), told.encode() if isinstance(told, str) else told) for name, told in headers.items()],
        "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9999), "state": {},
    }  # fmt: skip
    stream = Stream()
    reading = asyncio.create_task(app(scope, stream.receive, stream.send))  # type: ignore[arg-type]
    reading.add_done_callback(lambda _: stream.end())
    try:
        yield stream
    finally:
        stream.leaves.set()
        async with asyncio.timeout(PATIENCE):
            await reading
