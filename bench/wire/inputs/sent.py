"""P3, P4, P5: parameters that a server does not know, and what must come back to it as it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from bench.wire.asked import (
    AGENTS,
    READS,
    Agent,
    Answer,
    Dialect,
    Input,
    Made,
    Right,
    call_delta,
    chat,
    error_json,
    function,
    good,
    tool_messages,
    tool_of,
)  # fmt: skip
from tests.support.model_reply import Asked

SIGNATURE = {"google": {"thought_signature": "CiQBtest+/signature=="}}
ONE = [[Made("read_file", "a.txt")]]


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _refused(agent)
        yield from _signatures(agent)


def refuses(
    name: str, wire: Dialect, agent: Agent, refused: Callable[[Asked], bool], answer: Answer, **right: Any
) -> Input:
    """A server that refuses every request of a kind. Asked twice, to see that it is remembered."""

    def step(asked: Asked) -> Answer:
        if refused(asked):
            return answer
        then = good(wire, agent)
        assert callable(then)
        return then(asked)

    def once(requests: Sequence[Asked]) -> str | None:
        count = sum(map(refused, requests))
        return f"it was sent {count} times" if count > 1 else None

    return Input(name, wire, agent, [], Right(requests=once, most=4, **right), says=[READS, READS], rest=step)


def _has(field: str, asked: Asked) -> bool:
    return field in asked.body


def refused_parameter(field: str, message: str, status: int = 400, **more: Any) -> Answer:
    fields = {"code": "unsupported_parameter", "param": field, **more}
    return error_json(message, status, **fields)


def _refused(agent: Agent) -> Iterator[Input]:
    words = {
        "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "parallel_tool_calls": "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
        "stream_options": "Unrecognized request argument supplied: stream_options",
    }
    for field, message in words.items():
        yield refuses(
            f"P3-{field}", "chat", agent, partial(_has, field),
            refused_parameter(field, message),
        )  # fmt: skip
    forced = refused_parameter("tool_choice", "Thinking mode does not support this tool_choice")
    yield refuses(
        "P3-tool_choice",
        "chat",
        agent,
        lambda asked: asked.body.get("tool_choice") not in (None, "auto"),
        forced,
    )


def _signatures(agent: Agent) -> Iterator[Input]:
    made = tool_of(agent)
    call = function(made.name, made.json, index=0, id="call_1", type="function", extra_content=SIGNATURE)
    answer = chat(call_delta(call), finish="tool_calls")

    def strict(asked: Asked) -> Answer:
        sent = [call for message in tool_messages(asked) for call in message["tool_calls"]]
        if any(call.get("extra_content") != SIGNATURE for call in sent):
            return error_json("Function call is missing a thought_signature in functionCall parts.")
        then = good("chat", agent)
        assert callable(then)
        return then(asked)

    right = Right(calls=ONE, most=2)
    yield Input("P5-extra-content-one-turn", "chat", agent, [answer], right, [READS], True, strict)
    yield Input(
        "P5-extra-content-next-turn", "chat", agent, [answer], Right(most=4), [READS, READS], True, strict
    )
