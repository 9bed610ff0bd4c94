"""What the model answers at each step: one flat, typed decision, and the schema that asks for it."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from server.browser.browser import Direction

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
    "screenshot",
    "switch_tab",
    "upload",
    "dialog",
    "need_user",
    "stop",
]

Effect = Literal[
    "pay", "order", "send", "publish", "delete", "end", "account", "legal", "system", "approve"
]  # fmt: skip
"""What a step can do outside the browser, in the policy's words."""

TOOL_NAME = "act"


class FieldText(BaseModel):
    """One field of a form and the text for it."""

    eid: str
    text: str

    @field_validator("eid", mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return bare_eid(value)


class Decision(BaseModel):
    """One step: what changed in the working state, and one action with its arguments beside it."""

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
    fields: list[FieldText] = []
    submit: bool = False
    url: str | SkipJsonSchema[None] = None
    option: str | SkipJsonSchema[None] = None
    key: str | SkipJsonSchema[None] = None
    direction: Direction = "down"
    amount: int | SkipJsonSchema[None] = None
    ms: int | SkipJsonSchema[None] = None
    tab: int | SkipJsonSchema[None] = None
    file: str | SkipJsonSchema[None] = None
    accept: bool = False
    commits: Effect | SkipJsonSchema[None] = None
    """The model's own word that this very step has an effect; it can only add a question."""
    final_response: str | SkipJsonSchema[None] = None

    @model_validator(mode="before")
    @classmethod
    def _forgive(cls, data: Any) -> Any:
        """Providers differ in how they say "nothing": null and an absent field mean the same.

        What does not say what to do (plan, facts, commits, ...) never spoils a sound action: an ill-typed
        value is dropped.
        """
        if not isinstance(data, dict):
            return data
        given = {name: whole_text(value) for name, value in data.items() if value is not None}
        sound = {name: _as_record(name, value) for name, value in given.items()}
        return {name: value for name, value in sound.items() if value is not None}

    @field_validator("eid", mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        return bare_eid(value)


def whole_text(value: Any) -> Any:
    """Halves of surrogate pairs cannot be stored or sent: each becomes the replacement character."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def bare_eid(value: object) -> object:
    """`[e12]`, `E12`, `12` and 12 mean `e12`."""
    bare = str(value).strip().strip("[]").lower() if isinstance(value, str | int) else value
    return f"e{bare}" if isinstance(bare, str) and bare.isdigit() else bare


_RECORD_LISTS = frozenset({"plan", "facts"})
_RECORD_TEXTS = frozenset({"goal", "done", "blocked", "reason"})


def _as_record(name: str, value: Any) -> Any:
    if name in _RECORD_LISTS:
        items = [value] if isinstance(value, str) else value
        return (
            [str(item) for item in items if isinstance(item, str | int)] if isinstance(items, list) else None
        )
    if name in _RECORD_TEXTS:
        return value if isinstance(value, str) else None
    if name == "commits":
        return value if value in get_args(Effect) else None
    if name == "step":
        return value if isinstance(value, int) and not isinstance(value, bool) else None
    return value


_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "click": ("eid", "commits"),
    "type": ("eid", "text", "fields", "submit", "commits"),
    "select": ("eid", "option", "commits"),
    "press": ("key", "commits"),
    "hover": ("eid",),
    "scroll": ("direction", "amount"),
    "wait": ("ms",),
    "navigate": ("url",),
    "focus": ("eid",),
    "read": ("eid",),
    "switch_tab": ("tab",),
    "upload": ("eid", "file"),
    "dialog": ("accept", "text", "commits"),
    "stop": ("final_response",),
}


def to_action(decision: Decision, action_id: str) -> dict[str, Any]:
    """The action alone, as plain JSON: `{id, kind, reason, <its own arguments>}`."""
    given = decision.model_dump(exclude_none=True, exclude_defaults=True)
    arguments = {name: given[name] for name in _ARGUMENTS.get(decision.action, ()) if name in given}
    if decision.action == "type":
        single = {"eid": arguments.pop("eid", None), "text": arguments.pop("text", "")}
        arguments |= {} if arguments.get("fields") or not single["eid"] else {"fields": [single]}
    if decision.action == "scroll":
        arguments["direction"] = decision.direction
    if decision.action == "dialog":
        arguments["accept"] = decision.accept
    return {"id": action_id, "kind": decision.action, "reason": decision.reason, **arguments}


def decision_schema() -> dict[str, Any]:
    """The JSON schema that asks for a `Decision`, sent with every call and so as small as can be.

    It is flat, without `$ref`, unions, inner titles and defaults: every provider accepts it.
    """
    schema = Decision.model_json_schema()
    flat = _compact(schema["properties"], schema.get("$defs", {}))
    return {
        "title": TOOL_NAME,
        "description": "Take exactly one step.",
        "type": "object",
        "properties": flat,
        "required": ["reason", "action"],
    }


def _compact(node: Any, definitions: dict[str, Any]) -> Any:
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
