"""P7: calls that the model or its server writes as text, in many notations. Read, or asked for again; never shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from bench.wire.asked import (
    AGENTS,
    ANSWER,
    READS,
    Agent,
    Dialect,
    Input,
    Made,
    Right,
    as_bytes,
    call_in,
    chat,
    pieces_of,
    stop_of,
    texts,
    tool_of,
)  # fmt: skip
from tests.support.model_reply import Reply

Notation = Callable[[str, dict[str, Any]], str]
J = json.dumps
A, B = Made("read_file", "a.txt"), Made("read_file", "b.txt")


def _lines(form: str, args: dict[str, Any]) -> str:
    return "\n".join(form.format(key=key, value=value) for key, value in args.items())


XML = "<parameter={key}>\n{value}\n</parameter>"
PAIRS = "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>"
NOTATIONS: dict[str, Notation] = {
    "hermes": lambda name, args: f"<tool_call>\n{J({'name': name, 'arguments': args})}\n</tool_call>",
    "qwen-coder": lambda name, args: (
        f"<tool_call>\n<function={name}>\n{_lines(XML, args)}\n</function>\n</tool_call>"
    ),
    "llama-function": lambda name, args: f"<function={name}>{J(args)}</function>",
    "kimi": lambda name, args: (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{J(args)}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "harmony": lambda name, args: (
        f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{J(args)}<|call|>"
    ),
    "bare-json": lambda name, args: J({"name": name, "parameters": args}),
    "mistral": lambda name, args: f"[TOOL_CALLS] [{J({'name': name, 'arguments': args})}]",
    "deepseek": lambda name, args: (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{J(args)}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "glm": lambda name, args: f"<tool_call>{name}\n{_lines(PAIRS, args)}\n</tool_call>",
    "minimax": lambda name, args: (
        f'<minimax:tool_call>\n<invoke name="{name}">\n'
        + _lines('<parameter name="{key}">{value}</parameter>', args)
        + "\n</invoke>\n</minimax:tool_call>"
    ),
    "fence": lambda name, args: f"```tool_call\n{J({'name': name, 'arguments': args})}\n```",
    "python-tag": lambda name, args: f"<|python_tag|>{J({'name': name, 'parameters': args})}",
}
FURTHER: dict[str, Notation] = {
    "arguments-first": lambda name, args: J({"arguments": args, "name": name}),
    "nested-function": lambda name, args: J({"type": "function", "function": {"name": name, "arguments": args}}),
    "arguments-in-a-string": lambda name, args: J({"name": name, "arguments": J(args)}),
    "list-of-calls": lambda name, args: J([{"name": name, "arguments": args}]),
    "json-fence": lambda name, args: f"```json\n{J({'name': name, 'arguments': args}, indent=2)}\n```",
    "openai-list": lambda name, args: J({"tool_calls": [{"id": "x", "type": "function", "function": {"name": name, "arguments": J(args)}}]}),
    "deepseek-3-1": lambda name, args: (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{J(args)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "mistral-args": lambda name, args: f"[TOOL_CALLS]{name}[ARGS]{J(args)}",
    "granite": lambda name, args: f"<|tool_call|>[{J({'name': name, 'arguments': args})}]",
    "hunyuan": lambda name, args: f"<tool_calls>[{J({'name': name, 'arguments': args})}]</tool_calls>",
    "command-r": lambda name, args: (
        f"<|START_ACTION|>[{J({'tool_call_id': '0', 'tool_name': name, 'parameters': args})}]<|END_ACTION|>"
    ),
    "function-calls": lambda name, args: (
        f'<function_calls>\n<invoke name="{name}">\n'
        + _lines('<parameter name="{key}">{value}</parameter>', args)
        + "\n</invoke>\n</function_calls>"
    ),
    "hermes-unclosed": lambda name, args: f"<tool_call>\n{J({'name': name, 'arguments': args})}",
    "hermes-spaced": lambda name, args: f"\n\n<tool_call>{J({'name': name, 'arguments': args}, indent=1)}</tool_call>\n",
    "pythonic": lambda name, args: f"[{name}({', '.join(f'{key}={value!r}' for key, value in args.items())})]",
    "harmony-start": lambda name, args: (
        f"<|start|>assistant<|channel|>commentary to=functions.{name}<|message|>{J(args)}<|call|>"
    ),
    "functools": lambda name, args: f"functools[{J({'name': name, 'arguments': args})}]",
    "action-start": lambda name, args: (
        f"<|action_start|><|plugin|>{J({'name': name, 'parameters': args})}<|action_end|>"
    ),
}  # fmt: skip
WIRES: tuple[Dialect, ...] = ("openrouter", "responses", "anthropic", "google", "ollama")
MARKS = ("<tool_call", "<function", "<|", "<｜", "[TOOL_CALLS]", '"name"', "<invoke")
ON_EACH_WIRE = ("hermes", "bare-json", "llama-function", "deepseek", "fence")


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        made = tool_of(agent)
        assert isinstance(made.args, dict)
        for name, write in (NOTATIONS | FURTHER).items():
            yield _input(f"P7-{name}", "chat", agent, write(made.name, made.args))
        for name in ON_EACH_WIRE:
            text = NOTATIONS[name](made.name, made.args)
            for wire in WIRES:
                yield _input(f"P7-{name}", wire, agent, text)
            yield _input(f"P7-{name}-whole", "chat", agent, text, 10_000)
            yield _input(f"P7-{name}-letters", "chat", agent, text, 1)
        yield from _around(agent)
    yield from _always()
    yield from _that_stay_answers()


def _input(name: str, wire: Dialect, agent: Agent, text: str, size: int = 9) -> Input:
    answer = as_bytes(wire, Reply(text=pieces_of(text, size)))
    right = Right(calls=[[A], []], least=2, most=3)
    return Input(name, wire, agent, [answer], right, says=[READS], files=True)


def _around(agent: Agent) -> Iterator[Input]:
    """Thoughts or words before it, two of them, a tool that does not exist, broken and cut ones."""
    made = tool_of(agent)
    assert isinstance(made.args, dict)
    hermes, bare = NOTATIONS["hermes"], NOTATIONS["bare-json"]
    call = hermes(made.name, made.args)
    yield _input("P7-thoughts-before", "chat", agent, f"<think>I should read.</think>\n{call}")
    yield _input(
        "P7-thoughts-before-bare-json", "chat", agent, f"<think>Read.</think>\n{bare(made.name, made.args)}"
    )
    yield Input(
        "P7-words-before", "chat", agent, [chat(*texts(*pieces_of(f"Let me read the file.\n{call}")))],
        Right(None, calls=[[A], []], least=2, most=3, lacks=MARKS), [READS], True,
    )  # fmt: skip
    other = tool_of(agent, "b.txt")
    assert isinstance(other.args, dict)
    two = f"{call}\n{hermes(other.name, other.args)}"
    some = [[A, B], [A], []]
    yield Input("P7-two-calls", "chat", agent, [chat(*texts(*pieces_of(two)))], Right(calls=some, least=2, most=3), [READS], True)  # fmt: skip
    unknown = hermes("web_search", {"query": "France"})
    for case, text in {
        "unknown-tool": unknown,
        "broken-json": call.replace("}}", "}"),
        "single-quotes": call.replace('"', "'"),
    }.items():
        right = Right(calls=None, least=2, most=3, lacks=MARKS)
        yield Input(f"P7-{case}", "chat", agent, [chat(*texts(*pieces_of(text)))], right, [READS], True)
    cut = chat(*texts(*pieces_of(call[:-30])), finish="length")
    right = Right(None, calls=[[]], most=3, or_codes=frozenset({"output_limit"}), lacks=MARKS)
    yield Input("P7-cut-by-length", "chat", agent, [cut], right, [READS], True)


def _always() -> Iterator[Input]:
    """A server that always writes so: only reading the call helps."""
    for name in (*NOTATIONS, "json-fence", "nested-function", "deepseek-3-1", "mistral-args"):
        always = chat(*texts(*pieces_of((NOTATIONS | FURTHER)[name]("act", stop_of()))))
        yield Input(f"P7-{name}-always", "chat", "operator", [always], Right(most=2), rest=always)


ANSWERS = {
    "json": '{"capital": "Paris", "country": "France"}',
    "json-with-a-name": '{"name": "Paris", "population": 2100000}',
    "json-with-parameters": '{"name": "unknown_thing", "parameters": [1, 2]}',
    "json-fence": '```json\n{"capital": "Paris"}\n```',
    "words-about-the-mark": "The mark `<tool_call>` begins a call in some notations.",
    "list": "[1, 2, 3]",
    "brackets": "[Paris](https://paris.example) is it.",
    "function-in-code": "Use `read_file(file)` to read it.",
    "code-fence": '```python\nread_file("a.txt")\n```\nThat reads it.',
    "half-a-mark": "<tool",
    "curly": "{Paris}",
}


def _that_stay_answers() -> Iterator[Input]:
    for name, text in ANSWERS.items():
        for size in (3, 1000):
            said = chat(*texts(*pieces_of(text, size)))
            yield Input(f"P7-stays-answer-{name}-{size}", "chat", "assistant", [said], Right(text))
        moved = call_in("chat", "act", pieces_of(J(stop_of(text)), 5))
        yield Input(f"P7-stays-answer-{name}", "chat", "operator", [moved], Right(text))
    assert ANSWER not in ANSWERS.values()
