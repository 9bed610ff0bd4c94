"""The custom events of a graph run: both agents dispatch them, the event adapter reads them.

LangChain carries an event as a name and a dict. The events `state`, `observation` and `policy` are those of
the server. All others change the adapter, which makes the server's events of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from langchain_core.callbacks import adispatch_custom_event
from pydantic import BaseModel

from server.events import Box, Observed, PolicyRuled, StateChanged
from server.ops.json_types import JsonObject


@dataclass(frozen=True)
class AnswerText:
    """Text of the answer; all of it together is the final response."""

    type: ClassVar = "token"
    text: str


@dataclass(frozen=True)
class ThoughtText:
    type: ClassVar = "thinking"
    text: str


@dataclass(frozen=True)
class CallStarted:
    """A tool call. `box`: its target, as in `ToolStart`. `provider`: as in `Message`."""

    type: ClassVar = "tool_start"
    call_id: str
    name: str
    args: JsonObject
    box: Box | None = None
    provider: JsonObject | None = None


@dataclass(frozen=True)
class CallEnded:
    """The end of the tool call; the fields are those of `ToolEnd`."""

    type: ClassVar = "tool_end"
    call_id: str
    ok: bool
    summary: str
    url: str | None = None
    screenshot: str | None = None
    box: Box | None = None
    reason: str | None = None
    trail: JsonObject | None = None
    result: JsonObject | None = None
    effect: str | None = None
    effects: list[JsonObject] | None = None
    page_says: str | None = None
    grants: list[JsonObject] | None = None
    title: str | None = None


@dataclass(frozen=True)
class StepEnded:
    type: ClassVar = "step"
    step: int
    max_steps: int


@dataclass(frozen=True)
class Waiting:
    """What the run waits for; it is cleared when the model answers."""

    type: ClassVar = "note"
    text: str


@dataclass(frozen=True)
class ModelRetried:
    """A model call failed and is made again after `delay` seconds."""

    type: ClassVar = "model_retry"
    code: str
    delay: float
    failed: int
    tries: int


@dataclass(frozen=True)
class ModelReplaced:
    """The next call is made of another model than the run's, whose last call failed with `code`; `reason` in words."""

    type: ClassVar = "model_replaced"
    model: str
    instead_of: str
    code: str
    reason: str


@dataclass(frozen=True)
class OutcomeKnown:
    """How the run ends: done, denied, cancelled, blocked, limit."""

    type: ClassVar = "outcome"
    outcome: str


AgentEvent = (
    AnswerText
    | ThoughtText
    | CallStarted
    | CallEnded
    | StepEnded
    | Waiting
    | ModelRetried
    | ModelReplaced
    | OutcomeKnown
)
ServerEvent = StateChanged | Observed | PolicyRuled

_AGENT_EVENTS: dict[str, type[AgentEvent]] = {
    kind.type: kind
    for kind in (
        AnswerText, ThoughtText, CallStarted, CallEnded, StepEnded, Waiting, ModelRetried, ModelReplaced,
        OutcomeKnown,
    )
}  # fmt: skip
_SERVER_EVENTS: dict[str, type[ServerEvent]] = {
    "state": StateChanged,
    "observation": Observed,
    "policy": PolicyRuled,
}


async def dispatch(event: AgentEvent | ServerEvent) -> None:
    """Dispatch the event without the fields that are None. Raises RuntimeError outside of a graph."""
    fields = event.model_dump(exclude={"type"}) if isinstance(event, BaseModel) else vars(event)
    given = {name: value for name, value in fields.items() if value is not None}
    await adispatch_custom_event(event.type, given)


def read_custom_event(name: str, fields: JsonObject) -> AgentEvent | ServerEvent | None:
    """The inverse of `dispatch`; None for an event of another name."""
    if plain := _AGENT_EVENTS.get(name):
        return plain(**fields)
    kind = _SERVER_EVENTS.get(name)
    return kind.model_validate(fields) if kind else None
