"""The one model call of a step: structured output, streamed, repaired at most twice."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, cast

from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_ai_message_chunks, add_usage
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.runnables import Runnable, RunnableSequence
from pydantic import ValidationError

from server.agent.chat_model import broken_tool_calls, check_complete, forces_tools
from server.agent.model_errors import BAD_RESPONSE
from server.agent.operator.answer_stream import AnswerReader
from server.agent.operator.move import TOOL_NAME, Move, move_schema
from server.agent.prices import CostOf
from server.agent.storable import storable

log = logging.getLogger(__name__)

REPAIR_TURNS = 2

Say = Callable[[str], Awaitable[None]]
Prompt = Callable[[str | None], list[BaseMessage]]
"""The messages of a call; given a problem, they tell the model what was wrong with its last answer."""


class Unusable(Exception):
    """An answer that is no move; the text tells the model why."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A move, what of its answer was streamed already, and what it took: tokens, US dollars."""

    move: Move
    spoken: str
    tokens: int
    cost: float


class Planner:
    """Asks a model for moves, in the form of structured output that suits it."""

    def __init__(self, model: BaseChatModel, cost_of: CostOf = lambda usage: None) -> None:
        self.model = model
        self._cost_of = cost_of
        self.caches = "anthropic" in type(model).__module__
        self._by_tool = not _prefers_schema(model)
        self._asking = _asking(model, "function_calling" if self._by_tool else "json_schema")

    async def decide(self, prompt: Prompt, *, say: Say, think: Say, note: Say) -> Planned:
        """Raises RunFailed when the model gives no usable answer in three turns. `note` is what takes so long."""
        problem: str | None = None
        tokens, cost = 0, 0.0
        for turn in range(1 + REPAIR_TURNS):
            if problem:
                await note(
                    f"The model's answer could not be used; asking again ({turn} of {REPAIR_TURNS} times)."
                )
            reply = _Reply(say, think, self._by_tool)
            await reply.take(self._asking.astream(prompt(problem)))
            if usage := reply.usage:
                tokens, cost = tokens + usage["total_tokens"], cost + (self._cost_of(usage) or 0.0)
            try:
                return Planned(reply.move(), reply.reader.text, tokens, cost)
            except Unusable as unusable:
                problem = str(unusable)
                log.warning("the model's answer could not be used: %s", problem)
        raise BAD_RESPONSE.as_error()

    async def speak(self, messages: list[BaseMessage], *, say: Say) -> None:
        """A plain spoken answer, streamed."""
        async for chunk in self.model.astream(messages):
            if chunk.text:
                await say(chunk.text)


def _prefers_schema(model: BaseChatModel) -> bool:
    """JSON schema where a tool cannot be forced: models that think, and Ollama's, which then drift into prose.
    Gemini's too: its calls arrive whole, so that an answer inside one could not stream."""
    profile = model.profile or {}
    if any(name in type(model).__module__ for name in ("ollama", "gemini")):
        return True
    cannot_force = not forces_tools(model) or False in (
        profile.get("tool_calling"),
        profile.get("tool_choice"),
    )
    return cannot_force and bool(profile.get("structured_output"))


def _asking(model: BaseChatModel, method: str) -> Runnable[Any, Any]:
    """The model bound to the schema. LangChain's parser behind it is left off: it would hold back the stream."""
    if method == "function_calling" and not forces_tools(model):
        return model.bind_tools([move_schema()])  # what LangChain does here, too, but with a warning
    structured = model.with_structured_output(move_schema(), method=method)
    return cast("RunnableSequence[Any, Any]", structured).first


@dataclass
class _Reply:
    """One answer of the model while it arrives."""

    say: Say
    think: Say
    by_tool: bool
    chunks: list[AIMessageChunk] = field(default_factory=list)
    reader: AnswerReader = field(default_factory=AnswerReader)
    call_index: Any = None

    async def take(self, chunks: AsyncIterator[Any]) -> None:
        async for chunk in chunks:
            self.chunks.append(chunk)
            if thought := _thought(chunk):
                await self.think(thought)
            if text := self.reader.feed(self._fragment(chunk)):
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
        told = [chunk.usage_metadata for chunk in self.chunks if chunk.usage_metadata]
        return reduce(add_usage, told) if told else None

    def move(self) -> Move:
        """Raises Unusable. An answer that was streamed whole is kept, whatever is wrong around it; one that broke
        off was shown already and cannot be repaired."""
        if self.reader.text and not self.reader.is_complete:
            raise BAD_RESPONSE.as_error()
        try:
            return self._move()
        except Unusable:
            if not self.reader.text:
                raise
            return Move(action="stop", final_response=self.reader.text)

    def _move(self) -> Move:
        if not self.chunks:
            raise Unusable("it was empty")
        message = add_ai_message_chunks(*self.chunks)
        check_complete(message)
        try:
            move = Move.model_validate(_called(message) if self.by_tool else _written(message))
        except ValidationError as error:
            raise Unusable(_problems(error)) from None
        if move.action == "stop" and not move.final_response and self.by_tool:
            return move.model_copy(update={"final_response": storable(message.text)})  # said beside the call
        return move


def _called(message: AIMessageChunk) -> Any:
    """The arguments of the first call; further calls of the same turn are ignored: one step at a time."""
    if not message.tool_calls and not message.invalid_tool_calls:
        return _written_instead(message)
    call = next(iter(message.tool_calls), None)
    if call is None or (call["id"] or "") in broken_tool_calls(message):
        raise Unusable("its arguments are no valid JSON")
    if call["name"] != TOOL_NAME:
        raise Unusable(f"there is no tool `{call['name'][:40]}`, only `{TOOL_NAME}`")
    return call["args"]


def _written_instead(message: AIMessageChunk) -> Any:
    """Models that are bad at calling tools write the call's arguments down, often in a code fence."""
    with contextlib.suppress(Unusable):
        if isinstance(move := _written(message), dict):
            return move
    raise Unusable(f"answer by a call of the tool `{TOOL_NAME}`, not in words")


def _written(message: AIMessageChunk) -> Any:
    try:
        return JsonOutputParser().parse(message.text)
    except OutputParserException:
        raise Unusable("it is no valid JSON of the given schema") from None


def _problems(error: ValidationError) -> str:
    found = ((".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()[:4])
    return "; ".join(f"{place or 'answer'}: {message}" for place, message in found)


def _thought(chunk: AIMessageChunk) -> str:
    """The reasoning in a chunk, in LangChain's shape or the provider's."""
    if isinstance(chunk.content, str) and not chunk.additional_kwargs:
        return ""
    blocks: Sequence[Any] = chunk.content_blocks
    return "".join(str(block.get("reasoning") or "") for block in blocks if block.get("type") == "reasoning")
