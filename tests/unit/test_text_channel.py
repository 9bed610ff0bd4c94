"""Thoughts and calls in the text of an answer are separated from it, wherever the text is split."""

from __future__ import annotations

import time
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from server.agent.assistant.agent import build_assistant
from server.agent.event_adapter import EventAdapter
from server.agent.models.chat_model import build_chat_model
from server.agent.models.text_calls import bound_tools, read_calls
from server.agent.models.text_channel import MAX_HELD, TextHabits, TextParts, TextReader
from server.agent.models.tool_call_repair import UNREADABLE_CALL
from server.agent.streaming import graph_events
from server.errors import RunFailed
from server.events import Resync, Token
from tests.support.model_reply import Reply, ToolCall, say
from tests.support.model_server import ModelServer
from tests.unit.test_assistant import SPECS, new_context
from tests.unit.test_chat_model import WIRES, answer, click, every_wire, impatient, model_for

READ: dict[str, Any] = {
    "properties": {"file": {"type": "string"}, "part": {"type": "integer"}, "opts": {"type": "object"}}
}
TOOLS: dict[str, Any] = {"read_file": READ, "browser_snapshot": {"properties": {}}}
ACT: dict[str, Any] = {
    "act": {"properties": {"action": {"type": "string"}, "final_response": {"type": "string"}}}
}

splits = pytest.mark.parametrize("size", [1, 3, 10_000])


def read(
    text: str, size: int, *, tools: Any = TOOLS, habits: TextHabits | None = None, has_calls: bool = False
) -> tuple[TextParts, list[TextParts]]:
    """All that is found in a text which comes in pieces, as it stands in the end, and each piece of it."""
    reader, whole = TextReader(tools, habits or TextHabits()), TextParts()
    parts = [reader.feed(text[at : at + size]) for at in range(0, len(text), size)]
    parts.append(reader.end(has_calls=has_calls))
    for part in parts:
        assert whole.text.startswith(part.taken_back)
        whole.text = whole.text.removeprefix(part.taken_back) + part.text
        whole.thoughts = whole.thoughts.removesuffix(part.given_back) + part.thoughts
        whole.calls += part.calls
    return whole, parts


THOUGHTS = {
    "think": "<think>\nParis?\n</think>\n\nIt is Paris.",
    "thinking": "<thinking>Paris?</thinking>It is Paris.",
    "reason": "<reason>Paris?</reason> It is Paris.",
    "reasoning": "<Reasoning>Paris?</Reasoning>It is Paris.",
    "thought": "<thought>Paris?</thought>\nIt is Paris.",
    "upper case, after space": "\n\n<THINK>Paris?</THINK>It is Paris.",
    "two": "<think>Paris</think>\n<think>?</think>It is Paris.",
    "lone, on a line": "Paris?\n</think>\n\nIt is Paris.",
    "lone, after a sentence": "Paris?</think>It is Paris.",
    "lone, another tag": "Paris?</Thinking>\nIt is Paris.",
    "mistral": "[THINK]Paris?[/THINK]It is Paris.",
    "kimi": "◁think▷Paris?◁/think▷It is Paris.",
    "cohere": "<|START_THINKING|>Paris?<|END_THINKING|>It is Paris.",
    "gemma": "<|channel>thought\nParis?<channel|>It is Paris.",
    "harmony": "<|channel|>analysis<|message|>Paris?<|end|><|start|>assistant<|channel|>final<|message|>It is Paris.<|return|>",
    "harmony with blank lines": "<|channel|>analysis<|message|>\nParis?\n<|end|><|start|>assistant<|channel|>final<|message|>\n\n"
    "It is Paris.",
    "harmony with a role": "<|start|>assistant<|channel|>analysis<|message|>Paris?<|end|><|start|>assistant<|channel|>final"
    "<|message|>It is Paris.",
    "harmony without its marks": "analysisParis?assistantfinalIt is Paris.",
}


@splits
@pytest.mark.parametrize("name", THOUGHTS)
def test_thoughts_at_the_start_are_not_the_answer(name: str, size: int) -> None:
    found, _ = read(THOUGHTS[name], size)
    assert found.text == "It is Paris."
    assert found.thoughts.strip() in ("Paris?", "\nParis?")
    assert not found.calls


