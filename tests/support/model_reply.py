"""What a scripted model says, and what it was asked. The words that scripts in tests are written in."""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Wire = Literal["anthropic", "chat", "responses", "google", "ollama"]
Fault = Literal[
    "status", "refuse", "hang", "stall", "reset", "cut", "garbage", "endless", "unknown", "error", "block"
]

_ids = itertools.count(1)


@dataclass(frozen=True)
class ToolCall:
    """`args` as a string goes out as it is, for arguments that are no JSON."""

    name: str
    args: dict[str, Any] | str = field(default_factory=dict)
    id: str = ""

    @property
    def json(self) -> str:
        return self.args if isinstance(self.args, str) else json.dumps(self.args, ensure_ascii=False)


@dataclass(frozen=True)
class Reply:
    """One answer. `text` as a string is sent word by word, as an iterable of deltas exactly so (it may be lazy).

    `delay` is the time in seconds before each delta, `before` the time before the response's head.
    A `held` response begins when the event is set, at most a minute later.
    `fault` happens after `after` events (`reset`: after that many bytes).
    """

    text: str | Iterable[str] = ""
    thinking: str | Iterable[str] = ""
    calls: Sequence[ToolCall] = ()
    stop: str | None = None
    usage: tuple[int, int] = (100, 20)
    cached: int = 0
    delay: float = 0.0
    before: float = 0.0
    held: threading.Event | None = None
    fault: Fault | None = None
    after: int = 0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: str = "scripted failure"
    slice: int = 0
    newline: str = ""

    def but(self, **changes: Any) -> Reply:
        return replace(self, **changes)


def say(text: str | Iterable[str], **more: Any) -> Reply:
    return Reply(text=text, **more)


def think(thinking: str | Iterable[str], text: str | Iterable[str] = "", **more: Any) -> Reply:
    return Reply(thinking=thinking, text=text, **more)


def call(name: str, args: dict[str, Any] | str | None = None, *, id: str = "", **more: Any) -> Reply:
    return Reply(calls=(ToolCall(name, {} if args is None else args, id or f"call_{next(_ids)}"),), **more)


def calls(*made: ToolCall, **more: Any) -> Reply:
    return Reply(calls=[c if c.id else replace(c, id=f"call_{next(_ids)}") for c in made], **more)


def fail(status: int, error: str = "scripted failure", *, retry_after: str | float | None = None) -> Reply:
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    return Reply(fault="status", status=status, error=error, headers=headers)


def refuse() -> Reply:
    """The connection is closed instead of answered."""
    return Reply(fault="refuse")


def hang() -> Reply:
    """Not even the response's head comes."""
    return Reply(fault="hang")


def stall(text: str = "one two three four", after: int = 3) -> Reply:
    """Silence in the middle of the stream."""
    return Reply(text=text, fault="stall", after=after)


def reset(text: str = "one two three four", after: int = 300) -> Reply:
    """RST after so many bytes of the body."""
    return Reply(text=text, fault="reset", after=after)


def cut(text: str = "one two three four", after: int = 4) -> Reply:
    """The body ends properly, but without the end of the answer."""
    return Reply(text=text, fault="cut", after=after)


def garbage(text: str = "one two three four", after: int = 3) -> Reply:
    """An event whose data is no JSON."""
    return Reply(text=text, fault="garbage", after=after)


def unknown(text: str = "one two three four", after: int = 3) -> Reply:
    """An event of an unknown type; the answer continues after it."""
    return Reply(text=text, fault="unknown", after=after)


def break_off(text: str = "one two three four five six", after: int = 6) -> Reply:
    """The provider reports an error in the middle of the stream."""
    return Reply(text=text, fault="error", after=after)


def endless(word: str = "more ", delay: float = 0.0) -> Reply:
    return Reply(text=itertools.repeat(word), delay=delay, fault="endless")


def sliced(text: str, size: int = 1) -> Reply:
    """The body in pieces of `size` bytes, so that letters are cut in two."""
    return Reply(text=text, slice=size)


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    wire: Wire
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def messages(self) -> list[dict[str, Any]]:
        found = self.body.get("messages") or self.body.get("input") or self.body.get("contents")
        return list(found or [])

    @property
    def tools(self) -> list[str]:
        """Names of the tools on offer."""
        tools = self.body.get("tools") or ()
        declared = [each for tool in tools for each in tool.get("functionDeclarations", [tool])]
        return [(tool.get("function") or tool).get("name", "") for tool in declared]

    @property
    def text(self) -> str:
        """All the text of the prompt, system first."""
        heads = ("system", "instructions", "systemInstruction")
        head = next((self.body[name] for name in heads if self.body.get(name)), "")
        return "\n".join([*_texts(head), *_texts(self.messages)])

    @property
    def last_text(self) -> str:
        return "\n".join(_texts(self.messages[-1:]))

    @property
    def pictures(self) -> int:
        return _count(self.messages)


def _texts(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    if isinstance(part, list):
        return [text for item in part for text in _texts(item)]
    if isinstance(part, dict):
        return [
            text
            for key in ("text", "thinking", "content", "output", "parts", "functionResponse", "response")
            if key in part
            for text in _texts(part[key])
        ]
    return []


def deltas(text: str | Iterable[str]) -> Iterable[str]:
    """Words of a string, with the space before them; anything else as it is."""
    return re.findall(r"\s*\S+\s*$|\s*\S+", text) if isinstance(text, str) else text


def _count(part: Any) -> int:
    """Pictures: blocks by their type, Gemini's inline data, Ollama's lists of them."""
    if isinstance(part, list):
        return sum(map(_count, part))
    if not isinstance(part, dict):
        return 0
    here = part.get("type") in ("image", "image_url", "input_image") or "inlineData" in part
    return here + len(part.get("images") or ()) + sum(map(_count, part.values()))


Step = Reply | Callable[[Asked], Reply]
Script = Step | Sequence[Step]
