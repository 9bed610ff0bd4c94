"""P1, P2, P9, O3: thoughts in the text channel, in fields of their own, and in the name of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from bench.wire.asked import (
    AGENTS,
    ANSWER,
    Agent,
    Answer,
    Input,
    Made,
    Right,
    Step,
    as_bytes,
    chat,
    function,
    pieces_of,
    stop_of,
    texts,
    tool_of,
)
from tests.support.model_reply import Asked, Reply

THOUGHT = "The user wants a capital."
MOVE = json.dumps(stop_of())


def inputs() -> Iterator[Input]:
    yield from _in_text()
    yield from _before_calls()
    yield from _in_fields()


def _text(agent: Agent) -> str:
    """The final answer as this agent's model writes it into the text channel."""
    return ANSWER if agent == "assistant" else MOVE


def _in_text() -> Iterator[Input]:
    thinks = Right(thinking=THOUGHT, most=2)
    for agent in AGENTS:
        end = _text(agent)
        cases: dict[str, Sequence[str]] = {
            "think-tags-then-answer": [
                "<th",
                "ink>",
                "\nThe user wants",
                " a capital.\n",
                "</thi",
                "nk>",
                "\n\n",
                end,
            ],
            "thinking-tag-variants": [f"<thinking>{THOUGHT}</thinking>\n\n", end],
            "only-closing-tag": [f"{THOUGHT}\n", "</think>", "\n\n", end],
        }
        for name, pieces in cases.items():
            yield _always(f"P1-{name}", agent, chat(*texts(*pieces)), thinks)
        only = chat(*texts("<think>", THOUGHT, "</think>"))
        asked_again = Right(thinking=THOUGHT, most=3, or_codes=frozenset({"llm_bad_response"}))
        yield Input("P1-only-thoughts-no-answer", "chat", agent, [only], asked_again)
    operator: dict[str, Sequence[str]] = {
        "bare-json-text": [MOVE],
        "json-text-in-fence": ["```json\n", MOVE, "\n```"],
    }
    for name, pieces in operator.items():
        yield _always(f"P1-{name}", "operator", chat(*texts(*pieces)), Right(most=2))


def _always(name: str, agent: Agent, answer: Answer, right: Right) -> Input:
    """A server that answers so whenever it is asked."""
    return Input(name, "chat", agent, [], right, rest=answer)


def _before_calls() -> Iterator[Input]:
    pieces = texts("<th", "ink>", "\nThe user wants", " a capital.\n", "</thi", "nk>", "\n\n")
    for agent in AGENTS:
        made = tool_of(agent)
        call = {"tool_calls": [function(made.name, made.json, index=0, id="call_1", type="function")]}
        answer = chat(*pieces, call, finish="tool_calls")
        right = Right(thinking=THOUGHT, calls=[[Made("read_file", "a.txt")]], most=2)
        yield Input("P1-think-tags-then-tool-call-then-answer", "chat", agent, [answer], right, files=True)


def _in_fields() -> Iterator[Input]:
    halves = ["The user wants ", "a capital."]
    whole = Right(thinking=THOUGHT)
    for agent in AGENTS:
        end = texts("It is ", "Paris.") if agent == "assistant" else [_move_call()]
        finish = "stop" if agent == "assistant" else "tool_calls"
        fields: dict[str, list[dict[str, Any]]] = {
            "reasoning-content-empty-content": [
                *({"reasoning_content": half} for half in halves), {"content": ""}, {"reasoning_content": None, "content": ""},
            ],
            "reasoning-empty-content": [
                *({"reasoning": half} for half in halves), {"content": ""}, {"reasoning": None, "content": ""},
            ],
            "both-fields-same-text": [{"reasoning": half, "reasoning_content": half} for half in halves],
            "openrouter-details-and-reasoning": [
                {"content": "", "reasoning": half, "reasoning_details": [
                    {"type": "reasoning.text", "text": half, "index": 0, "format": "unknown"}]}
                for half in halves
            ],
        }  # fmt: skip
        for name, deltas in fields.items():
            yield Input(f"P9-{name}", "chat", agent, [chat(*deltas, *end, finish=finish)], whole)
        first, *rest = end
        together = chat({"reasoning_content": THOUGHT, **first}, *rest, finish=finish)
        yield Input("P9-reasoning-and-content-in-one-delta", "chat", agent, [together], whole)
        yield Input("O3-thinking-field", "ollama", agent, [_ollama(agent)], whole)


def _move_call() -> dict[str, Any]:
    return {"tool_calls": [function("act", MOVE, index=0, id="call_1", type="function")]}


def _ollama(agent: Agent) -> Step:
    def step(asked: Asked) -> Answer:
        text = pieces_of(_text(agent))
        return as_bytes("ollama", Reply(text=text, thinking=["The user wants ", "a capital."]), None)

    return step