TEXTS = [
    "It is Paris.",
    "Write `<think>` in code, and `</think>` at its end.",
    "The tag <think> opens, and </think> closes.",
    "A model writes:\n```\nParis?\n</think>\nIt is Paris.\n```\nThat is all.",
    "Open with <think>\nthen think\n</think>\nthen answer.",
    "<b>Paris</b> & <thinkpad>",
    "< 5 and [1] and [a link](https://example.com)",
    "[1] Paris\n[2] London",
    "[ ] not done\n[x] done",
    '{"name": "Alice", "arguments": {"age": 3}}',
    '{"city": "Paris", "name": "read_file"}',
    '{"type": "city", "name": "Paris"}',
    '[{"name": "Paris"}, {"name": "Rome"}]',
    '```json\n{"name": "Paris"}\n```',
    "```python\nread_file(file='a.txt')\n```",
    "```\nplain\n```",
    "analysis of Paris",
    "a",
    "Hermes writes `<tool_call>` first.",
    'Hermes writes:\n```\n<tool_call>\n{"name": "read_file", "arguments": {}}\n</tool_call>\n```',
    'Hermes writes:\n<tool_call>\n{"name": "get_weather", "arguments": {}}\n</tool_call>\nand waits.',
    "The tag <tool_call> and [TOOL_CALLS] are marks. " + "More of it. " * 40,
    "ends with <",
    "ends with </thi",
    "ends with ``",
]


@splits
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_everything_else_stays_text_byte_for_byte(text: str, size: int) -> None:
    found, _ = read(text, size)
    assert found == TextParts(text=text)


FILE = '{"file": "a.txt"}'
CALLS = {
    "hermes": '<tool_call>\n{"name": "read_file", "arguments": {"file": "a.txt"}}\n</tool_call>',
    "hermes without an end": '<tool_call>{"name": "read_file", "arguments": {"file": "a.txt"}}',
    "qwen coder": "<tool_call>\n<function=read_file>\n<parameter=file>\na.txt\n</parameter>\n</function>\n</tool_call>",
    "llama function": '<function=read_file>{"file": "a.txt"}</function>',
    "llama": '{"name": "read_file", "parameters": {"file": "a.txt"}}',
    "python tag": '<|python_tag|>{"name": "read_file", "parameters": {"file": "a.txt"}}',
    "python tag with python": '<|python_tag|>read_file.call(file="a.txt")',
    "python": '[read_file(file="a.txt")]',
    "lfm": '<|tool_call_start|>[read_file(file="a.txt")]<|tool_call_end|>',
    "tool code": '```tool_code\nprint(read_file(file="a.txt"))\n```',
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>"
    + FILE
    + "<|tool_call_end|><|tool_calls_section_end|>",
    "harmony": "<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>" + FILE + "<|call|>",
    "harmony, recipient in the role": "<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>" + FILE,
    "mistral": '[TOOL_CALLS][{"name": "read_file", "arguments": {"file": "a.txt"}}]',
    "mistral with marks": "[TOOL_CALLS]read_file[ARGS]" + FILE,
    "mistral with an id": "[TOOL_CALLS]read_file[CALL_ID]abc123[ARGS]" + FILE,
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n"
    + FILE
    + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek 3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>"
    + FILE
    + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek 3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="file" string="true">'
    "a.txt</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    "glm": "<tool_call>read_file\n<arg_key>file</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>",
    "glm with json": "<tool_call>read_file\n" + FILE + "</tool_call>",
    "minimax": '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="file">a.txt</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
    "minimax m1": '<tool_calls>\n{"name": "read_file", "arguments": {"file": "a.txt"}}\n</tool_calls>',
    "granite": '<|tool_call|>[{"name": "read_file", "arguments": {"file": "a.txt"}}]',
    "cohere": '<|START_ACTION|>[{"tool_name": "read_file", "parameters": {"file": "a.txt"}}]<|END_ACTION|>',
    "functools": 'functools[{"name": "read_file", "arguments": {"file": "a.txt"}}]',
    "internlm": '<|action_start|><|plugin|>{"name": "read_file", "parameters": {"file": "a.txt"}}<|action_end|>',
    "fence of a call": '```tool_call\n{"name": "read_file", "arguments": {"file": "a.txt"}}\n```',
    "fence of json": '```json\n{"name": "read_file", "arguments": {"file": "a.txt"}}\n```',
    "fence of marks": '```xml\n<tool_call>{"name": "read_file", "arguments": {"file": "a.txt"}}</tool_call>\n```',
    "openai": '{"type": "function", "function": {"name": "read_file", "arguments": "{\\"file\\": \\"a.txt\\"}"}}',
    "list": '[{"name": "read_file", "arguments": {"file": "a.txt"}}]',
    "tool_calls": '{"tool_calls": [{"function": {"name": "read_file", "arguments": {"file": "a.txt"}}}]}',
    "after thoughts": '<think>Read it.</think>\n<tool_call>{"name": "read_file", "arguments": {"file": "a.txt"}}</tool_call>',
    "after thoughts without a tag": "Read it.\n</think>\n\n" + '{"name": "read_file", "arguments": {"file": "a.txt"}}',
    "with an invented result": '<tool_call>{"name": "read_file", "arguments": {"file": "a.txt"}}</tool_call>\nIt says: {"a',
}  # fmt: skip


