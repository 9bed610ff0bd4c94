"""P1, P2, P9, O3, X2: thoughts in the text channel, in fields of their own, and in the name of a session."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from bench.wire.asked import (
    AGENTS,
    ANSWER,
    Agent,
    Answer,
    Dialect,
    Input,
    Made,
    Right,
    as_bytes,
    call_in,
    chat,
    function,
    pieces_of,
    stop_of,
    texts,
    tool_of,
)  # fmt: skip
from tests.support.model_reply import Reply

THOUGHT = "The user wants a capital."
MOVE = json.dumps(stop_of())
UNREADABLE = frozenset({"llm_bad_response"})
WIRES: tuple[Dialect, ...] = ("chat", "openrouter", "responses", "anthropic", "google", "ollama")


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        yield from _in_text(agent)
        yield from _spellings(agent)
        yield from _borders(agent)
        yield from _that_stay_text(agent)
        yield from _before_calls(agent)
        yield from _in_fields(agent)
        yield from _on_each_wire(agent)
    yield from _names()


def _text(agent: Agent) -> str:
    """The final answer as this agent's model writes it into the text channel."""
    return ANSWER if agent == "assistant" else MOVE


def _always(name: str, agent: Agent, answer: Answer, right: Right, wire: Dialect = "chat") -> Input:
    """A server that answers so whenever it is asked."""
    return Input(name, wire, agent, [], right, rest=answer)


THINKS = Right(thinking=THOUGHT, most=2)


def _in_text(agent: Agent) -> Iterator[Input]:
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
        yield _always(f"P1-{name}", agent, chat(*texts(*pieces)), THINKS)
    only = chat(*texts("<think>", THOUGHT, "</think>"))
    asked_again = Right(most=3, or_codes=UNREADABLE, lacks=(THOUGHT,))
    yield Input("P1-only-thoughts-no-answer", "chat", agent, [only], asked_again)
    open_end = chat(*texts("<think>", THOUGHT))
    yield Input("P1-thoughts-never-closed", "chat", agent, [open_end], asked_again)
    always = Right(codes=UNREADABLE, lacks=(THOUGHT,), most=3)
    yield _always("P1-thoughts-never-closed-always", agent, open_end, always)
    cut = chat(*texts("<think>", THOUGHT), finish="length")
    limit = Right(or_codes=frozenset({"output_limit"}), most=3, lacks=(THOUGHT,))
    yield _always("P1-cut-in-the-thoughts", agent, cut, Right(codes=limit.or_codes, most=3, lacks=(THOUGHT,)))
    if agent == "operator":
        forms = {"bare-json-text": [MOVE], "json-text-in-fence": ["```json\n", MOVE, "\n```"]}
        forms |= {
            "json-text-in-plain-fence": ["```\n", MOVE, "\n```\n"],
            "blank-lines-then-json-text": ["\n\n", MOVE],
        }
        called = json.dumps({"name": "act", "arguments": stop_of()})
        forms |= {"whole-call-as-json-text": [called], "whole-call-in-fence": ["```json\n", called, "\n```"]}
        for name, pieces in forms.items():
            yield _always(f"P1-{name}", "operator", chat(*texts(*pieces)), Right(most=2))


SPELLINGS = {
    "think": ("<think>", "</think>"), "thinking": ("<thinking>", "</thinking>"), "thought": ("<thought>", "</thought>"),
    "reason": ("<reason>", "</reason>"), "reasoning": ("<reasoning>", "</reasoning>"),
    "capital": ("<Think>", "</Think>"), "upper": ("<THINK>", "</THINK>"),
    "bracket": ("[THINK]", "[/THINK]"), "kimi": ("◁think▷", "◁/think▷"), "seed": ("<seed:think>", "</seed:think>"),
    "harmony": (
        "<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>",
    ),
}  # fmt: skip


