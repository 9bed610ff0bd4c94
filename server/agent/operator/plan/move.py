"""The model's answer at each step: one flat, typed move of one or more acts, and its JSON schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from server.agent.actions import Action, EffectKind, read_action
from server.agent.operator.plan.lenient_parsing import (
    ARGUMENTS,
    LEADS,
    MAX_FURTHER,
    bare_eid,
    forgive,
    read_object,
    without_fence,
)
from server.browser.browser import Direction
from server.ops.json_types import Json, JsonObject

ActionKind = Literal[
    "click",
    "type",
    "login",
    "select",
    "press",
    "hover",
    "double_click",
    "drag",
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
    "ask_user",
    "record",
    "call_tool",
    "stop",
]

FurtherKind = Literal["click", "type", "select", "press", "hover", "read_page"]
"""What may follow the first act of a move: acts that are meant to stay on the page, and reading what then is there."""

POINT_KINDS = ("double_click", "drag")
OFFERED_MANNERS = ("right", "hold", "ctrl", "shift")
POINT_ARGUMENTS = ("at", "to", "to_eid")
FILE_KINDS = ("read_file", "upload")
PAGE_KINDS = (
    "click", "press", "hover", "scroll", "wait", "back", "focus", "read", "read_page", "screenshot", "upload",
    "type", "select", "dialog", "drag", "double_click",
)  # fmt: skip
RECORD_FIELDS = ("plan", "step", "done", "blocked", "facts", "reason")
"""Of the working state, offered at each turn."""

NEEDED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    **dict.fromkeys(("click", "double_click", "hover"), (("eid",), ("at",))),
    "drag": (("eid", "to_eid"), ("at", "to")),
    "type": (("eid", "text"), ("fields",)),
    "login": (("eid",),),
    "select": (("eid", "option"),),
    "press": (("key",),),
    "navigate": (("url",),),
    **dict.fromkeys(("focus", "read"), (("eid",),)),
    "read_file": (("file",),),
    "switch_tab": (("tab",),),
    "upload": (("eid", "file"),),
    "record": (("rows",),),
    "call_tool": (("tool",),),
    "stop": (("final_response",),),
}
"""The arguments that an action is nothing without, in each way to give them."""
TOOL_NAME = "act"


@dataclass(frozen=True, slots=True)
class Offer:
    """What a turn has a use for. The schema names nothing else, and is sent with every call; a move that uses
    something else all the same is understood."""

    page: bool = True
    """A page is open."""
    typing: bool = True
    """It has a control that takes text."""
    form: bool = True
    """It has several of them."""
    login: bool = False
    """It has a login form that a stored login fits."""
    choosing: bool = True
    """It has a list to choose from."""
    several: bool = False
    """One of them takes several choices."""
    manners: bool = False
    """Something on it may be for clicks with the right button, with a key, held down or double."""
    adds: bool = False
    """It has a field of several lines that holds something."""
    dialog: bool = True
    """It may be waiting for an answer to its script's question."""
    tabs: bool = True
    """There may be other tabs."""
    points: bool = False
    """There is a picture of the page, or something on it that can be dragged."""
    files: bool = True
    """The session has files."""
    goal: bool = True
    """The user may want something else than at first."""
    notes: bool = False
    """The run may have found out how the site works."""
    tools: bool = False
    """The person has added servers with other tools."""
    lacks: frozenset[str] = frozenset()
    """The browser's server cannot do these."""

    @property
    def kinds(self) -> tuple[ActionKind, ...]:
        """Of actions, except `record`."""
        needs = (
            (self.page, PAGE_KINDS), (self.typing, ("type",)), (self.login, ("login",)), (self.choosing, ("select",)),
            (self.dialog, ("dialog",)), (self.points, ("drag",)),
            (self.points or self.manners, ("double_click",)),
            (self.tabs, ("switch_tab",)), (self.files, FILE_KINDS), (self.tools, ("call_tool",)),
        )  # fmt: skip
        unusable = self.lacks.union({"record"}, *(kinds for has_use, kinds in needs if not has_use))
        return tuple(kind for kind in get_args(ActionKind) if kind not in unusable)

    @property
    def left_out(self) -> frozenset[str]:
        """Arguments of its actions for which there is no use."""
        return frozenset(
            {
                *(() if self.goal else ("goal",)),
                *(() if self.points else POINT_ARGUMENTS),
                *(() if self.form else ("fields",)),
                *(() if self.manners and "manner" not in self.lacks else ("manner",)),
                *(() if self.adds else ("append",)),
                *(() if self.notes else ("notes",)),
            }
        )

    @property
    def further(self) -> tuple[FurtherKind, ...]:
        """Kinds of acts that may follow; reading also follows the opening of a page."""
        return tuple(kind for kind in get_args(FurtherKind) if kind in (*self.kinds, "read_page"))


