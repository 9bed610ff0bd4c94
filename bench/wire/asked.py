"""The answers of a provider as bytes, the requests they answer, and what is right. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tests.support import model_formats
from tests.support.model_reply import Asked, Reply, ToolCall, Wire

Agent = Literal["operator", "assistant"]
AGENTS: tuple[Agent, ...] = ("operator", "assistant")
Dialect = Literal["chat", "responses", "anthropic", "google", "ollama", "openrouter"]
"""A wire; `openrouter` is Chat Completions at that provider's address."""

ANSWER = "It is Paris."
ASKS = "What is the capital of France?"
READS = "Read the files and tell me the capital of France."
FILES = ("a.txt", "b.txt")
HIGH, LOW = "\ue001", "\ue002"
"""Stand in a text for the two halves of an emoji, which no encoder writes; `halved` puts them into the bytes."""


@dataclass(frozen=True)
class Answer:
    """One HTTP answer: each part is written by itself, a number is a pause in seconds."""

    parts: Iterable[bytes | float]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    """The content type; by default that of the wire's stream."""
    ends: Literal["well", "reset"] = "well"

    @property
    def body(self) -> bytes:
        return b"".join(part for part in self.parts if isinstance(part, bytes))

    def whole(self) -> Answer:
        """All in one write."""
        return replace(self, parts=[self.body])

    def sliced(self, size: int) -> Answer:
        """In writes of so many bytes, whatever they cut in two."""
        body = self.body
        return replace(self, parts=[body[i : i + size] for i in range(0, len(body), size)])

    def with_bytes(self, change: Callable[[bytes], bytes]) -> Answer:
        return replace(self, parts=[change(part) if isinstance(part, bytes) else part for part in self.parts])

    def kept_open(self, seconds: float = 40) -> Answer:
        """All is written, but the connection stays."""
        return replace(self, parts=[*self.parts, seconds])

    def halved(self) -> Answer:
        return self.with_bytes(
            lambda part: part.replace(HIGH.encode(), b"\\ud83d").replace(LOW.encode(), b"\\ude00")
        )


Step = Answer | Callable[[Asked], Answer]


@dataclass(frozen=True)
class Made:
    """A tool call that the run must make: the tool's or the action's name, and the file that it reads."""

    name: str
    file: str | None = None


@dataclass(frozen=True)
class Right:
    """What must come of an input. What is None is not judged."""

    answer: str | None = ANSWER
    thinking: str | None = None
    calls: Sequence[Sequence[Made]] | None = None
    """One of these lists of calls, in their order."""
    codes: frozenset[str] = frozenset()
    """The run fails with one of these; empty: it completes."""
    or_codes: frozenset[str] = frozenset()
    """It may also fail with one of these."""
    cut: bool | None = None
    """The answer is marked as cut."""
    usage: tuple[int, int] | None = None
    """Tokens in and out of all calls."""
    requests: Callable[[Sequence[Asked]], str | None] | None = None
    """What is wrong with what was sent to the provider."""
    most: int = 1
    """Requests to the provider."""
    least: int = 1
    within: float = 60.0
    """Seconds."""
    title: str | None = None
    lacks: Sequence[str] = ()
    """Texts that the person must not see."""
    tells: Sequence[str] = ()
    """Texts of which each must be in the error's message."""


@dataclass(frozen=True)
class Input:
    """What the provider answers, first the steps, then always `rest`, to one agent's run of one or more messages."""

    id: str
    wire: Dialect
    agent: Agent
    steps: Sequence[Step]
    right: Right
    says: Sequence[str] = (ASKS,)
    files: bool = False
    rest: Step | None = None
    """None: as a good model answers."""
    namer: Step | None = None
    """How the model answers when it is to name the session."""
    strict: bool = True
    """The provider refuses requests that break the rules of its wire."""

    @property
    def kind(self) -> str:
        return self.id.partition("-")[0]

    @property
    def model(self) -> str:
        """Names this input to the provider; no two inputs share what is remembered of a model."""
        return f"{self.id}.{self.wire}.{self.agent}".lower()

    @property
    def format(self) -> Wire:
        return "chat" if self.wire == "openrouter" else self.wire


# What a good model answers.


def tool_of(agent: Agent, file: str = "a.txt") -> ToolCall:
    """The call by which this agent reads a file."""
    if agent == "assistant":
        return ToolCall("read_file", {"file": file})
    return ToolCall("act", {"reason": "look", "action": "read_file", "file": file})


def stop_of(text: str = ANSWER) -> dict[str, Any]:
    return {"reason": "known", "action": "stop", "final_response": text}


def by_schema(asked: Asked) -> bool:
    """The operator asks for its move as a text of JSON, not as a call."""
    return "act" not in asked.tools


