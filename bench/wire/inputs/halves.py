"""P11: emoji whose two halves come apart."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from bench.wire.asked import (
    AGENTS,
    HIGH,
    LOW,
    READS,
    Agent,
    Answer,
    Dialect,
    Input,
    Made,
    Right,
    as_bytes,
    call_in,
    stop_of,
)  # fmt: skip
from bench.wire.inputs.ends import WIRES
from tests.support.model_reply import Reply

NAMES: dict[Dialect, str] = {"anthropic": "P11-anthropic-", "ollama": "P11-ollama-"}
LOST = "�"


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        thoughts = [f"hm {HIGH}", f"{LOW} ok"]
        yield _split(
            "P11-half-in-thinking", "chat", agent, ["It is ", "Paris."], "It is Paris.", thoughts, "hm 😀 ok"
        )
        for wire in WIRES:
            start = NAMES.get(wire, "P11-")
            cases: dict[str, tuple[list[str], str]] = {
                "pair-split" if wire in NAMES else "pair-split-at-the-end": (
                    ["Paris " + HIGH, LOW],
                    "Paris 😀",
                ),
                "pair-split-over-two-chunks": (["Paris " + HIGH, LOW + " it is"], "Paris 😀 it is"),
                "one-half-alone": ([f"Paris {HIGH} it", " is"], f"Paris {LOST} it is"),
                "low-half-alone": ([f"Paris {LOW} it", " is"], f"Paris {LOST} it is"),
                "half-at-the-end": (["Paris ", f"it is {HIGH}"], f"Paris it is {LOST}"),
                "two-pairs-split": ([HIGH, f"{LOW}{HIGH}", LOW], "😀😀"),
                "high-then-other": ([f"A{HIGH}", "B"], f"A{LOST}B"),
                "pair-in-one-piece": ([f"A{HIGH}{LOW}", "B"], "A😀B"),
                "empty-piece-between": ([f"A{HIGH}", "", f"{LOW}B"], "A😀B"),
            }
            for name, (pieces, answer) in cases.items():
                yield _split(f"{start}{name}", wire, agent, pieces, answer)
            if wire != "chat":
                yield _split(
                    "P11-half-in-thinking",
                    wire,
                    agent,
                    ["It is ", "Paris."],
                    "It is Paris.",
                    thoughts,
                    "hm 😀 ok",
                )
        yield from _in_a_call(agent)


def _split(
    name: str, wire: Dialect, agent: Agent, pieces: list[str], answer: str, thoughts: Sequence[str] = (),
    thinking: str | None = None,
) -> Input:  # fmt: skip
    return Input(name, wire, agent, [_answer(wire, agent, pieces, thoughts)], Right(answer, thinking))


def _answer(wire: Dialect, agent: Agent, pieces: list[str], thoughts: Sequence[str]) -> Answer:
    """The pieces as text, or as the parts of the move's JSON."""
    if agent == "assistant":
        return as_bytes(wire, Reply(text=pieces, thinking=thoughts)).halved()
    head, tail = json.dumps(stop_of("|")).split("|")
    move = [head + pieces[0], *pieces[1:-1], pieces[-1] + tail]
    if wire in ("google", "ollama"):
        return as_bytes(wire, Reply(text=move, thinking=thoughts)).halved()
    return call_in(wire, "act", move, thoughts).halved()


def _in_a_call(agent: Agent) -> Iterator[Input]:
    """A half in the arguments; the history must still be valid. The operator reads no file that is not there."""
    name, head, tail = "read_file", '{"file": "a', '.txt"}'
    if agent == "operator":
        name, head, tail = "act", '{"action": "read_file", "file": "a.txt", "reason": "look ', '"}'
    whole, replaced = ("a😀.txt", f"a{LOST}.txt") if agent == "assistant" else ("a.txt", "a.txt")
    for wire in ("chat", "openrouter", "responses", "anthropic"):
        made = call_in(wire, name, [head + HIGH, LOW + tail]).halved()  # type: ignore[arg-type]
        right = Right(calls=[[Made("read_file", whole)]], most=3)
        yield Input("P11-pair-split-in-a-call", wire, agent, [made], right, [READS], True)  # type: ignore[arg-type]
        lone = call_in(wire, name, [head + HIGH, tail]).halved()  # type: ignore[arg-type]
        told = Right(calls=[[], [Made("read_file", replaced)]], least=2, most=3)
        yield Input("P11-half-in-a-call", wire, agent, [lone], told, [READS], True)  # type: ignore[arg-type]
