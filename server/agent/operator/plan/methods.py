"""How a move is requested: the methods of structured output, and which of them its server heeds.

Own servers take what they are asked for and may ignore it in silence: llama.cpp ignores a tool that is forced by its
name, and enforces a JSON schema. So nothing is trusted to be enforced: a schema that was refused, and whatever was
answered in words, is followed by the next method in the repair call. The one that gave a move is remembered for the
address and model. A refused `tool_choice` is lowered below, by `RefusedFields`: by name, any tool, none forced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableSequence

from server.agent.models.chat_model import forces_tools
from server.agent.operator.memory.state import Method
from server.agent.operator.plan.move import TOOL_NAME, Offer, branched_schema, move_schema
from server.ops.json_types import JsonObject

Structured = Literal["auto", "tool", "schema", "json"]
Asking = Runnable[LanguageModelInput, AIMessage]
"""A model bound to the schema of a move."""

_heeded: dict[str, Method] = {}
"""By model and address, the method that gave a move."""


@dataclass(frozen=True, slots=True)
class Methods:
    """The methods of one model, in the order in which they are tried. `kind` is the wire, `key` names model and address."""

    kind: Literal["compatible", "ollama", "hosted"]
    order: tuple[Method, ...]
    key: str

    @classmethod
    def of(cls, model: BaseChatModel, structured: Structured = "auto") -> Methods:
        """`structured` fixes the method for servers of Chat Completions."""
        key = str(getattr(model, "endpoint", ""))
        if "ollama" in type(model).__module__:
            return cls("ollama", ("schema", "json"), key)
        if type(model).__name__ == "CompatibleChat":
            order: tuple[Method, ...] = ("tool", "schema", "json")
            return cls("compatible", order if structured == "auto" else (structured,), key)
        return cls("hosted", ("schema" if _prefers_schema(model) else "tool",), key)

    @property
    def first(self) -> Method:
        """The method of a call that repairs nothing."""
        found = _heeded.get(self.key, self.order[0])
        return found if found in self.order else self.order[0]

    def remember(self, method: Method) -> None:
        if len(self.order) > 1:
            _heeded[self.key] = method

    def after(self, method: Method) -> Method | None:
        """The one to try next, None if there is none."""
        return next(iter(self.order[self.order.index(method) + 1 :]), None)

    def tells_form(self, method: Method) -> bool:
        """Whether the rules have to say the form: the schema is enforced out of the model's sight, or is not sent."""
        return self.kind != "hosted" and is_text(method)

    def bound(self, model: BaseChatModel, method: Method, offer: Offer, rows: JsonObject | None) -> Asking:
        """Without LangChain's output parser, which would hold back the stream."""
        if self.kind == "hosted" or method == "tool":
            return _bound(model, method, move_schema(rows, offer))
        if method == "json":
            return cast("Asking", model)
        schema = branched_schema(rows, offer)
        if self.kind == "ollama":
            return cast("Asking", model.bind(format=schema))
        wanted = {"type": "json_schema", "json_schema": {"name": TOOL_NAME, "schema": schema}}
        return cast("Asking", model.bind(extra_body={"response_format": wanted}))


def is_text(method: Method) -> bool:
    """Whether the move is the text of the answer, not a call."""
    return method in ("schema", "json")


def _prefers_schema(model: BaseChatModel) -> bool:
    """JSON schema where a tool cannot be forced: reasoning models.
    Also Gemini's: its calls arrive whole, so an answer in one could not be streamed."""
    profile = model.profile or {}
    if "gemini" in type(model).__module__:
        return True
    cannot_force = not forces_tools(model) or False in (
        profile.get("tool_calling"),
        profile.get("tool_choice"),
    )
    return cannot_force and bool(profile.get("structured_output"))


def _bound(model: BaseChatModel, method: Method, schema: JsonObject) -> Asking:
    if method == "tool" and not forces_tools(model):
        return model.bind_tools([schema])  # LangChain would do the same here, but with a warning
    structured = model.with_structured_output(
        schema, method="function_calling" if method == "tool" else "json_schema"
    )
    return cast("RunnableSequence[LanguageModelInput, AIMessage]", structured).first
