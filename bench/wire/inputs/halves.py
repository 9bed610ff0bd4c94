"""P11: emoji whose two halves come apart."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bench.wire.asked import (
    AGENTS,
    HIGH,
    LOW,
    Agent,
    Answer,
    Dialect,
    Input,
    Right,
    as_bytes,
    call_in,
    stop_of,
)
from tests.support.model_reply import Reply


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield _split(
            "P11-pair-split-over-two-chunks",
            "chat",
            agent,
            ["Paris " + HIGH, LOW + " it is"],
            "Paris 😀 it is",
        )
        yield _split("P11-one-half-alone", "chat", agent, [f"Paris {HIGH} it", " is"], "Paris � it is")
        yield _split("P11-anthropic-pair-split", "anthropic", agent, ["Paris " + HIGH, LOW], "Paris 😀")
        yield _split("P11-ollama-pair-split", "ollama", agent, ["Paris " + HIGH, LOW], "Paris 😀")
        yield _split("P11-half-in-thinking", "chat", agent, ["It is ", "Paris."], "It is Paris.", [f"hm {HIGH}", f"{LOW} ok"], "hm 😀 ok")  # fmt: skip


def _split(
    name: str, wire: Dialect, agent: Agent, pieces: list[str], answer: str, thoughts: list[str] | None = None,
    thinking: str | None = None,
) -> Input:  # fmt: skip
    return Input(name, wire, agent, [_answer(wire, agent, pieces, thoughts or [])], Right(answer, thinking))


def _answer(wire: Dialect, agent: Agent, pieces: list[str], thoughts: list[str]) -> Answer:
    """The pieces as text, or as the parts of the move's JSON."""
    if agent == "assistant":
        return as_bytes(wire, Reply(text=pieces, thinking=thoughts)).halved()
    head, tail = json.dumps(stop_of("|")).split("|")
    move = [head + pieces[0], *pieces[1:-1], pieces[-1] + tail]
    if wire in ("google", "ollama"):
        return as_bytes(wire, Reply(text=move, thinking=thoughts)).halved()
    return call_in(wire, "act", move, thoughts).halved()
