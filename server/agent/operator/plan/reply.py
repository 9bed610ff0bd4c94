"""One answer of the model while it arrives: thoughts and the text of its final answer pass on, the move is read at its end.

Its pieces are joined here, once: LangChain parses the arguments of a call again with each piece.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from pydantic import ValidationError

from server.agent.models.errors import BAD_RESPONSE, OUTPUT_LIMIT, ModelFailed
from server.agent.models.text_calls import CALL_MARKS, read_calls
from server.agent.models.text_channel import TAKEN_BACK
from server.agent.operator.plan.answer_stream import AnswerStream
from server.agent.operator.plan.lenient_parsing import FENCE, read_object, without_fence
from server.agent.operator.plan.move import TOOL_NAME, Move, Offer, move_schema
from server.agent.storable import storable
from server.agent.thoughts import thought_of
from server.errors import RunFailed
from server.ops.json_types import JsonObject

Say = Callable[[str], Awaitable[None]]

MOVE_CHARS = 65_536
"""Of a move's JSON; the answer is part of it."""
WORDS_BYTES = 1_200
"""Some 300 tokens of text, after which a call that was forced does not come any more."""
OFFERED_WORDS_BYTES = 12_000
"""The same where the tool could only be offered: such models explain themselves first."""
THOUGHT_CHARS = 200_000
"""Of thoughts without an end."""
_BEGINNINGS = ("{", "[", "<", FENCE, "functions.")
"""What a move that is written as text may begin with: JSON, or the mark of a call."""


class UnusableMove(Exception):
    """The answer is not a valid move; the message is the reason, for the model.

    `in_words`: a call or JSON was asked for, and the answer is neither. `failure`: it was cut; what the run fails with
    if the next one is cut, too.
    """

    def __init__(self, reason: str, *, in_words: bool = False, failure: RunFailed | None = None) -> None:
        super().__init__(reason)
        self.in_words = in_words
        self.failure = failure