def _spellings(agent: Agent) -> Iterator[Input]:
    for name, (begin, end) in SPELLINGS.items():
        answer = chat(*texts(*pieces_of(f"{begin}\n{THOUGHT}\n{end}\n\n{_text(agent)}", 7)))
        yield _always(f"P1-spelled-{name}", agent, answer, THINKS)
    spaced = chat(*texts("\n\n", "  <think>", THOUGHT, "</think>  \n", _text(agent)))
    yield _always("P1-blank-before-the-tag", agent, spaced, THINKS)
    none = chat(*texts("<think>\n\n</think>\n\n", _text(agent)))
    yield _always("P1-empty-thoughts", agent, none, Right(thinking="", most=2))
    twice = chat(*texts("<think>The user wants</think>", "<think> a capital.</think>", _text(agent)))
    yield _always("P1-two-thoughts-at-the-start", agent, twice, Right(most=2, lacks=("<think>", "capital.")))


def _borders(agent: Agent) -> Iterator[Input]:
    text = f"<think>\n{THOUGHT}\n</think>\n\n{_text(agent)}"
    for size in (1, 2, 3, 5, 11, 1000):
        yield _always(f"P1-in-pieces-of-{size}", agent, chat(*texts(*pieces_of(text, size))), THINKS)
        bare = text.removeprefix("<think>\n")
        yield _always(
            f"P1-only-closing-in-pieces-of-{size}", agent, chat(*texts(*pieces_of(bare, size))), THINKS
        )
    for size in (1, 7, 64):
        sliced = chat(*texts(*pieces_of(text, 6))).sliced(size)
        yield _always(f"P1-bytes-in-slices-of-{size}", agent, sliced, THINKS)


STAYS = {
    "tag-in-code": "Write `<think>` first, then `</think>`.",
    "tag-later": "It is Paris. <think>is a tag</think> of some models.",
    "other-tag": "<b>Paris</b> is it.",
    "begins-like-the-tag": "<thin ice> is no tag.",
    "only-its-beginning": "<thi",
    "in-a-fence": "```xml\n<think>x</think>\n```\nThat is it.",
    "arrow": "<- Paris",
    "closing-tag-in-code": "End it by `</think>`, then answer.",
}


def _that_stay_text(agent: Agent) -> Iterator[Input]:
    for name, text in STAYS.items():
        for size in (1, 4, 1000):
            pieces = pieces_of(text, size)
            if agent == "assistant":
                answer = chat(*texts(*pieces))
            else:
                answer = call_in("chat", "act", pieces_of(json.dumps(stop_of(text)), size))
            yield Input(f"P1-stays-text-{name}-{size}", "chat", agent, [answer], Right(text, ""))


def _before_calls(agent: Agent) -> Iterator[Input]:
    pieces = texts("<th", "ink>", "\nThe user wants", " a capital.\n", "</thi", "nk>", "\n\n")
    made = tool_of(agent)
    call = {"tool_calls": [function(made.name, made.json, index=0, id="call_1", type="function")]}
    right = Right(thinking=THOUGHT, calls=[[Made("read_file", "a.txt")]], most=2)
    answer = chat(*pieces, call, finish="tool_calls")
    yield Input("P1-think-tags-then-tool-call-then-answer", "chat", agent, [answer], right, files=True)
    bare = chat(*texts(f"{THOUGHT}\n</think>\n\n"), call, finish="tool_calls")
    yield Input("P1-only-closing-tag-then-tool-call", "chat", agent, [bare], right, files=True)
    unclosed = chat(*texts(f"<think>{THOUGHT}"), call, finish="tool_calls")
    yield Input("P1-unclosed-then-tool-call", "chat", agent, [unclosed], right, files=True)


