"""One answer of a model while it arrives: its pieces made sound, its size and repetition watched, its end judged."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk

from server.agent.arguments import read_arguments
from server.agent.models import errors as failures
from server.agent.models.answer_chunk import AnswerChunk
from server.agent.models.errors import ModelFailure, stop_reason
from server.agent.models.repetition import Repetition
from server.agent.models.text_channel import TAKEN_BACK, THOUGHTS
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

MAX_ARGUMENTS = 65_536
"""Characters of one call's arguments."""
PROVIDER_PARTS = "provider_parts"
"""Key in `AIMessage.additional_kwargs`: what a provider wants back, byte for byte, with an answer that has calls.

    {"model": name, "message": {field: value}, "calls": {call id: {field: value}}}

Plain JSON, so that it can be stored and given back after a restart. `message` are fields of the message (its reasoning),
`calls` those fields of a call that it alone knows (`extra_content` with Gemini's signature behind OpenAI's address);
either may be missing. They are sent only to the model that they came from."""
EXTRA = "extra"
"""Key in a piece of a call: its fields for `calls` above."""
PARTS_KEY = "parts"
"""Key in a piece's `generation_info`: its fields for `message` above."""

_ARGUMENTS_LIMIT = ModelFailure(
    failures.OUTPUT_LIMIT.code,
    sentence("model.huge_call"),
)
_HALF = re.compile("[\ud800-\udfff]")
_OF_EACH_PIECE = ("model_provider", "output_version")
_TEXT_BLOCKS = ("text", "thinking", "reasoning", "summary")
_ARGUMENTS = ("arguments", "partial_json")
"""Names of a call's text in the content."""
_NAMES = ("type", "id", "call_id", "name")
_GROWING = ("text", "summary", "data")
_PAUSED_TURN = "pause_turn"


class Stopped(Exception):
    """Raised when an answer is rejected."""

    def __init__(self, failure: ModelFailure) -> None:
        super().__init__(failure.code)
        self.failure = failure


def has_content(chunk: ChatGenerationChunk) -> bool:
    """True if a chunk has content of the answer, not only metadata."""
    message = cast(AIMessageChunk, chunk.message)
    return bool(message.content or message.tool_call_chunks or message.additional_kwargs)


