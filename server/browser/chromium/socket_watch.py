"""Reports the messages that pages send over WebSockets, before their bytes have left.

DevTools names a message when the page sends it and cannot hold it. The bytes pass the browser's proxy, which waits there
until each page and worker has answered a command: what they had sent before has then been reported. Nothing is asked
before the first socket is opened.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.devtools import DevToolsAccess
from server.ops.background_tasks import BackgroundTasks

_TARGET_KINDS = ("page", "iframe", "worker", "shared_worker", "service_worker")
_FROM_NOW_ON = {
    "autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True,
    "filter": [{"type": kind} for kind in _TARGET_KINDS],
}  # fmt: skip
_LISTEN = {"maxTotalBufferSize": 1, "maxResourceBufferSize": 1, "maxPostDataSize": 0}
_HANDSHAKE = re.compile(r"GET (wss?://\S+) ")
_MAX_WATCH_SECONDS = 60.0
"""Seconds for an answer; who asks ends it earlier."""
MAX_SOCKETS = 500


@dataclass
class WatchedSocket:
    """A WebSocket of a page."""

    url: str = ""
    """"" if it is not known."""

    def may_use(self, host: str, port: int) -> bool:
        """Whether its messages may be those of a connection to this host."""
        try:
            parts = urlsplit(self.url)
            named = (parts.hostname or "").rstrip("."), parts.port or (443 if parts.scheme == "wss" else 80)
        except ValueError:
            return True
        return not self.url or named == (host, port)


class SocketWatch:
    """`on_message` is called with the socket, the opcode and the text of each message that a page sends."""

    def __init__(
        self, devtools: DevToolsAccess, on_message: Callable[[WatchedSocket, int, str], None]
    ) -> None:
        self._devtools = devtools
        self._on_message = on_message
        self._cdp: Cdp | None = None
        self._connecting = asyncio.Lock()
        self._sessions: dict[str, asyncio.Event] = {}
        """With what is set once it has ended: then it answers nothing."""
        self._sockets: dict[tuple[str | None, str], WatchedSocket] = {}
        self._tasks = BackgroundTasks(CdpError)

    async def catch_up(self) -> None:
        """Wait until all that pages have sent by now is reported, however long they are busy. Raises CdpError."""
        async with self._connecting:
            cdp = await self._connected()
        await cdp.send("Target.getTargets")  # those that are new have been announced
        await self._tasks.wait()
        await asyncio.gather(*(self._hear(cdp, session) for session in [*self._sessions]))
        if cdp.closed.is_set():
            raise CdpError("the browser is gone")

    async def _connected(self) -> Cdp:
        if self._cdp is None or self._cdp.closed.is_set():
            self._sessions.clear()
            cdp = await Cdp.connect(self._devtools)
            for event, listener in (
                ("Target.attachedToTarget", self._on_attached),
                ("Target.detachedFromTarget", self._on_detached),
                ("Network.webSocketCreated", self._on_created),
                ("Network.webSocketHandshakeResponseReceived", self._on_answered),
                ("Network.webSocketClosed", self._on_closed),
                ("Network.webSocketFrameSent", self._on_sent),
            ):
                cdp.on(event, listener)
            self._cdp = cdp
            await cdp.send("Target.setAutoAttach", _FROM_NOW_ON)
        return self._cdp

    async def _hear(self, cdp: Cdp, session: str) -> None:
        """A page answers after it has reported its messages; one that has gone has reported them."""
        answer = cdp.send("Network.enable", _LISTEN, session=session, deadline=_MAX_WATCH_SECONDS)
        works = [asyncio.create_task(answer), asyncio.create_task(self._sessions[session].wait())]
        try:
            await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    async def _listen(self, session: str) -> None:
        assert self._cdp is not None
        works = (
            self._cdp.send("Network.enable", _LISTEN, session=session),
            self._cdp.send("Target.setAutoAttach", _FROM_NOW_ON, session=session),
        )
        with suppress(CdpError):  # gone, or blocked by a dialog: asked again before bytes leave
            await asyncio.gather(*works)

    def close(self) -> None:
        self._tasks.cancel()
        if self._cdp is not None:
            self._cdp.close()

    def _on_attached(self, params: Params, _: str | None) -> None:
        self._sessions[params["sessionId"]] = asyncio.Event()
        self._tasks.start(self._listen(params["sessionId"]))

    def _on_detached(self, params: Params, _: str | None) -> None:
        if is_gone := self._sessions.pop(params["sessionId"], None):
            is_gone.set()

    def _socket(self, params: Params, session: str | None) -> WatchedSocket:
        if len(self._sockets) >= MAX_SOCKETS:
            del self._sockets[next(iter(self._sockets))]
        return self._sockets.setdefault((session, params["requestId"]), WatchedSocket())

    def _on_created(self, params: Params, session: str | None) -> None:
        self._socket(params, session).url = str(params["url"])

    def _on_answered(self, params: Params, session: str | None) -> None:
        """Before any message. It alone names a socket that was created before it could be listened to."""
        if named := _HANDSHAKE.match(str(params["response"].get("requestHeadersText", ""))):
            self._socket(params, session).url = named[1]

    def _on_closed(self, params: Params, session: str | None) -> None:
        self._sockets.pop((session, params["requestId"]), None)

    def _on_sent(self, params: Params, session: str | None) -> None:
        frame = params["response"]
        self._on_message(self._socket(params, session), int(frame["opcode"]), str(frame["payloadData"]))
