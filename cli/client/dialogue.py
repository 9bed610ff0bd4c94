"""The dialogue of one session over `WS /ws/{session_id}`: acknowledged frames out, frames in.

Reconnects after a disconnect. A frame without acknowledgement is sent again with its `client_id`, and the
server executes it once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Self, cast
from urllib.parse import quote
from uuid import uuid4

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from cli.client.address import Address
from cli.client.backoff import backoff
from cli.client.open_types import Frame
from cli.errors import CliError, ServerRefused, Unreachable
from cli.text import clean
from cli.words import t

FRAME_BYTES = 60_000
"""Maximum size of a frame: the server closes the socket at 64 KB. Longer messages go over HTTP."""
PATIENCE = 45.0
"""Seconds to wait for an acknowledgement, through reconnects."""
HEARTBEAT = 10.0
"""Seconds between pings, and timeout for each: after that the connection counts as lost."""
KEPT_FRAMES = 1000
"""Maximum number of unread frames. The oldest are dropped: the event stream has the same facts."""
NOT_LOGGED_IN, UNKNOWN = 4401, 4404


@dataclass(eq=False)
class Unanswered:
    """A frame without acknowledgement so far. `was_sent`: it was sent on some connection."""

    text: str
    answer: asyncio.Future[Frame]
    was_sent: bool = False


class Dialogue:
    """Used as `async with`. `pause`: first reconnect delay, `patience`: timeout of `send`, in seconds."""

    def __init__(
        self, address: Address, session_id: str, *, pause: float = 0.5, patience: float = PATIENCE
    ) -> None:
        scheme, _, rest = address.url.partition("://")
        secure = "s" if scheme == "https" else ""
        self._url = f"ws{secure}://{rest}/api/ws/{quote(session_id, safe='')}"
        self._address = address
        self._pause = pause
        self._patience = patience
        self._unanswered: dict[str, Unanswered] = {}
        self._news = asyncio.Event()
        self._frames: asyncio.Queue[Frame] = asyncio.Queue(KEPT_FRAMES)
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def send(self, frame: Mapping[str, object]) -> Frame:
        """Send the frame and wait for its acknowledgement.

        Raises `ServerRefused` if the server rejects it, `Unreachable` if it cannot be reached or does not answer.
        """
        assert self._task, "the dialogue is not open"
        if self._task.done():
            self._task.result()  # raises the error that ended it
        client_id = str(frame.get("client_id") or uuid4().hex)
        text = json.dumps({**frame, "client_id": client_id}, ensure_ascii=False)
        waiting = Unanswered(text, asyncio.get_running_loop().create_future())
        self._unanswered[client_id] = waiting
        self._news.set()
        try:
            async with asyncio.timeout(self._patience):
                return await waiting.answer
        except TimeoutError:
            raise Unreachable(
                t(
                    "{url} did not confirm in time; look whether it has happened before you repeat it.",
                    url=self._address.url,
                )
            ) from None
        finally:
            del self._unanswered[client_id]

    async def frames(self) -> AsyncGenerator[Frame]:
        """Yield the server's frames: agent_message, agent_question, status. Each goes to one reader only."""
        while True:
            yield await self._frames.get()

    async def _run(self) -> None:
        """Ends only by raising `ServerRefused`: not logged in, or the session is gone."""
        try:
            await self._stay_connected()
        except ServerRefused as error:
            for waiting in self._unanswered.values():
                _fail(waiting, error)
            raise

    async def _stay_connected(self) -> None:
        """Connect and reconnect. Raises `ServerRefused`."""
        delays = backoff(self._pause)
        while True:
            try:
                async with self._connection() as socket:
                    delays = backoff(self._pause)
                    await self._talk(socket)
                trouble = self._closed(socket.close_code, socket.close_reason)
            except ConnectionClosed:
                trouble = self._closed(socket.close_code, socket.close_reason)
            except (OSError, TimeoutError, WebSocketException) as error:
                trouble = self._not_connected(error)
            if isinstance(trouble, ServerRefused):
                raise trouble
            for waiting in self._unanswered.values():
                if not waiting.was_sent:  # a sent one may have arrived and is sent again
                    _fail(waiting, trouble)
            self._news.clear()
            with suppress(TimeoutError):  # a new frame ends the delay
                await asyncio.wait_for(self._news.wait(), next(delays))

    def _connection(self) -> connect:
        token = self._address.token
        return connect(
            self._url,
            additional_headers={"Authorization": f"Bearer {token}"} if token else {},
            proxy=None if self._address.is_local else True,
            open_timeout=5,
            ping_interval=HEARTBEAT,
            ping_timeout=HEARTBEAT,
            close_timeout=1,
            max_size=None,
        )

    async def _talk(self, socket: ClientConnection) -> None:
        """Send and receive until the connection is lost."""
        writing = asyncio.create_task(self._write(socket))
        try:
            async for text in socket:
                self._take(text)
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    async def _write(self, socket: ClientConnection) -> None:
        """Send all unanswered frames in order, then each new one."""
        sent: set[Unanswered] = set()
        while True:
            self._news.clear()
            for waiting in list(self._unanswered.values()):
                if waiting not in sent and not waiting.answer.done():
                    sent.add(waiting)
                    waiting.was_sent = True
                    await socket.send(waiting.text)
            sent &= set(self._unanswered.values())
            await self._news.wait()

    def _take(self, text: str | bytes) -> None:
        try:
            frame = clean(json.loads(text))
        except ValueError:
            return
        if isinstance(frame, dict):
            self._deliver(cast(Frame, frame))

    def _deliver(self, frame: Frame) -> None:
        waiting = self._unanswered.get(str(frame.get("client_id")))
        if frame.get("type") == "ack" and waiting and not waiting.answer.done():
            waiting.answer.set_result(frame)
        elif frame.get("type") == "error" and waiting:
            _fail(waiting, self._refused(frame))
        elif frame.get("type") not in ("ack", "error"):
            if self._frames.full():
                self._frames.get_nowait()
            self._frames.put_nowait(frame)

    def _refused(self, frame: Frame) -> ServerRefused:
        status = frame.get("status")
        problem = {
            "code": frame.get("code", ""), "detail": frame.get("message", ""), "detail_parts": frame.get("message_parts"),
        }  # fmt: skip
        pause = frame.get("retry_after")
        return ServerRefused(
            status if isinstance(status, int) else 422,
            problem,
            self._address.url,
            str(pause) if pause else None,
        )

    def _closed(self, code: int | None, reason: str | None) -> CliError:
        """The reason for a closed connection. `ServerRefused`, for a missing login or session, is final."""
        detail = {"detail": str(clean(reason))} if reason else {}
        if code == NOT_LOGGED_IN:
            return ServerRefused(401, detail, self._address.url, None)
        if code == UNKNOWN:
            return ServerRefused(404, detail | {"code": "not_found"}, self._address.url, None)
        return Unreachable(t("The connection to {url} is lost.", url=self._address.url))

    def _not_connected(self, error: Exception) -> CliError:
        url = self._address.url
        if isinstance(error, InvalidStatus):
            return Unreachable(
                t(
                    "{url} lets no WebSocket through (HTTP {status}): "
                    "is there a proxy in between that does not pass them on?",
                    url=url,
                    status=error.response.status_code,
                )
            )
        if isinstance(error, TimeoutError):
            return Unreachable(t("{url} did not answer in time.", url=url))
        return Unreachable.not_answering(url, error)


def _fail(waiting: Unanswered, trouble: CliError) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(trouble)