@splits
@pytest.mark.parametrize("name", CALLS)
def test_a_call_in_the_text_is_read_and_none_of_it_is_shown(name: str, size: int) -> None:
    found, parts = read(CALLS[name], size)
    assert found.calls == [("read_file", FILE)]
    shown = "".join(part.text for part in parts)
    assert not found.text.strip()
    assert "read_file" not in shown
    assert "<" not in shown.replace("</think>", "")


@splits
@pytest.mark.parametrize("name", ["hermes", "kimi", "mistral", "deepseek", "python tag"])
def test_a_call_after_words_is_read_and_the_words_stay(name: str, size: int) -> None:
    found, _ = read("I look into the file.\n" + CALLS[name], size)
    assert found == TextParts(text="I look into the file.\n", calls=[("read_file", FILE)])


@splits
def test_several_calls_are_read_in_their_order(size: int) -> None:
    second = CALLS["hermes"].replace("a.txt", "b.txt")
    found, _ = read(f"{CALLS['hermes']}\n{second}", size)
    assert found.calls == [("read_file", FILE), ("read_file", '{"file": "b.txt"}')]


def test_arguments_without_quotes_get_the_types_of_the_schema() -> None:
    text = (
        "<function=read_file><parameter=file>007</parameter><parameter=part>2</parameter>"
        '<parameter=opts>{"a": true}</parameter></function>'
    )
    assert read_calls(text, TOOLS) == [("read_file", '{"file": "007", "part": 2, "opts": {"a": true}}')]


@splits
@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>\n{broken",
        '<tool_call>{"name": "read_file", "arguments": {"file": ',
        "<function=read_file>no json</function>",
        "<|python_tag|>import os; os.remove('a')",
        "[TOOL_CALLS] none",
        "<|channel|>commentary to=functions.read_file<|message|>not json<|call|>",
    ],
)
def test_a_call_that_cannot_be_read_is_a_broken_call_and_never_the_answer(text: str, size: int) -> None:
    found, _ = read(text, size)
    assert not found.text
    [(name, arguments)] = found.calls
    assert name in ("read_file", "unknown")
    assert arguments.startswith("<")


