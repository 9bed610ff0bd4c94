"""The chat as a WebSocket: messages and decisions in, what the agent says and asks out."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, WebSocket
from pydantic import Field, TypeAdapter

from server.api.deps import Body, CallerOf, SessionId, Text, World
from server.api.messages import check_content
from server.api.sockets import end_at_logout, listen, refuse, run_until_one_ends, send
from server.errors import AppError
from server.events import Done, Error, Event, Interrupt, RunChanged
from server.runtime import Runtime

router = APIRouter()

FRAMES_PER_SECOND = 50


class UserMessage(Body):
    type: Literal["user_message"]
    text: Text


class UserConfirm(Body):
    type: Literal["user_confirm"]
    reference: Text
    confirmed: bool
    text: Text | None = None


class Control(Body):
    type: Literal["control"]
    action: Literal["cancel", "pause", "resume"]


FRAME: TypeAdapter[UserMessage | UserConfirm | Control] = TypeAdapter(
    Annotated[UserMessage | UserConfirm | Control, Field(discriminator="type")]
)


@router.websocket("/ws/{session_id}")
@router.websocket("/api/ws/{session_id}")
async def chat(socket: WebSocket, session_id: SessionId, world: World, caller: CallerOf) -> None:
    await socket.accept()
    try:
        session = await world.store.session(session_id)
    except AppError as error:
        await refuse(socket, error)
        return
    await send(socket, {"type": "status", "status": _status(session.status)})

    async def obey(text: str) -> None:
        await _obey(FRAME.validate_json(text), session_id, world)

    await run_until_one_ends(
        _tell(socket, session_id, world),
        end_at_logout(socket, caller),
        listen(socket, caller, obey, partial(send, socket), per_second=FRAMES_PER_SECOND),
    )


async def _obey(frame: UserMessage | UserConfirm | Control, session_id: str, world: Runtime) -> None:
    runner = world.runner
    match frame:
        case UserMessage():
            await runner.accept(session_id, check_content(frame.text))
        case UserConfirm():
            await runner.decide(session_id, frame.reference, confirmed=frame.confirmed, message=frame.text)
        case Control(action="cancel"):
            await runner.cancel(session_id)
        case Control(action="pause"):
            await runner.pause(session_id)
        case Control():
            await runner.resume(session_id)


async def _tell(socket: WebSocket, session_id: str, world: Runtime) -> None:
    async for batch in world.bus.follow(session_id, forever=True):
        for entry in batch:
            for told in to_frames(entry.stamped.event):
                await send(socket, told)


def to_frames(event: Event) -> list[dict[str, Any]]:
    """What this socket tells of an event."""
    match event:
        case RunChanged():
            return [
                {
                    "type": "status",
                    "status": _status(event.status),
                    "step": event.step,
                    "max_steps": event.max_steps,
                }
            ]
        case Interrupt():
            known = event.model_dump(mode="json", exclude={"type", "reason"}, exclude_none=True)
            return [{"type": "agent_question", "text": event.reason, **known}]
        case Done():
            return [
                {"type": "agent_message", "text": event.message.content},
                {"type": "status", "status": "idle"},
            ]
        case Error():
            status = "idle" if event.code == "cancelled" else "error"
            return [{"type": "status", "status": status, "code": event.code, "message": event.message}]
    return []


def _status(status: str) -> str:
    """The four states of this socket: running, idle, waiting_user, error (and paused, as it is)."""
    return {
        "queued": "running",
        "completed": "idle",
        "cancelled": "idle",
        "failed": "error",
        "interrupted": "error",
    }.get(status, status)
