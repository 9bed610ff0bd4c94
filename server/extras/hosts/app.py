"""The web service of a browser host. See `protocol` for its messages."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from server.browser.chromium.cdp import CdpError
from server.browser.chromium.devtools import DevToolsConnection
from server.browser.own_chromiums import OwnChromiums
from server.extras.hosts.hosted import HostedBrowser, HostedBrowsers, HostRefuses
from server.extras.hosts.protocol import (
    MAX_UPLOAD,
    SET_FILES,
    Acquire,
    HostReply,
    Refusal,
    ToHolder,
    ToHost,
)
from server.extras.hosts.remote_hold import carry_out
from server.fs.disk import shortage
from server.fs.names import safe_name
from server.ops.json_types import JsonObject
from server.settings import Settings

log = logging.getLogger(__name__)

MAX_UNREAD_DEVTOOLS = 128 * 1024 * 1024
"""Bytes that wait for a DevTools client that does not read; more ends its connection."""
LOST = 4409
"""Close code: the browser has another holder, or none."""


class HostService:
    def __init__(self, settings: Settings, chromiums: OwnChromiums, browsers: HostedBrowsers) -> None:
        assert settings.browser_secret is not None
        self._settings = settings
        self._chromiums = chromiums
        self._browsers = browsers
        self._bearer = f"Bearer {settings.browser_secret.get_secret_value()}".encode()

    def app(self) -> Starlette:
        routes = [
            Route("/api/ready", self.ready),
            Route("/api/metrics", self._guarded(self.metrics)),
            Route("/profiles", self._guarded(self.profiles)),
            Route("/profiles/{session_id}", self._guarded(self.purge), methods=["DELETE"]),
            Route("/browsers/{session_id}", self._guarded(self.state)),
            WebSocketRoute("/browsers/{session_id}", self.hold),
            WebSocketRoute("/browsers/{session_id}/{epoch:int}/devtools", self.devtools),
            Route(
                "/browsers/{session_id}/{epoch:int}/files/{name}",
                self._guarded(self.files),
                methods=["GET", "PUT", "DELETE"],
            ),
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        maintaining = asyncio.create_task(self._browsers.maintain(), name="browser host maintenance")
        try:
            yield
        finally:
            maintaining.cancel()
            await self._browsers.aclose()

    def _knows_secret(self, connection: HTTPConnection) -> bool:
        given = connection.headers.get("authorization", "").encode(errors="surrogateescape")
        if hmac.compare_digest(given, self._bearer):
            return True
        log.warning("a connection without the secret was refused")
        return False

    def _guarded(
        self, answer: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            return await answer(request) if self._knows_secret(request) else Response(status_code=401)

        return guarded

    async def ready(self, _: Request) -> Response:
        settings = self._settings
        problem = self._chromiums.missing() or shortage(settings.data_dir, settings.min_free_disk)
        return JSONResponse({"ok": not problem, "detail": problem}, status_code=503 if problem else 200)

    async def metrics(self, _: Request) -> Response:
        registry = CollectorRegistry()
        open_ = self._browsers.open
        for name, text, value in (
            ("pilothouse_browsers_open", "Browsers of this host", len(open_)),
            ("pilothouse_browsers_held", "Browsers that a process uses", sum(it.is_held for it in open_)),
            ("pilothouse_browser_slots", "Browsers that may be open", self._browsers.slots),
            ("pilothouse_browser_host_crowded", "1 while slots are wanted", int(self._browsers.is_crowded)),
        ):
            Gauge(name, text, registry=registry).set(value)
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    async def profiles(self, _: Request) -> Response:
        return JSONResponse({"sessions": await asyncio.to_thread(self._browsers.profiles)})

    async def purge(self, request: Request) -> Response:
        await self._browsers.purge(request.path_params["session_id"])
        return Response(status_code=204)

    async def state(self, request: Request) -> Response:
        names = {hosted.session_id for hosted in self._browsers.open if hosted.chromium}
        return JSONResponse({"is_open": request.path_params["session_id"] in names})

    # The holder's connection

    async def hold(self, socket: WebSocket) -> None:
        if not self._knows_secret(socket):
            return await socket.close(1008)
        await socket.accept()
        outgoing: asyncio.Queue[ToHolder] = asyncio.Queue()
        with suppress(WebSocketDisconnect, RuntimeError):
            try:
                asked = Acquire.model_validate_json(await socket.receive_text())
            except ValidationError:
                return await socket.close(1003)
            try:
                hosted, granted = await self._browsers.acquire(
                    socket.path_params["session_id"], asked, outgoing.put_nowait
                )
            except HostRefuses as refused:
                refusal = HostReply(refused=Refusal(code=refused.code, detail=refused.why))
                await socket.send_text(refusal.model_dump_json())
                return await socket.close()
            async with _connection_of(hosted, socket):
                await socket.send_text(HostReply(granted=granted).model_dump_json())
                await self._follow(socket, hosted, asked.epoch, outgoing)

    async def _follow(
        self, socket: WebSocket, hosted: HostedBrowser, epoch: int, outgoing: asyncio.Queue[ToHolder]
    ) -> None:
        """Do what the holder says until it leaves; each message is answered."""

        async def send() -> None:
            while True:
                await socket.send_text((await outgoing.get()).model_dump_json())

        sending = asyncio.create_task(send())
        try:
            while True:
                said = ToHost.model_validate_json(await socket.receive_text())
                if hosted.epoch != epoch:
                    return
                hosted.touch()
                hosted.tab = said.tab or hosted.tab
                if said.rules:
                    self._browsers.use_rules(hosted, said.rules)
                if said.hold and hosted.chromium:
                    with suppress(CdpError):
                        done = await carry_out(said.hold, hosted.chromium.outgoing)
                        outgoing.put_nowait(ToHolder(hold_done=done))
                    continue
                if said.then == "hold":
                    outgoing.put_nowait(ToHolder(is_crowded=self._browsers.is_crowded))
                    continue
                sending.cancel()
                if said.then == "end":
                    hosted.connections.clear()  # this one still has to say that it is done
                    await asyncio.shield(self._browsers.end(hosted, epoch))
                await socket.send_text(ToHolder(has_ended=True).model_dump_json())
                return
        finally:
            sending.cancel()
            self._browsers.leave(hosted, epoch)

    # DevTools

    async def devtools(self, socket: WebSocket) -> None:
        if not self._knows_secret(socket):
            return await socket.close(1008)
        epoch = socket.path_params["epoch"]
        hosted = self._browsers.find(socket.path_params["session_id"], epoch)
        if hosted is None or hosted.chromium is None:
            return await socket.close(1008)
        await socket.accept()
        with suppress(WebSocketDisconnect, RuntimeError, ConnectionError):
            async with _connection_of(hosted, socket) as connection:
                outgoing = _Outgoing(connection.abort)
                client = await hosted.chromium.devtools.attach(outgoing.put, connection.abort)
                sending = asyncio.create_task(outgoing.send_all(socket))
                try:
                    while True:
                        message = await socket.receive_bytes()
                        if not hosted.may_act(epoch):
                            return
                        await _pass_on(hosted, client, json.loads(message), outgoing.put)
                except (ValueError, TypeError, AttributeError, RecursionError):
                    log.warning("a DevTools client wrote what is no message")
                finally:
                    sending.cancel()
                    client.detach()

    # Files

    async def files(self, request: Request) -> Response:
        """PUT takes a file for an upload and returns its path here; GET and DELETE are for a download, by its guid."""
        params = request.path_params
        hosted = self._browsers.find(params["session_id"], params["epoch"])
        if hosted is None:
            return Response(status_code=409)
        if request.method == "PUT":
            return await _take_file(hosted, params["name"], request)
        path = hosted.path_of(params["name"])
        if request.method == "DELETE":
            path.unlink(missing_ok=True)
            return Response(status_code=204)
        return FileResponse(path) if path.is_file() else Response(status_code=404)


class _SocketConnection:
    """A WebSocket that can be ended from outside: the task that serves it is cancelled."""

    def __init__(self) -> None:
        self._task = asyncio.current_task()
        self.is_aborted = False

    def abort(self) -> None:
        if not self.is_aborted and self._task is not None:
            self.is_aborted = True
            self._task.cancel()


@asynccontextmanager
async def _connection_of(hosted: HostedBrowser, socket: WebSocket) -> AsyncIterator[_SocketConnection]:
    """Register the connection with the browser; on `abort` the socket is closed, and the block ends quietly."""
    connection = _SocketConnection()
    hosted.connections.add(connection)
    try:
        yield connection
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not connection.is_aborted or task is None or task.uncancel():
            raise
    finally:
        hosted.connections.discard(connection)
        connection.is_aborted = True
        with suppress(RuntimeError, TimeoutError, WebSocketDisconnect):
            async with asyncio.timeout(1):  # who is frozen does not answer
                await socket.close(LOST)


class _Outgoing:
    """Messages of Chromium that wait for the client."""

    def __init__(self, abort: Callable[[], None]) -> None:
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._bytes = 0
        self._abort = abort

    def put(self, message: bytes) -> None:
        self._bytes += len(message)
        if self._bytes > MAX_UNREAD_DEVTOOLS:
            log.warning("a DevTools client does not read; its connection is ended")
            return self._abort()
        self._waiting.put_nowait(message)

    async def send_all(self, socket: WebSocket) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while True:
                message = await self._waiting.get()
                await socket.send_bytes(message)
                self._bytes -= len(message)


async def _pass_on(
    hosted: HostedBrowser, client: DevToolsConnection, message: JsonObject, answer: Callable[[bytes], None]
) -> None:
    """Send a message to Chromium, with this host's own folders in it."""
    params: Any = message.get("params") or {}
    if str(message.get("method")).endswith(".setDownloadBehavior") and "downloadPath" in params:
        hosted.downloads.mkdir(parents=True, exist_ok=True)
        message = {**message, "params": {**params, "downloadPath": str(hosted.downloads.resolve())}}
    is_strange = not all(hosted.may_give(Path(name)) for name in params.get("files", ()))
    if message.get("method") == SET_FILES and is_strange:
        error = {"code": -32000, "message": "not a file of this session"}
        session = {"sessionId": message["sessionId"]} if message.get("sessionId") else {}
        return answer(json.dumps({"id": message.get("id"), "error": error, **session}).encode())
    await client.send(message)


async def _take_file(hosted: HostedBrowser, name: str, request: Request) -> Response:
    folder = hosted.uploads / secrets.token_hex(8)
    await asyncio.to_thread(folder.mkdir, parents=True)
    path, size = folder / safe_name(name), 0
    with path.open("wb") as file:
        async for chunk in request.stream():
            size += len(chunk)
            if size > MAX_UPLOAD:
                break
            file.write(chunk)
    if size > MAX_UPLOAD:
        path.unlink()
        return Response(status_code=413)
    return JSONResponse({"path": str(path.resolve())})
