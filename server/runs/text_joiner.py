"""Joins text deltas into fewer, larger ones before they are published."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from server.events import Event, Thinking, Token

JOIN_SECONDS = 0.03
JOIN_DELTAS = 64


class TextJoiner:
    """Emits the first delta at once, then joins deltas for up to JOIN_SECONDS or JOIN_DELTAS."""

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._kind: type[Token] | type[Thinking] = Token
        self._message_id = ""
        self._parts: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

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

    def flush(self) -> None:
        self._send()
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _rest(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(JOIN_SECONDS, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if self._parts:
            self._send()
            self._rest()

    def _send(self) -> None:
        if self._parts:
            text, self._parts = "".join(self._parts), []
            self._emit(self._kind(message_id=self._message_id, text=text))
