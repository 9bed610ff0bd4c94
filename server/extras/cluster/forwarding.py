"""Passes what concerns a session's browser on to the process that has it: live view, take-over, manual commands."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress

import httpx
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server.api.sockets import refuse, run_until_one_ends, send
from server.auth import WS_UNAUTHORIZED
from server.browser.browsers import Browsers
from server.database.models import ProcessRow
from server.errors import AppError, Unavailable
from server.extras.cluster.shared_browsers import SharedBrowsers
from server.http.problems import render
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

PATH = re.compile(r"/api/sessions/([A-Za-z0-9_-]{1,64})/(live|browser/[a-z]+)")
OWNER_POLL_SECONDS = 1.0
"""Between two looks which process has the session's browser."""
OPEN_SECONDS = 5.0
FORWARD_RETRY_SECONDS = 0.2
MAX_FORWARDED_BYTES = 16_000_000
"""Of one frame of the live view."""
NO_BROWSER = {
    "type": "state", "holder": "none", "held": False, "browser": "closed", "url": None, "title": None,
    "viewport": None, "tabs": [], "dialog": None, "security": None, "queue_place": None,
}  # fmt: skip
NO_WORKER = sentence("server.no_worker")


class Forwarding:
    """ASGI middleware behind the login."""

    def __init__(self, app: ASGIApp, *, browsers: Callable[[], Awaitable[Browsers]]) -> None:
        """`browsers` waits for those of the runtime. Raises Unavailable."""
        self._app = app
        self._browsers = browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = PATH.fullmatch(scope["path"]) if scope["type"] in ("http", "websocket") else None
        if found is None:
            await self._app(scope, receive, send)
            return
        try:
            browsers = await self._browsers()
            assert isinstance(browsers, SharedBrowsers)
            await browsers.store.session(found[1])
            peer = await browsers.peer_of(found[1])
            if scope["type"] == "http" and peer is not None:
                await self._forward(browsers, peer, scope, receive, send)
                return
        except AppError as error:
            await _refuse(scope, receive, send, error)
            return
        if scope["type"] == "websocket" and (peer is not None or browsers.settings.role == "web"):
            try:
                with scope["app"].state.streams.one():
                    await LiveRelay(browsers, found[1]).serve(WebSocket(scope, receive, send))
            except Unavailable as error:
                await _refuse(scope, receive, send, error)
        elif peer is None and browsers.settings.role == "web":
            await _refuse(scope, receive, send, Unavailable(NO_WORKER, code="no_worker", retry_after=5))
        else:
            await self._app(scope, receive, send)

    async def _forward(
        self, browsers: SharedBrowsers, peer: ProcessRow, scope: Scope, receive: Receive, send: Send
    ) -> None:
        request = Request(scope, receive)
        kind = {"content-type": request.headers.get("content-type", "application/json")}
        try:
            answer = await browsers.peers.request(
                peer, request.method, request.url.path, content=await request.body(), headers=kind,
                timeout=browsers.settings.tool_timeout + 60,
            )  # fmt: skip
        except httpx.HTTPError as error:
            raise Unavailable(
                sentence("browser.process_no_answer"), code="no_worker", retry_after=5
            ) from error
        headers = {
            name: answer.headers[name] for name in ("content-type", "retry-after") if name in answer.headers
        }
        await Response(answer.content, answer.status_code, headers)(scope, receive, send)


class LiveRelay:
    """One viewer of a live view. When another process gets the session's browser, it continues there."""

    def __init__(self, browsers: SharedBrowsers, session_id: str) -> None:
        self._browsers = browsers
        self._session_id = session_id
        self._link: ClientConnection | None = None
        self._peer = ""

    async def serve(self, socket: WebSocket) -> None:
        await socket.accept()
        await self.relay(socket)

    async def relay(self, socket: WebSocket) -> None:
        """On an accepted socket, as long as its caller is logged in."""
        with suppress(WebSocketDisconnect):
            await run_until_one_ends(
                self._keep_linked(socket), self._from_viewer(socket), self._end_at_logout(socket)
            )

    async def _end_at_logout(self, socket: WebSocket) -> None:
        while True:
            await asyncio.sleep(OWNER_POLL_SECONDS)
            if not socket.state.caller.is_logged_in:
                await socket.close(WS_UNAUTHORIZED)
                return

    async def _from_viewer(self, socket: WebSocket) -> None:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if self._link is not None:
                with suppress(ConnectionClosed):
                    await self._link.send(message.get("text") or message.get("bytes") or "")

    async def _keep_linked(self, socket: WebSocket) -> None:
        while socket.client_state is WebSocketState.CONNECTED:
            try:
                peer = await self._browsers.peer_of(self._session_id)
                if peer is None:
                    await send(socket, NO_BROWSER)
                    await asyncio.sleep(OWNER_POLL_SECONDS)
                else:
                    await self._follow(socket, peer)
                    await asyncio.sleep(FORWARD_RETRY_SECONDS)
            except (AppError, OSError, InvalidHandshake, ConnectionClosed, TimeoutError) as error:
                logger.info(
                    "session %s: its live view is opened again: %s", self._session_id, type(error).__name__
                )
                await asyncio.sleep(OWNER_POLL_SECONDS)
            finally:
                self._link = None

    async def _follow(self, socket: WebSocket, peer: ProcessRow) -> None:
        """Relay the view of this process until another one has the browser, or the connection ends."""
        address = f"ws{peer.address.removeprefix('http')}/api/sessions/{self._session_id}/live"
        headers = {"authorization": self._browsers.peers.headers["authorization"]}
        async with connect(
            address, additional_headers=headers, open_timeout=OPEN_SECONDS, max_size=MAX_FORWARDED_BYTES, proxy=None,
            compression=None,
        ) as link:  # fmt: skip
            self._link, self._peer = link, peer.name
            await run_until_one_ends(self._to_viewer(socket, link), self._watch(peer))

    async def _to_viewer(self, socket: WebSocket, link: ClientConnection) -> None:
        async for message in link:
            if isinstance(message, str):
                await socket.send_text(message)
            else:
                await socket.send_bytes(message)

    async def _watch(self, peer: ProcessRow) -> None:
        """Return when another process has the session's browser, or this one is gone."""
        while True:
            await asyncio.sleep(OWNER_POLL_SECONDS)
            with suppress(Unavailable):
                holder = await self._browsers.store.browser_holder(self._session_id)
                if holder is not None and holder.name != peer.name:
                    return


async def _refuse(scope: Scope, receive: Receive, send: Send, error: AppError) -> None:
    if scope["type"] == "http":
        await render(error, scope["state"]["request_id"])(scope, receive, send)
        return
    socket = WebSocket(scope, receive, send)
    await socket.accept()
    await refuse(socket, error)
