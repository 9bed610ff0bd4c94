"""The chat as a WebSocket: receives messages and decisions, sends the agent's messages and questions.

A frame has its fields next to `type`, or in `payload` as in the common event format `{type, session_id, ts,
payload}`. Both are accepted, and frames are sent with both. A frame with a `client_id` is executed once and
then acknowledged, so that a client may send it again after its connection was lost.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from fastapi import APIRouter, WebSocket
from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from server.api.deps import STREAM, CallerOf, RuntimeDep, SessionId, SocketFrame, Text
from server.api.grants import GrantBody
from server.api.messages import Effects, LoginBody, check_content, check_schema
from server.api.sockets import SocketMessage, end_at_logout, listen, refuse, run_until_one_ends, send
from server.errors import AppError
from server.events import (
    Answer,
    Decision,
    Done,
    Error,
    Event,
    Interrupt,
    PolicyRuled,
    RunChanged,
    Stamped,
    now,
    ruled_by,
)
from server.grants.coverage import WantedGrant
from server.http.idempotency import Receipt
from server.ops.json_types import JsonObject
from server.runtime import Runtime
from server.stream.event_log import EventId, read_event_id
from wording.catalogue import parts_of, sentence

if TYPE_CHECKING:
    from server.database.models import SessionRow

router = APIRouter()

MAX_FRAMES_PER_SECOND = 50


class Command(SocketFrame):
    client_id: Annotated[Text, Field(min_length=1, max_length=64)] | None = None
    """Chosen by the client: the frame is executed once, even if it is sent again, and acknowledged."""


class UserMessage(Command):
    type: Literal["user_message"]
    text: Text
    mode: Literal["steer", "queue"] | None = None
    result_schema: JsonObject | None = None


class UserConfirm(Command):
    type: Literal["user_confirm"]
    reference: Annotated[Text, Field(max_length=64)]
    confirmed: bool
    text: Annotated[Text, Field(max_length=4000)] | None = None
    remember: bool = False
    grant: GrantBody | None = None
    """As in `POST /sessions/{id}/decision`."""
    effects: Effects | None = None
    login: LoginBody | None = None


class Control(Command):
    type: Literal["control"]
    action: Literal["cancel", "pause", "resume"]


def unpacked(frame: Any) -> Any:
    payload = frame.get("payload") if isinstance(frame, dict) else None
    return payload | frame if isinstance(payload, dict) else frame


Frame = Annotated[UserMessage | UserConfirm | Control, Field(discriminator="type")]
FRAME: TypeAdapter[UserMessage | UserConfirm | Control] = TypeAdapter(
    Annotated[Frame, BeforeValidator(unpacked)]
)


@router.websocket("/ws/{session_id}", dependencies=[STREAM])
@router.websocket("/api/ws/{session_id}", dependencies=[STREAM])
async def chat(socket: WebSocket, session_id: SessionId, runtime: RuntimeDep, caller: CallerOf) -> None:
    await socket.accept()
    try:
        async with runtime.bus.loaded(session_id):
            # Before its status is read, so that no later event is missed.
            is_over = runtime.bus.has_ended(session_id)
            after = read_event_id(runtime.bus.last_id(session_id)) if is_over else None
        session = await runtime.store.session(session_id)
    except AppError as error:
        await refuse(socket, error)
        return

    async def reply(message: SocketMessage) -> None:
        fields = {name: value for name, value in message.items() if name != "type"}
        await send(socket, {"session_id": session_id, "ts": now(), "payload": fields} | message)

    async def handle(text: str) -> None:
        try:
            frame = FRAME.validate_json(text)
        except ValidationError:
            await reply(_not_understood(text))
            return
        work = partial(_carry_out, frame, session_id, runtime)
        if frame.client_id is None:
            await work()
            return
        head: SocketMessage = {"client_id": frame.client_id}
        try:
            receipt = await runtime.receipts.once((session_id, frame.client_id), work)
        except AppError as error:
            message = head | {
                "type": "error",
                "code": error.code,
                "message": error.detail,
                "message_parts": parts_of(error.detail),
                "status": error.status,
            }
            await reply(message | ({"retry_after": error.retry_after} if error.retry_after else {}))
        else:
            await reply(head | {"type": "ack"} | receipt)

    await run_until_one_ends(
        _follow(session, after, runtime, reply),
        end_at_logout(socket, caller),
        listen(socket, caller, handle, reply, per_second=MAX_FRAMES_PER_SECOND),
    )


def _not_understood(text: str) -> SocketMessage:
    """The error for an invalid frame, with its `client_id` if that can be parsed."""
    message: SocketMessage = {
        "type": "error",
        "code": "invalid",
        "message": sentence("frame.not_understood"),
        "message_parts": parts_of(sentence("frame.not_understood")),
    }
    try:
        frame = unpacked(orjson.loads(text))
    except orjson.JSONDecodeError:
        return message
    client_id = frame.get("client_id") if isinstance(frame, dict) else None
    return message | ({"client_id": client_id} if isinstance(client_id, str) else {})


async def _carry_out(
    frame: UserMessage | UserConfirm | Control, session_id: str, runtime: Runtime
) -> Receipt:
    """Execute the frame; return the fields of its acknowledgement. Raises AppError."""
    commands = runtime.commands
    match frame:
        case UserMessage():
            content = check_content(frame.text)
            accepted = await commands.accept(
                session_id, content, client_id=frame.client_id, mode=frame.mode,
                result_schema=check_schema(frame.result_schema),
            )  # fmt: skip
            return {"message_id": accepted.message.id, "run_id": accepted.run.id}
        case UserConfirm():
            answer = Answer(
                reference=frame.reference,
                confirmed=frame.confirmed,
                message=frame.text or "",
                effects=frame.effects,
                login=frame.login.answer(confirmed=frame.confirmed) if frame.login else None,
            )
            wanted = frame.grant.wanted() if frame.grant else WantedGrant() if frame.remember else None
            await commands.decide(session_id, answer, grant=wanted)
        case Control(action="cancel"):
            await commands.cancel(session_id)
        case Control(action="pause"):
            await commands.executed.pause(session_id)
        case Control():
            await commands.executed.resume(session_id)
    return {}


async def _follow(
    session: SessionRow,
    after: EventId | None,
    runtime: Runtime,
    reply: Callable[[SocketMessage], Awaitable[None]],
) -> None:
    """Send the session's status, then its events after `after`; without it, a run in progress is sent from its start."""
    await reply({"type": "status", "status": _status(session.status)})
    async for batch in runtime.bus.follow(session.id, after=after, forever=True):
        for entry in batch:
            place = _place(entry.stamped)
            for message in to_frames(entry.stamped.event):
                await reply(message | place)


def _place(stamped: Stamped) -> SocketMessage:
    """The event's position in the session's stream, so that a client of both can order the events."""
    return {"run_id": stamped.run_id, "event_id": stamped.id}


def to_frames(event: Event) -> list[SocketMessage]:
    """The frames that this socket sends for an event."""
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
        case PolicyRuled() | Decision():
            known = event.model_dump(mode="json", exclude={"type"}, exclude_none=True)
            return [{"type": "policy_result", "by": ruled_by(event), **known}]
        case Done():
            return [
                {"type": "agent_message", "text": event.message.content, "message_id": event.message.id},
                {"type": "status", "status": "idle"},
            ]
        case Error():
            status = "idle" if event.code == "cancelled" else "error"
            ended = event.model_dump(
                mode="json", include={"code", "message", "message_parts"}, exclude_none=True
            )
            return [{"type": "status", "status": status, **ended}]
    return []


def _status(status: str) -> str:
    """Map a run's or session's status to this socket's: running, idle, waiting_user, error or paused."""
    return {
        "queued": "running",
        "completed": "idle",
        "cancelled": "idle",
        "failed": "error",
        "interrupted": "error",
    }.get(status, status)