def answering(agent: Agent, asked: Asked, text: str = ANSWER) -> Reply:
    """How a good model gives its final answer to this request."""
    if agent == "assistant":
        return Reply(text=text, usage=(25, 5))
    if by_schema(asked):
        return Reply(text=json.dumps(stop_of(text), ensure_ascii=False), usage=(25, 5))
    return Reply(calls=[ToolCall("act", stop_of(text), "call_9")], usage=(25, 5))


def calling(agent: Agent, asked: Asked, file: str = "a.txt", id: str = "call_1") -> Reply:
    """How a good model calls its tool to this request."""
    made = tool_of(agent, file)
    if agent == "operator" and by_schema(asked):
        return Reply(text=made.json, usage=(25, 5))
    return Reply(calls=[replace(made, id=id)], usage=(25, 5))


def as_bytes(wire: Dialect, reply: Reply, asked: Asked | None = None) -> Answer:
    """A reply in the wire's own form, event by event."""
    body = {"model": "m", "stream_options": {"include_usage": True}, **(asked.body if asked else {})}
    body.setdefault("generationConfig", {"thinkingConfig": {"include_thoughts": True}})
    events = model_formats.stream("chat" if wire == "openrouter" else wire, reply, body)
    is_endless = not isinstance(reply.text, str | list | tuple)
    return Answer(events if is_endless else list(events))


_PIECE = "\ue003"


def call_in(wire: Dialect, name: str, pieces: Iterable[str], thinking: Iterable[str] = ()) -> Answer:
    """One call whose arguments come in these pieces, whatever they are."""
    made = as_bytes(wire, Reply(calls=[ToolCall(name, _PIECE, "call_1")], thinking=thinking))
    if not isinstance(pieces, list | tuple):
        return Answer(_with_pieces(made.parts, pieces))
    return Answer(list(_with_pieces(made.parts, pieces)))


def _with_pieces(parts: Iterable[bytes | float], pieces: Iterable[str]) -> Iterator[bytes | float]:
    for part in parts:
        assert isinstance(part, bytes)
        if _PIECE.encode() not in part:
            yield part
        elif b"delta" in part:
            yield from (part.replace(_PIECE.encode(), _inside(piece)) for piece in pieces)
        else:
            yield part.replace(_PIECE.encode(), _inside("".join(pieces)))


def _inside(piece: str) -> bytes:
    """A part of a JSON string. What stands for halves stays."""
    return json.dumps(piece, ensure_ascii=False)[1:-1].encode()


def good(wire: Dialect, agent: Agent, text: str = ANSWER) -> Step:
    return lambda asked: as_bytes(wire, answering(agent, asked, text), asked)


def calls_well(wire: Dialect, agent: Agent, file: str = "a.txt", id: str = "call_1") -> Step:
    return lambda asked: as_bytes(wire, calling(agent, asked, file, id), asked)


# Chat Completions, piece by piece.

_HEAD = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
_FIRST = {"role": "assistant", "content": ""}
USAGE = {"prompt_tokens": 25, "completion_tokens": 5, "total_tokens": 30}


def event(payload: Any) -> bytes:
    return f"data: {json.dumps(payload)}\n\n".encode()


def chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
    return event(_HEAD | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} | more)


def chat(
    *deltas: Mapping[str, Any], finish: str | None = "stop", usage: bool = True, done: bool = True
) -> Answer:
    parts = [chunk(_FIRST), *map(chunk, deltas)]
    if finish is not None:
        parts.append(chunk({}, finish))
    if usage:
        parts.append(event(_HEAD | {"choices": [], "usage": USAGE}))
    if done:
        parts.append(b"data: [DONE]\n\n")
    return Answer(parts)


def texts(*pieces: str) -> list[dict[str, Any]]:
    return [{"content": piece} for piece in pieces]


def pieces_of(text: str, size: int = 9) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def call_delta(*calls: Mapping[str, Any]) -> dict[str, Any]:
    return {"tool_calls": list(calls)}


def function(name: str | None = None, arguments: Any = None, **more: Any) -> dict[str, Any]:
    """A piece of a call: what is None is left out."""
    given = {"name": name, "arguments": arguments}
    return {**more, "function": {key: value for key, value in given.items() if value is not None}}


def error_json(
    message: str, status: int = 400, headers: Mapping[str, str] | None = None, **more: Any
) -> Answer:
    fields = {"type": "invalid_request_error", "code": None, "param": None}
    body = json.dumps({"error": {"message": message, **fields, **more}}).encode()
    return Answer([body], status, headers or {}, "application/json")


def json_answer(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer([json.dumps(body).encode()], status, headers or {}, "application/json")


# What was sent.


def tool_messages(asked: Asked) -> Iterator[Mapping[str, Any]]:
    """The assistant's messages with calls, of a request in Chat Completions."""
    return (message for message in asked.messages if message.get("tool_calls"))
