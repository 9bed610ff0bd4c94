"""How many frames a socket takes: moves of the mouse are left out where there are too many, all else closes it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.api.live import is_mouse_move
from server.api.sockets import MAX_FLOOD, listen

MOVE = json.dumps({"type": "mouse", "kind": "move", "x": 4, "y": 9})
PRESS = json.dumps({"type": "mouse", "kind": "down", "x": 4, "y": 9})
TYPED = json.dumps({"type": "text", "text": MOVE})
ALLOWED = 50


class Socket:
    """Sends these frames, then says that it is gone."""

    def __init__(self, frames: list[str]) -> None:
        self._frames = iter(frames)
        self.closed: int | None = None

    async def receive(self) -> dict[str, Any]:
        frame = next(self._frames, None)
        return (
            {"type": "websocket.disconnect"}
            if frame is None
            else {"type": "websocket.receive", "text": frame}
        )

    async def close(self, code: int, reason: str = "") -> None:
        self.closed = code


class Caller:
    is_logged_in = True


async def taken(frames: list[str]) -> tuple[list[str], int | None]:
    socket, handled = Socket(frames), list[str]()

    async def handle(text: str) -> None:
        handled.append(text)

    async def reply(_: object) -> None:
        raise AssertionError("nothing is answered")

    given: Any = socket
    await listen(given, Caller(), handle, reply, per_second=ALLOWED, may_drop=is_mouse_move)  # type: ignore[arg-type]
    return handled, socket.closed


async def test_a_fast_mouse_loses_moves_and_not_its_press() -> None:
    handled, closed = await taken([MOVE] * 4 * ALLOWED + [PRESS])
    assert closed is None
    assert handled[-1] == PRESS
    assert ALLOWED <= handled.count(MOVE) < 2 * ALLOWED


@pytest.mark.parametrize(
    "frames", [[PRESS] * 4 * ALLOWED, [TYPED] * 4 * ALLOWED, [MOVE] * 2 * MAX_FLOOD * ALLOWED]
)
async def test_too_many_other_frames_or_a_flood_close_the_socket(frames: list[str]) -> None:
    assert (await taken(frames))[1] == 1008