@dataclass
class StreamedAnswer:
    """The state of one attempt: what was received so far.

    `cap`: characters in total. `anew`: an attempt before this one has already sent pieces, which are taken back.
    """

    cap: int
    anew: bool = False
    sums_usage: bool = False
    """Whether the provider's pieces have parts of the usage; else each has all so far."""
    seen: bool = False
    sent: bool = False
    spoke: bool = False
    """Text or a call was sent, which cannot be taken back; thoughts can."""
    has_text: bool = False
    reason: str | None = None
    size: int = 0
    usage: UsageMetadata | None = None
    id: str | None = None
    facts: JsonObject = field(default_factory=dict)
    model: str = ""
    parts: list[JsonObject] = field(default_factory=list)
    calls: _Calls = field(default_factory=lambda: _Calls())
    halves: _Halves = field(default_factory=lambda: _Halves())
    repetitions: dict[object, Repetition] = field(default_factory=dict)

    def add(self, chunk: ChatGenerationChunk) -> ChatGenerationChunk | None:
        """Record one chunk. Returns what may be sent of it. Raises Stopped if the answer has grown too long."""
        self.seen = True
        message = cast(AIMessageChunk, chunk.message)
        facts = {**(chunk.generation_info or {}), **message.response_metadata}
        self._note(message, facts)
        if not has_content(chunk):
            return None
        calls = self._placed(message)
        content, thoughts = self._content(message), self._thoughts(message.additional_kwargs)
        if not (content or calls or thoughts):
            return None
        known = {name: facts[name] for name in _OF_EACH_PIECE if name in facts}
        if isinstance(message, AnswerChunk):
            piece = message
            _assign(piece, "content", content)
            _assign(piece, "additional_kwargs", thoughts)
        else:
            piece = AnswerChunk(content=content, additional_kwargs=thoughts, response_metadata=known)
            chunk.message = piece
        if calls:
            piece.tool_call_chunks = calls
        for name, value in (("usage_metadata", None), ("id", None), ("chunk_position", None)):
            _assign(piece, name, value)
        if piece.response_metadata != known:
            piece.response_metadata = known
        _assign(chunk, "generation_info", None)
        self._measure(piece)
        return self._sent(chunk)

    def end(self) -> ChatGenerationChunk:
        """The last piece: all that is known of the answer. Raises Stopped if the answer is incomplete."""
        if self.reason is None or self.reason == _PAUSED_TURN:
            raise Stopped(failures.STREAM_CUT)
        problem = failures.problem(self.reason, has_calls=bool(self.calls.made), has_text=self.has_text)
        if problem:
            raise Stopped(problem)
        broken = {call.id: "".join(call.pieces)[:400] for call in self.calls.made if not call.is_whole()}
        last = self.halves.rest()
        last.response_metadata = self.facts | ({"broken_tool_calls": broken} if broken else {})
        if self.calls.made and (kept := self._provider_parts()):
            last.additional_kwargs[PROVIDER_PARTS] = {"model": self.model} | kept
        last.id, last.usage_metadata, last.chunk_position = self.id, self.usage, "last"
        return self._sent(ChatGenerationChunk(message=last))

    @property
    def is_over(self) -> bool:
        """Whether the provider has said why it stopped: what fails after that fails for nothing."""
        return self.reason is not None

    def _provider_parts(self) -> JsonObject:
        extras = {call.id: call.extra for call in self.calls.made if call.extra}
        message = join_parts(self.parts)
        return ({"message": message} if message else {}) | ({"calls": extras} if extras else {})

    def _note(self, message: AIMessageChunk, facts: JsonObject) -> None:
        if parts := facts.pop(PARTS_KEY, None):
            self.parts.append(parts)
        for name, value in facts.items():
            if value is not None and value != "":
                self.facts[name] = value
        self.id = message.id or self.id
        reason = stop_reason(facts) or ("stop" if facts.get("done") and not self.reason else None)
        blocks = message.content if isinstance(message.content, list) else ()
        if any(isinstance(block, dict) and block.get("type") == "refusal" for block in blocks):
            reason = "content_filter"
        if reason and self.reason != "content_filter":
            self.reason = reason
        if usage := message.usage_metadata:
            self.usage = add_usage(self.usage, usage) if self.sums_usage and self.usage else usage

    def _sent(self, chunk: ChatGenerationChunk) -> ChatGenerationChunk:
        if self.anew:
            cast(AnswerChunk, chunk.message).begins_anew = True
        self.anew, self.sent = False, True
        return chunk

    def _content(self, message: AIMessageChunk) -> str | list[Any]:
        if isinstance(message.content, str):
            return self.halves.mend("", message.content)
        blocks: list[Any] = []
        for block in message.content:
            if isinstance(block, dict):
                self._mend(block, None)
            blocks.append(self.halves.mend("", block) if isinstance(block, str) else block)
        return blocks

    def _mend(self, block: JsonObject, within: object) -> None:
        """Mend the texts of a block, and of the parts of its summary; `within` is the index of what holds it."""
        for name in (*_TEXT_BLOCKS, *_ARGUMENTS):
            text = block.get(name)
            if isinstance(text, str):
                place = within, block.get("type"), name, block.get("index")
                block[name] = self.halves.mend(place, text)
            elif isinstance(text, list):
                for part in filter(lambda part: isinstance(part, dict), text):
                    self._mend(part, block.get("index"))

    def _thoughts(self, given: JsonObject) -> JsonObject:
        """A thought that is no part of the content, under LangChain's name; the rest is as it came."""
        text = given.get("reasoning_content")
        if isinstance(text, str):
            given = {**given, "reasoning_content": self.halves.mend("reasoning_content", text)}
        return given

    def _placed(self, message: AIMessageChunk) -> list[ToolCallChunk]:
        placed: list[ToolCallChunk] = []
        for piece in message.tool_call_chunks:
            given = piece.get("id")
            call, mine = self.calls.place(piece)
            if mine is None:
                continue
            text = self.halves.mend(mine["index"], mine["args"] or "")
            mine["args"] = text
            call.take(text)
            if call.size > MAX_ARGUMENTS:
                raise Stopped(_ARGUMENTS_LIMIT)
            if given != call.id and isinstance(message.content, list):
                _rename(message.content, given, call.id)
            placed.append(mine)
        return placed

    def _measure(self, piece: AnswerChunk) -> None:
        is_plain = isinstance(piece.content, str)
        text = str(piece.content) if is_plain else str(piece.text)
        if TAKEN_BACK in piece.additional_kwargs:
            self.has_text = False
        self.has_text = self.has_text or bool(text.strip())
        self.spoke = self.spoke or bool(text or piece.tool_call_chunks)
        self._watch("text", text)
        if piece.additional_kwargs or not is_plain:
            self._watch("others", _other_texts(piece))
        for call in piece.tool_call_chunks:
            self._watch(call["index"], call["args"] or "")

    def _watch(self, kind: object, said: str) -> None:
        if not said:
            return
        self.size += len(said)
        if self.size > self.cap:
            raise Stopped(failures.OUTPUT_LIMIT)
        repetition = self.repetitions.get(kind)
        if repetition is None:
            repetition = self.repetitions[kind] = Repetition()
        if words := repetition.feed(said):
            raise Stopped(_repeats(words))