@splits
@pytest.mark.parametrize(
    "fence",
    [
        "{}",
        "```json\n{}\n```",
        "<think>Paris</think>{}",
        "<|channel|>analysis<|message|>Paris<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    ],
)
def test_the_arguments_alone_are_a_call_where_there_is_one_tool_only(fence: str, size: int) -> None:
    move = '{"action": "stop", "final_response": "It is Paris."}'
    found, _ = read(fence.replace("{}", move), size, tools=ACT)
    assert found.calls == [("act", move)]
    assert not found.text


@splits
def test_without_tools_nothing_is_a_call(size: int) -> None:
    text = '{"action": "stop"}'
    assert read(text, size, tools={})[0] == TextParts(text=text)
    assert read(CALLS["hermes"], size, tools={})[0] == TextParts(text=CALLS["hermes"])


def test_a_providers_own_call_counts_instead_of_its_text() -> None:
    assert not read(CALLS["hermes"], 3, has_calls=True)[0].calls


def test_words_are_passed_on_at_once() -> None:
    _, parts = read("It is **Paris**, `x`: 2 < 3.\n- [a](b)\n", 1)
    late = [part.text for part in parts]
    assert late[:6] == list("It is ")
    assert max(map(len, late)) <= 3


def test_a_model_that_leaves_out_the_tag_is_known_from_then_on() -> None:
    """Its next thoughts are shown as thoughts at once; a text without a closing tag is the answer after all."""
    habits = TextHabits()
    found, parts = read("Paris?\n</think>\nIt is Paris.", 1, habits=habits)
    assert "".join(part.taken_back for part in parts) == "Paris?\n"
    assert habits.is_untagged
    found, parts = read("Rome?\n</think>\nIt is Rome.", 1, habits=habits)
    assert (found.thoughts, found.text) == ("Rome?\n", "It is Rome.")
    assert not any(part.taken_back for part in parts)
    found, parts = read("Bern, at once.", 1, habits=habits)
    assert found == TextParts(text="Bern, at once.")
    assert "".join(part.given_back for part in parts) == "Bern, at once."
    assert not habits.is_untagged


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>" + "{" * 200_000,
        "<tool_call>" + '{"name": "read_file", "arguments": "' + "x" * 200_000,
        "<function=read_file>" + "<parameter=file>" * 12_000,
        "<tool_call>read_file<arg_key>" + "<arg_value>" * 12_000,
        "<" * 200_000, "[" * 200_000, "`" * 200_000, "</think>" * 30_000, "`</think>" * 30_000, "a " * 100_000,
        " " * 200_000, "{" + " " * 200_000, '{"name":' + " " * 200_000, "```json" + " " * 200_000,
        "<think>" + "</thin" * 40_000, "<|channel|>" + "x" * 200_000, "x <tool_call> " * 20_000,
    ],
    ids=range(17),
)  # fmt: skip
def test_no_text_costs_more_than_linear_time(text: str) -> None:
    """By the processor's time of this thread: a busy machine changes nothing."""
    took = []
    for size in (7, 65_536):
        began = time.thread_time()
        read(text, size)
        took.append(time.thread_time() - began)
    assert max(took) < 2


def test_an_endless_call_is_over() -> None:
    reader = TextReader(TOOLS, TextHabits())
    reader.feed("<tool_call>" + "x" * MAX_HELD)
    assert reader.is_over


# On every wire


def letters(text: str) -> list[str]:
    return [*text]


@every_wire
async def test_thoughts_and_answer_are_told_apart_on_every_wire(wire: str) -> None:
    async with ModelServer(say(letters("<think>Paris?</think>\n\nIt is Paris."))) as server:
        whole = await answer(model_for(server, wire).bind_tools([click]))
    assert whole.text.strip() == "It is Paris."
    assert whole.additional_kwargs["thoughts"] == "Paris?"


@every_wire
async def test_a_call_in_the_text_is_a_call_on_every_wire(wire: str) -> None:
    said = '<tool_call>\n{"name": "click", "arguments": {"target": "Buy"}}\n</tool_call>'
    async with ModelServer(say(letters(said))) as server:
        whole = await answer(model_for(server, wire).bind_tools([click]))
    assert [(call["name"], call["args"]) for call in whole.tool_calls] == [("click", {"target": "Buy"})]
    assert not whole.text


@every_wire
async def test_thoughts_alone_are_no_answer(wire: str) -> None:
    async with ModelServer(say(letters("<think>Paris?</think>"))) as server:
        with pytest.raises(RunFailed) as failed:
            await answer(impatient(model_for(server, wire)))
    assert failed.value.code == "llm_bad_response"


async def test_an_answer_that_is_not_streamed_has_no_thoughts_in_it() -> None:
    async with ModelServer(say(letters("Paris?\n</think>\n\nIt is Paris."))) as server:
        said = await model_for(server, "chat").ainvoke("hi")
    assert said.text.strip() == "It is Paris."


