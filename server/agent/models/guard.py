"""The guard of every model call: deadlines, retries before the first token, output cap, completeness check.

`GuardedModel` is a second base of our models, not a wrapper around the provider's class, so that
bind_tools, structured output, profiles and isinstance checks remain the provider's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from contextvars import copy_context
from dataclasses import dataclass, field
from operator import is_
from typing import Any, ClassVar, Self, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from server.agent.custom_events import ModelRetried, Waiting, dispatch
from server.agent.models import errors as failures
from server.agent.models.deadlines import watched
from server.agent.models.errors import ModelFailed, ModelFailure, classify, stop_reason
from server.agent.models.providers import Endpoint
from server.agent.models.refused_fields import RefusedFields
from server.agent.models.text_calls import Tools, bound_tools
from server.agent.models.text_channel import (
    TAKEN_BACK,
    THOUGHTS,
    TextChannel,
    TextHabits,
    without_taken_back,
)
from server.settings import Settings

log = logging.getLogger(__name__)

NEAR_TIMEOUT = 300.0
"""Seconds until the first token of a server of one's own."""
QUIET = 5.0
"""Seconds without a token after which the UI shows what is waited for."""
_TEXT_KEYS = ("text", "thinking", "reasoning")


@dataclass(frozen=True)
class CallLimits:
    """Seconds, except `output` (characters of text, thinking and arguments in total) and `tries`.

    `is_patient`: for servers of one's own, which may have to read a long prompt on a slow machine, or another first.
    """

    first_token: float = 60
    idle: float = 30
    output: int = 400_000
    tries: int = 3
    backoff: float = 1
    longest_wait: float = 30
    is_patient: bool = False

    @classmethod
    def of(cls, settings: Settings, endpoint: Endpoint) -> CallLimits:
        first = settings.model_timeout or (NEAR_TIMEOUT if endpoint.is_near else cls.first_token)
        return cls(first, settings.model_idle_timeout, is_patient=endpoint.is_near)


@dataclass(frozen=True)
class _Bound:
    """Cached result of `bind_tools`: an agent binds the same tools before each of its calls."""

    tools: Sequence[object]
    options: Mapping[str, object]
    model: Runnable[LanguageModelInput, AIMessage]

    def fits(self, tools: Sequence[object], options: Mapping[str, object]) -> bool:
        return len(tools) == len(self.tools) and all(map(is_, tools, self.tools)) and options == self.options


class GuardedModel(BaseChatModel):
    """The base before the provider's class: guards streaming and generation, caches bound tools.

    `parallel_tools` is the value to request, None if the provider does not support it.
    """

    parallel_tools: ClassVar[bool | None] = None
    needed: ClassVar[frozenset[str]] = frozenset()
    """Fields of a request that the provider requires."""
    _limits: CallLimits = PrivateAttr(default_factory=CallLimits)
    _endpoint: Endpoint = PrivateAttr(default_factory=lambda: Endpoint("the model"))
    _refused: RefusedFields = PrivateAttr(default_factory=RefusedFields)
    _bound: _Bound | None = PrivateAttr(None)
    _habits: TextHabits = PrivateAttr(default_factory=TextHabits)

    @classmethod
    def build(cls, settings: Settings, provider: str, **options: Any) -> Self:
        """Create the model with the deadlines and limits of the settings. `options` are its constructor's."""
        model = cls(**options)
        model._endpoint = Endpoint.of(provider, options["model"], settings)
        model._limits = CallLimits.of(settings, model._endpoint)
        model._refused = RefusedFields(cls.needed)
        return model

    @property
    def habits(self) -> TextHabits:
        """How the model writes thoughts, as far as it has shown it."""
        return self._habits

    @property
    def endpoint(self) -> Endpoint:
        return self._endpoint

    @property
    def refused(self) -> RefusedFields:
        """What the server does not take, as far as it has said so."""
        return self._refused

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> AsyncIterator[ChatGenerationChunk]:
        def attempt() -> AsyncGenerator[ChatGenerationChunk, None]:
            chunks = super(GuardedModel, self)._astream(
                messages, stop=stop, run_manager=run_manager, **kwargs
            )
            return cast("AsyncGenerator[ChatGenerationChunk, None]", chunks)

        is_first = not any(isinstance(message, AIMessage) for message in messages)
        call = _Call(self, is_first, bound_tools(kwargs))
        async with aclosing(stream_guarded(attempt, self._limits, call)) as chunks:
            async for chunk in chunks:
                yield chunk

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: object,
    ) -> ChatResult:
        result = await agenerate_from_stream(
            self._astream(messages, stop=stop, run_manager=run_manager, **kwargs)
        )
        for generation in result.generations:
            generation.message = without_taken_back(cast("AIMessage", generation.message))
        return result

    def is_foreign(self, error: Exception) -> bool:
        """Whether a refusal shows that the server speaks another protocol."""
        return False

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        if self.parallel_tools is not None:
            kwargs.setdefault("parallel_tool_calls", self.parallel_tools)
        if self._bound is None or not self._bound.fits(tools, kwargs):
            self._bound = _Bound([*tools], kwargs, super().bind_tools(tools, **kwargs))
        return self._bound.model


