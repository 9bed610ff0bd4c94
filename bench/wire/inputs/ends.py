"""W4, W5, W6, A4, W9, W11: how lines, streams and answers end, and the forms that an answer can have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from bench.wire.asked import (
    AGENTS,
    ANSWER,
    USAGE,
    Agent,
    Answer,
    Dialect,
    Input,
    Right,
    as_bytes,
    call_in,
    chat,
    chunk,
    event,
    function,
    json_answer,
    pieces_of,
    stop_of,
    texts,
)  # fmt: skip
from tests.support.model_reply import Reply, ToolCall

MOVE = json.dumps(stop_of())
CUT = frozenset({"llm_stream_cut"})
LIMIT = frozenset({"output_limit"})
FILTER = frozenset({"llm_content_filter"})
CLEAR = frozenset({"llm_bad_response", "llm_unavailable", "llm_bad_request", "llm_stream_cut"})
"""A form that this wire's SDK does not read may also end in one of these."""
WIRES: tuple[Dialect, ...] = ("chat", "openrouter", "responses", "anthropic", "google", "ollama")


def answer_deltas(agent: Agent) -> list[dict[str, Any]]:
    if agent == "assistant":
        return texts("It is ", "Paris.")
    return [{"tool_calls": [function("act", MOVE, index=0, id="call_1", type="function")]}]


def finish_of(agent: Agent) -> str:
    return "stop" if agent == "assistant" else "tool_calls"


def whole_answer(wire: Dialect, agent: Agent, **more: Any) -> Answer:
    """A usual final answer, event by event."""
    if agent == "operator" and wire not in ("google", "ollama"):
        return as_bytes(wire, Reply(calls=[ToolCall("act", MOVE, "call_1")], usage=(25, 5), **more))
    text = ANSWER if agent == "assistant" else MOVE
    return as_bytes(wire, Reply(text=pieces_of(text), usage=(25, 5), **more))


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _lines(agent)
        yield from _borders(agent)
        yield from _open(agent)
        yield from _finish(agent)
        yield from _cut(agent)
        yield from _forms(agent)
        yield from _usage(agent)


def _lines(agent: Agent) -> Iterator[Input]:
    answer = chat(*answer_deltas(agent), finish=finish_of(agent))
    body = answer.body
    cr = answer.with_bytes(lambda part: part.replace(b"\n", b"\r"))
    two = answer.with_bytes(lambda part: part.replace(b'"m", "choices"', b'"m",\ndata: "choices"'))
    changed = {
        "cr-only": cr,
        "cr-only-in-one-read": cr.whole(),
        "data-over-two-lines": two,
        "crlf": answer.with_bytes(lambda part: part.replace(b"\n", b"\r\n")),
        "no-space-after-data": answer.with_bytes(lambda part: part.replace(b"data: ", b"data:")),
        "comments": answer.with_bytes(lambda part: b": waiting\n\n" + part),
        "named-events": answer.with_bytes(lambda part: b"event: message\nid: 7\nretry: 10\n" + part),
        "byte-order-mark": replace(answer, parts=[b"\xef\xbb\xbf", *answer.parts]),
        "single-line-ends": answer.with_bytes(lambda part: part.replace(b"\n\n", b"\n")),
        "no-done": chat(*answer_deltas(agent), finish=finish_of(agent), done=False),
        "bytes-after-done": replace(answer, parts=[*answer.parts, b": bye\n\n", b"data: {}\n\n"]),
        "done-without-line-end": Answer([body.rstrip(b"\n")]),
        "empty-data": replace(answer, parts=[b"data:\n\n", *answer.parts]),
        "blank-events-between": answer.with_bytes(lambda part: b"\n\n\n" + part),
        "ping-events": answer.with_bytes(lambda part: b"event: ping\ndata: {}\n\n" + part),
        "empty-choices-between": answer.with_bytes(lambda part: event({"id": "c1", "choices": []}) + part),
        "null-choices-between": answer.with_bytes(lambda part: event({"id": "c1", "choices": None}) + part),
        "no-choices-between": answer.with_bytes(lambda part: event({"id": "c1", "object": "x"}) + part),
    }
    for name, each in changed.items():
        yield Input(f"W4-{name}", "chat", agent, [each], Right())


