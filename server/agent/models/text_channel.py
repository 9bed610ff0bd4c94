"""Thoughts and tool calls in the text channel of a streamed answer, taken out of it piece by piece.

Servers without a parser for a model's notation pass everything on as text. Thoughts at the start of a message, and
calls that were written as text, are taken out before anybody reads them. Text that can be neither is passed on at
once. The same marks later in a text are text: an answer may be about them.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk

from server.agent.arguments import find_object
from server.agent.models.text_calls import CALL_MARKS, Tools, as_json, may_be_call, read_calls

THOUGHTS = "thoughts"
"""In `additional_kwargs` of a chunk: thoughts that were found in the text."""
TAKEN_BACK = "taken_back"
"""In `additional_kwargs`: the text of this message that was passed on and is a thought; it is in `THOUGHTS`, too."""
GIVEN_BACK = "given_back"
"""In `additional_kwargs`: the thoughts of this message that are its answer; they are in the text, too."""
TEXT_CALL = "text_call_"
"""Begins the id of a call that was written as text."""

MAX_HELD = 65_536
"""Characters of a call."""
_NAMED_WITHIN = 300
"""Characters after a mark in the middle of a text, within which a bound tool must be named."""
_LONE_TAGS = 8
"""Closing tags of a text that are looked at; further ones are text."""
_MAX_UNDECIDED = 1_000
"""Characters at the start of a message."""

_THOUGHT_TAGS = ("think", "thinking", "thought", "thoughts", "reason", "reasoning")
_LONE = (*(f"</{tag}>" for tag in _THOUGHT_TAGS), "[/think]", "◁/think▷")
_CLOSERS: Mapping[str, tuple[str, ...]] = {f"<{tag}>": (f"</{tag}>",) for tag in _THOUGHT_TAGS} | {
    "[think]": ("[/think]",),
    "◁think▷": ("◁/think▷",),
    "<seed:think>": ("</seed:think>",),
    "<|start_thinking|>": ("<|end_thinking|>",),
    "<|begin_of_thought|>": ("<|end_of_thought|>",),
    "<|channel>thought": ("<channel|>",),
}
"""By the mark that opens thoughts, in lower case."""
_TAGGED = tuple(_CLOSERS)
_HARMONY, _MESSAGE = ("<|start|>", "<|channel|>"), "<|message|>"
_HARMONY_ENDS = ("<|end|>", "<|return|>", "<|call|>", *_HARMONY)
_BARE_HARMONY, _BARE_FINAL = "analysis", "assistantfinal"
"""What servers that drop special tokens leave of the marks of two channels."""
_RECIPIENT = re.compile(r"to=([\w.-]+)")
_OPENING_MARKS = (*_CLOSERS, *_HARMONY, _BARE_HARMONY)
_START_MARKS = (*_OPENING_MARKS, *CALL_MARKS)
_LATER = (*_CLOSERS, *_LONE, *CALL_MARKS)
_SIGN = re.compile(r"`+|\n|[<\[◁](?=[\w/|｜]|\Z)")
_MAX_MARK_CHARS = max(map(len, (*_OPENING_MARKS, *_LONE, *CALL_MARKS)))
_OPENING_QUOTES = "\"'`(«“‘„"

Message = TypeVar("Message", bound=AIMessage)


@dataclass
class TextHabits:
    """What is known of a model at its address: whether its thoughts begin without a tag."""

    is_untagged: bool = False


@dataclass(slots=True)
class TextParts:
    """What a piece of text is, in this order. Calls are pairs of name and arguments, which may be no JSON."""

    thoughts: str = ""
    text: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    taken_back: str = ""
    given_back: str = ""


class TextReader:
    """Reads the text of one message. Each state takes the unread text and returns what the next state has to read."""

    def __init__(self, tools: Tools, habits: TextHabits) -> None:
        self.is_over = False
        """Whether a call has grown longer than any call may be."""
        self._tools = tools
        self._habits = habits
        self._expects_thoughts = habits.is_untagged
        self._has_thoughts = False
        self._state: Callable[[str], str] = self._begin
        self._tail = ""
        """Text that the state can only read together with what follows."""
        self._found = TextParts()
        self._kind: Literal["text", "thoughts", "call", "untagged"] = "text"
        self._closer = re.compile("")
        self._closers: tuple[str, ...] = ()
        self._name = ""
        self._parts: list[str] = []
        """A call; an answer that a closing tag may turn into thoughts; thoughts that may be the answer."""
        self._size = 0
        self._is_marked = self._is_later = False
        self._lone_tags = _LONE_TAGS
        self._last = "\n"
        self._in_fence = self._in_code = False

    def feed(self, text: str) -> TextParts:
        """What this piece of text adds."""
        self._found, rest = TextParts(), self._tail + text
        self._tail = ""
        while rest:
            rest = self._state(rest)
        return self._found

    def end(self, *, has_calls: bool) -> TextParts:
        """What is left. `has_calls`: the provider has given calls of its own, which count instead."""
        self._found, tail, self._tail = TextParts(), self._tail, ""
        if self._state == self._collect:
            self._end_collected("".join(self._parts), has_calls)
        elif self._state == self._section:
            self._add(tail)
            self._end_section(has_calls)
        elif self._state != self._header and tail.strip():
            self._found.text = tail
        self._state = self._ignore
        return self._found

    # The start of a message

    def _begin(self, text: str) -> str:
        """Nothing was said yet but thoughts."""
        head = text.lstrip()
        start, is_short = head[:_MAX_MARK_CHARS].lower(), len(text) < _MAX_UNDECIDED
        if opener := next((opener for opener in _CLOSERS if start.startswith(opener)), None):
            self._open("thoughts", _CLOSERS[opener])
            return head[len(opener) :]
        if start.startswith(_HARMONY):
            self._state = self._header
            return head
        if head[:8] == _BARE_HARMONY and head[8:9].isupper():
            self._open("thoughts", (_BARE_FINAL,))
            return head[8:]
        if self._tools and start.startswith(CALL_MARKS):
            return self._hold(text, is_marked=True)
        if is_short and _may_become(start, _START_MARKS if self._tools else _OPENING_MARKS):
            return self._wait(text)
        is_call = may_be_call(head, self._tools) if self._tools and head[:1] in ("{", "[", "`") else False
        if is_call is None and is_short:
            return self._wait(text)
        if is_call:
            return self._hold(text, is_marked=False)
        if self._expects_thoughts:
            self._open("untagged", _LONE)
            return text
        self._state = self._answer
        return head if self._has_thoughts else text

    def _wait(self, text: str) -> str:
        self._tail = text
        return ""

    # A part that a mark ends

    def _open(self, kind: Literal["text", "thoughts", "call", "untagged"], closers: tuple[str, ...]) -> None:
        self._state, self._kind, self._closers = self._section, kind, closers
        self._closer = re.compile("|".join(map(re.escape, closers)), re.IGNORECASE)
        self._parts, self._size, self._lone_tags = [], 0, 0
        self._has_thoughts, self._expects_thoughts = True, False

    def _section(self, text: str) -> str:
        if found := self._closer.search(text):
            self._add(text[: found.start()])
            if self._kind == "call":
                self._end_section(has_calls=False)
            self._state = self._begin
            return text[found.start() if found[0] in _HARMONY else found.end() :]
        kept = next(
            (n for n in range(min(len(text), 20), 0, -1) if _may_become(text[-n:].lower(), self._closers)), 0
        )
        self._add(text[: len(text) - kept])
        return self._wait(text[len(text) - kept :])

    def _add(self, text: str) -> None:
        match self._kind:
            case "text":
                self._found.text += text if self._size else text.lstrip()
                self._size += len(text.strip())
            case "call":
                self._keep(text)
            case "thoughts":
                self._found.thoughts += text
            case "untagged":
                self._found.thoughts += text
                self._parts.append(text)

    def _end_section(self, has_calls: bool) -> None:
        if self._kind == "untagged":
            self._habits.is_untagged = False
            self._found.text = self._found.given_back = "".join(self._parts)
        elif self._kind == "call" and self._tools and not has_calls:
            said = "".join(self._parts)
            read = find_object(said)
            self._found.calls.append((self._name, _unreadable(said) if read is None else as_json(read)))

    def _header(self, text: str) -> str:
        """The head of a Harmony message: role, channel, recipient."""
        head, mark, body = text.partition(_MESSAGE)
        if not mark:
            if len(text) >= _MAX_UNDECIDED:
                self._state = self._rest
                return text
            return self._wait(text)
        if recipient := _RECIPIENT.search(head):
            self._name = recipient[1].removeprefix("functions.")
            self._open("call", _HARMONY_ENDS)
        elif "analysis" in head:
            self._open("thoughts", _HARMONY_ENDS)
        else:
            self._name = next(iter(self._tools), "") if len(self._tools) == 1 else ""
            self._open("call" if self._name else "text", _HARMONY_ENDS)
        return body

    # The answer

    def _answer(self, text: str) -> str:
        """A closing tag may still turn all of it into thoughts, a call may still follow it."""
        for sign in _SIGN.finditer(text):
            mark, at = sign[0], sign.start()
            if mark[0] == "`":
                if len(mark) < 3 and sign.end() == len(text):
                    return self._pass_on(text[:at], text[at:])
                if at or self._last != "`":
                    self._in_fence ^= len(mark) > 2
                    self._in_code ^= len(mark) < 3
            elif mark == "\n":
                self._in_code = False
            else:
                start, is_quoted = text[at : at + _MAX_MARK_CHARS].lower(), self._in_fence or self._in_code
                if self._tools and not is_quoted and start.startswith(CALL_MARKS):
                    self._pass_on(text[:at])
                    self._is_later = True
                    return self._hold(text[at:], is_marked=True)
                if self._lone_tags and (tag := next(filter(start.startswith, _LONE), None)):
                    self._lone_tags -= 1
                    if not is_quoted and _ends_thoughts(text[at - 1] if at else self._last):
                        return self._take_back(text[:at], text[at + len(tag) :])
                if self._lone_tags and start.startswith(_TAGGED):
                    self._lone_tags = 0
                if len(text) - at < _MAX_MARK_CHARS and _may_become(start, _LATER):
                    return self._pass_on(text[:at], text[at:])
        return self._pass_on(text)

    def _pass_on(self, text: str, tail: str = "") -> str:
        self._found.text += text
        self._last = text[-1:] or self._last
        if self._lone_tags:
            self._parts.append(text)
        return self._wait(tail)

    def _take_back(self, before: str, rest: str) -> str:
        thoughts = "".join(self._parts)
        passed_on = thoughts[: len(thoughts) - len(self._found.text)]
        self._found = TextParts(thoughts=thoughts + before, taken_back=passed_on)
        self._habits.is_untagged = True
        self._lone_tags, self._has_thoughts, self._state = 0, True, self._begin
        return rest

    # A call

    def _hold(self, text: str, *, is_marked: bool) -> str:
        self._state, self._is_marked = self._collect, is_marked
        self._parts, self._size, self._lone_tags = [], 0, 0
        return text

    def _keep(self, text: str) -> None:
        self._size += len(text)
        if self._size <= MAX_HELD:
            self._parts.append(text)
        else:
            self.is_over = True

    def _collect(self, text: str) -> str:
        """The text of a call, which is read at the end of the message."""
        if self._is_marked and not self._is_later:
            self._keep(text)
        elif self._size + len(text) > MAX_HELD:
            return self._release(text)
        else:
            self._keep(text)
            if self._is_later and _NAMED_WITHIN < self._size < 2 * _NAMED_WITHIN + len(text):
                held = "".join(self._parts)
                if not any(name in held for name in self._tools):
                    return self._release("")
        return ""

    def _release(self, text: str) -> str:
        self._found.text += "".join(self._parts) + text
        self._parts, self._state = [], self._rest
        return ""

    def _rest(self, text: str) -> str:
        self._found.text += text
        return ""

    def _ignore(self, text: str) -> str:
        return ""

    def _end_collected(self, held: str, has_calls: bool) -> None:
        calls = read_calls(held, self._tools)
        if self._is_marked and not self._is_later:
            unreadable = (next((name for name in self._tools if name in held), "unknown"), _unreadable(held))
            self._found.calls = [] if has_calls else calls or [unreadable]
        elif calls and all(name in self._tools for name, _ in calls):
            self._found.calls = [] if has_calls else calls
        else:
            self._found.text = held


class TextChannel:
    """Reads the text of one message in the chunks of any provider."""

    def __init__(self, tools: Tools, habits: TextHabits) -> None:
        self._reader = TextReader(tools, habits)
        self._has_calls = False

    @property
    def is_over(self) -> bool:
        return self._reader.is_over

    def read(self, chunk: ChatGenerationChunk) -> list[ChatGenerationChunk]:
        """The chunk, with its text only where it is the answer, then the calls that end in it."""
        message = cast(AIMessageChunk, chunk.message)
        self._has_calls = self._has_calls or bool(message.tool_call_chunks)
        text = str(message.text)
        if not text:
            return [chunk]
        found = self._reader.feed(text)
        if found == TextParts(text=text):
            return [chunk]
        content = _with_text(message.content, found.text)
        kwargs = message.additional_kwargs | _marks_of(found)
        changed = message.model_copy(update={"content": content, "additional_kwargs": kwargs})
        info = chunk.generation_info
        return [ChatGenerationChunk(message=changed, generation_info=info), *_calls_of(found)]

    def end(self) -> list[ChatGenerationChunk]:
        found = self._reader.end(has_calls=self._has_calls)
        if not (found.thoughts or found.text):
            return _calls_of(found)
        message = AIMessageChunk(content=found.text, additional_kwargs=_marks_of(found))
        return [ChatGenerationChunk(message=message), *_calls_of(found)]


def without_taken_back(message: Message) -> Message:
    """A whole message without the text that was passed on and then taken back."""
    taken = message.additional_kwargs.get(TAKEN_BACK)
    if not taken:
        return message
    return message.model_copy(update={"content": _with_text(message.content, message.text[len(taken) :])})


def _with_text(content: str | list[Any], text: str) -> str | list[Any]:
    """The same content with this text in the place of all its text."""
    if isinstance(content, str):
        return text
    changed: list[Any] = []
    for block in content:
        if not isinstance(block, str) and block.get("type") != "text":
            changed.append(block)
        elif text:
            changed.append(text if isinstance(block, str) else block | {"text": text})
            text = ""
    return [*changed, text] if text else changed


def _marks_of(found: TextParts) -> dict[str, str]:
    marks = {THOUGHTS: found.thoughts, TAKEN_BACK: found.taken_back, GIVEN_BACK: found.given_back}
    return {name: text for name, text in marks.items() if text}


def _calls_of(found: TextParts) -> list[ChatGenerationChunk]:
    return [
        ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[_call(*call, at)]))
        for at, call in enumerate(found.calls)
    ]


def _call(name: str, arguments: str, at: int) -> Any:
    call_id = TEXT_CALL + uuid.uuid4().hex[:24]
    return tool_call_chunk(name=name, args=arguments, id=call_id, index=1_000 + at)


def _may_become(start: str, marks: tuple[str, ...]) -> bool:
    """Whether more text could turn this beginning into one of the marks."""
    return any(mark.startswith(start) for mark in marks)


def _ends_thoughts(before: str) -> bool:
    """Whether a closing tag after this character ends thoughts that began without a tag, and is not only mentioned."""
    return before == "\n" or not (before.isspace() or before in _OPENING_QUOTES)


def _unreadable(text: str) -> str:
    """What stands for arguments that cannot be read. It is no JSON, so the call is refused and the model reads why."""
    return f"<{text[:400]}"