@dataclass(frozen=True)
class _Call:
    """What is known of a call besides its answer. `is_first`: nothing was said before it."""

    model: GuardedModel
    is_first: bool
    tools: Tools

    def channel(self) -> TextChannel:
        return TextChannel(self.tools, self.model.habits)

    def failed(self, error: Exception, answer: _Answer) -> ModelFailure:
        failure = error.failure if isinstance(error, _Stopped) else classify(error)
        if failure == failures.STREAM_CUT and not answer.seen:
            failure = failures.UNAVAILABLE  # the connection was lost before the first chunk
        if failure.code == failures.CONTEXT_TOO_LONG.code:
            failure = failures.too_long(failure, error, is_first=self.is_first)
        log.warning(
            "model call failed: %s (%s) of %s", failure.code, type(error).__name__, self.model.endpoint
        )
        return failure

    def raised(self, failure: ModelFailure, answer: _Answer, error: Exception | None = None) -> ModelFailed:
        place = self.model.endpoint
        words = f"The model is {place.model}{f', at {place.address}' if place.address else ''}."
        if error and not answer.seen and self.model.is_foreign(error):
            words += " The server there does not answer as Ollama does. For another kind set OPENAI_BASE_URL."
        return failure.as_error(words, has_said=answer.has_text)


async def stream_guarded(
    attempt: Callable[[], AsyncGenerator[ChatGenerationChunk, None]], limits: CallLimits, call: _Call
) -> AsyncGenerator[ChatGenerationChunk, None]:
    """Yield the chunks of the first attempt that produces content. Raises ModelFailed if an answer ends early.

    Chunks without content (a message's head) are held back, so that a retry is invisible to the consumer. A request
    with a field that the server refuses is made again without it at once, and is no try.
    """
    tries, waited = limits.tries, False
    while True:
        answer, channel = _Answer(limits.output), call.channel()
        try:
            chunks = watched(
                attempt(), limits.first_token, limits.idle, counts=has_content, is_patient=limits.is_patient
            )
            async with aclosing(chunks), _telling_silence(call.model.endpoint) as spoken:
                async for chunk in chunks:
                    for part in channel.read(chunk):
                        for ready in answer.add(part):
                            spoken()
                            yield ready
                    if channel.is_over:
                        raise _Stopped(failures.OUTPUT_LIMIT)
                for part in channel.end():
                    for ready in answer.add(part):
                        yield ready
            for ready in answer.end():
                yield ready
            return
        except Exception as error:  # all errors of SDK, transport and LangChain are mapped to our codes
            if not answer.seen and call.model.refused.learn(error):
                continue
            failure, tries = call.failed(error, answer), tries - 1
            is_late = failure.code == failures.TIMEOUT.code and limits.is_patient and not waited
            if answer.spoke or not (failure.retryable or is_late) or not tries:
                raise call.raised(failure, answer, error) from None
            waited = waited or is_late
            await _rest(failure, limits, limits.tries - tries, call)


class _Stopped(Exception):
    """Raised by the guard itself when it rejects an answer."""

    def __init__(self, failure: ModelFailure) -> None:
        super().__init__(failure.code)
        self.failure = failure


@contextlib.asynccontextmanager
async def _telling_silence(endpoint: Endpoint) -> AsyncIterator[Callable[[], None]]:
    """Say what is waited for after QUIET seconds, unless the yielded function is called before."""
    telling: list[asyncio.Task[None]] = []

    async def tell() -> None:
        with contextlib.suppress(RuntimeError):  # outside of a graph there is no receiver for the event
            await dispatch(Waiting(f"Waiting for the first words of {endpoint}."))

    timer = asyncio.get_running_loop().call_later(
        QUIET, lambda: telling.append(asyncio.ensure_future(tell())), context=copy_context()
    )
    try:
        yield timer.cancel
    finally:
        timer.cancel()
        for task in telling:
            task.cancel()


