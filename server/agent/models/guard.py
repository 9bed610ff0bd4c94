"""The guard of every model call: deadlines, retries before the first token, output cap, completeness check.

`GuardedModel` is a second base of our models, not a wrapper around the provider's class, so that
bind_tools, structured output, profiles and isinstance checks remain the provider's own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from operator import is_
from typing import Any, ClassVar, Self, cast

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr

from server.agent.custom_events import ModelRetried, Waiting, dispatch
from server.agent.models import errors as failures
from server.agent.models.answer import PROVIDER_PARTS, Stopped, StreamedAnswer, has_content
from server.agent.models.deadlines import watched
from server.agent.models.errors import ModelFailed, ModelFailure, classify
from server.agent.models.providers import Endpoint
from server.agent.models.refused_fields import RefusedFields
from server.agent.models.text_calls import Tools, bound_tools
from server.agent.models.text_channel import TextChannel, TextHabits, without_taken_back
from server.agent.models.transport import ssl_context
from server.ops.json_types import JsonObject
from server.settings import Settings
from wording.catalogue import joined, sentence

log = logging.getLogger(__name__)

NEAR_TIMEOUT = 300.0
"""Seconds until the first token of a server of one's own."""
_LONGEST_TURN = 0.005
"""Seconds after which a stream lets the event loop do other work."""


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
    linger: float = 3
    """How long the rest of a stream is waited for after the reason of its end: usage, the end of the response."""
    quiet: float = 5
    """How long nothing is said before the UI shows what is waited for."""
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
    sums_usage: ClassVar[bool] = False
    """Whether the chunks have parts of the usage; else each has all so far."""
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
        model.prepare()
        return model

    def prepare(self) -> None:
        """Make what the first call needs, up to a second of CPU time: models are built in a thread, called in the loop."""
        ssl_context()

    @property
    def habits(self) -> TextHabits:
        """How the model writes thoughts, as far as it has shown it."""
        return self._habits

    def at_most(self, tokens: int) -> Self:
        """The same model with shorter answers."""
        names = ("max_tokens", "max_output_tokens", "num_predict")
        field_name = next(name for name in names if name in type(self).model_fields)
        return self.model_copy(update={field_name: tokens})

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

    def begin(self, *, anew: bool) -> StreamedAnswer:
        """The state of a new attempt."""
        return StreamedAnswer(self._limits.output, anew, self.sums_usage, model=self._model_name())

    def parts_of(self, message: BaseMessage) -> JsonObject:
        """What this model gave with an answer and wants back: `answer.PROVIDER_PARTS`."""
        parts: JsonObject = message.additional_kwargs.get(PROVIDER_PARTS) or {}
        return parts if parts.get("model") == self._model_name() else {}

    def _model_name(self) -> str:
        name = getattr(self, "model", None) or getattr(self, "model_name", "")
        return f"{self._llm_type}:{name}"

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

    def failed(self, error: Exception, answer: StreamedAnswer) -> ModelFailure:
        failure = error.failure if isinstance(error, Stopped) else classify(error)
        if failure == failures.STREAM_CUT and not answer.seen:
            failure = failures.UNAVAILABLE  # the connection was lost before the first chunk
        if failure.code == failures.CONTEXT_TOO_LONG.code:
            failure = failures.too_long(failure, error, is_first=self.is_first)
        log.warning(
            "model call failed: %s (%s) of %s", failure.code, type(error).__name__, self.model.endpoint
        )
        return failure

    def raised(
        self, failure: ModelFailure, answer: StreamedAnswer, error: Exception | None = None
    ) -> ModelFailed:
        place = self.model.endpoint
        words = (
            sentence("model.which_at", model=place.model, address=place.address)
            if place.address
            else sentence("model.which", model=place.model)
        )
        if error and not answer.seen and self.model.is_foreign(error):
            words = joined((words, sentence("model.not_ollama")))
        return failure.as_error(words, has_said=answer.has_text, has_begun=answer.spoke)


async def stream_guarded(
    attempt: Callable[[], AsyncGenerator[ChatGenerationChunk, None]], limits: CallLimits, call: _Call
) -> AsyncGenerator[ChatGenerationChunk, None]:
    """Yield the chunks of the first attempt that produces text or a call. Raises ModelFailed if an answer ends early.

    Thoughts of an attempt that fails are taken back by the first chunk of the next one (`AnswerChunk.begins_anew`). A
    request with a field that the server refuses is made again without it at once, and is no try.
    """
    tries, waited, has_sent = limits.tries, False, False
    while True:
        answer, channel = call.model.begin(anew=has_sent), call.channel()
        try:
            chunks = watched(
                attempt(), limits.first_token, limits.idle, counts=has_content, is_patient=limits.is_patient
            )
            async with (
                aclosing(_until_over(chunks, answer, limits.linger)) as pieces,
                _telling_silence(call.model.endpoint, limits.quiet) as spoken,
            ):
                async for chunk in pieces:
                    for part in channel.read(chunk):
                        if ready := answer.add(part):
                            spoken()
                            yield ready
                    if channel.is_over:
                        raise Stopped(failures.OUTPUT_LIMIT)
            for part in channel.end():
                if ready := answer.add(part):
                    yield ready
            yield answer.end()
            return
        except Exception as error:  # all errors of SDK, transport and LangChain are mapped to our codes
            if not answer.seen and call.model.refused.learn(error):
                continue
            failure, tries, has_sent = call.failed(error, answer), tries - 1, has_sent or answer.sent
            is_late = failure.code == failures.TIMEOUT.code and limits.is_patient and not waited
            if answer.spoke or not (failure.retryable or is_late) or not tries:
                raise call.raised(failure, answer, error) from None
            waited = waited or is_late
            await _rest(failure, limits, limits.tries - tries, call)


async def _until_over(
    chunks: AsyncGenerator[ChatGenerationChunk, None], answer: StreamedAnswer, linger: float
) -> AsyncGenerator[ChatGenerationChunk, None]:
    """Yield the chunks. Once the provider has said why it stopped, neither silence nor an error is a failure."""
    loop = asyncio.get_running_loop()
    turned = loop.time()
    async with aclosing(chunks):
        while True:
            try:
                async with asyncio.timeout(linger) if answer.is_over else nullcontext():
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                return
            except Exception:
                if answer.is_over:
                    return
                raise
            yield chunk
            if loop.time() - turned > _LONGEST_TURN:  # many chunks of one read: others have their turn
                await asyncio.sleep(0)
                turned = loop.time()


@contextlib.asynccontextmanager
async def _telling_silence(endpoint: Endpoint, quiet: float) -> AsyncIterator[Callable[[], None]]:
    """Say what is waited for after `quiet` seconds, unless the yielded function is called before."""
    telling: list[asyncio.Task[None]] = []

    async def tell() -> None:
        with contextlib.suppress(RuntimeError):  # outside of a graph there is no receiver for the event
            await dispatch(Waiting(sentence("waiting.first_words", model=str(endpoint))))

    timer = asyncio.get_running_loop().call_later(
        quiet, lambda: telling.append(asyncio.ensure_future(tell())), context=copy_context()
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
        raise call.raised(failure, StreamedAnswer(0)) from None
    with contextlib.suppress(RuntimeError):  # outside of a graph there is no receiver for the event
        await dispatch(ModelRetried(failure.code, round(delay, 2), failed, limits.tries))
    await asyncio.sleep(delay)
