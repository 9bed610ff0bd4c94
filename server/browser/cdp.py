"""A small client of the Chrome DevTools Protocol: one websocket, any number of sessions on it.

It serves the live view, the person's input, downloads and the watch over tabs; the agent's own actions go
through MCP alone.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

log = logging.getLogger(__name__)

Params = dict[str, Any]
Listener = Callable[[Params, str | None], None]
"""Gets an event's parameters and the session it belongs to (None: the browser itself)."""


class CdpError(Exception):
    """The browser refused a command, did not answer it in time, or is gone."""


class Cdp:
    """A connection to one browser. `closed` is set when it is over."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._waiting: dict[int, asyncio.Future[Params]] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self._last_id = 0
        self.closed = asyncio.Event()
        self._reader = asyncio.create_task(self._read(), name="cdp")

    @classmethod
    async def connect(cls, url: str, *, deadline: float = 5) -> Cdp:
        """Raises CdpError."""
        try:
            async with asyncio.timeout(deadline):
                return cls(
                    await connect(
                        url,
                        max_size=64 * 1024 * 1024,
                        max_queue=64,
                        compression=None,
                        proxy=None,
                        ping_interval=None,
                    )
                )
        except (OSError, TimeoutError, ConnectionClosed) as error:
            raise CdpError(f"cannot connect to the browser: {error}") from None

    def on(self, event: str, listener: Listener) -> Callable[[], None]:
        """Call `listener` at every `event`; returns the function that stops it."""
        listeners = self._listeners.setdefault(event, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    async def send(
        self, method: str, params: Params | None = None, *, session: str | None = None, deadline: float = 5
    ) -> Params:
        """Send a command and return its result. Raises CdpError."""
        self._last_id += 1
        number = self._last_id
        command: Params = {"id": number, "method": method, "params": params or {}}
        if session:
            command["sessionId"] = session
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(deadline):
                await self._socket.send(json.dumps(command))
                reply = await answer
        except TimeoutError:
            raise CdpError(f"{method}: no answer within {deadline:g} s") from None
        except ConnectionClosed:
            raise CdpError(f"{method}: the browser is gone") from None
        finally:
            self._waiting.pop(number, None)
        if "error" in reply:
            raise CdpError(f"{method}: {reply['error'].get('message', 'refused')}")
        result: Params = reply.get("result", {})
        return result

    async def close(self) -> None:
        self._reader.cancel()
        await asyncio.wait((self._reader,))
        with suppress(Exception):
            async with asyncio.timeout(1):
                await self._socket.close()

    async def _read(self) -> None:
        try:
            async for text in self._socket:
                message = json.loads(text)
                if "id" in message:
                    self._answer(message)
                else:
                    self._announce(message)
        except ConnectionClosed:
            log.debug("the browser closed its DevTools connection")
        finally:
            self.closed.set()
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_result({"error": {"message": "the browser is gone"}})

    def _answer(self, message: Params) -> None:
        answer = self._waiting.get(message["id"])
        if answer is not None and not answer.done():
            answer.set_result(message)

    def _announce(self, message: Params) -> None:
        for listener in list(self._listeners.get(message["method"], ())):
            listener(message.get("params", {}), message.get("sessionId"))
