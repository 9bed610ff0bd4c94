"""Routes for automations, and the webhooks that begin them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from server.api.deps import Body, RuntimeDep, SessionId, Text
from server.api.grants import AutomationGrantBody, new_grant, to_grant
from server.api.knowledge import InstructionText
from server.api.messages import check_schema
from server.api.schemas import (
    Automation,
    AutomationList,
    Called,
    ExportedAutomations,
    Firing,
    Firings,
    ListedAutomation,
    MissedMode,
    NewHook,
    Overlap,
    Preview,
    SessionMode,
    Upcoming,
    UpcomingTime,
)
from server.api.sessions import AgentName, ModelName, Steps
from server.database.models import AutomationRow, FiringRow
from server.errors import BadRequest, TooLarge
from server.ops.json_types import JsonObject
from server.runtime import Runtime
from server.store.grants import ListedGrant
from wording.catalogue import sentence

router = APIRouter(prefix="/api")

HOOK_BYTES = 64 * 1024
DAY = 86_400

Name = Annotated[Text, Field(min_length=1, max_length=200, pattern=r"\S")]
Task = Annotated[Text, Field(min_length=1, max_length=16_000, pattern=r"\S")]
RuleText = Annotated[Text, Field(min_length=1, max_length=600)]
Zone = Annotated[Text, Field(min_length=1, max_length=64)]
Address = Annotated[Text, Field(min_length=8, max_length=2000)]
Patience = Annotated[int, Field(ge=60, le=30 * DAY)]
Keep = Annotated[int, Field(ge=1, le=100)]
Dollars = Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
TokenCount = Annotated[int, Field(ge=1, le=10**12)]


GrantList = Annotated[list[AutomationGrantBody], Field(max_length=50)]


class BudgetBody(Body):
    run_cost: Dollars | None = None
    month_cost: Dollars | None = None
    run_tokens: TokenCount | None = None
    month_tokens: TokenCount | None = None


class NewAutomation(Body):
    name: Name
    task: Task
    agent: AgentName | None = None
    model: ModelName | None = None
    max_tool_steps: Steps | None = None
    start_url: Address | None = None
    rule: RuleText | None = None
    zone: Zone = "UTC"
    session_mode: SessionMode = "same"
    overlap: Overlap = "skip"
    missed: MissedMode = "once"
    patience: Patience = DAY
    keep: Keep = 10
    budget: BudgetBody | None = None
    ask_first: bool = False
    only_changes: bool = False
    only_first_model: bool = False
    instructions: InstructionText | None = None
    """What the person wants its runs to heed."""
    result_schema: JsonObject | None = None
    """The columns of the table that its runs fill, as in a message."""
    enabled: bool = True
    grants: GrantList = []
    """What its runs may do without asking."""
    created_from: SessionId | None = None
    """The session that it is made from; with `session_mode` same its runs go on there."""


class AutomationChange(Body):
    """A field that is left out stays as it is; `start_url`, `rule`, `budget`, `instructions` and `result_schema` can be null."""

    name: Name | None = None
    task: Task | None = None
    agent: AgentName | None = None
    model: ModelName | None = None
    max_tool_steps: Steps | None = None
    start_url: Address | None = None
    rule: RuleText | None = None
    zone: Zone | None = None
    session_mode: SessionMode | None = None
    overlap: Overlap | None = None
    missed: MissedMode | None = None
    patience: Patience | None = None
    keep: Keep | None = None
    budget: BudgetBody | None = None
    ask_first: bool | None = None
    only_changes: bool | None = None
    only_first_model: bool | None = None
    instructions: InstructionText | None = None
    result_schema: JsonObject | None = None
    enabled: bool | None = None
    grants: GrantList | None = None
    """All of them: one that is left out is taken back."""


class Imported(Body):
    version: Annotated[int, Field(ge=1, le=1)]
    automations: Annotated[list[NewAutomation], Field(max_length=200)]


class RuleBody(Body):
    rule: RuleText
    zone: Zone


@router.post("/automations", status_code=201)
async def add(body: NewAutomation, runtime: RuntimeDep) -> Automation:
    granted = [new_grant(one, "automation") for one in body.grants]
    runtime.knowledge.note_change()
    row = await runtime.automations.add(_values(body, runtime))
    if granted:
        await runtime.store.set_automation_grants(row.id, (), granted)
    return await _shown(row, runtime)


@router.get("/automations")
async def list_automations(runtime: RuntimeDep) -> AutomationList:
    found, granted = await runtime.automations.listed(), await runtime.store.grants()
    items = [
        ListedAutomation(
            **dict(to_automation(one.row, granted)),
            last=to_firing(one.last) if one.last else None,
            used=one.used,
        )
        for one in found
    ]
    return AutomationList(items=items)


@router.get("/automations/export")
async def export(runtime: RuntimeDep, response: Response) -> ExportedAutomations:
    response.headers["content-disposition"] = 'attachment; filename="automations.json"'
    return ExportedAutomations.model_validate(await runtime.automations.exported())


@router.post("/automations/import", status_code=201)
async def import_all(body: Imported, runtime: RuntimeDep) -> AutomationList:
    """Add all automations of an export. They are paused."""
    values = [_values(one, runtime) for one in body.automations]  # without grants: a file gives no permission
    added = {row.id for row in await runtime.automations.import_all(values)}
    listed = await list_automations(runtime)
    return AutomationList(items=[item for item in listed.items if item.id in added])


@router.get("/automations/upcoming")
async def upcoming(runtime: RuntimeDep, days: Annotated[int, Query(ge=1, le=62)] = 14) -> Upcoming:
    found = await runtime.automations.upcoming(days)
    return Upcoming(items=[UpcomingTime(automation_id=row.id, name=row.name, at=at) for at, row in found])


@router.post("/automations/preview")
async def preview_rule(
    body: RuleBody, runtime: RuntimeDep, n: Annotated[int, Query(ge=1, le=100)] = 5
) -> Preview:
    """The next due times of a rule that is not stored yet."""
    return Preview(items=await runtime.automations.preview(body.rule, body.zone, n))


@router.get("/automations/{automation_id}")
async def read(automation_id: Text, runtime: RuntimeDep) -> Automation:
    return await _shown(await runtime.store.automation(automation_id), runtime)


@router.patch("/automations/{automation_id}")
async def change(automation_id: Text, body: AutomationChange, runtime: RuntimeDep) -> Automation:
    values: JsonObject = body.model_dump(exclude_unset=True, exclude={"grants"})
    _refuse_nulls(values)
    if body.model is not None:
        runtime.models.check(body.model, "model")
    if "budget" in values:
        values["budget"] = _budget(body.budget)
    if "result_schema" in values:
        values["result_schema"] = check_schema(body.result_schema)
    runtime.knowledge.note_change()
    granted = [new_grant(one, "automation") for one in body.grants or () if one.id is None]
    row = await runtime.automations.change(automation_id, values)
    if body.grants is not None:
        kept = [one.id for one in body.grants if one.id is not None]
        await runtime.store.set_automation_grants(automation_id, kept, granted)
    return await _shown(row, runtime)


@router.delete("/automations/{automation_id}", status_code=204)
async def remove(automation_id: Text, runtime: RuntimeDep) -> Response:
    """Its sessions stay, a run in progress continues."""
    await runtime.store.remove_automation(automation_id)
    return Response(status_code=204)


@router.post("/automations/{automation_id}/run", status_code=202)
async def run(automation_id: Text, runtime: RuntimeDep) -> Firing:
    """Begin it now, also while it is paused. A run in progress counts as for a due time."""
    return to_firing(await runtime.automations.call_by_hand(automation_id))


@router.get("/automations/{automation_id}/firings")
async def firings(
    automation_id: Text,
    runtime: RuntimeDep,
    cursor: Annotated[Text | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Firings:
    rows, next_cursor = await runtime.store.firings(automation_id, cursor=cursor, limit=limit)
    return Firings(items=[to_firing(row) for row in rows], next_cursor=next_cursor)


@router.get("/automations/{automation_id}/preview")
async def preview(
    automation_id: Text, runtime: RuntimeDep, n: Annotated[int, Query(ge=1, le=100)] = 5
) -> Preview:
    """The next due times, also while it is paused."""
    row = await runtime.store.automation(automation_id)
    return Preview(items=await runtime.automations.preview(row.rule, row.zone, n))


@router.post("/automations/{automation_id}/hook", status_code=201)
async def renew_hook(automation_id: Text, runtime: RuntimeDep) -> NewHook:
    """Make the address of a webhook; a former one is not valid any more."""
    secret = await runtime.automations.renew_hook(automation_id)
    return NewHook(secret=secret, path=f"/api/hooks/{secret}")


@router.delete("/automations/{automation_id}/hook", status_code=204)
async def remove_hook(automation_id: Text, runtime: RuntimeDep) -> Response:
    await runtime.store.change_automation(automation_id, hook=None)
    return Response(status_code=204)


@router.post("/hooks/{secret}", status_code=202)
async def call(
    secret: Annotated[str, Field(max_length=200)], request: Request, runtime: RuntimeDep
) -> Called:
    """Begin an automation. The secret is the login; the body, at most 64 KB, is data for the task."""
    firing = await runtime.automations.call(secret, await _data_of(request))
    return Called.model_validate(firing)


async def _data_of(request: Request) -> str:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > HOOK_BYTES:
            raise TooLarge(sentence("hook.too_long", n=HOOK_BYTES))
    return data.decode("utf-8", "replace").replace("\0", "\ufffd").strip()


def _values(body: NewAutomation, runtime: Runtime) -> JsonObject:
    settings = runtime.current_settings
    if body.model is not None:
        runtime.models.check(body.model, "model")
    return body.model_dump(exclude={"grants"}) | {
        "agent": body.agent or settings.default_agent,
        "model": body.model or runtime.models.default,
        "max_tool_steps": body.max_tool_steps or settings.max_tool_steps,
        "budget": _budget(body.budget),
        "result_schema": check_schema(body.result_schema),
    }


def _budget(body: BudgetBody | None) -> JsonObject | None:
    return (body.model_dump(exclude_none=True) or None) if body else None


async def _shown(row: AutomationRow, runtime: Runtime) -> Automation:
    return to_automation(row, await runtime.store.grants(automation_id=row.id))


def to_automation(row: AutomationRow, granted: Sequence[ListedGrant]) -> Automation:
    """`granted`: its grants, perhaps among others."""
    own = [to_grant(one) for one in granted if one.row.automation_id == row.id]
    known = {
        name: getattr(row, name) for name in Automation.model_fields if name not in ("has_hook", "grants")
    }
    return Automation(**known, has_hook=row.hook is not None, grants=own)


def to_firing(row: FiringRow) -> Firing:
    return Firing.model_validate(row)


def _refuse_nulls(values: JsonObject) -> None:
    for name, value in values.items():
        if value is None and name not in ("start_url", "rule", "budget", "instructions", "result_schema"):
            raise BadRequest(sentence("field.not_null", field=name))