def _borders(agent: Agent) -> Iterator[Input]:
    """The same bytes in other writes."""
    for wire in WIRES:
        answer = whole_answer(wire, agent)
        for size in (1, 3, 50):
            yield Input(f"W4-slices-of-{size}", wire, agent, [answer.sliced(size)], Right())
        yield Input("W4-one-write", wire, agent, [answer.whole()], Right())


def _open(agent: Agent) -> Iterator[Input]:
    answer = chat(*answer_deltas(agent), finish=finish_of(agent))
    soon = Right(within=6)
    yield Input("W5-connection-stays-open-after-done", "chat", agent, [answer.kept_open()], soon)
    yield Input("W5-connection-stays-open-after-done", "openrouter", agent, [answer.kept_open()], soon)
    unended = Answer([*list(answer.parts)[:-1], b"data: [DONE]\n", 40])
    yield Input("W5-open-line-after-done", "chat", agent, [unended], soon)
    bare = Answer([*list(answer.parts)[:-1], b"data: [DONE]", 40])
    yield Input("W5-done-without-line-end-and-open", "chat", agent, [bare], Right(within=16))
    no_done = chat(*answer_deltas(agent), finish=finish_of(agent), done=False).kept_open()
    yield Input("W5-open-after-the-finish-reason", "chat", agent, [no_done], Right(within=16))
    for wire in ("responses", "anthropic", "google", "ollama"):
        left = whole_answer(wire, agent).kept_open()  # type: ignore[arg-type]
        yield Input("W5-connection-stays-open-after-the-end", wire, agent, [left], Right(within=16))  # type: ignore[arg-type]
    reset = replace(answer, ends="reset")
    yield Input("W5-reset-after-done", "chat", agent, [reset], Right())


WHOLE = ("stop", "eos", "stop_sequence", "end_turn", "COMPLETE", "STOP", "tool_calls", "function_call", "unknown", "eos_token")  # fmt: skip
BROKEN = ("error", "abort", "cancelled", "network_error", "insufficient_system_resource")


def _label(word: str) -> str:
    return f"{word}-in-capitals" if word.isupper() else word


def _finish(agent: Agent) -> Iterator[Input]:
    deltas = answer_deltas(agent)
    yield Input("W6-finish-empty", "chat", agent, [chat(*deltas, finish="")], Right())
    yield Input("W6-finish-missing", "chat", agent, [chat(*deltas, finish=None)], Right())
    null = list(chat(*deltas, finish=None).parts)
    late = Answer([*null[:-1], chunk({}), null[-1]])
    yield Input("W6-finish-null-with-done", "chat", agent, [late], Right())
    for word in WHOLE:
        yield Input(f"W6-whole-{_label(word)}", "chat", agent, [chat(*deltas, finish=word)], Right())
    for word in BROKEN:
        for wire in ("chat", "openrouter"):
            broken = chat(*deltas, finish=word)
            right = Right(codes=CUT) if agent == "assistant" else Right(or_codes=CUT)
            yield Input(f"W6-broken-off-{word}", wire, agent, [broken], right)  # type: ignore[arg-type]
    no_end = chat(*deltas, finish=None, usage=False, done=False)
    ended = Right(codes=CUT) if agent == "assistant" else Right(or_codes=CUT, most=3)
    yield Input("W6-no-reason-and-no-done", "chat", agent, [no_end], ended)
    if agent == "assistant":
        for word in ("sensitive", "content_filter"):
            yield Input(f"W6-{word}", "chat", agent, [chat(*deltas, finish=word)], Right(codes=FILTER))
        filtered = chat(finish="content_filter")
        yield Input("W6-content_filter-without-text", "chat", agent, [filtered], Right(codes=FILTER))
    for wire in WIRES[1:]:
        filtered = as_bytes(wire, Reply(text=["It is"], stop="content_filter"))
        yield Input("W6-filtered", wire, agent, [filtered], Right(None, codes=FILTER, most=3))


