"""The live view as a WebSocket: sends frames, receives the user's input. Neither is stored or logged."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, WebSocket
from pydantic import Field, TypeAdapter

from server.api.deps import STREAM, CallerOf, RuntimeDep, SessionId, SocketFrame, Text
from server.api.login_offers import LoginAnswer, LoginOffers
from server.api.sockets import (
    LoggedIn,
    SocketMessage,
    end_at_logout,
    listen,
    refuse,
    run_until_one_ends,
    send,
)
from server.browser.takeover.user_input import Input
from server.errors import AppError
from server.events import Decision, Event, Interrupt, ToolEnd, ToolStart
from server.runtime import Runtime

if TYPE_CHECKING:
    from server.browser.takeover.live_view import LiveView
    from server.browser.takeover.viewer import Viewer

router = APIRouter()

MESSAGES_PER_SECOND = 200
_MOVE = re.compile(r'"kind"\s*:\s*"move"')
"""In a frame of the mouse. A fast one sends a thousand in a second, of which the last ones matter."""
NO_TARGET: SocketMessage = {"type": "target", "box": None, "label": ""}


class Ack(SocketFrame):
    type: Literal["ack"]


class Heartbeat(SocketFrame):
    type: Literal["beat"]


class Take(SocketFrame):
    type: Literal["take"]


class Release(SocketFrame):
    type: Literal["release"]
    note: Annotated[Text, Field(max_length=4000)] | None = None


class ListElements(SocketFrame):
    type: Literal["elements"]


class OfferLogin(SocketFrame):
    type: Literal["login"]


class AnswerOffer(SocketFrame):
    type: Literal["keep_login"]
    answer: LoginAnswer


Wanted = Ack | Heartbeat | Take | Release | ListElements | OfferLogin | AnswerOffer | Input
WANTED: TypeAdapter[Wanted] = TypeAdapter(Annotated[Wanted, Field(discriminator="type")])


@router.websocket("/api/sessions/{session_id}/live", dependencies=[STREAM])
async def live(socket: WebSocket, session_id: SessionId, runtime: RuntimeDep, caller: CallerOf) -> None:
    await socket.accept()
    await serve_live(socket, session_id, runtime, caller)


async def serve_live(socket: WebSocket, session_id: str, runtime: Runtime, caller: LoggedIn) -> None:
    """Serve the live view on an accepted socket, as long as the caller is logged in."""
    try:
        await runtime.store.session(session_id)
    except AppError as error:
        await refuse(socket, error)
        return
    view = runtime.browsers.live(session_id)
    viewer = view.join()

    async def handle(text: str) -> None:
        await handle_message(WANTED.validate_json(text), session_id, view, viewer, runtime)

    async def reply(message: SocketMessage) -> None:
        viewer.send(message)

    try:
        await run_until_one_ends(
            _show(socket, viewer),
            end_at_logout(socket, caller),
            _point(session_id, viewer, runtime),
            listen(socket, caller, handle, reply, per_second=MESSAGES_PER_SECOND, may_drop=is_mouse_move),
        )
    finally:
        view.leave(viewer)


def is_mouse_move(text: str) -> bool:
    return len(text) < 300 and _MOVE.search(text) is not None


async def _show(socket: WebSocket, viewer: Viewer) -> None:
    while True:
        message = await viewer.next()
        if isinstance(message, dict):
            await send(socket, message)
        else:
            await send(socket, {"type": "frame", "width": message.width, "height": message.height})
            await socket.send_bytes(message.data)


async def _point(session_id: str, viewer: Viewer, runtime: Runtime) -> None:
    """Send the target of the agent's current action, or of an open question, to the viewer."""
    pointed = NO_TARGET
    async for batch in runtime.bus.follow(session_id, forever=True):
        for entry in batch:
            target = target_after(pointed, entry.stamped.event)
            if target != pointed:
                viewer.send(target)
            pointed = target


def target_after(pointed: SocketMessage, event: Event) -> SocketMessage:
    """The `target` message that is valid after this event."""
    match event:
        case ToolStart(box=box, name=name) if box:
            return {"type": "target", "box": box, "label": str(event.args.get("element") or name)}
        case Interrupt(target=target) if target and target.box:
            return {"type": "target", "box": target.box, "label": target.name or target.role}
        case ToolStart() | ToolEnd() | Interrupt() | Decision():
            return NO_TARGET
    return NO_TARGET if event.is_terminal else pointed


async def handle_message(
    wanted: Wanted, session_id: str, view: LiveView, viewer: Viewer, runtime: Runtime
) -> None:
    offers = LoginOffers(runtime.vault, runtime.store, session_id, view, viewer)
    match wanted:
        case Ack():
            viewer.ack()
        case Heartbeat():
            view.renew(viewer)
        case Take():
            await runtime.cluster.claim_browser(session_id)
            await view.take(viewer)
            await runtime.commands.hold(session_id)
        case Release():
            handing = asyncio.create_task(_hand_back(wanted, session_id, view, viewer, runtime))
            runtime.background.start(handing)  # the client may disconnect before it has finished
            await asyncio.shield(handing)
        case OfferLogin():
            viewer.send(await offers.offer())
        case AnswerOffer():
            viewer.send(await offers.answer(wanted.answer))
        case ListElements():
            view.act(viewer, None)
        case _:
            view.act(viewer, wanted)


async def _hand_back(
    wanted: Release, session_id: str, view: LiveView, viewer: Viewer, runtime: Runtime
) -> None:
    changes = await view.hand_back(viewer)
    was_handed_off = await runtime.store.end_handoff(session_id, if_opened=True)
    await runtime.commands.release(session_id, changes, wanted.note, was_handed_off=was_handed_off)
