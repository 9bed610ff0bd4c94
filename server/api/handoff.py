"""Hand-off: one session's browser for another device or person, by a link that is opened once."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, WebSocket
from pydantic import Field
from starlette.responses import Response

from server.api.deps import STREAM, Body, RuntimeDep, SessionId
from server.api.links import Secret
from server.api.live import serve_live
from server.api.schemas import Handoff, HandoffHeld, HandoffOpened, Handoffs, NewHandoff
from server.api.sockets import run_until_one_ends
from server.auth import WS_UNAUTHORIZED
from server.channels.messages import handoff_link
from server.errors import Unavailable
from server.events import now
from server.runtime import Runtime
from server.store.links import no_such_link

router = APIRouter(prefix="/api")

HANDOFF_POLL_SECONDS = 0.5
"""Between two looks whether a hand-off has ended."""
PROTOCOL = "pilothouse"
"""A browser cannot set headers of a WebSocket: the token is the second of the protocols that it offers."""


class HandoffBody(Body):
    minutes: Annotated[int, Field(ge=1, le=240)]


@router.post("/sessions/{session_id}/handoff", status_code=201)
async def hand_off(session_id: SessionId, body: HandoffBody, runtime: RuntimeDep) -> NewHandoff:
    """Make a link to the session's browser; it is shown this once. A former one ends."""
    secret = secrets.token_urlsafe(32)
    row = await runtime.store.add_handoff(session_id, secret, now() + timedelta(minutes=body.minutes))
    link = handoff_link(runtime.current_settings.public_address, secret)
    return NewHandoff(**Handoff.model_validate(row).model_dump(), link=link)


@router.get("/sessions/{session_id}/handoff")
async def current_handoff(session_id: SessionId, runtime: RuntimeDep) -> Handoffs:
    """The hand-off that is valid now, if there is one."""
    await runtime.store.session(session_id)
    row = await runtime.store.handoff_of(session_id)
    return Handoffs(items=[Handoff.model_validate(row)] if row else [])


@router.delete("/sessions/{session_id}/handoff", status_code=204)
async def revoke(session_id: SessionId, runtime: RuntimeDep) -> Response:
    await runtime.store.session(session_id)
    await runtime.store.end_handoff(session_id)
    return Response(status_code=204)


@router.post("/links/handoff/open")
async def open_link(runtime: RuntimeDep, secret: Secret = "") -> HandoffOpened:
    """Use the link up: the token in the answer is what reaches the browser from now on."""
    token = secrets.token_urlsafe(32)
    row = await runtime.store.open_handoff(secret, token)
    return HandoffOpened(token=token, session_id=row.session_id, expires_at=row.expires_at)


@router.get("/links/handoff")
async def held(runtime: RuntimeDep, secret: Secret = "") -> HandoffHeld:
    """Whether the token is still valid: 401 after hand-back, expiry or revocation."""
    row = await runtime.store.held_handoff(secret)
    if row is None:
        raise no_such_link()
    return HandoffHeld(session_id=row.session_id, expires_at=row.expires_at)


@router.websocket("/links/live/{session_id}", dependencies=[STREAM])
async def live(socket: WebSocket, session_id: SessionId, runtime: RuntimeDep) -> None:
    """The live view of the session that the token is for, and of no other."""
    offered = socket.scope.get("subprotocols", [])
    await socket.accept(PROTOCOL if PROTOCOL in offered else None)
    token = offered[1] if len(offered) == 2 else ""
    row = await runtime.store.held_handoff(token)
    if row is None or row.session_id != session_id:
        await socket.close(WS_UNAUTHORIZED)
        return
    guest = Guest(runtime, token, row.expires_at)
    await run_until_one_ends(_serve(socket, session_id, runtime, guest), guest.follow(socket))


async def _serve(socket: WebSocket, session_id: str, runtime: Runtime, guest: Guest) -> None:
    socket.state.caller = guest
    if not await runtime.cluster.relay_live(socket, session_id):
        await serve_live(socket, session_id, runtime, guest)


class Guest:
    """The holder of a hand-off: logged in, for its browser only, until it ends."""

    def __init__(self, runtime: Runtime, token: str, expires_at: datetime) -> None:
        self._runtime = runtime
        self._token = token
        self._expires_at = expires_at
        self._is_over = False

    @property
    def is_logged_in(self) -> bool:
        return not self._is_over and now() < self._expires_at

    async def follow(self, socket: WebSocket) -> None:
        """Close the socket when the hand-off ends."""
        while True:
            await asyncio.sleep(HANDOFF_POLL_SECONDS)
            with suppress(Unavailable):
                if await self._runtime.store.held_handoff(self._token) is None:
                    break
        self._is_over = True
        await socket.close(WS_UNAUTHORIZED)