def _cut(agent: Agent) -> Iterator[Input]:
    """Ends at the limit of length."""
    if agent == "assistant":
        for word in ("length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens"):
            answer = chat(*answer_deltas(agent), finish=word)
            yield Input(f"W6-finish-{_label(word)}-text", "chat", agent, [answer], Right(cut=True))
        yield Input("W6-finish-stop-text", "chat", agent, [chat(*texts(ANSWER))], Right(cut=False))
        for wire in WIRES[1:]:
            name = "A4-max-tokens-text" if wire == "anthropic" else "W6-length-text"
            answer = as_bytes(wire, Reply(text=["It is P", "aris."], stop="length"))
            yield Input(name, wire, agent, [answer], Right(cut=True))
    for wire in ("chat", "openrouter", "responses", "anthropic"):
        name = "read_file" if agent == "assistant" else "act"
        stop = {"stop": "length"}
        half = (
            '{"file": "a.t'
            if agent == "assistant"
            else '{"reason": "look", "action": "read_file", "file": "a.t'
        )
        made = call_in(wire, name, pieces_of(half))  # type: ignore[arg-type]
        made = made.with_bytes(_length)
        assert stop
        right = Right(calls=[[]], or_codes=LIMIT, most=3)
        yield Input("W6-length-in-a-call", wire, agent, [made], right, files=True)  # type: ignore[arg-type]
    empty = Right(None, codes=LIMIT, or_codes=frozenset({"llm_bad_response"}), most=3)
    yield Input("W6-length-and-nothing", "chat", agent, [], empty, rest=chat(finish="length"))


def _length(part: bytes) -> bytes:
    """The ends of the wires as their ends by length."""
    part = part.replace(b'"finish_reason":"tool_calls"', b'"finish_reason":"length"')
    part = part.replace(b'"stop_reason":"tool_use"', b'"stop_reason":"max_tokens"')
    if b"response.completed" in part:
        part = part.replace(b"response.completed", b"response.incomplete")
        part = part.replace(b'"status":"completed","error"', b'"status":"incomplete","error"')
        part = part.replace(
            b'"incomplete_details":null', b'"incomplete_details":{"reason":"max_output_tokens"}'
        )
    return part


def _forms(agent: Agent) -> Iterator[Input]:
    message: dict[str, Any] = {"role": "assistant", "content": ANSWER}
    if agent == "operator":
        call = function("act", MOVE, id="call_1", type="function")
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": finish_of(agent)}
    whole = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": USAGE,
    }
    raw = json.dumps(whole).encode()
    for name, answer in {
        "one-object": Answer([raw], kind="application/json"),
        "one-object-with-charset": Answer([raw], kind="application/json; charset=utf-8"),
        "one-object-in-slices": Answer([raw], kind="application/json").sliced(11),
        "one-object-indented": Answer([json.dumps(whole, indent=2).encode()], kind="application/json"),
    }.items():
        for wire in ("chat", "openrouter"):
            yield Input(f"W9-{name}", wire, agent, [answer], Right(usage=(25, 5)))  # type: ignore[arg-type]
    events = Answer([event({"id": "c", "choices": [choice]}), b"data: [DONE]\n\n"])
    yield Input("W11-message-instead-of-delta", "chat", agent, [events], Right())
    refusal = "I cannot help with that."
    told = Right(answer=refusal, or_codes=FILTER)
    yield Input("W11-refusal-field", "chat", agent, [chat({"refusal": refusal})], told)
    yield Input("W11-refusal-in-pieces", "chat", agent, [chat({"refusal": "I cannot "}, {"refusal": "help with that."})], told)  # fmt: skip
    yield from _unstreamed(agent)
    if agent == "assistant":
        old = Answer([event({"id": "c", "choices": [{"index": 0, "text": ANSWER, "finish_reason": "stop"}]}), b"data: [DONE]\n\n"])  # fmt: skip
        yield Input("W11-text-instead-of-delta", "chat", agent, [old], Right(or_codes=CLEAR, most=3))
    answer = chat(*answer_deltas(agent), finish=finish_of(agent))
    roles = answer.with_bytes(_with_role)
    yield Input("W11-role-in-each-delta", "chat", agent, [roles], Right())
    two = answer.with_bytes(lambda part: part.replace(b'"finish_reason": null}]', b'"finish_reason": null}, {"index": 1, "delta": {"content": "no"}, "finish_reason": null}]'))  # fmt: skip
    yield Input("W11-two-choices", "chat", agent, [two], Right(None, most=3, or_codes=CLEAR))


