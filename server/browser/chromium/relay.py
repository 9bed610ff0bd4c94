"""Gives an MCP server access to its browser's DevTools: a loopback WebSocket with a secret path.

Loopback is shared by all users of the machine, so the path is a 256-bit secret. It is passed in the
environment or in a file with mode 0600, never on a command line, which all users can read.
"""

from __future__ import annotations

import hmac
import json
import logging
import secrets
from http import HTTPStatus

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from server.browser.chromium.devtools import DevToolsAccess

log = logging.getLogger(__name__)
_wire_log = logging.getLogger(f"{__name__}.wire")
_wire_log.setLevel(logging.CRITICAL)  # the library would log the secret path and every frame

MAX_MESSAGE = 256 * 1024 * 1024
"""Maximum bytes of one message from a client."""
MAX_UNREAD_BYTES = 32 * 1024 * 1024
"""Maximum bytes buffered for a client that does not read; more aborts its connection. A page can fill the buffer, and its
growth copies all of it on the event loop."""


class Relay:
    """Serves the clients of one browser's DevTools."""

    def __init__(self, devtools: DevToolsAccess) -> None:
        self._devtools = devtools
        self._path = "/" + secrets.token_urlsafe(32)
        self._server: Server | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """The WebSocket URL. It is a secret: it gives full control of the browser."""
        return f"ws://127.0.0.1:{self.port}{self._path}"

    async def start(self) -> None:
        """Raises OSError."""
        # In two steps: `serve` pauses after it has begun to listen, and who is cancelled there has no server to close.
        self._server = await serve(
            self._serve, "127.0.0.1", 0, process_request=self._check, origins=[None], max_size=MAX_MESSAGE,
            compression=None, ping_interval=None, open_timeout=5, close_timeout=1, server_header=None,
            logger=_wire_log, start_serving=False,
        )  # fmt: skip
        await self._server.start_serving()
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            for connection in self._server.connections:
                connection.transport.abort()  # a closing handshake would block on a client that does not read
            self._server.close()
            await self._server.wait_closed()

    def _check(self, connection: ServerConnection, request: Request) -> Response | None:
        """Reject a request with 404 unless it has the secret path, our Host header and no Origin header."""
        path = request.path.encode(errors="surrogateescape")
        knows_path = hmac.compare_digest(path, self._path.encode())
        hosts = request.headers.get_all("Host")
        if knows_path and hosts == [f"127.0.0.1:{self.port}"] and "Origin" not in request.headers:
            return None
        log.warning("a connection to DevTools was refused")
        return connection.respond(HTTPStatus.NOT_FOUND, "")

    async def _serve(self, connection: ServerConnection) -> None:
        def receive(message: bytes) -> None:
            broadcast((connection,), message, text=True)
            if connection.transport.get_write_buffer_size() > MAX_UNREAD_BYTES:
                log.warning("a DevTools client does not read; its connection is ended")
                connection.transport.abort()

        try:
            client = await self._devtools.attach(receive, connection.transport.close)
        except ConnectionError:
            return
        try:
            async for text in connection:
                await client.send(json.loads(text))
        except (ConnectionClosed, ConnectionError):
            log.debug("a DevTools connection ended")
        except (ValueError, TypeError, AttributeError, RecursionError):
            log.warning("a DevTools client wrote what is no message")
        finally:
            client.detach()
