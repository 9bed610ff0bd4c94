"""The model's answer at each step: one flat, typed move of one or more acts, and its JSON schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from server.agent.actions import Action, Effect, read_action
from server.agent.operator.lenient_parsing import ARGUMENTS, bare_eid, forgive
from server.browser.browser import Direction
from server.ops.json_types import Json, JsonObject

ActionKind = Literal[
    "click",
    "type",
    "select",
    "press",
    "hover",
    "scroll",
    "wait",
    "navigate",
    "back",
    "focus",
    "read",
    "read_page",
    "read_file",
    "screenshot",
    "switch_tab",
    "upload",
    "dialog",
    "need_user",
    "stop",
]

FurtherKind = Literal["click", "type", "select", "press"]
"""What may follow the first act of a move: acts that are meant to stay on the page."""

TOOL_NAME = "act"


class FieldInput(BaseModel):
    """One form field and the text to type into it."""

    eid: str
    text: str

    @field_validator("eid", mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return bare_eid(value)


class FurtherAct(BaseModel):
    """An act that follows the first one on the same page, with its own arguments."""

    action: FurtherKind
    eid: str | SkipJsonSchema[None] = None
    text: str | SkipJsonSchema[None] = None
    submit: bool = False
    option: str | SkipJsonSchema[None] = None
    key: str | SkipJsonSchema[None] = None
    commits: Effect | SkipJsonSchema[None] = None


class Move(BaseModel):
    """Changes of the working state, an action with its arguments, and the acts that follow it."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=False)

    goal: str | SkipJsonSchema[None] = None
    plan: list[str] = []
    step: int | SkipJsonSchema[None] = None
    done: str | SkipJsonSchema[None] = None
    blocked: str | SkipJsonSchema[None] = None
    facts: list[str] = []
    reason: str = ""
    action: ActionKind
    eid: str | SkipJsonSchema[None] = None
    text: str | SkipJsonSchema[None] = None
    fields: list[FieldInput] = []
    submit: bool = False
    url: str | SkipJsonSchema[None] = None
    option: str | SkipJsonSchema[None] = None
    key: str | SkipJsonSchema[None] = None
    direction: Direction = "down"
    amount: int | SkipJsonSchema[None] = None
    ms: int | SkipJsonSchema[None] = None
    tab: int | SkipJsonSchema[None] = None
    file: str | SkipJsonSchema[None] = None
    page: int | SkipJsonSchema[None] = None
    query: str | SkipJsonSchema[None] = None
    accept: bool = False
    commits: Effect | SkipJsonSchema[None] = None
    """The model's own claim that this very step has an effect; it can only add a question."""
    final_response: str | SkipJsonSchema[None] = None
    then: list[FurtherAct] = []

    @model_validator(mode="before")
    @classmethod
    def _forgive(cls, data: object) -> object:
        return forgive(data) if isinstance(data, dict) else data

    @field_validator("commits", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return value if value in get_args(Effect) else None

    @field_validator("eid", mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return bare_eid(value)


def to_actions(move: Move, new_id: Callable[[], str]) -> list[Action]:
    """The acts of the move in their order, each with its own id and the move's reason."""
    further = [
        Move.model_validate({"reason": move.reason, **act.model_dump(exclude_defaults=True)})
        for act in move.then
    ]
    return [to_action(one, new_id()) for one in (move, *further)]


def to_action(move: Move, action_id: str) -> Action:
    """The first act alone, with its own arguments."""
    given = move.model_dump(exclude_none=True, exclude_defaults=True)
    arguments = {name: given[name] for name in ARGUMENTS.get(move.action, ()) if name in given}
    if move.action == "type":
        single = {"eid": arguments.pop("eid", None), "text": arguments.pop("text", "")}
        arguments |= {} if arguments.get("fields") or not single["eid"] else {"fields": [single]}
    if move.action == "scroll":
        arguments["direction"] = move.direction
    if move.action == "dialog":
        arguments["accept"] = move.accept
    return read_action({"id": action_id, "kind": move.action, "reason": move.reason, **arguments})


def move_schema() -> JsonObject:
    """The JSON schema of a `Move`, as small as possible because it is sent with every call.

    It is flat, without `$ref`, unions, inner titles and defaults: every provider accepts it.
    """
    schema = Move.model_json_schema()
    flat = _compact(schema["properties"], schema.get("$defs", {}))
    return {
        "title": TOOL_NAME,
        "description": "Take one step.",
        "type": "object",
        "properties": flat,
        "required": ["reason", "action"],
    }


def _compact(node: Json, definitions: JsonObject) -> Json:
    if isinstance(node, list):
        return [_compact(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _compact(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    kept = {name: value for name, value in node.items() if name not in ("default", "description")}
    if isinstance(kept.get("title"), str):
        del kept["title"]
    return {name: _compact(value, definitions) for name, value in kept.items()}
