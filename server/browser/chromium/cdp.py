"""A small client of the Chrome DevTools Protocol: one connection with any number of sessions.

Used for the live view, the user's input, downloads, read-only scripts and the page monitor. The agent's
clicks and keys go through MCP; the exceptions are listed in docs/decisions/0010.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable

from server.browser.chromium.devtools import TOO_LARGE, DevToolsAccess, DevToolsConnection
from server.browser.off_loop import TookTooLong, off_loop
from server.ops.json_types import JsonObject

log = logging.getLogger(__name__)

MAX_MESSAGE_BYTES = 8_000_000
"""Enough for the accessibility tree of a long page, or a large screenshot."""
LARGE_BYTES = 500_000
"""Bytes of an answer from which it is parsed off the event loop: 8 MB of small objects take 60 ms and more."""
_ANSWER_ID = re.compile(rb'\{"id":(\d{1,15})(?=[,}])')
_EVENT_NAME = re.compile(rb'\{"method":"([A-Za-z.]{1,99})"')

Params = JsonObject
Listener = Callable[[Params, str | None], None]
"""Called with an event's parameters and its session id (None: the browser itself)."""


class CdpError(Exception):
    """The browser rejected a command, did not answer in time, or is gone."""


class AnswerTooLarge(CdpError):
    """The answer exceeds MAX_MESSAGE_BYTES and was not parsed; its size depends on the page."""


class Cdp:
    """A connection to one browser. `closed` is set once it has ended."""

    def __init__(self) -> None:
        self._client: DevToolsConnection | None = None
        self._waiting: dict[int, asyncio.Future[Params | bytes]] = {}
        """By id; an answer is given as it came if it is large."""
        self._listeners: dict[str, list[Listener]] = {}
        self._last_id = 0
        self.closed = asyncio.Event()

    @classmethod
    async def connect(cls, devtools: DevToolsAccess, *, deadline: float = 5) -> Cdp:
        """Raises CdpError."""
        cdp = cls()
        try:
            async with asyncio.timeout(deadline):
                cdp._client = await devtools.attach(cdp._receive, cdp._lose)
        except (ConnectionError, TimeoutError) as error:
            raise CdpError(f"cannot connect to the browser: {error}") from None
        return cdp

    def on(self, event: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` for every `event`; returns a function that unsubscribes it."""
        listeners = self._listeners.setdefault(event, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    async def send(
        self, method: str, params: Params | None = None, *, session: str | None = None, deadline: float = 5
    ) -> Params:
        """Send a command and return its result. Raises CdpError."""
        if self._client is None or self.closed.is_set():
            raise CdpError(f"{method}: the browser is gone")
        self._last_id += 1
        number = self._last_id
        command: Params = {"id": number, "method": method, "params": params or {}}
        if session:
            command["sessionId"] = session
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(deadline):
                await self._client.send(command)
                reply = await answer
                if isinstance(reply, bytes):
                    reply = await off_loop(read_message, reply)
        except (TimeoutError, TookTooLong):
            raise CdpError(f"{method}: no answer within {deadline:g} s") from None
        except ConnectionError:
            raise CdpError(f"{method}: the browser is gone") from None
        except (ValueError, RecursionError):
            raise CdpError(f"{method}: the answer cannot be read") from None
        finally:
            self._waiting.pop(number, None)
        if reply.get("error") == TOO_LARGE:
            raise AnswerTooLarge(f"{method}: the answer is too large")
        if "error" in reply:
            raise CdpError(f"{method}: {reply['error'].get('message', 'refused')}")
        result: Params = reply.get("result", {})
        return result

    def close(self) -> None:
        """End the connection's sessions; the browser keeps running. Idempotent."""
        if self._client is not None:
            self._client.detach()
        self._lose()

    def _lose(self) -> None:
        self.closed.set()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_result({"error": {"message": "the browser is gone"}})

    def _receive(self, text: bytes) -> None:
        if len(text) > LARGE_BYTES and (large := _ANSWER_ID.match(text)):
            self._answer(int(large[1]), text)
            return
        event = _EVENT_NAME.match(text)
        if event and not self._listeners.get(event[1].decode()):
            return  # a page can make one as large as it likes: a console line of 110,000 values takes 70 ms to parse
        message = read_message(text)
        if "id" in message:
            self._answer(message["id"], message)
        elif "method" in message:
            for listener in list(self._listeners.get(message["method"], ())):
                listener(message.get("params", {}), message.get("sessionId"))

    def _answer(self, number: int, message: Params | bytes) -> None:
        answer = self._waiting.get(number)
        if answer is not None and not answer.done():
            answer.set_result(message)


def read_message(text: bytes) -> Params:
    """Parse a message of the browser. Messages over `MAX_MESSAGE_BYTES` are not parsed: pages influence their size.

    Returns an error in place of such an answer, {} in place of such an event. Relies on Chromium writing `id`
    or `method` first.
    """
    if len(text) <= MAX_MESSAGE_BYTES:
        message: Params = json.loads(text, object_hook=_yield_to_loop if len(text) > LARGE_BYTES else None)
        return message
    answer = _ANSWER_ID.match(text)
    log.warning("a DevTools message of %d bytes was not read: %.80r", len(text), text[:80])
    return {"id": int(answer[1]), "error": TOO_LARGE} if answer else {}


def _yield_to_loop(parsed: Params) -> Params:
    """Called for every object: only in Python code does a thread release the interpreter's lock."""
    return parsed
