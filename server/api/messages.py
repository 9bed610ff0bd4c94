"""Routes for messages, and for commands to a run in progress."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field
from starlette.responses import Response

from server.api.deps import Body, Moment, RuntimeDep, SessionId, Text
from server.api.grants import GrantBody
from server.api.pointing import Pointers, read_pointers
from server.api.schemas import Accepted, Decided, Question, Run, Session
from server.api.sessions import question_of
from server.errors import BadRequest, TooLarge
from server.events import Answer, LoginAnswer, now
from server.grants.coverage import WantedGrant
from server.ops.json_types import JsonObject
from server.results.columns import SchemaRefused, read_schema
from wording.catalogue import sentence

if TYPE_CHECKING:
    from server.store import AcceptedMessage

router = APIRouter(prefix="/api/sessions/{session_id}")

MAX_LATER = timedelta(days=7)

MESSAGE_BYTES = 64 * 1024
MESSAGE_CHARS = MESSAGE_BYTES // 4
"""Characters that always fit: UTF-8 takes at most four bytes for one."""


Effects = Annotated[list[Annotated[int, Field(ge=0, le=99)]], Field(max_length=100)]


class NewMessage(Body):
    content: Text
    client_id: Annotated[Text, Field(min_length=1, max_length=64)] | None = None
    mode: Literal["steer", "queue"] | None = None
    result_schema: JsonObject | None = None
    """The columns of the table that the run is to fill: JSON Schema of an array of rows, or of one row."""
    pointers: Pointers = []
    """What the user points at."""


class EditedMessage(Body):
    content: Text
    result_schema: JsonObject | None = None
    """As in a new message; null for no table. If it is left out, the message keeps what it had."""


class Branch(Body):
    message_id: Text


class LoginBody(Body):
    """Which login, and how it may be used; with `confirmed: false` only `by_hand`: the person logs in themselves."""

    choice: Literal["once", "session", "automation", "by_hand"] = "once"
    id: Annotated[Text, Field(max_length=64)] | None = None
    """Another than the first of the question's `login.choices`."""

    def answer(self, *, confirmed: bool) -> LoginAnswer:
        if (self.choice == "by_hand") is confirmed:
            raise BadRequest(sentence("decision.login_by_hand"), code="no_decision")
        return LoginAnswer(choice=self.choice, id=self.id)


class DecisionBody(Body):
    reference: Annotated[Text, Field(max_length=64)]
    confirmed: bool | None = None
    done: bool | None = None
    message: Annotated[Text, Field(max_length=4000)] | None = None
    remember: bool = False
    """The same as `grant: {"scope": "session"}`."""
    grant: GrantBody | None = None
    effects: Effects | None = None
    """With a yes to a run's start: the places in `start.effects` of what is allowed; null: none."""

    login: LoginBody | None = None
    """To a question about a login; null: as it was asked, once."""

    def wanted(self) -> WantedGrant | None:
        return self.grant.wanted() if self.grant else WantedGrant() if self.remember else None


class Later(Body):
    until: Moment


def check_content(content: str) -> str:
    if len(content.encode()) > MESSAGE_BYTES:
        raise TooLarge(sentence("message.too_long", bytes=MESSAGE_BYTES))
    if not content.strip():
        raise BadRequest(sentence("message.empty"), code="empty_message")
    return content


def check_schema(given: JsonObject | None) -> JsonObject | None:
    """The schema as it is stored. Raises BadRequest if it is no table."""
    try:
        return read_schema(given).to_json() if given is not None else None
    except SchemaRefused as refused:
        raise BadRequest(
            sentence("field.result_schema", why=refused.why), code="result_schema_refused"
        ) from None


def to_accepted(stored: AcceptedMessage) -> Accepted:
    return Accepted(message=stored.message, run=Run.model_validate(stored.run))


@router.post("/messages", status_code=202)
async def send(session_id: SessionId, body: NewMessage, runtime: RuntimeDep) -> Accepted:
    accepted = await runtime.commands.accept(
        session_id, check_content(body.content), client_id=body.client_id, mode=body.mode,
        result_schema=check_schema(body.result_schema),
        pointers=await read_pointers(body.pointers, session_id, runtime),
    )  # fmt: skip
    return to_accepted(accepted)


@router.put("/messages/{message_id}", status_code=202)
async def edit(session_id: SessionId, message_id: Text, body: EditedMessage, runtime: RuntimeDep) -> Accepted:
    content, keeps = check_content(body.content), "result_schema" not in body.model_fields_set
    accepted = await runtime.commands.edit(
        session_id, message_id, content, result_schema=check_schema(body.result_schema), keeps_schema=keeps
    )
    return to_accepted(accepted)


@router.delete("/messages/{message_id}", status_code=204)
async def remove_queued(session_id: SessionId, message_id: Text, runtime: RuntimeDep) -> Response:
    await runtime.commands.remove_queued(session_id, message_id)
    return Response(status_code=204)


@router.post("/messages/{message_id}/steer", status_code=202)
async def steer_queued(session_id: SessionId, message_id: Text, runtime: RuntimeDep) -> Accepted:
    return to_accepted(await runtime.commands.steer_queued(session_id, message_id))


@router.post("/retry", status_code=202)
async def retry(session_id: SessionId, runtime: RuntimeDep) -> Accepted:
    return to_accepted(await runtime.commands.retry(session_id))


@router.post("/branch", status_code=201)
async def branch(session_id: SessionId, body: Branch, runtime: RuntimeDep) -> Session:
    return Session.model_validate(await runtime.commands.branch(session_id, body.message_id))


@router.post("/decision", status_code=202)
async def decide(session_id: SessionId, body: DecisionBody, runtime: RuntimeDep) -> Decided:
    if body.confirmed is None and not body.done:
        raise BadRequest(sentence("decision.missing"), code="no_decision")
    await runtime.store.session(session_id)
    confirmed = bool(body.done) if body.confirmed is None else body.confirmed
    answer = Answer(
        reference=body.reference, confirmed=confirmed, message=body.message or "", effects=body.effects,
        login=body.login.answer(confirmed=confirmed) if body.login else None,
    )  # fmt: skip
    await runtime.commands.decide(session_id, answer, grant=body.wanted())
    return Decided(reference=body.reference, confirmed=confirmed)


@router.post("/questions/{reference}/later")
async def put_off(
    session_id: SessionId, reference: Annotated[Text, Path(max_length=64)], body: Later, runtime: RuntimeDep
) -> Question:
    """Ask again at that time: until then no channel reports it."""
    moment = now()
    if not moment < body.until <= moment + MAX_LATER:
        raise BadRequest(sentence("question.later_limit", days=MAX_LATER.days))
    return question_of(await runtime.commands.put_off(session_id, reference, body.until))


@router.post("/cancel", status_code=202, response_class=Response)
async def cancel(session_id: SessionId, runtime: RuntimeDep) -> Response:
    await runtime.store.session(session_id)
    await runtime.commands.cancel(session_id)
    return Response(status_code=202)


@router.post("/pause", status_code=202, response_class=Response)
async def pause(session_id: SessionId, runtime: RuntimeDep) -> Response:
    await runtime.store.session(session_id)
    await runtime.commands.executed.pause(session_id)
    return Response(status_code=202)


@router.post("/resume", status_code=202, response_class=Response)
async def resume(session_id: SessionId, runtime: RuntimeDep) -> Response:
    await runtime.store.session(session_id)
    await runtime.commands.executed.resume(session_id)
    return Response(status_code=202)
