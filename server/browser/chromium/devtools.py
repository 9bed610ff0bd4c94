"""Multiplexes the DevTools pipe of one Chromium to any number of clients.

Chromium reads commands from file descriptor 3 and writes answers and events to 4, each a JSON message that
ends with a NUL byte (`--remote-debugging-pipe`). No port is opened. Each client gets its own browser-level
session (`Target.attachToBrowserTarget`, flat sessions) and sees neither messages nor sessions of the others.

Messages from Chromium can have several MB (screenshots). They are routed by their first and last bytes
without parsing: Chromium writes `id` or `method` first and `sessionId` last. Messages of another form are
parsed. Pages influence the size of answers: one over MAX_LINE_BYTES is replaced by the error TOO_LARGE, an event
of that size is dropped.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from server.browser.chromium.processes import LINE_LIMIT
from server.ops.json_types import Json, JsonObject

log = logging.getLogger(__name__)

Message = JsonObject
Receive = Callable[[bytes], None]

PIPES_SCRIPT = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'
"""For `sh -c`: executes its arguments with stdin and stdout as file descriptors 3 and 4."""

MAX_LINE_BYTES = 3 * LINE_LIMIT
"""Maximum bytes of one message from Chromium. Passing it on copies it several times, which blocks the loop.

What a tool server reads of a page has to fit into a line of its own; Chromium writes two bytes of UTF-8 as six (`\\u0436`).
"""
TOO_LARGE: JsonObject = {"code": -32000, "message": "more than can be read"}

_PIPE_CHUNK = 256 * 1024
_ANSWER_HEAD = re.compile(rb'\{"id":(\d+)(?=[,}])')
_EVENT_HEAD = b'{"method":"'
_TARGET_ATTACHED = b'{"method":"Target.attachedToTarget"'
_DETACHED = b'{"method":"Target.detachedFromTarget"'
_SESSION = re.compile(rb',"sessionId":"([^"\\]{1,64})"\}\Z')
_ENDS_LENGTH = 90
"""Bytes at the end of a message that are searched for `_SESSION`, and at its start for `_ANSWER_HEAD`."""

_UNKNOWN_SESSION = {"code": -32001, "message": "Session with given id not found."}


class DevToolsConnection(Protocol):
    """One client's own connection to the DevTools of a browser."""

    async def send(self, message: Message) -> None:
        """Send `{id, method, params, sessionId?}`. Raises ConnectionError."""
        ...

    def detach(self) -> None:
        """Disconnect. Idempotent."""
        ...


class DevToolsAccess(Protocol):
    """Where clients connect to the DevTools of one browser: here, or through a tunnel."""

    async def attach(self, receive: Receive, lost: Callable[[], None]) -> DevToolsConnection:
        """Connect a client; see `DevTools.attach`. Raises ConnectionError."""
        ...


class DevTools:
    """Routes the messages of one pipe. `closed` is set once Chromium has closed it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.closed = asyncio.Event()
        self._reader = reader
        self._writer = writer
        self._last_id = 0
        self._asked: dict[int, tuple[DevToolsClient | asyncio.Future[Message], Json]] = {}
        """By id on the pipe: the sender of the command, and the id that the client used."""
        self._owners: dict[str, tuple[DevToolsClient, str | None]] = {}
        """By session id: its client, and the session through which it was attached."""
        self._clients: set[DevToolsClient] = set()
        self._reading = asyncio.create_task(self._read(), name="devtools pipe")

    async def attach(self, receive: Receive, lost: Callable[[], None]) -> DevToolsClient:
        """Connect a client. `receive` is called with each of its messages, `lost` once when Chromium is gone.

        Both run on the event loop and must not block. Raises ConnectionError.
        """
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        await self._write({"method": "Target.attachToBrowserTarget"}, answer, None)
        reply = await answer
        if self.closed.is_set() or "result" not in reply:
            raise ConnectionError(reply.get("error", {}).get("message", "the browser is gone"))
        client = DevToolsClient(self, reply["result"]["sessionId"], receive, lost)
        self._owners[client.session] = client, None
        self._clients.add(client)
        return client

    async def close(self) -> None:
        """Close the pipe; Chromium then exits."""
        self._reading.cancel()
        await asyncio.wait((self._reading,))
        self._writer.close()

    async def send(self, client: DevToolsClient, message: Message) -> None:
        """Send a client's message; an unknown session is answered with an error. Raises ConnectionError."""
        if self.closed.is_set():
            raise ConnectionError("the browser is gone")
        session = message.get("sessionId") or client.session
        owner = self._owners.get(session)
        if owner is None or owner[0] is not client:
            answer = {"id": message.get("id"), "error": _UNKNOWN_SESSION}
            _deliver(client, json.dumps(answer, separators=(",", ":")).encode())
            return
        await self._write({**message, "sessionId": session}, client, message.get("id"))

    def detach(self, client: DevToolsClient) -> None:
        """Disconnect a client; Chromium ends its sessions and its `disposeOnDetach` contexts."""
        if client not in self._clients:
            return
        self._drop(client)
        with suppress(ConnectionError):
            self._put({"method": "Target.detachFromTarget", "params": {"sessionId": client.session}})

    def _drop(self, client: DevToolsClient) -> None:
        self._clients.discard(client)
        self._owners = {session: owner for session, owner in self._owners.items() if owner[0] is not client}
        self._asked = {number: asker for number, asker in self._asked.items() if asker[0] is not client}

    def _put(self, message: Message) -> int:
        if self.closed.is_set():
            raise ConnectionError("the browser is gone")
        self._last_id += 1
        self._writer.write(json.dumps({**message, "id": self._last_id}).encode() + b"\0")
        return self._last_id

    async def _write(
        self, message: Message, asker: DevToolsClient | asyncio.Future[Message], number: Json
    ) -> None:
        self._asked[self._put(message)] = asker, number
        await self._writer.drain()

    async def _read(self) -> None:
        incoming = _Incoming()
        try:
            while data := await self._reader.read(_PIPE_CHUNK):
                first, *more = data.split(b"\0")
                incoming.add(first)
                for piece in more:
                    self._route(incoming.whole())
                    incoming = _Incoming()
                    incoming.add(piece)
                    await asyncio.sleep(0)  # a flood of events must not block the loop
        except ConnectionError:
            log.debug("the DevTools pipe broke")
        finally:
            self.closed.set()
            for asker, _ in self._asked.values():
                if isinstance(asker, asyncio.Future) and not asker.done():
                    asker.set_result({})
            for client in list(self._clients):
                self._drop(client)
                client.lost()

    def _route(self, message: bytes) -> None:
        if not message:
            return
        answer = _ANSWER_HEAD.match(message)
        if answer is None and not message.startswith(_EVENT_HEAD):
            message = _in_usual_order(message)
            answer = _ANSWER_HEAD.match(message)
        if answer is not None:
            self._route_answer(message, int(answer[1]), answer.end())
        else:
            self._route_event(message)

    def _route_answer(self, message: bytes, number: int, end: int) -> None:
        asker, original = self._asked.pop(number, (None, None))
        if isinstance(asker, asyncio.Future):
            if not asker.done():
                asker.set_result(json.loads(message))
            elif attached := json.loads(message).get("result", {}).get("sessionId"):
                self._put({"method": "Target.detachFromTarget", "params": {"sessionId": attached}})
        elif asker is not None:
            head = b'{"id":' + json.dumps(original).encode()
            _deliver(asker, _without_session(message, asker.session, head, start=end))

    def _route_event(self, message: bytes) -> None:
        session = _session_of(message)
        owner, _ = self._owners.get(session or "", (None, None))
        if message.startswith(_TARGET_ATTACHED) and owner is not None:
            self._owners[json.loads(message)["params"]["sessionId"]] = owner, session
        if owner is not None:
            _deliver(owner, _without_session(message, owner.session))
        if message.startswith(_DETACHED):
            self._forget(json.loads(message)["params"]["sessionId"])

    def _forget(self, session: str) -> None:
        """Drop an ended session and those that were attached through it."""
        client, _ = self._owners.pop(session, (None, None))
        for child in [child for child, (_, through) in self._owners.items() if through == session]:
            self._forget(child)
        if client is not None and client.session == session:
            self._drop(client)
            client.lost()


