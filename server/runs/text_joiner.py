"""Joins text deltas into fewer, larger ones before they are published."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from server.events import Event, Thinking, Token

FRAME_SECONDS = 0.016
"""A page paints no more often than this."""
LONGEST_JOIN = 0.06
JOIN_DELTAS = 64


class TextJoiner:
    """Emits a delta at once after a pause; joins those that follow within FRAME_SECONDS, up to JOIN_DELTAS.

    While the event loop is late it joins for longer, up to LONGEST_JOIN: fewer events let it catch up.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._kind: type[Token] | type[Thinking] = Token
        self._message_id = ""
        self._parts: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._seconds = FRAME_SECONDS

    def add(self, event: Token | Thinking) -> None:
        if type(event) is not self._kind or event.message_id != self._message_id:
            self.flush()
            self._kind, self._message_id = type(event), event.message_id
        self._parts.append(event.text)
        if self._timer is None:
            self._send()
            self._rest()
        elif len(self._parts) >= JOIN_DELTAS:
            self._send()

    @property
    def is_joining(self) -> bool:
        """Whether the next delta of the same text waits."""
        return self._timer is not None

    def flush(self) -> None:
        self._send()
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _rest(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + self._seconds
        self._timer = loop.call_at(due, self._wake, due)

    def _wake(self, due: float) -> None:
        self._timer = None
        self._seconds = join_for(asyncio.get_running_loop().time() - due)
        if self._parts:
            self._send()
            self._rest()

    def _send(self) -> None:
        if self._parts:
            text, self._parts = "".join(self._parts), []
            self._emit(self._kind(message_id=self._message_id, text=text))


def join_for(late: float) -> float:
    """Seconds for which to join, after a timer that was `late` by so many seconds."""
    return min(FRAME_SECONDS + 4 * max(late - 0.002, 0.0), LONGEST_JOIN)