@dataclass
class MoveReply:
    """`by_text`: the move is the text, not a call. `most_words`: bytes of text to wait for a call."""

    say: Say
    think: Say
    by_text: bool
    most_words: int = WORDS_BYTES
    answer: AnswerStream = field(default_factory=AnswerStream)
    thought_chars: int = 0
    is_begun: bool = False
    _texts: list[str] = field(default_factory=list)
    _arguments: list[str] = field(default_factory=list)
    _names: list[str] = field(default_factory=list)
    _call_index: int | str | None = None
    _is_called: bool = False
    _move_chars: int = 0
    _words_bytes: int = 0
    _begins: str = ""
    """The first characters of the text, as far as needed to see whether it may be a move."""
    _before: str = ""
    _is_json: bool | None = None
    """Whether the text is JSON; None as long as that is not known, from `_before`."""
    _usages: list[UsageMetadata] = field(default_factory=list)

    async def take(self, chunks: AsyncIterator[AIMessage]) -> None:
        """Read the answer to its end. Raises UnusableMove as soon as it cannot become a move, RunFailed if the model fails."""
        async for chunk in chunks:
            assert isinstance(chunk, AIMessageChunk)
            self.is_begun = True
            if chunk.usage_metadata:
                self._usages.append(chunk.usage_metadata)
            if thought := thought_of(chunk):
                self.thought_chars += len(thought)
                await self.think(thought)
            if new := self.answer.feed(self._piece_of_move(chunk)):
                await self.say(new)
            self._check_size()

    def _piece_of_move(self, chunk: AIMessageChunk) -> str:
        """The next piece of the move's JSON; of several calls only the first counts."""
        text = chunk.text
        if chunk.additional_kwargs.get(TAKEN_BACK):  # what came as text so far was thought
            self._texts, self._words_bytes, self._begins, self._before, self._is_json = [], 0, "", "", None
        if text:
            self._texts.append(text)
            self._words_bytes += len(text.encode(errors="replace"))
            self._begins = (
                (self._begins + text[:64]).lstrip()[:64] if len(self._begins) < 64 else self._begins
            )
        piece = ""
        for call in chunk.tool_call_chunks:
            if not self._is_called:
                self._is_called, self._call_index = True, call["index"]
            if call["index"] == self._call_index:
                if (
                    name := call["name"]
                ) and name not in self._names:  # some servers repeat it with each piece
                    self._names.append(name)
                piece += call["args"] or ""
        self._arguments.append(piece)
        if not self._is_called and self.by_text:
            piece = self._json_of(text)
        self._move_chars += len(piece)
        return piece if self._name == TOOL_NAME or not self._is_called else ""

    @property
    def _name(self) -> str:
        return "".join(self._names)

    def _json_of(self, text: str) -> str:
        """The text from its JSON on. Nothing of a text that begins with anything else than white space or a fence."""
        if self._is_json is not None:
            return text if self._is_json else ""
        self._before += text
        before, brace, _ = self._before.partition("{")
        if not brace and len(self._before) < 200:
            return ""
        before = before.strip()
        is_fence = before.startswith(FENCE) and (before[len(FENCE) :] or "x").isalnum()
        self._is_json = bool(brace) and (not before or is_fence)
        return self._before[self._before.index("{") :] if self._is_json else ""

    def _check_size(self) -> None:
        if max(self._move_chars, self._words_bytes if self._may_be_move() else 0) > MOVE_CHARS:
            raise self._cut(f"it grew past {MOVE_CHARS // 1024} KB", OUTPUT_LIMIT.as_error())
        if self._is_called or self._texts:
            if self._is_called or self.by_text or self._may_be_move() or self._words_bytes <= self.most_words:
                return
            raise UnusableMove(_IN_WORDS, in_words=True)
        if self.thought_chars > THOUGHT_CHARS:
            raise self._cut("your thoughts had no end", OUTPUT_LIMIT.as_error())

    def _may_be_move(self) -> bool:
        return not self._is_called and self._begins.startswith(_BEGINNINGS)

    def failed(self, error: RunFailed) -> UnusableMove:
        """The failure of a call as an unusable answer, where asking again may help. Raises it where it does not."""
        if self.answer.text:
            raise error
        if error.code == OUTPUT_LIMIT.code:
            return self._cut("it was cut at its length limit", error)
        if (
            isinstance(error, ModelFailed)
            and error.failure.code == BAD_RESPONSE.code
            and not error.failure.retryable
        ):
            return self._cut("it said the same again and again", error)
        raise error  # an answer without a move, such as one of thoughts only, was tried again below

    def _cut(self, how: str, failure: RunFailed) -> UnusableMove:
        if self.answer.text:
            raise failure
        return UnusableMove(
            f"{how}: repeat nothing, keep every text short, at most 4 acts in `then`", failure=failure
        )

    def tokens(self, prompt: Sequence[BaseMessage]) -> UsageMetadata:
        """The usage; an estimate of four bytes a token where the provider reported none, as for an answer that was ended
        early."""
        if self._usages:
            return reduce(add_usage, self._usages)
        asked = sum(len(message.text) for message in prompt) // 4
        got = (self._words_bytes + sum(map(len, self._arguments)) + self.thought_chars) // 4
        return UsageMetadata(input_tokens=asked, output_tokens=got, total_tokens=asked + got)

    def move(self) -> Move:
        """Raises UnusableMove if it is not a valid move, RunFailed if the streamed text cannot be its answer.

        A `final_response` that arrived whole counts, even if the JSON after it is malformed.
        """
        spoken, whole = self.answer.text, self.answer.complete()
        if spoken and whole is not None and "final_response" not in whole:
            raise BAD_RESPONSE.as_error()
        try:
            move = self._parsed()
        except UnusableMove:
            if not spoken:
                raise
            if whole is None:
                raise BAD_RESPONSE.as_error() from None
            move = Move(action="stop", final_response=whole.get("final_response"))
        if spoken and not (move.final_response or "").startswith(spoken):
            raise BAD_RESPONSE.as_error()
        return move

    def _parsed(self) -> Move:
        given = self._called() if self._is_called else self._written()
        try:
            move = Move.model_validate(given)
        except ValidationError as error:
            found = ((".".join(map(str, problem["loc"])), problem["msg"]) for problem in error.errors()[:4])
            raise UnusableMove("; ".join(f"{place or 'answer'}: {text}" for place, text in found)) from None
        if move.action == "stop" and not move.final_response and self._is_called:
            text = storable("".join(self._texts))  # text next to the call
            return move.model_copy(update={"final_response": text})
        return move

    def _called(self) -> JsonObject:
        """The arguments of the first call. Further calls of the same turn are ignored: one step at a time."""
        given, names = (
            "".join(self._arguments),
            dict.fromkeys(self._names),
        )  # some servers repeat it with each piece
        name = "".join(names)
        if name != TOOL_NAME:
            raise UnusableMove(f"there is no tool `{name[:40]}`, only `{TOOL_NAME}`")
        if (found := read_object(given)) is None:
            raise UnusableMove("its arguments are no valid JSON object")
        return found

    def _written(self) -> JsonObject:
        """The move that is the whole text. It is never looked for within other text."""
        text = "".join(self._texts)
        if not text.strip():
            raise UnusableMove("it was empty")
        bare = without_fence(text)
        found = read_object(bare)
        given = found if found is not None and "action" in found else _call_in(bare, found is not None)
        if given is not None:
            return given
        if self.by_text:
            raise UnusableMove(_NO_JSON, in_words=found is None)
        raise UnusableMove(_IN_WORDS, in_words=True)


_IN_WORDS = f"answer by a call of the tool `{TOOL_NAME}`, not in words"
_NO_JSON = "it is no valid JSON of the given form: one object with `action`, and no text around it"


def _call_in(text: str, is_object: bool) -> JsonObject | None:
    """The arguments of `act` in a text that is a call as models write it, with the marks of their notation or as JSON."""
    if not (is_object or text.lower().startswith(CALL_MARKS)):
        return None
    name, given = next(iter(read_calls(text, {TOOL_NAME: move_schema(offer=_ANY)})), ("", ""))
    return read_object(given) if name == TOOL_NAME else None


_ANY = Offer(points=True)
