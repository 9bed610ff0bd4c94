"""P6, P8, P10, W11, O2: calls with a missing, equal or changing index, id or name; arguments that are no string."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
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
    as_bytes,
    call_delta,
    call_in,
    chat,
    event,
    function,
    tool_of,
)  # fmt: skip
from tests.support.model_reply import Reply, ToolCall

A, B = Made("read_file", "a.txt"), Made("read_file", "b.txt")
ONE: Sequence[Sequence[Made]] = [[A]]
WIRES: tuple[Dialect, ...] = ("openrouter", "responses", "anthropic")


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
    name: str, agent: Agent, answer: Answer, expected: Sequence[Sequence[Made]] = ONE, wire: Dialect = "chat",
    most: int = 2,
) -> Input:  # fmt: skip
    return Input(name, wire, agent, [answer], Right(calls=expected, most=most), says=[READS], files=True)


def told(name: str, agent: Agent, answer: Answer, wire: Dialect = "chat") -> Input:
    """The call is not made, or made as it is meant; the model reads why, and continues."""
    right = Right(calls=[[], [A]], least=2, most=3)
    return Input(name, wire, agent, [answer], right, says=[READS], files=True)


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _without_index(agent)
        yield from _permuted(agent)
        yield from _changing_ids(agent)
        yield from _arguments(agent)
        yield from _unusable_arguments(agent)
        yield from _names(agent)
        yield from _of_old(agent)
        yield from _other_wires(agent)


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
    together = call_delta(*(each["tool_calls"][0] for each in whole))
    yield reads("P6-no-index-in-one-delta", agent, calls(together), both(agent))
    mixed = [
        call_delta(function(name, head, index=0, id="A"), function(name, head_b, index=1, id="B")),
        call_delta(function(None, tail_b, index=1)),
        call_delta(function(None, tail, index=0)),
    ]
    yield reads("P6-interleaved", agent, calls(*mixed), both(agent))


@dataclass(frozen=True)
class Form:
    """How a server marks the pieces of its calls."""

    index: str
    id: str
    name: str

    def piece(self, call: int, at: int, name: str, arguments: str) -> dict[str, Any]:
        marks: dict[str, Any] = {}
        indexes = {"right": call, "zero": 0, "null": None, "from-one": call + 1, "text": str(call)}
        if self.index in indexes:
            marks["index"] = indexes[self.index]
        own = "AB"[call]
        ids = {"first": own if at == 0 else None, "each": own, "empty-later": own if at == 0 else "",
               "changing": f"{own}{at}", "late": own if at == 1 else None}  # fmt: skip
        if (id := ids.get(self.id)) is not None:
            marks["id"] = id
        names = {"first": name if at == 0 else None, "each": name, "empty-later": name if at == 0 else ""}
        return function(names[self.name], arguments, **marks)

    @property
    def tells_calls_apart(self) -> bool:
        """Two calls cannot be taken for one, nor one for two."""
        is_new_each_time = self.id in ("changing", "late") and self.name == "each"
        by_index = self.index in ("right", "from-one", "text") and not is_new_each_time
        by_id = self.id in ("first", "each", "empty-later") and self.name != "each"
        return by_index or by_id or self.id == "each"


def _permuted(agent: Agent) -> Iterator[Input]:
    (name, *first), (_, *second) = cut(agent), cut(agent, "b.txt")
    indexes = ("right", "zero", "null", "missing", "from-one", "text")
    ids = ("first", "each", "empty-later", "none", "changing", "late")
    names = ("first", "each", "empty-later")
    for place, (by_index, by_id) in enumerate(product(indexes, ids)):
        form = Form(by_index, by_id, names[(place + place // len(ids)) % len(names)])
        label = f"index-{form.index}-id-{form.id}-name-{form.name}"
        one = [call_delta(form.piece(0, at, name, text)) for at, text in enumerate(first)]
        two = [call_delta(form.piece(1, at, name, text)) for at, text in enumerate(second)]
        if form.tells_calls_apart:
            yield reads(f"P6-one-{label}", agent, calls(*one))
            yield reads(f"P6-two-{label}", agent, calls(*one, *two), both(agent))
        else:  # not decided: what is made must be what was meant, and anything else is an error to the model
            yield reads(f"P6-one-{label}", agent, calls(*one), [[A], []], most=3)
            some = [[A, B], [A], [B], []] if agent == "assistant" else [[A], []]
            yield reads(f"P6-two-{label}", agent, calls(*one, *two), some, most=3)


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
    after_empty = [call_delta(function(made.name, "", index=0, id="A")), pieces[1]]
    yield reads("P8-object-after-an-empty-string", agent, calls(*after_empty))
    twice = call_delta(function(made.name, json.dumps(made.json), index=0, id="A"))
    yield reads("P8-string-twice", agent, calls(twice))
    halves = [json.dumps(made.json)[:8], json.dumps(made.json)[8:]]
    in_two = [call_delta(function(made.name if at == 0 else None, half, index=0, id="A")) for at, half in enumerate(halves)]  # fmt: skip
    yield reads("P8-string-twice-in-pieces", agent, calls(*in_two))
    spaced = call_delta(function(made.name, f"\n  {made.json}\n ", index=0, id="A"))
    yield reads("P8-blanks-around", agent, calls(spaced))
    for wire in ("chat", "openrouter", "responses", "anthropic"):
        lone = call_in(wire, made.name, list(made.json))  # type: ignore[arg-type]
        yield reads("P8-letter-by-letter", agent, lone, wire=wire)  # type: ignore[arg-type]
    end = _ollama_line({}, done=True, done_reason="stop", prompt_eval_count=25, eval_count=5)
    for name, args in {
        "O2-call-arguments-as-text": made.json,
        "O2-call-arguments-as-object": made.args,
    }.items():
        line = _ollama_line({"tool_calls": [function(made.name, args)]})
        yield Input(
            name, "ollama", agent, [Answer([line, end])], Right(calls=ONE, most=2), says=[READS], files=True
        )


def _ollama_line(message: Mapping[str, Any], done: bool = False, **more: Any) -> bytes:
    said = {"role": "assistant", "content": "", **message}
    head = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": said, "done": done}
    return f"{json.dumps(head | more)}\n".encode()


def _unusable_arguments(agent: Agent) -> Iterator[Input]:
    made = tool_of(agent)
    assert isinstance(made.args, dict)
    given: dict[str, Any] = {
        "list": [made.args], "number": 7, "words": "please read a.txt", "nan": made.json[:-1] + ', "page": NaN}',
        "python-dict": str(made.args), "trailing-tag": f"{made.json}</tool_call>", "cut": made.json[:-6],
        "two-objects": made.json + made.json, "control-characters": made.json.replace("a.txt", "a\n.txt"),
        "single-quotes": made.json.replace('"', "'"), "trailing-comma": f"{made.json[:-1]},}}",
        "comment": f"{made.json} // reads it", "fence": f"```json\n{made.json}\n```", "boolean": True,
        "wrong-escape": made.json.replace("a.txt", r"a\d.txt"), "only-a-brace": "{", "null-text": "null",
    }  # fmt: skip
    for name, arguments in given.items():
        answer = calls(call_delta(function(made.name, arguments, index=0, id="A", type="function")))
        right = Right(calls=[[], [A], [Made(tool_of("assistant").name, None)]], least=1, most=3)
        yield Input(f"P8-{name}", "chat", agent, [answer], right, says=[READS], files=True)
    for name in ("cut", "python-dict", "words"):
        for wire in WIRES:
            yield told(f"P8-{name}", agent, call_in(wire, made.name, [str(given[name])]), wire)


NAMES = {
    "unknown-tool": "web.search", "empty-name": "", "name-with-spaces": "read file!", "long-name": "x" * 200,
    "null-name": None, "cyrillic-name": "прочитай", "name-of-harmony": "read_file<|channel|>commentary",
    "name-with-functions": "functions.web_search", "name-with-a-line-end": "web\nsearch", "name-with-quotes": 'web"search',
}  # fmt: skip


def _names(agent: Agent) -> Iterator[Input]:
    right = Right(least=2, most=3)
    for case, name in NAMES.items():
        answer = calls(call_delta(function(name, "{}", index=0, id="A", type="function")))
        yield Input(f"P10-{case}", "chat", agent, [answer], right, says=[READS], files=True)
    for wire in WIRES:
        for case in ("unknown-tool", "name-with-spaces", "long-name"):
            name = NAMES[case] or ""
            yield Input(
                f"P10-{case}", wire, agent, [call_in(wire, name, ["{}"])], right, says=[READS], files=True
            )
    made = tool_of(agent)
    at = len(made.name) // 2
    halves = [
        call_delta(function(made.name[:at], "", index=0, id="A")),
        call_delta(function(made.name[at:], made.json, index=0)),
    ]
    yield reads("P10-name-in-two-pieces", agent, calls(*halves))
    prefixed = calls(call_delta(function(f"functions.{made.name}", made.json, index=0, id="A")))
    yield reads("P10-known-tool-with-functions", agent, prefixed, [[A], []], most=3)


def _of_old(agent: Agent) -> Iterator[Input]:
    made = tool_of(agent)
    old = chat({"function_call": {"name": made.name, "arguments": made.json}}, finish="function_call")
    yield reads("W11-function-call-of-old", agent, old)
    name, head, tail = cut(agent)
    pieces = [{"function_call": {"name": name, "arguments": head}}, {"function_call": {"arguments": tail}}]
    yield reads("W11-function-call-of-old-in-pieces", agent, chat(*pieces, finish="function_call"))
    whole = {
        "role": "assistant",
        "content": None,
        "tool_calls": [function(made.name, made.json, id="A", type="function")],
    }
    choice = {"index": 0, "message": whole, "finish_reason": "tool_calls"}
    answer = Answer([event({"id": "c", "choices": [choice]}), b"data: [DONE]\n\n"])
    yield reads("W11-message-with-a-call", agent, answer)


def _other_wires(agent: Agent) -> Iterator[Input]:
    made, other = tool_of(agent), tool_of(agent, "b.txt")
    for wire in ("openrouter", "responses", "anthropic", "google", "ollama"):
        if agent == "operator" and wire in ("google", "ollama"):
            continue
        two = Reply(
            calls=[ToolCall(made.name, made.args, "call_1"), ToolCall(other.name, other.args, "call_2")]
        )
        yield reads("P6-two-calls", agent, as_bytes(wire, two), both(agent), wire)  # type: ignore[arg-type]
        same = Reply(
            calls=[ToolCall(made.name, made.args, "call_1"), ToolCall(other.name, other.args, "call_1")]
        )
        yield reads("P6-two-calls-of-one-id", agent, as_bytes(wire, same), [*both(agent), [A], []], wire, 3)  # type: ignore[arg-type]
    start = {"type": "content_block_start", "index": 0,
             "content_block": {"type": "tool_use", "id": "toolu_1", "name": made.name, "input": made.args}}  # fmt: skip
    well = as_bytes("anthropic", Reply(calls=[ToolCall(made.name, made.args, "1")]))
    parts = [part for part in well.parts if isinstance(part, bytes) and b"input_json_delta" not in part]
    given = [b"event: content_block_start\n" + event(start) if b"content_block_start" in part else part for part in parts]  # fmt: skip
    yield reads("P8-input-in-the-start", agent, Answer(given), wire="anthropic")