async def _rest(failure: ModelFailure, limits: CallLimits, failed: int, call: _Call) -> None:
    """Wait before the next try: as long as the provider requests, else exponential backoff with jitter.

    Raises ModelFailed if the wait would exceed `longest_wait`.
    """
    delay = failure.retry_after
    if delay is None:
        delay = limits.backoff * 2 ** (failed - 1) * random.uniform(0.75, 1.25)
    if delay > limits.longest_wait:
        raise call.raised(failure, _Answer(0)) from None
    with contextlib.suppress(RuntimeError):  # outside of a graph there is no receiver for the event
        await dispatch(ModelRetried(failure.code, round(delay, 2), failed, limits.tries))
    await asyncio.sleep(delay)


def has_content(chunk: ChatGenerationChunk) -> bool:
    """True if a chunk has content of the answer, not only metadata."""
    message = cast(AIMessageChunk, chunk.message)
    return bool(message.content or message.tool_call_chunks or message.additional_kwargs)


@dataclass
class _Answer:
    """The state of one attempt: what was received so far."""

    cap: int
    spoke: bool = False
    reason: str | None = None
    size: int = 0
    has_text: bool = False
    held: list[ChatGenerationChunk] = field(default_factory=list)
    seen: bool = False
    calls: dict[int | str | None, list[str]] = field(default_factory=dict)
    call_ids: dict[int | str | None, str] = field(default_factory=dict)

    def add(self, chunk: ChatGenerationChunk) -> list[ChatGenerationChunk]:
        """Record one chunk. Returns the chunks that may be yielded now."""
        self.seen = True
        message = cast(AIMessageChunk, chunk.message)
        self._measure(message)
        facts = {**message.response_metadata, **(chunk.generation_info or {})}
        self.reason = stop_reason(facts) or self.reason or ("stop" if facts.get("done") else None)
        if not self.spoke and not has_content(chunk):
            self.held.append(chunk)
            return []
        self.spoke, ready, self.held = True, [*self.held, chunk], []
        return ready

    def end(self) -> list[ChatGenerationChunk]:
        """Finish the answer. Returns the remaining chunks; raises _Stopped if the answer is incomplete."""
        if self.reason is None:
            raise _Stopped(failures.STREAM_CUT)
        if problem := failures.problem(self.reason, has_calls=bool(self.calls), has_text=self.has_text):
            raise _Stopped(problem)
        broken = {
            self.call_ids[i]: "".join(args)[:400] for i, args in self.calls.items() if not _is_json(args)
        }
        if not broken:
            return self.held
        note = AIMessageChunk(content="", response_metadata={"broken_tool_calls": broken})
        return [*self.held, ChatGenerationChunk(message=note)]

    def _measure(self, message: AIMessageChunk) -> None:
        text = message.text
        had_text = self.has_text and TAKEN_BACK not in message.additional_kwargs
        self.has_text = had_text or bool(text.strip())
        self.size += len(text) if text else _size_of_thinking(message)
        for call in message.tool_call_chunks:
            at = call.get("index") if call.get("index") is not None else call.get("id")
            self.calls.setdefault(at, []).append(call.get("args") or "")
            self.call_ids[at] = call.get("id") or self.call_ids.get(at) or ""
            self.size += len(call.get("args") or "")
        if self.size > self.cap:
            raise _Stopped(failures.OUTPUT_LIMIT)


def _size_of_thinking(message: AIMessageChunk) -> int:
    blocks = message.content if isinstance(message.content, list) else []
    size = sum(len(message.additional_kwargs.get(key) or "") for key in ("reasoning_content", THOUGHTS))
    for block in blocks:
        if isinstance(block, dict):
            size += sum(len(block[key]) for key in _TEXT_KEYS if isinstance(block.get(key), str))
            size += sum(len(part.get("text") or "") for part in block.get("summary") or ())
    return size


def _is_json(parts: list[str]) -> bool:
    text = "".join(parts)
    if not text.strip():
        return True
    with contextlib.suppress(ValueError):
        return isinstance(json.loads(text), dict)
    return False