def _assign(model: AnswerChunk | ChatGenerationChunk, name: str, value: object) -> None:
    """Set a field that changes: an assignment costs pydantic as much as the rest of a token."""
    if getattr(model, name) is not value:
        setattr(model, name, value)


def join_parts(pieces: list[JsonObject]) -> JsonObject:
    """Fields of a message from their pieces: texts are continued, details by their type and index."""
    found: dict[str, list[Any]] = {}
    for piece in pieces:
        for name, value in piece.items():
            found.setdefault(name, []).append(value)
    return {
        name: "".join(values)
        if all(isinstance(value, str) for value in values)
        else _join_details([detail for value in values if isinstance(value, list) for detail in value])
        for name, values in found.items()
    }


def _join_details(pieces: list[JsonObject]) -> list[JsonObject]:
    whole: list[dict[str, list[Any]]] = []
    key: object = None
    for piece in pieces:
        if not whole or key != (piece.get("type"), piece.get("index")):
            key = piece.get("type"), piece.get("index")
            whole.append({})
        for name, value in piece.items():
            whole[-1].setdefault(name, []).append(value)
    return [{name: _detail(name, values) for name, values in detail.items()} for detail in whole]


def _detail(name: str, values: list[Any]) -> Any:
    given = [value for value in values if value is not None]
    if name in _GROWING and all(isinstance(value, str) for value in given):
        return "".join(given) if given else None
    return given[-1] if given else None


def _repeats(words: str) -> ModelFailure:
    return ModelFailure(
        failures.BAD_RESPONSE.code,
        sentence("model.repeats", words=words),
    )


def _rename(blocks: list[Any], given: str | None, new: str) -> None:
    """Give the block of a call the id that the call has now."""
    for block in blocks:
        for name in ("id", "call_id"):
            if isinstance(block, dict) and name in block and (block[name] or None) == (given or None):
                block[name] = new


def _other_texts(piece: AnswerChunk) -> str:
    """Thoughts, and whatever else a provider sends: arguments of a call that never began have no end either."""
    parts = [str(piece.additional_kwargs.get(name) or "") for name in ("reasoning_content", THOUGHTS)]
    counted_already = _ARGUMENTS if piece.tool_call_chunks else ()
    for block in piece.content if isinstance(piece.content, list) else ():
        if isinstance(block, dict) and block.get("type") != "text":
            named = (value for name, value in block.items() if name not in (*_NAMES, *counted_already))
            parts += [value for value in named if isinstance(value, str)]
            summary = block.get("summary")
            parts += [str(part.get("text") or "") for part in summary] if isinstance(summary, list) else []
    return "".join(parts)


