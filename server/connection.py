"""A client's connection, and what uvicorn does not limit: how large the head of a request is, and how late."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class Connection(HttpToolsProtocol):
    """Refuses a head of more than `HEAD_BYTES`, and closes when one is not complete after `HEAD_SECONDS`.

    Both count before anybody is asked for a login.
    """

    HEAD_BYTES = 64 * 1024
    HEAD_SECONDS = 60.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._deadline is None or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        if self._head_bytes > self.HEAD_BYTES:
            self.send_400_response("The headers are too large.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        self._end_head()
        super().on_headers_complete()

    def _await_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.HEAD_SECONDS, self.transport.close)

    def _end_head(self) -> None:
        self._head_bytes = 0
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
