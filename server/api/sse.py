"""Server-sent events: sse-starlette's response with this server's login check and timeouts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.types import Message, Receive, Scope, Send

PING_SECONDS = 10.0
RETRY = b"retry: 500\n"
"""Milliseconds after which a reader that was cut off comes back; by itself it would wait for seconds."""
SEND_TIMEOUT = 30.0
"""Seconds for which a reader's socket may be full; then it is dropped. It can resume with Last-Event-ID."""


class EventStream(EventSourceResponse):
    """Sends blocks of complete events, one chunk per block; the first also says when to come back.

    An empty block sends nothing, but the login is checked. Ends when the source ends, when the reader
    disconnects or does not read for `send_timeout` seconds, and when `is_allowed` returns False. Raises the
    exceptions of the source, so that a failed stream does not look complete.
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
            # The library has no timeout for the last, empty chunk, which can block on the reader, too.
            return send(message) if message.get("more_body", True) else send_last(message)

        try:
            await super().__call__(scope, receive, send_in_time)
        except* (TimeoutError, OSError):
            pass  # the reader does not read or has disconnected; a ping and an event can both raise


async def _while_allowed(
    source: AsyncIterator[bytes], is_allowed: Callable[[], bool]
) -> AsyncIterator[bytes]:
    head = RETRY
    async with aclosing(source) as blocks:  # type: ignore[type-var]
        async for block in blocks:
            if not is_allowed():
                return
            if block:
                yield head + block
                head = b""
