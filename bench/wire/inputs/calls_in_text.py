"""P7: calls that the model or its server writes as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from bench.wire.asked import (
    AGENTS,
    READS,
    Agent,
    Dialect,
    Input,
    Made,
    Right,
    Step,
    as_bytes,
    chat,
    pieces_of,
    stop_of,
    texts,
    tool_of,
)  # fmt: skip
from tests.support.model_reply import Reply

Notation = Callable[[str, dict[str, Any]], str]
J = json.dumps


def _xml(args: dict[str, Any]) -> str:
    return "\n".join(f"<parameter={key}>\n{value}\n</parameter>" for key, value in args.items())


NOTATIONS: dict[str, Notation] = {
    "hermes": lambda name, args: f"<tool_call>\n{J({'name': name, 'arguments': args})}\n</tool_call>",
    "qwen-coder": lambda name, args: (
        f"<tool_call>\n<function={name}>\n{_xml(args)}\n</function>\n</tool_call>"
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
    "glm": lambda name, args: (
        f"<tool_call>{name}\n"
        + "\n".join(
            f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>" for key, value in args.items()
        )
        + "\n</tool_call>"
    ),
    "minimax": lambda name, args: (
        f'<minimax:tool_call>\n<invoke name="{name}">\n'
        + "\n".join(f'<parameter name="{key}">{value}</parameter>' for key, value in args.items())
        + "\n</invoke>\n</minimax:tool_call>"
    ),
    "fence": lambda name, args: f"```tool_call\n{J({'name': name, 'arguments': args})}\n```",
    "python-tag": lambda name, args: f"<|python_tag|>{J({'name': name, 'parameters': args})}",
}


def inputs() -> Iterator[Input]:
    for agent in AGENTS:
        made = tool_of(agent)
        assert isinstance(made.args, dict)
        for name, write in NOTATIONS.items():
            text = write(made.name, made.args)
            yield _input(f"P7-{name}", "chat", agent, text)
    for name in ("bare-json", "hermes"):
        always = chat(*texts(*pieces_of(NOTATIONS[name]("act", stop_of()))))
        yield Input(f"P7-{name}-always", "chat", "operator", [always], Right(most=2), rest=always)


def _input(name: str, wire: Dialect, agent: Agent, text: str, size: int = 9) -> Input:
    step: Step = as_bytes(wire, Reply(text=pieces_of(text, size)))
    read = [Made("read_file", "a.txt")]
    return Input(
        name, wire, agent, [step], Right(calls=[read, []], least=2, most=3), says=[READS], files=True
    )
