"""The model call of a step: structured output, streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import cast

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.runnables import Runnable, RunnableSequence
from pydantic import ValidationError

from server.agent.models.answer_chunk import read_arguments
from server.agent.models.catalog import CostOf
from server.agent.models.chat_model import broken_tool_calls, check_complete, forces_tools
from server.agent.models.errors import BAD_RESPONSE
from server.agent.models.text_channel import without_taken_back
from server.agent.operator.answer_stream import AnswerStream
from server.agent.operator.move import MOST_OFFERED, TOOL_NAME, Move, Offer, move_schema
from server.agent.storable import storable
from server.agent.thoughts import thought_of
from server.ops.json_types import JsonObject

Say = Callable[[str], Awaitable[None]]
Asking = Runnable[LanguageModelInput, AIMessage]
"""A model bound to the schema of a move."""


class Unusable(Exception):
    """The answer is not a valid move; the message is the reason, for the model."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A move, or the problem with the answer; the part of it that was streamed; usage: tokens, US dollars."""

    move: Move | None
    problem: str | None
    spoken: str
    tokens: int
    cost: float


class Planner:
    """Requests moves from a model, with the method of structured output that suits it."""

    def __init__(
        self, model: BaseChatModel, cost_of: CostOf = lambda usage: None, *, points: bool = False
    ) -> None:
        self.model = model
        self._cost_of = cost_of
        self.caches = "anthropic" in type(model).__module__
        self._by_tool = not _prefers_schema(model)
        self.points = points
        """Whether acts at a point of the picture are offered, at the turns that have one."""
        self._method = "function_calling" if self._by_tool else "json_schema"
        self._usual: dict[Offer, Asking] = {}
        """Without rows, by what is offered."""

    async def decide(
        self,
        prompt: list[BaseMessage],
        *,
        say: Say,
        think: Say,
        rows: JsonObject | None = None,
        offer: Offer = MOST_OFFERED,
    ) -> Planned:
        """Make one call. Raises RunFailed if the model fails or the streamed text cannot be the answer.

        `rows` is the schema of the rows that the model may record; None if the task asks for no table.
        """
        reply = _Reply(say, think, self._by_tool)
        asking = self._asking(offer, rows)
        await reply.take(asking.astream(prompt))
        usage = reply.usage
        tokens = usage["total_tokens"] if usage else 0
        cost = (self._cost_of(usage) or 0.0) if usage else 0.0
        try:
            return Planned(reply.move(), None, reply.answer.text, tokens, cost)
        except Unusable as unusable:
            return Planned(None, str(unusable), "", tokens, cost)

    def _asking(self, offer: Offer, rows: JsonObject | None) -> Asking:
        if rows:
            return _bound(self.model, self._method, move_schema(rows, offer))
        if offer not in self._usual:
            self._usual[offer] = _bound(self.model, self._method, move_schema(offer=offer))
        return self._usual[offer]

    async def stream_text(self, messages: list[BaseMessage], *, say: Say) -> None:
        """Stream a plain text answer."""
        async for chunk in self.model.astream(messages):
            if chunk.text:
                await say(chunk.text)


def _prefers_schema(model: BaseChatModel) -> bool:
    """JSON schema where a tool cannot be forced: reasoning models, and Ollama's, which then answer in prose.
    Also Gemini's: its calls arrive whole, so an answer in one could not be streamed."""
    profile = model.profile or {}
    if any(name in type(model).__module__ for name in ("ollama", "gemini")):
        return True
    cannot_force = not forces_tools(model) or False in (
        profile.get("tool_calling"),
        profile.get("tool_choice"),
    )
    return cannot_force and bool(profile.get("structured_output"))


def _bound(model: BaseChatModel, method: str, schema: JsonObject) -> Asking:
    """Bind the model to the schema, without LangChain's output parser: it would hold back the stream."""
    if method == "function_calling" and not forces_tools(model):
        return model.bind_tools([schema])  # LangChain would do the same here, but with a warning
    structured = model.with_structured_output(schema, method=method)
    return cast("RunnableSequence[LanguageModelInput, Move]", structured).first


@dataclass
class _Reply:
    """One model answer while it arrives."""

    say: Say
    think: Say
    by_tool: bool
    chunks: list[AIMessageChunk] = field(default_factory=list)
    answer: AnswerStream = field(default_factory=AnswerStream)
    call_index: int | str | None = None

    async def take(self, chunks: AsyncIterator[AIMessage]) -> None:
        async for chunk in chunks:
            assert isinstance(chunk, AIMessageChunk)
            self.chunks.append(chunk)
            if thought := thought_of(chunk):
                await self.think(thought)
            if text := self.answer.feed(self._fragment(chunk)):
                await self.say(text)

    def _fragment(self, chunk: AIMessageChunk) -> str:
        """The next piece of the move's JSON; of several calls only the first counts."""
        if not self.by_tool:
            return chunk.text
        calls = chunk.tool_call_chunks
        if calls and self.call_index is None:
            self.call_index = calls[0]["index"]
        return "".join(call["args"] or "" for call in calls if call["index"] == self.call_index)

    @property
    def usage(self) -> UsageMetadata | None:
        usages = [chunk.usage_metadata for chunk in self.chunks if chunk.usage_metadata]
        return reduce(add_usage, usages) if usages else None

    def move(self) -> Move:
        """Raises Unusable if it is not a valid move, RunFailed if the streamed text cannot be its answer.

        A `final_response` that arrived whole counts, even if the JSON after it is malformed.
        """
        spoken, whole = self.answer.text, self.answer.complete()
        if spoken and whole is not None and "final_response" not in whole:
            raise BAD_RESPONSE.as_error()
        try:
            move = self._parsed()
        except Unusable:
            if not spoken:
                raise
            if whole is None:
                raise BAD_RESPONSE.as_error() from None
            move = Move(action="stop", final_response=whole.get("final_response"))
        if spoken and not (move.final_response or "").startswith(spoken):
            raise BAD_RESPONSE.as_error()
        return move

    def _parsed(self) -> Move:
        if not self.chunks:
            raise Unusable("it was empty")
        message = without_taken_back(self.chunks[0] + self.chunks[1:])
        check_complete(message)
        try:
            given = _called(message) if self.by_tool else read_arguments(_without_fence(message.text))
            move = Move.model_validate(given)
        except ValidationError as error:
            found = ((".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()[:4])
            raise Unusable("; ".join(f"{place or 'answer'}: {text}" for place, text in found)) from None
        except ValueError:
            raise Unusable("it is no valid JSON of the given schema") from None
        if move.action == "stop" and not move.final_response and self.by_tool:
            return move.model_copy(update={"final_response": storable(message.text)})  # text next to the call
        return move


def _without_fence(text: str) -> str:
    """The text inside of a Markdown fence, where the answer is one."""
    text = text.strip()
    if not (text.startswith("```") and text.endswith("```")):
        return text
    return text[3:-3].removeprefix("json")


def _called(message: AIMessageChunk) -> JsonObject:
    """The arguments of the first call. Further calls of the same turn are ignored: one step at a time."""
    if not message.tool_calls and not message.invalid_tool_calls:
        raise Unusable(f"answer by a call of the tool `{TOOL_NAME}`, not in words")
    call = next(iter(message.tool_calls), None)
    if call is None or (call["id"] or "") in broken_tool_calls(message):
        raise Unusable("its arguments are no valid JSON")
    if call["name"] != TOOL_NAME:
        raise Unusable(f"there is no tool `{call['name'][:40]}`, only `{TOOL_NAME}`")
    return call["args"]
