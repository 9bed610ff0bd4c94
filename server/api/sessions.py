"""Routes to create, list, read, change and delete sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field, SecretStr
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, SessionId, Text
from server.api.grants import list_grants
from server.api.knowledge import InstructionText
from server.api.schemas import (
    Failure,
    Grants,
    ListedSession,
    Live,
    Pending,
    Question,
    Run,
    Session,
    SessionDetail,
    Sessions,
    SessionSurroundings,
    WorkingState,
)
from server.errors import Conflict
from server.events import StateChanged, now, read_question
from server.runs.events import to_interrupt
from server.runs.surroundings import ProxyChange
from wording.catalogue import sentence

if TYPE_CHECKING:
    from server.database.models import InterruptRow, RunRow, SessionRow

router = APIRouter(prefix="/api/sessions")

AgentName = Literal["operator", "assistant"]
ModelName = Annotated[Text, Field(min_length=1, max_length=200)]
Steps = Annotated[int, Field(ge=1, le=1000)]
Title = Annotated[Text, Field(max_length=200)]


class NewSession(Body):
    id: SessionId | None = None
    title: Title | None = None
    agent: AgentName | None = None
    model: ModelName | None = None
    max_tool_steps: Steps | None = None
    ask_first: bool = False
    instructions: InstructionText | None = None


class SessionChange(Body):
    title: Title | None = None
    pinned: bool | None = None
    archived: bool | None = None
    agent: AgentName | None = None
    model: ModelName | None = None
    max_tool_steps: Steps | None = None
    ask_first: bool | None = None
    instructions: InstructionText | None = None
    """An empty one takes them away."""


class ProxyEdit(Body):
    address: Annotated[Text, Field(min_length=1, max_length=300)]
    user: Annotated[Text, Field(max_length=255)] = ""
    password: Annotated[SecretStr, Field(max_length=255)] | None = None
    """Null keeps the password that is stored for this address and user."""


class SurroundingsEdit(Body):
    """What is left out stays as it is."""

    time_zone: Annotated[Text, Field(max_length=64)] | None = None
    locale: Annotated[Text, Field(max_length=35)] | None = None
    proxy: ProxyEdit | None = None


class PlanEdit(Body):
    plan: Annotated[list[Annotated[Text, Field(min_length=1, max_length=300)]], Field(max_length=20)]


@router.post("", status_code=201)
async def create(runtime: RuntimeDep, body: NewSession | None = None) -> Session:
    body = body or NewSession()
    settings = runtime.current_settings
    if body.model is not None:
        runtime.models.check(body.model, "model")
    row = await runtime.store.create_session(
        id=body.id,
        title=body.title,
        agent=body.agent or settings.default_agent,
        model=body.model or runtime.models.default,
        max_tool_steps=body.max_tool_steps or settings.max_tool_steps,
        ask_first=body.ask_first,
        instructions=(body.instructions or "").strip() or None,
    )
    runtime.knowledge.note_change()
    await runtime.commands.announce(row.id)
    return Session.model_validate(row)


@router.get("")
async def list_sessions(
    runtime: RuntimeDep,
    q: Annotated[Text | None, Query(max_length=500)] = None,
    archived: bool = False,
    cursor: Annotated[Text | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Sessions:
    listed = await runtime.store.sessions(query=q, archived=archived, cursor=cursor, limit=limit)
    items = [
        ListedSession(**dict(to_response(row, runtime)), match=listed.matches.get(row.id))
        for row in listed.rows
    ]
    return Sessions(items=items, next_cursor=listed.next_cursor)


@router.get("/{session_id}")
async def read(session_id: SessionId, runtime: RuntimeDep) -> SessionDetail:
    overview = await runtime.store.overview(session_id)
    state = await runtime.commands.working_state.read(session_id)
    live = await runtime.commands.executed.live(session_id)
    return SessionDetail(
        **dict(to_response(overview.session, runtime)),
        messages=overview.messages,
        run=Run.model_validate(overview.run) if overview.run else None,
        pending=Pending.model_validate(to_interrupt(overview.pending)) if overview.pending else None,
        interrupts=[question_of(row) for row in overview.questions],
        errors=[failure_of(run) for run in overview.failures],
        activities=overview.activities,
        state=WorkingState.model_validate(state or StateChanged()),
        live=Live(**live) if live else None,
        instructions=overview.session.instructions,
    )


def to_response(row: SessionRow, runtime: RuntimeDep) -> Session:
    """The session, with its position in the queue for a browser while it waits for one."""
    browser = runtime.browsers.peek(row.id)
    return Session.model_validate(row).model_copy(update={"queue_place": browser.place if browser else None})


def question_of(row: InterruptRow) -> Question:
    asked = read_question(row.payload)
    return Question(
        **dict(Pending.model_validate(to_interrupt(row))),
        run_id=row.run_id,
        status=row.status,
        confirmed=row.confirmed,
        outcome=asked.outcome(bool(row.confirmed)) if row.status == "decided" else None,
        message=asked.note,
        created_at=row.created_at,
        decided_at=row.decided_at,
    )


def failure_of(run: RunRow) -> Failure:
    return Failure(
        run_id=run.id,
        status=run.status,
        code=run.error_code or run.status,
        message=run.error or "",
        message_parts=run.error_parts,
        finished_at=run.finished_at,
        position=run.end_position,
    )


@router.patch("/{session_id}")
async def change(session_id: SessionId, body: SessionChange, runtime: RuntimeDep) -> Session:
    values = body.model_dump(exclude_unset=True, exclude_none=True)
    if body.model is not None:
        runtime.models.check(body.model, "model")
    if values.keys() & {"agent", "model"} and await runtime.commands.executed.is_executing(session_id):
        raise Conflict(sentence("session.fixed_during_run"), code="run_in_progress")
    if "instructions" in values:
        values["instructions"] = values["instructions"].strip() or None
        runtime.knowledge.note_change()
    if "archived" in values:
        values["archived_at"] = now() if values.pop("archived") else None
    row = await runtime.store.change_session(session_id, **values)
    await runtime.commands.announce(session_id)
    return Session.model_validate(row)


@router.get("/{session_id}/surroundings")
async def surroundings(session_id: SessionId, runtime: RuntimeDep) -> SessionSurroundings:
    return SessionSurroundings.model_validate(await runtime.surroundings.shown(session_id))


@router.patch("/{session_id}/surroundings")
async def change_surroundings(
    session_id: SessionId, body: SurroundingsEdit, runtime: RuntimeDep
) -> SessionSurroundings:
    given = body.model_fields_set
    proxy = None
    if body.proxy:
        password = body.proxy.password.get_secret_value() if body.proxy.password else None
        proxy = ProxyChange(body.proxy.address, body.proxy.user, password)
    places: dict[str, str | None] = body.model_dump(include={"time_zone", "locale"}, exclude_unset=True)
    await runtime.surroundings.change(session_id, places, proxy, sets_proxy="proxy" in given)
    await runtime.browsers.renew_surroundings(session_id)
    return await surroundings(session_id, runtime)


@router.delete("/{session_id}", status_code=204)
async def delete(session_id: SessionId, runtime: RuntimeDep, purge: bool = False) -> Response:
    await runtime.retention.delete(session_id, purge=purge)
    return Response(status_code=204)


@router.post("/{session_id}/read", status_code=204)
async def mark_read(session_id: SessionId, runtime: RuntimeDep) -> Response:
    await runtime.store.change_session(session_id, unread=False)
    await runtime.commands.announce(session_id)
    return Response(status_code=204)


@router.put("/{session_id}/plan")
async def edit_plan(session_id: SessionId, body: PlanEdit, runtime: RuntimeDep) -> WorkingState:
    await runtime.store.session(session_id)
    state = await runtime.commands.working_state.edit_plan(session_id, body.plan)
    return WorkingState.model_validate(state)


@router.delete("/{session_id}/plan/proposal")
async def dismiss_plan(session_id: SessionId, runtime: RuntimeDep) -> WorkingState:
    await runtime.store.session(session_id)
    state = await runtime.commands.working_state.dismiss_plan(session_id)
    return WorkingState.model_validate(state)


@router.delete("/{session_id}/facts/{index}")
async def drop_fact(session_id: SessionId, index: int, runtime: RuntimeDep) -> WorkingState:
    await runtime.store.session(session_id)
    state = await runtime.commands.working_state.drop_fact(session_id, index)
    return WorkingState.model_validate(state)


@router.get("/{session_id}/grants")
async def grants(session_id: SessionId, runtime: RuntimeDep) -> Grants:
    await runtime.store.session(session_id)
    return await list_grants(runtime, session_id)


@router.delete("/{session_id}/grants/{grant_id}", status_code=204)
async def revoke(session_id: SessionId, grant_id: Text, runtime: RuntimeDep) -> Response:
    await runtime.store.remove_grant(grant_id, session_id=session_id)
    return Response(status_code=204)
