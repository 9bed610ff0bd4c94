"""Shared parts of the WebSockets: receive frames within limits, end all tasks of a connection together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Protocol

import orjson
from fastapi import WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect

from server.auth import WS_UNAUTHORIZED
from server.errors import AppError, NotFound
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

FRAME_BYTES = 64 * 1024
MAX_FLOOD = 10
"""How many times the allowed frames per second, of those that may be left out, close a socket."""
UNKNOWN_SESSION, TRY_AGAIN = 4404, 1013
LOGIN_SECONDS = 1.0
"""Seconds between two checks of an idle socket's login."""

SocketMessage = JsonObject


class LoggedIn(Protocol):
    @property
    def is_logged_in(self) -> bool: ...


async def refuse(socket: WebSocket, error: AppError) -> None:
    with suppress(WebSocketDisconnect):  # the client has left already
        await socket.close(UNKNOWN_SESSION if isinstance(error, NotFound) else TRY_AGAIN, error.detail)


async def end_at_logout(socket: WebSocket, caller: LoggedIn) -> None:
    while True:
        await asyncio.sleep(LOGIN_SECONDS)
        if not caller.is_logged_in:
            await socket.close(WS_UNAUTHORIZED)
            return


async def listen(
    socket: WebSocket, caller: LoggedIn, handle: Callable[[str], Awaitable[None]], reply: Callable[[SocketMessage], Awaitable[None]],
    *, per_second: int, may_drop: Callable[[str], bool] = lambda text: False,
) -> None:  # fmt: skip
    """Pass each frame to `handle` until the socket closes.

    Sends an error for a frame that is invalid or raises AppError. Closes the socket for a frame that is too
    large, for too many frames per second, and after a logout. Frames that `may_drop` names are counted apart, and
    left out where there are too many; only a flood of them closes the socket.
    """
    allowance, dropped = Allowance(per_second), Allowance(per_second)
    flood = Allowance(MAX_FLOOD * per_second)
    while True:
        frame = await socket.receive()
        if frame["type"] == "websocket.disconnect":
            return
        text = frame.get("text") or ""  # a binary frame becomes "", which is invalid
        if len(frame.get("bytes") or text.encode()) > FRAME_BYTES:
            await socket.close(1009, "frame too large")
            return
        is_dispensable = may_drop(text)
        if is_dispensable and not dropped.take() and flood.take():
            continue
        if not (flood if is_dispensable else allowance).take():
            await socket.close(1008, "too many frames")
            return
        if not caller.is_logged_in:
            await socket.close(WS_UNAUTHORIZED)
            return
        try:
            await handle(text)
        except ValidationError:
            await reply({"type": "error", "code": "invalid", "message": sentence("frame.not_understood")})
        except AppError as error:
            await reply({"type": "error", "code": error.code, "message": error.detail})


async def send(socket: WebSocket, message: SocketMessage) -> None:
    await socket.send_text(orjson.dumps(message).decode())


async def run_until_one_ends(*parts: Coroutine[None, None, None]) -> None:
    """Run the tasks of one connection until the first ends; cancel the others. Raises its exception."""
    tasks = [asyncio.create_task(part) for part in parts]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _end(tasks)
    for task in ended:
        with suppress(WebSocketDisconnect):  # the client has disconnected, the normal end of a connection
            await task


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    """Cancel the tasks and wait for their ends.

    If this is cancelled during that, that cancellation is raised at the end. `gather` would raise the one of a task
    instead, which the caller's cancel scope does not take for its own.
    """
    own: asyncio.CancelledError | None = None
    while left := [task for task in tasks if not task.done()]:
        for task in left:
            task.cancel()
        try:
            await asyncio.wait(left)
        except asyncio.CancelledError as cancelled:
            own = cancelled
    for task in tasks:
        if not task.cancelled():
            task.exception()  # the first end counts, not what others ended with
    if own:
        raise own


class Allowance:
    """A token bucket for frames, refilled at `per_second`."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._left = float(per_second)
        self._at = asyncio.get_running_loop().time()

    def take(self) -> bool:
        now = asyncio.get_running_loop().time()
        self._left = min(self._per_second, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
