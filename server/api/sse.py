"""Server-sent events: sse-starlette's response with the rules of this server's streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Message, Receive, Scope, Send

PING_SECONDS = 10.0
SEND_TIMEOUT = 30.0
"""Seconds a reader may leave its socket full; then it is dropped. It comes back with Last-Event-ID."""


class EventStream(EventSourceResponse):
    """Sends blocks of bytes, each of whole events, in one chunk per block.

    An empty block sends nothing: it is an occasion to check the login. Ends when the source does, when the reader
    goes away or does not read for `send_timeout` seconds, and when `is_allowed` says no. Raises what the source raises, so
    that a stream that failed does not look like one that is complete.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        source: AsyncIterator[bytes],
        *,
        is_allowed: Callable[[], bool],
        ping: float = PING_SECONDS,
        send_timeout: float = SEND_TIMEOUT,
    ) -> None:
        super().__init__(
            _while_allowed(source, is_allowed),
            media_type=self.media_type,
            ping=ping,
            ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
            sep="\n",
            send_timeout=send_timeout,
        )
        self._patience = send_timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_last(message: Message) -> None:
            async with asyncio.timeout(self._patience):
                await send(message)

        def send_in_time(message: Message) -> Awaitable[None]:
            # The library has no deadline for the last, empty chunk, which may wait for the reader, too.
            return send(message) if message.get("more_body", True) else send_last(message)

        try:
            await super().__call__(scope, receive, send_in_time)
        except* (TimeoutError, OSError):
            pass  # the reader does not read, or is gone; a ping and an event may find that out at once


async def _while_allowed(
    source: AsyncIterator[bytes], is_allowed: Callable[[], bool]
) -> AsyncIterator[bytes]:
    async with aclosing(source) as blocks:  # type: ignore[type-var]
        async for block in blocks:
            if not is_allowed():
                return
            if block:
                yield block
