"""P6, P8, P10, W11, O2: calls with a missing, equal or changing index, id or name; arguments that are no string."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.wire.asked import (
    AGENTS,
    READS,
    Agent,
    Answer,
    Input,
    Made,
    Right,
    call_delta,
    chat,
    function,
    tool_of,
)  # fmt: skip

A, B = Made("read_file", "a.txt"), Made("read_file", "b.txt")
ONE: Sequence[Sequence[Made]] = [[A]]


def cut(agent: Agent, file: str = "a.txt") -> tuple[str, str, str]:
    """The name, and the arguments in two pieces."""
    made = tool_of(agent, file)
    at = made.json.index('"file":') + len('"file":')
    return made.name, made.json[:at], made.json[at:]


def both(agent: Agent) -> Sequence[Sequence[Made]]:
    """What is made of two calls: the operator takes one step at a time."""
    return [[A, B]] if agent == "assistant" else ONE


def calls(*deltas: Mapping[str, Any], finish: str = "tool_calls") -> Answer:
    return chat(*deltas, finish=finish)


def reads(
    name: str, agent: Agent, answer: Answer, expected: Sequence[Sequence[Made]] = ONE, **more: Any
) -> Input:
    return Input(
        name, "chat", agent, [answer], Right(calls=expected, most=2, **more), says=[READS], files=True
    )


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _without_index(agent)
        yield from _changing_ids(agent)
        yield from _arguments(agent)
        yield from _names(agent)
        yield from _of_old(agent)


def _without_index(agent: Agent) -> Iterator[Input]:
    (name, head, tail), (_, head_b, tail_b) = cut(agent), cut(agent, "b.txt")
    one = [call_delta(function(name, head, id="A", type="function")), call_delta(function(None, tail))]
    two = [call_delta(function(name, head_b, id="B", type="function")), call_delta(function(None, tail_b))]
    yield reads("P6-no-index-one-call", agent, calls(*one))
    yield reads("P6-no-index", agent, calls(*one, *two), both(agent))
    whole = [
        call_delta(function(name, head + tail, id="A", type="function")),
        call_delta(function(name, head_b + tail_b, id="B", type="function")),
    ]
    yield reads("P6-no-index-whole", agent, calls(*whole), both(agent))


def _changing_ids(agent: Agent) -> Iterator[Input]:
    made = tool_of(agent)
    text = made.json
    pieces = [text[:6], text[6:12], text[12:]]
    deltas = [
        call_delta(function(made.name if at == 0 else None, piece, index=0, id=f"chatcmpl-tool-{at + 1}", type="function"))
        for at, piece in enumerate(pieces)
    ]  # fmt: skip
    yield reads("P9-ids-change-within-a-call", agent, calls(*deltas))


def _arguments(agent: Agent) -> Iterator[Input]:
    made = tool_of(agent)
    whole = call_delta(function(made.name, made.args, index=0, id="A", type="function"))
    yield reads("P8-object", agent, calls(whole))
    pieces = [
        call_delta(function(made.name, None, index=0, id="A", type="function")),
        call_delta(function(None, made.args, index=0)),
    ]
    yield reads("P8-object-in-pieces-of-one", agent, calls(*pieces))
    line = {
        "model": "m", "created_at": "2026-01-01T00:00:00Z", "done": False,
        "message": {"role": "assistant", "content": "", "tool_calls": [function(made.name, made.json)]},
    }  # fmt: skip
    end = {
        "model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": ""},
        "done": True, "done_reason": "stop", "prompt_eval_count": 25, "eval_count": 5,
    }  # fmt: skip
    lines = Answer([f"{json.dumps(each)}\n".encode() for each in (line, end)])
    yield Input(
        "O2-call-arguments-as-text",
        "ollama",
        agent,
        [lines],
        Right(calls=ONE, most=2),
        says=[READS],
        files=True,
    )


def _names(agent: Agent) -> Iterator[Input]:
    for case, name in (
        ("unknown-tool", "web.search"),
        ("empty-name", ""),
        ("name-with-spaces", "read file!"),
    ):
        answer = calls(call_delta(function(name, "{}", index=0, id="A", type="function")))
        right = Right(least=2, most=3)
        yield Input(f"P10-{case}", "chat", agent, [answer], right, says=[READS], files=True)


def _of_old(agent: Agent) -> Iterator[Input]:
    made = tool_of(agent)
    old = chat({"function_call": {"name": made.name, "arguments": made.json}}, finish="function_call")
    yield reads("W11-function-call-of-old", agent, old)
