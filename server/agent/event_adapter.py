"""Pure fold of LangGraph's raw v2 events into the server's events. Tracks open tool calls."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable
from functools import partial
from typing import Literal, cast

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.runnables.schema import CustomStreamEvent, StreamEvent

from server.agent.custom_events import (
    AgentEvent,
    AnswerText,
    CallEnded,
    CallStarted,
    ModelReplaced,
    ModelRetried,
    OutcomeKnown,
    ServerEvent,
    StepEnded,
    ThoughtText,
    Waiting,
    read_custom_event,
)
from server.agent.models.errors import is_cut
from server.agent.models.text_channel import GIVEN_BACK, TAKEN_BACK
from server.agent.storable import storable
from server.agent.thoughts import loggable, thought_of, typed_by
from server.events import (
    SECOND_MODEL,
    Event,
    ModelUsage,
    Resync,
    Thinking,
    Token,
    ToolEnd,
    ToolStart,
    Usage,
    UsageChanged,
    sum_usage,
)
from server.ops.json_types import Json, JsonObject
from wording.catalogue import Wording, changed, parts_of, sentence, shortened

log = logging.getLogger(__name__)

ANSWERING_NODE = "model"  # create_agent's node; the operator sends its answer as custom "token" events
VALUE_LENGTH = 500
MAX_REPORTED_VALUES = 50
SUMMARY_LENGTH = 2_000
PAGE_TITLE_CHARS = 200


class EventAdapter:
    """Folds one execution of a run. `answer` is, byte for byte, the text of its tokens.

    A run that continues after a question begins with the text `said`, the `step` and the `usage` before it.
    """

    def __init__(
        self,
        message_id: str,
        *,
        said: str = "",
        step: int = 0,
        usage: Usage | None = None,
        cost: Callable[[Usage], float | None] = lambda usage: None,
        second_cost: Callable[[str, Usage], float | None] = lambda model, usage: None,
        clock: Callable[[], float] = time.monotonic,
        log_thoughts: bool = False,
    ) -> None:
        self.message_id = message_id
        self.answer = said
        self.thinking = ""
        self.outcome = "done"
        self.cut: Literal["length", "stream"] | None = None
        """Why the answer is only a part: the model's limit of length, or its stream broke off."""
        self.continues = False
        """Whether the answer joins on to one that was cut."""
        self.without_browser = False
        """Whether a task that names an address was answered without a look."""
        self.usage = usage or Usage()
        self.step = step
        self.note: Wording | None = None
        self._cost = cost
        self._second_cost = second_cost
        self._second: str | None = None
        """The model of the call in progress, if it is not the run's."""
        self._is_replaced = False
        self._asked: object = None
        self._thoughts_before = 0
        self._streamed: list[AIMessageChunk] = []
        """The model call in progress: its input, and what has come of its answer."""
        self._clock = clock
        self._open: dict[str, tuple[ToolStart, float]] = {}
        self._args: dict[str, JsonObject] = {}
        self._provider: dict[str, JsonObject] = {}
        self._speaker: str | None = None
        self._speaker_began = 0
        self._thinking_since: float | None = None
        self._thought_seconds = 0.0
        self._logs_thoughts = log_thoughts
        self._unlogged = ""
        self._typed: set[str] = set()

    @property
    def answer_meta(self) -> JsonObject | None:
        """Stored with the answer: the thoughts and their duration, the outcome unless it is `done`, what it lacks."""
        kept: JsonObject = {}
        if self.thinking:
            kept = {"thinking": self.thinking, "thinking_ms": round(1000 * self._thought_seconds)}
        if self.outcome != "done":
            kept["outcome"] = self.outcome
        if self.cut:
            kept["cut"] = self.cut
        kept |= {name: True for name in ("continues", "without_browser") if getattr(self, name)}
        return kept or None

    @property
    def has_called(self) -> bool:
        """Whether a tool was called in this execution."""
        return bool(self._args)

    @property
    def open_calls(self) -> list[ToolStart]:
        return [start for start, _ in self._open.values()]

    def args_of(self, call_id: str) -> JsonObject:
        return self._args.get(call_id, {})

    def provider_of(self, call_id: str) -> JsonObject | None:
        """`Message.provider` of the call's message."""
        return self._provider.get(call_id)

    def feed(self, raw: StreamEvent) -> list[Event]:
        """The events that follow from one raw event: usually none or one."""
        match raw["event"]:
            case "on_chat_model_stream":
                self._streamed.append(raw["data"]["chunk"])
                return self._chunk(raw)
            case "on_chat_model_start":
                failed = self._estimated() if self._streamed else []
                self._asked, self._streamed = raw["data"].get("input"), []
                self._thoughts_before = len(self.thinking)
                return failed
            case "on_chat_model_end":
                self.cut = _cut_by(raw["data"].get("output"))
                return self._model_end(raw["data"].get("output"))
            case "on_custom_event":
                raw = cast("CustomStreamEvent", raw)
                return self._custom(read_custom_event(raw["name"], raw["data"]))
        return []

    def take_over(self, said: str) -> list[Event]:
        """Begin with the text that a former execution has streamed; returns what readers do not know of it."""
        said = storable(said)
        if not said.startswith(self.answer) or said == self.answer:
            return []
        text, self.answer = said[len(self.answer) :], said
        return [Token(message_id=self.message_id, text=text)]

    def flush(self, summary: str, reason: str | None = None) -> list[Event]:
        """Close what is open: every tool_start has its tool_end, also on failure and cancel."""
        self._log_thoughts()
        ended = [
            self._close(CallEnded(call_id, False, summary, reason=reason)) for call_id in list(self._open)
        ]
        is_refused = reason not in ("cancelled", "interrupted") and not self._streamed
        return [*ended, *([] if self._asked is None or is_refused else self._estimated())]

    def _estimated(self) -> list[Event]:
        """The usage of a call that broke off or was cancelled: about four characters are a token."""
        given = self._asked.get("messages", ()) if isinstance(self._asked, dict) else ()
        sent = sum(len(message.text) for messages in given for message in messages)
        received = sum(
            len(chunk.text)
            + len(thought_of(chunk))
            + sum(len(one["args"] or "") for one in chunk.tool_call_chunks)
            for chunk in self._streamed
        )
        tokens = {"input_tokens": sent // 4, "output_tokens": -(-received // 4)}
        self._asked, self._streamed = None, []
        return [self.count(AIMessage("", usage_metadata={**tokens, "total_tokens": sum(tokens.values())}))]

    def _chunk(self, raw: StreamEvent) -> list[Event]:
        self.note = None  # the model responds again
        metadata, chunk = raw["metadata"], cast("AIMessageChunk", raw["data"]["chunk"])
        begins_anew = getattr(chunk, "begins_anew", False) and len(self.thinking) > self._thoughts_before
        if begins_anew:
            self.thinking = self.thinking[: self._thoughts_before]
        if metadata.get("langgraph_node") != ANSWERING_NODE or metadata.get("lc_source"):
            return [Resync()] if begins_anew else []
        marks, thought, text = chunk.additional_kwargs, thought_of(chunk), chunk.text
        if given_back := marks.get(GIVEN_BACK):
            self.thinking = self.thinking.removesuffix(storable(given_back))
        if marks.get(TAKEN_BACK) and self._speaker == raw["run_id"]:
            self.answer, self._speaker = self.answer[: self._speaker_began], None
        events: list[Event] = [self._think(thought)] if thought else []
        if text:
            events.append(self._say(text, raw["run_id"]))
        # A token cannot be withdrawn: readers load what counts.
        return [Resync()] if begins_anew or marks.keys() & {GIVEN_BACK, TAKEN_BACK} else events

    def _say(self, text: str, speaker: str) -> Token:
        text = storable(text)
        if self._speaker != speaker:
            self._speaker_began = len(self.answer)
            if self.answer:
                text = "\n\n" + text  # a new paragraph for text after a tool call
        self._speaker, self.note = speaker, None
        self._stop_thinking()
        self.answer += text
        return Token(message_id=self.message_id, text=text)

    def _think(self, text: str) -> Thinking:
        text = storable(text)
        self.thinking += text
        if self._logs_thoughts:
            self._unlogged += text
        if self._thinking_since is None:
            self._thinking_since = self._clock()
        return Thinking(message_id=self.message_id, text=text)

    def _stop_thinking(self) -> None:
        if self._thinking_since is not None:
            self._thought_seconds += self._clock() - self._thinking_since
            self._thinking_since = None

    def _log_thoughts(self) -> None:
        """Log the thoughts of one model call, once its tool calls show which texts were typed into pages."""
        if self._unlogged:
            log.info(
                "for answer %s the model thinks: %s", self.message_id, loggable(self._unlogged, self._typed)
            )
            self._unlogged = ""

    def _model_end(self, output: object) -> list[Event]:
        self._stop_thinking()
        if self._logs_thoughts:
            self._typed.update(typed_by(output))
            self._log_thoughts()
        self._asked, self._streamed = None, []
        return [self.count(output)]

    def count(self, output: object) -> UsageChanged:
        """Add the usage of a model call, also of one that no agent has made."""
        if model := self._second:
            call = read_usage(output, partial(self._second_cost, model))
            call = call.model_copy(update={"models": {model: ModelUsage(**call.model_dump())}})
        else:
            call = read_usage(output, self._cost)
        self._is_replaced, self._second = self._second is not None, None
        self.usage = sum_usage(self.usage, call)
        return UsageChanged(call=call, total=self.usage)

    def _custom(self, event: AgentEvent | ServerEvent | None) -> list[Event]:
        match event:
            case AnswerText(text):
                return [self._say(text, "operator")]
            case ThoughtText(text):
                return [self._think(text)]
            case CallStarted():
                return [self._start(event)]
            case CallEnded(call_id):
                return [self._close(event)] if call_id in self._open else []
            case OutcomeKnown(outcome):
                self.outcome = outcome
            case StepEnded(step):
                self.step = step
            case Waiting(text):
                self.note = Wording(text)
            case ModelReplaced():
                return self.replace(event)
            case ModelRetried(failed=failed, tries=tries):
                self.note = sentence("waiting.tries_again", failed=failed, tries=tries)
            case _:
                return [event] if event else []
        return []

    def replace(self, event: ModelReplaced) -> list[Event]:
        """A row of the transcript where the second model begins to answer. Also for a call that no agent makes."""
        failed = self._estimated() if self._streamed else []
        self._second = event.model
        if self._is_replaced:
            return failed
        self._is_replaced = True
        call_id = f"{SECOND_MODEL}-{uuid.uuid4().hex}"
        given = {"model": event.model, "instead_of": event.instead_of, "code": event.code}
        summary = sentence("model.replaced", model=event.instead_of, why=event.reason, other=event.model)
        start = self._start(CallStarted(call_id, SECOND_MODEL, given))
        return [*failed, start, self._close(CallEnded(call_id, True, summary))]

    def _start(self, call: CallStarted) -> ToolStart:
        args = {key: _shortened(value) for key, value in storable(call.args).items()}
        start = ToolStart(call_id=call.call_id, name=call.name, args=args, box=call.box)
        self._open[start.call_id] = (start, self._clock())
        self._args[start.call_id] = start.args
        if call.provider:
            self._provider[start.call_id] = call.provider
        return start

    def _close(self, call: CallEnded) -> ToolEnd:
        start, begun = self._open.pop(call.call_id)
        given = {name: value for name, value in vars(call).items() if value is not None}
        summary = changed(call.summary, storable)
        given["summary"], given["summary_parts"] = (
            _cut(summary, SUMMARY_LENGTH),
            parts_of(shortened(summary, SUMMARY_LENGTH)),
        )
        given["result"] = storable(call.result) if call.result else None
        given["title"] = storable(call.title)[:PAGE_TITLE_CHARS] if call.title else None
        milliseconds = round((self._clock() - begun) * 1000)
        return ToolEnd.model_validate(given | {"name": start.name, "duration_ms": milliseconds})


def read_usage(output: object, cost: Callable[[Usage], float | None]) -> Usage:
    """Usage of one model call, from its output message."""
    counted = getattr(output, "usage_metadata", None) or {}
    details = counted.get("input_token_details") or {}
    call = Usage(
        input_tokens=counted.get("input_tokens", 0),
        output_tokens=counted.get("output_tokens", 0),
        cached_tokens=details.get("cache_read") or 0,
        model_calls=1,
    )
    return call.model_copy(update={"cost": cost(call)})


def _cut_by(output: object) -> Literal["length"] | None:
    return "length" if isinstance(output, AIMessage) and output.text.strip() and is_cut(output) else None


def _shortened(value: Json) -> Json:
    """Truncate long texts, lists and dicts at any depth."""
    if isinstance(value, str):
        return _cut(value, VALUE_LENGTH)
    if isinstance(value, list):
        return [_shortened(item) for item in value[:MAX_REPORTED_VALUES]]
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in list(value.items())[:MAX_REPORTED_VALUES]}
    return value


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}… ({len(text) - length} more characters)"