def _with_role(part: bytes) -> bytes:
    if b'"delta"' not in part:
        return part
    said = json.loads(part[6:])
    said["choices"][0]["delta"] |= {"role": "assistant", "refusal": None, "audio": None}
    return event(said)


def _unstreamed(agent: Agent) -> Iterator[Input]:
    """One JSON object where a stream was asked for, on the other wires."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "act", "input": stop_of()}
    content = [call] if agent == "operator" else [{"type": "text", "text": ANSWER}]
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content, "stop_sequence": None,
        "stop_reason": "tool_use" if agent == "operator" else "end_turn", "usage": {"input_tokens": 25, "output_tokens": 5},
    }  # fmt: skip
    clear = Right(or_codes=CLEAR, most=3)
    yield Input("W9-one-object", "anthropic", agent, [], clear, rest=json_answer(message))
    text = ANSWER if agent == "assistant" else MOVE
    candidate = {"content": {"parts": [{"text": text}], "role": "model"}, "index": 0, "finishReason": "STOP"}
    yield Input(
        "W9-list-of-chunks", "google", agent, [], clear, rest=json_answer([{"candidates": [candidate]}])
    )
    line = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": {"role": "assistant", "content": text},
            "done": True, "done_reason": "stop", "prompt_eval_count": 25, "eval_count": 5}  # fmt: skip
    yield Input("W9-one-object", "ollama", agent, [json_answer(line)], Right(usage=(25, 5)))


def _usage(agent: Agent) -> Iterator[Input]:
    def counted(part: bytes | float, at: int) -> bytes | float:
        if not isinstance(part, bytes) or b"[DONE]" in part:
            return part
        said = json.loads(part[6:])
        out = min(at, 3)
        return event(
            said | {"usage": {"prompt_tokens": 25, "completion_tokens": out, "total_tokens": 25 + out}}
        )

    grown = chat(*answer_deltas(agent), finish=finish_of(agent), usage=False)
    parts = [counted(part, at) for at, part in enumerate(grown.parts)]
    for wire in ("chat", "openrouter"):
        yield Input(
            "W11-usage-in-every-chunk", wire, agent, [Answer(parts)], Right(usage=(25, len(parts) - 2))
        )  # type: ignore[arg-type]
    plain = list(grown.parts)
    with_finish = [*plain[:-2], chunk({}, finish_of(agent), usage=USAGE), plain[-1]]
    yield Input("W11-usage-with-the-finish", "chat", agent, [Answer(with_finish)], Right(usage=(25, 5)))
    last = event({"id": "c1", "choices": [], "usage": USAGE})
    twice = [*plain[:-1], last, last, plain[-1]]
    yield Input("W11-usage-twice", "chat", agent, [Answer(twice)], Right(usage=(25, 5)))
    both = [*with_finish[:-1], last, plain[-1]]
    yield Input("W11-usage-with-the-finish-and-after", "chat", agent, [Answer(both)], Right(usage=(25, 5)))
    odd = event({"id": "c1", "choices": [], "usage": {"prompt_tokens": None, "completion_tokens": 5, "total_tokens": None}})  # fmt: skip
    yield Input("W11-usage-with-nulls", "chat", agent, [Answer([*plain[:-1], odd, plain[-1]])], Right())
    yield Input("W11-no-usage", "chat", agent, [grown], Right())
    for wire in ("responses", "anthropic", "google", "ollama"):
        yield Input("W11-usage-of-the-wire", wire, agent, [whole_answer(wire, agent)], Right(usage=(25, 5)))  # type: ignore[arg-type]