def _in_fields(agent: Agent) -> Iterator[Input]:
    halves = ["The user wants ", "a capital."]
    whole = Right(thinking=THOUGHT)
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
        "details-alone": [
            {"reasoning_details": [{"type": "reasoning.text", "text": half, "index": 0}]} for half in halves
        ],
        "summary-details": [
            {"reasoning_details": [{"type": "reasoning.summary", "summary": half, "index": 0}]} for half in halves
        ],
        "null-content-beside": [{"reasoning_content": half, "content": None} for half in halves],
    }  # fmt: skip
    for name, deltas in fields.items():
        for wire in ("chat", "openrouter"):
            if wire == "chat" or "details" in name:
                answer = chat(*deltas, *end, finish=finish)
                yield Input(f"P9-{name}", wire, agent, [answer], whole)  # type: ignore[arg-type]
    first, *rest = end
    together = chat({"reasoning_content": THOUGHT, **first}, *rest, finish=finish)
    yield Input("P9-reasoning-and-content-in-one-delta", "chat", agent, [together], whole)
    yield from _as_parts(agent, end, finish)


def _as_parts(agent: Agent, end: list[dict[str, Any]], finish: str) -> Iterator[Input]:
    """Content as a list of parts, as Mistral's Magistral sends it."""
    thinks = {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}]}
    says = [{"content": [{"type": "text", "text": piece}]} for piece in ("It is ", "Paris.")]
    last = says if agent == "assistant" else end
    yield Input(
        "P9-content-as-parts", "chat", agent, [chat(thinks, *last, finish=finish)], Right(thinking=THOUGHT)
    )
    mixed = {"content": [*thinks["content"], {"type": "text", "text": ANSWER}]}
    if agent == "assistant":
        yield Input("P9-content-as-mixed-parts", "chat", agent, [chat(mixed)], Right(thinking=THOUGHT))
        yield Input("P9-text-as-parts", "chat", agent, [chat(*says)], Right(thinking=""))


def _move_call() -> dict[str, Any]:
    return {"tool_calls": [function("act", MOVE, index=0, id="call_1", type="function")]}


def _on_each_wire(agent: Agent) -> Iterator[Input]:
    thoughts = ["The user wants ", "a capital."]
    tagged = pieces_of(f"<think>{THOUGHT}</think>\n\n{_text(agent)}", 6)
    for wire in WIRES:
        if agent == "operator" and wire not in ("google", "ollama"):
            own = call_in(wire, "act", pieces_of(MOVE), thoughts)
        else:
            own = as_bytes(wire, Reply(text=pieces_of(_text(agent)), thinking=thoughts))
        name = "O3-thinking-field" if wire == "ollama" else "X2-own-thinking"
        yield Input(name, wire, agent, [own], Right(thinking=THOUGHT))
        in_text = as_bytes(wire, Reply(text=tagged))
        if wire != "chat":
            yield _always("P1-think-tags", agent, in_text, THINKS, wire)


NAMES = {
    "think-tags": "<think>\nOkay, a name.\n</think>\n\nCapital of France",
    "think-tags-in-one-line": "<think>Okay, a name.</think>Capital of France",
    "only-closing-tag": "Okay, a name\n</think>\n\nCapital of France",
    "markdown-and-label": "**Title:** Capital of France",
    "quotes-and-stop": '"Capital of France."',
    "heading": "# Capital of France",
    "label-alone": "Title: Capital of France",
    "two-lines": "Capital of France\n\nI chose this name because it is short.",
    "bold": "**Capital of France**",
    "plain": "Capital of France",
}
FIRST_WORDS = {
    "cut-in-the-thoughts": ("<think>\nOkay, a name for this", "length"),
    "only-thoughts": ("<think>Okay.</think>", "stop"),
}
"""Replies without a name: the session keeps the first words of the person."""


def _names() -> Iterator[Input]:
    for name, text in NAMES.items():
        namer = as_bytes("anthropic", Reply(text=pieces_of(text)))
        right = Right(title="Capital of France")
        yield Input(f"P2-{name}", "anthropic", "assistant", [], right, namer=namer)
    for name, (text, stop) in FIRST_WORDS.items():
        namer = as_bytes("anthropic", Reply(text=pieces_of(text), stop=stop))
        right = Right(title="What is the capital of France?")
        yield Input(f"P2-{name}", "anthropic", "assistant", [], right, namer=namer)