class _Halves:
    """Joins the halves of a surrogate pair that came in two pieces of one text; a lone half becomes U+FFFD."""

    def __init__(self) -> None:
        self._held: dict[object, str] = {}

    def mend(self, place: object, text: str) -> str:
        if not text or (text.isascii() and not self._held):
            return text
        text = self._held.pop(place, "") + text
        if "\ud800" <= text[-1] <= "\udbff":
            self._held[place], text = text[-1], text[:-1]
        if _HALF.search(text):
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text

    def rest(self) -> AnswerChunk:
        """The text whose other half never came."""
        if "" in self._held:
            return AnswerChunk(content="\ufffd")
        blocks = [
            place for place in self._held if isinstance(place, tuple) and place[1:3] == ("text", "text")
        ]
        return AnswerChunk(
            content=[{"type": "text", "text": "\ufffd", "index": place[3]} for place in blocks] or ""
        )


@dataclass(eq=False)
class _OpenCall:
    index: int
    id: str
    given: str
    """The id that the provider gave it, "" if none."""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    extra: JsonObject = field(default_factory=dict)
    has_index: bool = False
    """Whether a piece of it had the provider's index."""

    def take(self, piece: str) -> None:
        self.pieces.append(piece)
        self.size += len(piece)

    def is_whole(self, *, blank: bool = True) -> bool:
        """Whether the arguments so far can be read; `blank`: also if there are none."""
        text = "".join(self.pieces)
        if not text.strip():
            return blank
        if text.rstrip()[-1] not in '}"':
            return False
        try:
            read_arguments(text)
        except ValueError:
            return False
        return True


class _Calls:
    """Numbers the calls of an answer and gives each a unique id, whatever index, id and name their pieces have.

    A piece belongs to the call of its index, else of its id, else to the last one. A new id with a name begins a call,
    so does a name after whole arguments.
    """

    def __init__(self) -> None:
        self.made: list[_OpenCall] = []
        self._by_index: dict[object, _OpenCall] = {}
        self._by_id: dict[str, _OpenCall] = {}

    def place(self, piece: ToolCallChunk) -> tuple[_OpenCall, ToolCallChunk | None]:
        """The call of a piece, and the piece with the call's own index and id; None if it only repeats the call."""
        index, given = piece.get("index"), str(piece.get("id") or "")
        name, args = str(piece.get("name") or ""), piece.get("args") or ""
        call = self._find(index, given, name)
        if call and name and args.strip() and call.is_whole(blank=False):
            if given == call.given and args == "".join(call.pieces):
                return call, None
            call = None
        is_new = call is None
        if call is None:
            call = self._begin(given)
        if index is not None:
            self._by_index[index], call.has_index = call, True
        if given:
            self._by_id.setdefault(given, call)
            call.given = call.given or given
        added = "" if name == call.name else name
        call.name += added
        call.extra.update(cast(JsonObject, piece.get(EXTRA) or {}))
        return call, tool_call_chunk(
            name=added or None, args=args, id=call.id if is_new else None, index=call.index
        )

    def _find(self, index: object, given: str, name: str) -> _OpenCall | None:
        last = self.made[-1] if self.made else None
        if index is not None:
            call = self._by_index.get(index)
            if call is None:
                return last if last and not last.has_index and (not name or given == last.given) else None
            return None if name and given and call.given and given != call.given else call
        if given:
            known = self._by_id.get(given)
            return known or (None if name else last)
        if name and last and (name != last.name or last.is_whole(blank=False)):
            return None
        return last

    def _begin(self, given: str) -> _OpenCall:
        own = given if given and given not in self._by_id else f"call_{uuid.uuid4().hex}"
        self.made.append(_OpenCall(len(self.made), own, given))
        return self.made[-1]
