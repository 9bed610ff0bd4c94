"""The tunnel to a browser host, as seen by the process that uses its browsers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from time import monotonic
from urllib.parse import quote

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from server.browser.chromium.cdp import Cdp, CdpError
from server.browser.chromium.devtools import Message, Receive
from server.browser.chromium.downloads import Fetch
from server.browser.chromium.reach import Reach
from server.browser.chromium.relay import MAX_MESSAGE, Relay
from server.extras.hosts.protocol import (
    SET_FILES,
    Acquire,
    Granted,
    HostReply,
    Refusal,
    Rules,
    ToHolder,
    ToHost,
)
from server.extras.hosts.remote_hold import RemoteHold
from wording.catalogue import Wording

log = logging.getLogger(__name__)
_wire_log = logging.getLogger(f"{__name__}.wire")
_wire_log.setLevel(logging.CRITICAL)  # the library would log the secret and every frame

HOST_CONNECT_SECONDS = 5.0
START_SECONDS = 40.0
"""Timeout of a start: Chromium has 20 s for it, and the disk of a profile may be slow."""
HOST_END_SECONDS = 10.0
FILE_SECONDS = 60.0
HOST_RENEWALS_PER_LEASE = 6
"""Signs of life within a lease."""


class HostUnreachable(Exception):
    """The host does not answer, or not as a browser host does."""


class HostRefused(Exception):
    """The host does not give the browser. `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.detail)
        self.refusal = refusal


class BrowserHost:
    """One host, at its address. All requests carry the secret."""

    def __init__(self, address: str, secret: str) -> None:
        self.address = address
        self._headers = {"authorization": f"Bearer {secret}"}
        self._client = httpx.AsyncClient(
            base_url=address, headers=self._headers, timeout=HOST_CONNECT_SECONDS, trust_env=False
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def open_socket(self, path: str) -> ClientConnection:
        """Raises HostUnreachable."""
        url = "ws" + self.address.removeprefix("http") + path
        try:
            return await connect(
                url, additional_headers=self._headers, open_timeout=HOST_CONNECT_SECONDS, close_timeout=1,
                max_size=MAX_MESSAGE, compression=None, ping_interval=None, proxy=None, logger=_wire_log,
            )  # fmt: skip
        except (InvalidHandshake, OSError, EOFError) as error:
            raise HostUnreachable(f"{self.address}: {_reason(error)}") from None

    async def request(self, method: str, path: str, **options: object) -> httpx.Response:
        """Raises HostUnreachable, also for an answer that is an error."""
        try:
            answer = await self._client.request(method, path, **options)  # type: ignore[arg-type]
        except httpx.HTTPError as error:
            raise HostUnreachable(f"{self.address}: {_reason(error)}") from None
        if answer.is_error and path != "/api/ready":
            raise HostUnreachable(f"{self.address}: {_meaning(answer.status_code)}")
        return answer

    def stream(self, method: str, path: str) -> AbstractAsyncContextManager[httpx.Response]:
        return self._client.stream(method, path, timeout=FILE_SECONDS)

    async def problem(self) -> str | None:
        """Why it can give no browser now; None if it can."""
        try:
            answer = await self.request("GET", "/api/ready")
            detail = answer.json()["detail"]
            await self.request("GET", "/api/metrics")  # needs the secret
        except HostUnreachable as error:
            return f"Browser host {error}."
        except (ValueError, KeyError, TypeError):
            return f"Browser host {self.address}: this is no browser host."
        return f"Browser host {self.address}: {detail}" if detail else None

    async def has_browser(self, session_id: str) -> bool:
        """Whether the session's browser runs there. Raises HostUnreachable."""
        answer = await self.request("GET", f"/browsers/{quote(session_id, safe='')}")
        return bool(answer.json().get("is_open"))

    async def sessions(self) -> list[str]:
        """The sessions with a profile there. Raises HostUnreachable."""
        return list((await self.request("GET", "/profiles")).json()["sessions"])

    async def purge(self, session_id: str) -> None:
        """End the session's browser and delete its profile. Raises HostUnreachable."""
        await self.request("DELETE", f"/profiles/{quote(session_id, safe='')}", timeout=HOST_END_SECONDS)

    async def acquire(
        self, session_id: str, asked: Acquire, files: Path, note: Callable[[str], None]
    ) -> RemoteChromium:
        """Become the holder of the session's browser. Raises HostRefused, HostUnreachable."""
        path = f"/browsers/{quote(session_id, safe='')}"
        socket = await self.open_socket(path)
        async with AsyncExitStack() as undo:
            undo.callback(socket.transport.abort)
            try:
                async with asyncio.timeout(START_SECONDS):
                    await socket.send(asked.model_dump_json())
                    reply = HostReply.model_validate_json(await socket.recv())
                if reply.refused:
                    raise HostRefused(reply.refused)
                if not reply.granted:
                    raise HostUnreachable(f"{self.address}: an answer that cannot be read")
                devtools = Tunnel(self, f"{path}/{asked.epoch}", files)
                relay = Relay(devtools)
                await relay.start()
                undo.push_async_callback(relay.close)
                cdp = await Cdp.connect(devtools, deadline=START_SECONDS)
            except (WebSocketException, OSError, ValueError, CdpError) as error:
                raise HostUnreachable(f"{self.address}: {_reason(error)}") from None
            undo.pop_all()
        for line in reply.granted.notes:
            note(line)
        return RemoteChromium(self.address, socket, devtools, relay, cdp, reply.granted, asked.lease, note)


class Tunnel:
    """DevTools of a browser on a host: for each client a WebSocket of its own."""

    def __init__(self, host: BrowserHost, path: str, files: Path) -> None:
        """`files` is the session's folder: only its files are given to pages."""
        self._host = host
        self._path = path
        self._files = files
        self._clients: set[TunnelClient] = set()
        self._is_closed = False

    async def attach(self, receive: Receive, lost: Callable[[], None]) -> TunnelClient:
        """See `DevTools.attach`. Raises ConnectionError."""
        try:
            socket = await self._host.open_socket(f"{self._path}/devtools")
        except HostUnreachable as error:
            raise ConnectionError(str(error)) from None
        if self._is_closed:
            socket.transport.abort()
            raise ConnectionError("the browser is gone")
        client = TunnelClient(self, socket, receive, lost)
        self._clients.add(client)
        return client

    def forget(self, client: TunnelClient) -> None:
        self._clients.discard(client)

    def close(self) -> None:
        """Disconnect all clients."""
        self._is_closed = True
        for client in list(self._clients):
            client.detach()

    async def with_files_there(self, message: Message) -> Message:
        """Copy the files of an upload to the host, and name them as they are named there. Raises ConnectionError."""
        names = (message.get("params") or {}).get("files", ())
        there = [await self._send_file(Path(name)) for name in names]
        return {**message, "params": {**message["params"], "files": there}}

    async def _send_file(self, path: Path) -> str:
        if not self._is_of_session(path):
            log.warning("a file outside of the session's folder was not uploaded")
            return ""  # the host refuses it
        url = f"{self._path}/files/{quote(path.name, safe='')}"
        try:
            answer = await self._host.request("PUT", url, content=_chunks(path), timeout=FILE_SECONDS)
            return str(answer.json()["path"])
        except (HostUnreachable, OSError) as error:
            raise ConnectionError(str(error)) from None

    def _is_of_session(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self._files.resolve())

    async def fetch(self, guid: str, target: Path, most: int) -> None:
        """Copy a download to `target`, at most `most` bytes and one more. Raises ConnectionError."""
        url = f"{self._path}/files/{quote(guid, safe='')}"
        try:
            async with self._host.stream("GET", url) as answer:
                if answer.is_error:
                    raise ConnectionError(_meaning(answer.status_code))
                await _save(answer, target, most + 1)
            await self._host.request("DELETE", url)
        except (HostUnreachable, httpx.HTTPError, OSError) as error:
            raise ConnectionError(str(error)) from None


class TunnelClient:
    def __init__(
        self, tunnel: Tunnel, socket: ClientConnection, receive: Receive, lost: Callable[[], None]
    ) -> None:
        self._tunnel = tunnel
        self._socket = socket
        self._receive = receive
        self._lost: Callable[[], None] | None = lost
        self._reading = asyncio.create_task(self._read(), name="devtools tunnel")

    async def send(self, message: Message) -> None:
        if message.get("method") == SET_FILES:
            message = await self._tunnel.with_files_there(message)
        try:
            await self._socket.send(json.dumps(message, separators=(",", ":")).encode())
        except (WebSocketException, OSError):
            raise ConnectionError("the browser is gone") from None

    def detach(self) -> None:
        self._reading.cancel()
        self._tunnel.forget(self)
        self._socket.transport.abort()

    async def _read(self) -> None:
        try:
            while True:
                message = await self._socket.recv(decode=False)
                try:
                    self._receive(message)
                except Exception:
                    log.exception("a DevTools client failed at a message")
        except (WebSocketException, OSError):
            log.debug("a DevTools connection to a browser host ended")
        finally:
            self._tunnel.forget(self)
            self._socket.transport.abort()
            lost, self._lost = self._lost, None
            if lost:
                lost()


class RemoteRules:
    """The egress proxy on the host."""

    def __init__(self, say: Callable[[ToHost], None]) -> None:
        self._say = say
        self.last_refusal: tuple[float, Wording] | None = None

    def use(self, reach: Reach) -> None:
        self._say(ToHost(rules=Rules.of(reach)))


class RemoteChromium:
    """Implements `RunningChromium`: a browser of a host, while this process is its holder."""

    is_remote = True
    pid = 0

    def __init__(
        self,
        address: str,
        socket: ClientConnection,
        devtools: Tunnel,
        relay: Relay,
        cdp: Cdp,
        granted: Granted,
        lease: float,
        note: Callable[[str], None],
    ) -> None:
        self.address = address
        self.cdp = cdp
        self.headless = granted.headless
        self.was_kept = granted.was_kept
        self.kept_tab = granted.tab
        self.fetch: Fetch = devtools.fetch
        self.egress = RemoteRules(self._say)
        self.outgoing = RemoteHold(self._say) if granted.holds else None
        self.is_crowded = False
        self._socket = socket
        self._devtools = devtools
        self._relay = relay
        self._lease = lease
        self._note = note
        self._current_tab: Callable[[], str | None] = lambda: None
        self._outgoing: asyncio.Queue[ToHost] = asyncio.Queue()
        self._lost = asyncio.Event()
        self._has_ended = asyncio.Event()
        self._last_sign = monotonic()
        self._tasks = [asyncio.create_task(work) for work in (self._listen(), self._speak(), self._beat())]

    @property
    def ports(self) -> set[int]:
        return {self._relay.port}

    @property
    def endpoint(self) -> str:
        return self._relay.url

    @property
    def is_running(self) -> bool:
        return not self._lost.is_set() and not self.cdp.closed.is_set()

    def follow_tab(self, current: Callable[[], str | None]) -> None:
        self._current_tab = current

    async def answers(self, *, deadline: float = 2) -> bool:
        try:
            await self.cdp.send("Browser.getVersion", deadline=deadline)
        except CdpError:
            return False
        return True

    async def close(self) -> None:
        """End it. If it cannot be reached, its host keeps it for a while, and it may be acquired again."""
        if self.is_running:
            await self._part(ToHost(then="end"))
        await self._disconnect()

    async def leave(self) -> None:
        if not self._lost.is_set():
            await self._part(ToHost(then="leave", tab=self._current_tab()))
        await self._disconnect()

    async def _part(self, message: ToHost) -> None:
        self._say(message)
        waits = [asyncio.create_task(self._has_ended.wait()), asyncio.create_task(self._lost.wait())]
        await asyncio.wait(waits, timeout=HOST_END_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def _disconnect(self) -> None:
        self._lose()
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        self.cdp.close()
        await self._relay.close()

    def _say(self, message: ToHost) -> None:
        self._outgoing.put_nowait(message)

    def _lose(self) -> None:
        self._lost.set()
        if self.outgoing:
            self.outgoing.lose()
        self._socket.transport.abort()
        self._devtools.close()

    async def _listen(self) -> None:
        try:
            while True:
                message = ToHolder.model_validate_json(await self._socket.recv())
                self._last_sign = monotonic()
                self.is_crowded = message.is_crowded
                if message.note:
                    self._note(message.note)
                if self.outgoing:
                    self.outgoing.take(message.held, message.hold_done)
                if message.blocked:
                    self.egress.last_refusal = monotonic(), message.blocked
                if message.has_ended:
                    self._has_ended.set()
                    return
        except (WebSocketException, OSError, ValueError):
            log.info("the connection to a browser on a host has ended")
        finally:
            self._lose()

    async def _speak(self) -> None:
        while True:
            message = await self._outgoing.get()
            try:
                await self._socket.send(message.model_dump_json(exclude_defaults=True))
            except (WebSocketException, OSError):
                return self._lose()

    async def _beat(self) -> None:
        """Give signs of life, and give the connection up when none is answered within a lease."""
        while not self._lost.is_set():
            await asyncio.sleep(self._lease / HOST_RENEWALS_PER_LEASE)
            if monotonic() - self._last_sign > self._lease:
                log.warning("a browser host does not answer; the connection is given up")
                return self._lose()
            self._say(ToHost(tab=self._current_tab()))


async def _chunks(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while chunk := await asyncio.to_thread(file.read, 256 * 1024):
            yield chunk


async def _save(answer: httpx.Response, target: Path, most: int) -> None:
    """Write the body to `target`, at most `most` bytes of it."""
    left = most
    with target.open("wb") as file:
        async for chunk in answer.aiter_bytes(256 * 1024):
            file.write(chunk[:left])
            left -= len(chunk)
            if left <= 0:
                return


def _meaning(status: int) -> str:
    if status in (401, 403):
        return "it has another BROWSER_SECRET"
    return "the browser has another holder" if status == 409 else f"it answers with status {status}"


def _reason(error: BaseException) -> str:
    response = getattr(error, "response", None)
    if status := getattr(response, "status_code", None):
        return _meaning(status)
    return str(error) or type(error).__name__