async def work(server: ModelServer, wire: str) -> tuple[EventAdapter, list[Any], list[Any]]:
    """One run of the assistant: what is stored, the events, the messages."""
    name, options = WIRES[wire]
    graph = build_assistant(impatient(build_chat_model(name, server.settings(**options))), SPECS)
    adapter, events, messages = EventAdapter("m"), [], []
    first = {"messages": [HumanMessage("What do you see?")]}
    async for raw in graph_events(graph, first, {}, context=new_context(max_tool_steps=5)):
        events += adapter.feed(raw)
        if raw["event"] == "on_chat_model_end":
            messages.append(raw["data"]["output"])
    return adapter, events, messages


LOOK = ToolCall("browser_snapshot", {}, "call_1")


@every_wire
async def test_text_that_turns_out_to_be_thoughts_is_taken_back_from_readers(wire: str) -> None:
    script = [
        say(["Look at", " it.\n", "</th", "ink>\n"], calls=[LOOK], delay=0.03),
        say(letters("A cart.</think>It has a cart.")),
    ]
    async with ModelServer(script) as server:
        adapter, events, _ = await work(server, wire)
        assert not server.refusals
    assert adapter.answer.strip() == "It has a cart."
    assert adapter.thinking == "Look at it.\nA cart."
    after = max(at for at, event in enumerate(events) if isinstance(event, Resync))
    assert "".join(event.text for event in events[after:] if isinstance(event, Token)) in adapter.answer


@every_wire
async def test_thoughts_of_a_try_without_an_answer_are_taken_back_from_readers(wire: str) -> None:
    script = [
        say("", thinking="I look.", calls=[LOOK]),
        say("", thinking="Nothing but thoughts."),
        say("A cart.", thinking="A cart it is."),
    ]
    async with ModelServer(script) as server:
        adapter, events, _ = await work(server, wire)
        assert len(server.requests) == 3
    assert (adapter.thinking, adapter.answer) == ("I look.A cart it is.", "A cart.")
    assert any(isinstance(event, Resync) for event in events)


@every_wire
async def test_a_call_in_the_text_is_made_and_its_result_is_read(wire: str) -> None:
    script = [say('<tool_call>\n{"name": "browser_snapshot", "arguments": {}}\n</tool_call>'), say("A cart.")]
    async with ModelServer(script) as server:
        adapter, events, _ = await work(server, wire)
        assert not server.refusals
        assert server.requests[1].messages[-1] != server.requests[0].messages[-1]
    assert adapter.answer == "A cart."
    assert [event.name for event in events if event.type == "tool_end" and event.ok] == ["browser_snapshot"]


@every_wire
async def test_a_call_that_cannot_be_read_is_asked_for_again_twice(wire: str) -> None:
    script = [say("<tool_call>{broken")] * 2 + [say("A cart.")]
    async with ModelServer(script) as server:
        adapter, *_ = await work(server, wire)
        assert not server.refusals
        assert UNREADABLE_CALL in server.requests[1].text
    assert adapter.answer == "A cart."


async def test_a_model_that_only_writes_such_calls_ends_the_run_as_not_understood() -> None:
    async with ModelServer(say("<tool_call>{broken")) as server:
        with pytest.raises(RunFailed) as failed:
            await work(server, "chat")
        assert len(server.requests) == 3
    assert failed.value.code == "llm_bad_response"


@every_wire
@pytest.mark.parametrize("name", ["web.search", "read file!", "x" * 200])
async def test_a_call_with_a_bad_name_does_not_poison_the_history(wire: str, name: str) -> None:
    script = [Reply(calls=[ToolCall(name, {}, "call_1")]), say("A cart.")]
    async with ModelServer(script) as server:
        adapter, *_ = await work(server, wire)
        assert not server.refusals
        assert name not in str(server.requests[1].messages)
    assert adapter.answer == "A cart."


def test_tools_are_found_as_each_provider_gets_them() -> None:
    openai = {"type": "function", "function": {"name": "a", "parameters": {"type": "object"}}}
    assert bound_tools({"tools": [openai, {"name": "b", "input_schema": {}}, "c"]}) == {
        "a": {"type": "object"},
        "b": {},
    }
    assert bound_tools({}) == {}
