"""Server-sent events straight on ASGI: whatever waits goes out in one write."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

SEND_TIMEOUT = 30.0
"""Seconds a reader may leave its socket full; then it is dropped. It comes back with Last-Event-ID."""
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
PING = b": ping\n\n"


class EventStream(Response):
    """Sends blocks of bytes as they come; an empty block becomes a ping.

    Ends when the source does, when the reader goes away or does not read, and when `is_allowed` says no.
    """

    media_type = "text/event-stream"

    def __init__(self, source: AsyncIterator[bytes], *, is_allowed: Callable[[], bool]) -> None:
        super().__init__()
        self._source = source
        self._is_allowed = is_allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        writing = asyncio.create_task(self._write(send))
        leaving = asyncio.create_task(_disconnect(receive))
        try:
            ended, _ = await asyncio.wait({writing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            leaving.cancel()
            writing.cancel()
            await asyncio.gather(writing, leaving, return_exceptions=True)
        if writing in ended:
            await writing  # a source that failed is not to look like one that ended

    async def _write(self, send: Send) -> None:
        try:
            async with aclosing(self._source) as blocks:  # type: ignore[type-var]
                async for block in blocks:
                    if not self._is_allowed():
                        break
                    async with asyncio.timeout(SEND_TIMEOUT):
                        await send({"type": "http.response.body", "body": block or PING, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except (TimeoutError, OSError):
            return


async def _disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
