"""W4, W5, W6, A4, W9, W11: how lines, streams and answers end, and the forms that an answer can have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bench.wire.asked import (
    AGENTS,
    ANSWER,
    Agent,
    Answer,
    Input,
    Right,
    as_bytes,
    chat,
    event,
    function,
    stop_of,
    texts,
)  # fmt: skip
from tests.support.model_reply import Reply

MOVE = json.dumps(stop_of())
CUT = frozenset({"llm_stream_cut"})


def answer_deltas(agent: Agent) -> list[dict[str, Any]]:
    if agent == "assistant":
        return texts("It is ", "Paris.")
    return [{"tool_calls": [function("act", MOVE, index=0, id="call_1", type="function")]}]


def finish_of(agent: Agent) -> str:
    return "stop" if agent == "assistant" else "tool_calls"


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _lines(agent)
        yield from _finish(agent)
        yield from _forms(agent)


def _lines(agent: Agent) -> Iterator[Input]:
    answer = chat(*answer_deltas(agent), finish=finish_of(agent))
    cr = answer.with_bytes(lambda part: part.replace(b"\n", b"\r"))
    yield Input("W4-cr-only", "chat", agent, [cr], Right())
    two = answer.with_bytes(lambda part: part.replace(b'"m", "choices"', b'"m",\ndata: "choices"'))
    yield Input("W4-data-over-two-lines", "chat", agent, [two], Right())
    left_open = replace(answer, parts=[*answer.parts, 40])
    yield Input("W5-connection-stays-open-after-done", "chat", agent, [left_open], Right(within=6))


def _finish(agent: Agent) -> Iterator[Input]:
    deltas = answer_deltas(agent)
    yield Input("W6-finish-empty", "chat", agent, [chat(*deltas, finish="")], Right())
    yield Input("W6-finish-missing", "chat", agent, [chat(*deltas, finish=None)], Right())
    null = chat(*deltas, finish=None)
    late = replace(null, parts=[*null.parts[:-1], event({"choices": [{"index": 0, "delta": {}, "finish_reason": None}]}), null.parts[-1]])  # fmt: skip
    yield Input("W6-finish-null-with-done", "chat", agent, [late], Right())
    for word in ("error", "abort", "cancelled", "network_error", "insufficient_system_resource"):
        broken = chat(*deltas, finish=word)
        right = Right(codes=CUT) if agent == "assistant" else Right(or_codes=CUT)
        yield Input(f"W6-broken-off-{word}", "chat", agent, [broken], right)
    if agent == "assistant":
        yield Input("W6-finish-length-text", "chat", agent, [chat(*deltas, finish="length")], Right(cut=True))
        yield Input("A4-max-tokens-text", "anthropic", agent, [_cut("anthropic")], Right(cut=True))
        filtered = chat(*deltas, finish="sensitive")
        yield Input("W6-sensitive", "chat", agent, [filtered], Right(codes=frozenset({"llm_content_filter"})))


def _cut(wire: str) -> Answer:
    return as_bytes(wire, Reply(text=["It is P", "aris."], stop="length"))  # type: ignore[arg-type]


def _forms(agent: Agent) -> Iterator[Input]:
    message: dict[str, Any] = {"role": "assistant", "content": ANSWER}
    if agent == "operator":
        call = function("act", MOVE, id="call_1", type="function")
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": finish_of(agent)}
    whole = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    usage = {"prompt_tokens": 25, "completion_tokens": 5, "total_tokens": 30}
    plain = Answer([json.dumps(whole | {"usage": usage}).encode()], kind="application/json")
    yield Input("W9-one-object", "chat", agent, [plain], Right(usage=(25, 5)))
    events = Answer([event({"id": "c", "choices": [choice]}), b"data: [DONE]\n\n"])
    yield Input("W11-message-instead-of-delta", "chat", agent, [events], Right())
    refusal = "I cannot help with that."
    told = Right(answer=refusal, or_codes=frozenset({"llm_content_filter"}))
    yield Input("W11-refusal-field", "chat", agent, [chat({"refusal": refusal})], told)
    grown = chat(*answer_deltas(agent), finish=finish_of(agent), usage=False)
    parts = [_with_usage(part, at) for at, part in enumerate(grown.parts)]
    yield Input(
        "W11-usage-in-every-chunk", "chat", agent, [replace(grown, parts=parts)], Right(usage=(25, 3))
    )


def _with_usage(part: bytes | float, at: int) -> bytes | float:
    if not isinstance(part, bytes) or b"[DONE]" in part:
        return part
    said = json.loads(part[6:])
    said["usage"] = {"prompt_tokens": 25, "completion_tokens": min(at, 3), "total_tokens": 25 + min(at, 3)}
    return event(said)