MAX_OFFERED = Offer()


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
    query: str | SkipJsonSchema[None] = None
    commits: SkipJsonSchema[EffectKind | None] = None
    """Not offered, because such an act stands alone; read where a model gives it all the same."""
    append: SkipJsonSchema[bool] = False
    manner: SkipJsonSchema[str | None] = None
    ms: SkipJsonSchema[int | None] = None


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
    to_eid: str | SkipJsonSchema[None] = None
    at: list[int] = []
    to: list[int] = []
    """Points of the picture that the model saw: x, y in its pixels."""
    text: str | SkipJsonSchema[None] = None
    fields: list[FieldInput] = []
    login: str | SkipJsonSchema[None] = None
    submit: bool = False
    append: bool = False
    manner: str | SkipJsonSchema[None] = None
    """A `Manner`, or what a model gives with a click that none can be."""
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
    commits: EffectKind | SkipJsonSchema[None] = None
    """The model's own claim that this very step has an effect; it can only add a question."""
    rows: list[JsonObject] = []
    tool: str | SkipJsonSchema[None] = None
    args: JsonObject = {}
    """Of the tool. Asked for as a text that holds an object: not every provider takes an object without properties."""
    final_response: str | SkipJsonSchema[None] = None
    notes: list[str] = []
    then: list[FurtherAct] = []

    @model_validator(mode="before")
    @classmethod
    def _forgive(cls, data: object) -> object:
        return forgive(data) if isinstance(data, dict) else data

    @field_validator("commits", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return value if value in get_args(EffectKind) else None

    @field_validator("eid", "to_eid", mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return bare_eid(value)

    @field_validator("args", mode="before")
    @classmethod
    def _object(cls, value: object) -> object:
        read = read_object(without_fence(value)) if isinstance(value, str) else value
        if not isinstance(read, dict):
            raise ValueError("give the arguments of the tool as one JSON object")
        return read


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
    for name in ("at", "to"):
        if point := arguments.pop(name, None):
            arguments[name] = {"x": point[0], "y": point[1]}
    if arguments.get("at") and "eid" in arguments:
        del arguments["at"]  # an element says more than a point
    kind: str = move.action
    if move.action == "double_click" or arguments.get("manner") == "double":
        kind, arguments["double"] = "click", True
        arguments.pop("manner", None)
    if move.action == "ask_user":
        kind, arguments["wants"] = "need_user", "answer"
    if move.action == "drag":
        ends = {"start": arguments.pop("eid", ""), "end": arguments.pop("to_eid", "")}
        arguments |= ends if all(ends.values()) else {}
    return read_action({"id": action_id, "kind": kind, "reason": move.reason, **arguments})


def move_schema(rows: JsonObject | None = None, offer: Offer = MAX_OFFERED) -> JsonObject:
    """The JSON schema of a `Move`, as small as possible because it is sent with every call.

    It is flat, without `$ref`, unions, inner titles and defaults: every provider accepts it. `rows` is the
    schema of the table that the task asks for; without it there is no `record`.
    """
    schema = Move.model_json_schema()
    kinds = [kind for kind in get_args(ActionKind) if kind in offer.kinds or (kind == "record" and rows)]
    arguments = {name for kind in kinds for name in ARGUMENTS.get(kind, ())}
    wanted = {"goal", "action", "then", *RECORD_FIELDS, *arguments} - offer.left_out
    own: JsonObject = {
        "action": {"type": "string", "enum": kinds},
        "rows": rows,
        "args": {"type": "string"},
        "then": _further_schema(offer),
        "manner": {"type": "string", "enum": list(OFFERED_MANNERS)},
    }
    definitions = schema.get("$defs", {})
    flat = {
        name: own.get(name) or _compact(part, definitions)
        for name, part in schema["properties"].items()
        if name in wanted
    }
    return {
        "title": TOOL_NAME,
        "description": "Take one step.",
        "type": "object",
        "properties": flat,
        "required": ["reason", "action"],
    }


def _further_schema(offer: Offer) -> JsonObject:
    """The schema of the acts that follow, with the arguments of what may follow here."""
    wanted = {name for kind in offer.further for name in ARGUMENTS[kind]}
    parts: JsonObject = FurtherAct.model_json_schema()["properties"]
    own = {name: _compact(part, {}) for name, part in parts.items() if name in wanted}
    action = {"type": "string", "enum": list(offer.further)}
    item = {"type": "object", "properties": {"action": action, **own}, "required": ["action"]}
    return {"type": "array", "items": item, "maxItems": MAX_FURTHER}


_ITEMS = {"plan": 6, "facts": 8, "fields": 40, "rows": 50, "notes": 2, "at": 2, "to": 2}
_CHARS = {
    "short": ("eid", "to_eid", "key", "login"),
    "line": (
        "goal",
        "plan",
        "done",
        "blocked",
        "facts",
        "reason",
        "option",
        "query",
        "file",
        "notes",
        "tool",
    ),
}
_BOUNDS = {"short": 40, "line": 300}
"""Characters. A server's grammar writes such a bound out sign by sign, so there are two, each written once.
What is typed, opened or answered has none."""


def branched_schema(rows: JsonObject | None = None, offer: Offer = MAX_OFFERED) -> JsonObject:
    """The schema of a `Move` for a server that makes a grammar of it and shows it to no model, so that its size costs
    nothing: a branch for each action with its own arguments, bounds for lists and texts.
    """
    flat: JsonObject = move_schema(rows, offer)["properties"]
    names = {name: kind for kind, given in _CHARS.items() for name in given}
    parts = {name: _bounded(name, part, names) for name, part in flat.items()}
    branches = [
        branch
        for kind in flat["action"]["enum"]
        for branch in _branches(kind, parts, ("goal", *RECORD_FIELDS))
    ]
    strings = {name: {"type": "string", "maxLength": most} for name, most in _BOUNDS.items()}
    return {"anyOf": branches, "$defs": strings}


def _branches(kind: str, parts: JsonObject, record: Sequence[str]) -> list[JsonObject]:
    """Of one action; several where its target can be given in several ways, by an element or by a point."""
    ways = NEEDED.get(kind, ((),))
    offered = [way for way in ways if all(name in parts for name in way)]
    others = {name for way in ways for name in way}
    free = [name for name in ARGUMENTS.get(kind, ()) if name not in others]
    free += ["then"] if kind in LEADS else []
    return [_branch(kind, parts, way, (*free, *record)) for way in offered]


def _branch(kind: str, parts: JsonObject, needed: Sequence[str], free: Sequence[str]) -> JsonObject:
    given = {name: parts[name] for name in (*needed, *free) if name in parts}
    return {
        "type": "object",
        "properties": {"reason": parts["reason"], "action": {"const": kind}, **given},
        "required": ["reason", "action", *needed],
        "additionalProperties": False,
    }


def _bounded(name: str, part: JsonObject, names: Mapping[str, str]) -> JsonObject:
    """The part of a schema with its bounds, at any depth."""
    if part.get("type") == "array":
        most = {"maxItems": _ITEMS[name]} if name in _ITEMS else {}
        return part | {"items": _bounded(name, part["items"], names)} | most
    if part.get("type") == "object" and name != "rows":
        inner = {name: _bounded(name, value, names) for name, value in part["properties"].items()}
        return part | {"properties": inner}
    return {"$ref": f"#/$defs/{names[name]}"} if part == {"type": "string"} and name in names else part


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
