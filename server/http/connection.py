"""Connection limits that uvicorn does not have: number of connections, size and timeout of a request head."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 25\r\n\r\nToo many open connections"
)


class Connection(HttpToolsProtocol):
    """Rejects a head of more than `HEAD_BYTES`, in one read or many, and one with two hosts; closes if a head is not
    complete after `HEAD_SECONDS`.

    With more than `MOST` connections, the one that has been idle longest is closed. If none is idle, the new
    one is rejected with 503. All limits apply before the login check.
    """

    HEAD_BYTES = 64 * 1024
    HEAD_SECONDS = 60.0
    MOST = 7_500
    idle: OrderedDict[Connection, None]
    """Connections that wait for a head, longest first. Set by `connections_up_to`."""

    _head_bytes = 0
    """Received while a head is not complete."""
    _lines_bytes = 0
    """Of the lines of a request's head that are complete, and of those after a chunked body."""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.MOST:
            if not self.idle:
                transport.write(REFUSAL)
                transport.close()
                return
            longest, _ = self.idle.popitem(last=False)
            longest.transport.close()
        self.idle[self] = None
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self.idle.pop(self, None)
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
        if self.client:  # which forwarding headers replace in the scope
            self.scope["state"]["connected"] = self.client[0]
        self._lines_bytes = 0
        self._await_head()

    def on_header(self, name: bytes, value: bytes) -> None:
        """An error ends the connection with 400."""
        super().on_header(name, value)
        self._lines_bytes += len(name) + len(value)
        if self._lines_bytes > self.HEAD_BYTES:
            raise ValueError("the headers are too large")

    def on_headers_complete(self) -> None:
        if len(self.url) + self._lines_bytes > self.HEAD_BYTES:
            raise ValueError("the head is too large")
        if sum(name == b"host" for name, _ in self.headers) > 1:
            raise ValueError("a request is for one host")
        self.idle.pop(self, None)
        self._end_head()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and not self.pipeline and self.cycle.response_complete:
            self.idle[self] = None

    def _await_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.HEAD_SECONDS, self.transport.close)

    def _end_head(self) -> None:
        self._head_bytes = 0
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


def connections_up_to(most: int) -> type[Connection]:
    """The protocol class of one server, limited to `most` concurrent connections."""

    class Limited(Connection):
        MOST = most
        idle = OrderedDict()

    return Limited
