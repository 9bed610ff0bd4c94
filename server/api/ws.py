"""The chat as a WebSocket: messages and decisions in, what the agent says and asks out.

A frame has its fields beside `type`; in the common form of events, `{type, session_id, ts, payload}`, they are in
`payload`. Both are understood, and what is told is told in both ways.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, WebSocket
from pydantic import BeforeValidator, Field, TypeAdapter

from server.api.deps import Body, CallerOf, SessionId, Text, World
from server.api.messages import check_content
from server.api.sockets import Told, end_at_logout, listen, refuse, run_until_one_ends, send
from server.errors import AppError
from server.events import Done, Error, Event, Interrupt, RunChanged, now
from server.runtime import Runtime
from server.topic import EventId, read_event_id

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


def unpacked(frame: Any) -> Any:
    payload = frame.get("payload") if isinstance(frame, dict) else None
    return payload | frame if isinstance(payload, dict) else frame


Frame = Annotated[UserMessage | UserConfirm | Control, Field(discriminator="type")]
FRAME: TypeAdapter[UserMessage | UserConfirm | Control] = TypeAdapter(
    Annotated[Frame, BeforeValidator(unpacked)]
)


@router.websocket("/ws/{session_id}")
@router.websocket("/api/ws/{session_id}")
async def chat(socket: WebSocket, session_id: SessionId, world: World, caller: CallerOf) -> None:
    await socket.accept()
    is_over = world.bus.has_ended(session_id)  # before its status is read: what happens after that is told
    after = read_event_id(world.bus.last_id(session_id)) if is_over else None
    try:
        session = await world.store.session(session_id)
    except AppError as error:
        await refuse(socket, error)
        return

    async def tell(told: Told) -> None:
        fields = {name: value for name, value in told.items() if name != "type"}
        await send(socket, {"session_id": session_id, "ts": now(), "payload": fields} | told)

    async def obey(text: str) -> None:
        await _obey(FRAME.validate_json(text), session_id, world)

    await tell({"type": "status", "status": _status(session.status)})
    await run_until_one_ends(
        _follow(session_id, after, world, tell),
        end_at_logout(socket, caller),
        listen(socket, caller, obey, tell, per_second=FRAMES_PER_SECOND),
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


async def _follow(
    session_id: str, after: EventId | None, world: Runtime, tell: Callable[[Told], Awaitable[None]]
) -> None:
    """What is over was told to who asked for it: without `after` a run in progress is told from its beginning."""
    async for batch in world.bus.follow(session_id, after=after, forever=True):
        for entry in batch:
            for told in to_frames(entry.stamped.event):
                await tell(told)


def to_frames(event: Event) -> list[Told]:
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