class DevToolsClient:
    """One client of a shared pipe, which looks to it like its own connection."""

    def __init__(self, devtools: DevTools, session: str, receive: Receive, lost: Callable[[], None]) -> None:
        self._devtools = devtools
        self.session = session
        """Its browser-level session id, which is hidden from the client."""
        self.receive = receive
        self.lost = lost

    async def send(self, message: Message) -> None:
        """Send `{id, method, params, sessionId?}`; waits while the pipe is full. Raises ConnectionError."""
        await self._devtools.send(self, message)

    def detach(self) -> None:
        """Disconnect. Idempotent."""
        self._devtools.detach(self)


class _Incoming:
    """The message that is being read. Once it exceeds MAX_LINE_BYTES, only its ends are kept."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._head = self._tail = b""

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        self._head += piece[: _ENDS_LENGTH - len(self._head)]
        self._tail = (self._tail + piece[-_ENDS_LENGTH:])[-_ENDS_LENGTH:]
        if self._size > MAX_LINE_BYTES:
            self._parts.clear()
        else:
            self._parts.append(piece)

    def whole(self) -> bytes:
        """Return the message, or what replaces it; b"" for nothing."""
        message = b"".join(self._parts)
        if self._size > MAX_LINE_BYTES:
            log.warning("a DevTools message of %d bytes was not read: %r", self._size, self._head)
            answer, session = _ANSWER_HEAD.match(self._head), _SESSION.search(self._tail)
            error = b',"error":' + json.dumps(TOO_LARGE).encode()
            message = answer[0] + error + (session[0] if session else b"}") if answer else b""
        return message


def _deliver(client: DevToolsClient, message: bytes) -> None:
    """Pass a message to a client; its exception is logged, so that other clients are not affected."""
    try:
        client.receive(message)
    except Exception:
        log.exception("a DevTools client failed at a message")


def _session_of(message: bytes) -> str | None:
    found = _SESSION.search(message[-_ENDS_LENGTH:])
    return found[1].decode() if found else None


def _without_session(message: bytes, session: str, head: bytes = b"", *, start: int = 0) -> bytes:
    """Return `head` and the message from `start`, without `session` if it is the message's. Copies only once."""
    view = memoryview(message)
    if _session_of(message) != session:
        return b"".join((head, view[start:])) if start else message
    return b"".join((head, view[start : message.rindex(b',"sessionId":')], b"}"))


def _in_usual_order(message: bytes) -> bytes:
    """Reorder a message: `id` or `method` first, `sessionId` last, without spaces. {} if it is not valid."""
    try:
        parsed: Message = dict(json.loads(message))
        session = {"sessionId": parsed.pop("sessionId")} if "sessionId" in parsed else {}
        first = {name: parsed.pop(name) for name in ("id", "method") if name in parsed}
    except (ValueError, TypeError):
        log.warning("Chromium wrote a message that cannot be read: %.100r", message)
        return b"{}"
    return json.dumps({**first, **parsed, **session}, separators=(",", ":")).encode()
