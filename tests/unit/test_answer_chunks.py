"""Pieces of an answer are joined in linear time and say what the provider said; garbled ones do not hold the event loop."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import Any

import langchain_core.messages.ai
import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk

from server.agent.arguments import find_object, read_arguments
from server.agent.models.answer import MAX_ARGUMENTS
from server.agent.models.answer_chunk import AnswerChunk, join_chunks
from server.agent.models.chat_model import broken_tool_calls
from server.agent.models.repetition import Repetition
from server.errors import RunFailed
from tests.support.loop_gaps import loop_gaps
from tests.support.model_reply import Reply, ToolCall, call, say
from tests.support.model_server import ModelServer, providing
from tests.unit.test_chat_model import every_wire, model_for, wires_that_stream_arguments

WORDS = "".join(random.Random(2).choices("abcdefgh  ", k=30_000))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        (" \n", {}),
        ('{"a": [1, "b"]}', {"a": [1, "b"]}),
        (json.dumps('{"a": 1}'), {"a": 1}),
    ],
)
def test_arguments_are_read(text: str, value: dict[str, Any]) -> None:
    assert read_arguments(text) == value


@pytest.mark.parametrize(
    "text", ['{"a": "cut', "[1]", "7", "null", '"words"', "{'a': 1}", '{"a": 1} {"b": 2}', "[" * 100_000]
)
def test_arguments_are_never_guessed(text: str) -> None:
    with pytest.raises(ValueError):
        read_arguments(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} and more', {"a": 1}),
        ('```json\n{"a": "two\nlines"}\n```', {"a": "two\nlines"}),
        (json.dumps('{"a": 1}'), {"a": 1}),
        ("", None),
        ("[1]", None),
        ('{"a": "cut', None),
        ('{"a":' * 100_000, None),
    ],
)
def test_an_object_is_found_in_text_that_was_no_call(text: str, value: dict[str, Any] | None) -> None:
    assert find_object(text) == value


def test_langchains_own_chunks_read_arguments_the_same_way() -> None:
    assert langchain_core.messages.ai.parse_partial_json is read_arguments  # type: ignore[attr-defined]
    piece = AIMessageChunk(
        content="", tool_call_chunks=[tool_call_chunk(name="act", args='{"a": "cu', id="c")]
    )
    assert piece.tool_calls == []
    assert [made["id"] for made in piece.invalid_tool_calls] == ["c"]


def chunk(content: Any = "", calls: Iterable[tuple[int, str]] = (), **more: Any) -> AnswerChunk:
    made = AnswerChunk(content=content, **more)
    made.tool_call_chunks = [tool_call_chunk(args=args, index=index) for index, args in calls]
    return made


def test_pieces_are_joined_by_what_they_belong_to() -> None:
    thought = {"type": "thinking", "index": 0}
    pieces = [
        chunk([{**thought, "thinking": "Let "}], id="lc_run--1", additional_kwargs={"a": "x"}),
        chunk([{**thought, "thinking": "me."}], id="msg_1", additional_kwargs={"a": "y", "b": None}),
        chunk([{"type": "text", "text": "Hel", "index": 1}], calls=[(0, '{"a"')]),
        chunk([{**thought, "signature": "sig"}], calls=[(1, "{}"), (0, ": 1}")]),
        chunk([{"type": "text", "text": "lo", "index": 1}], response_metadata={"model_provider": "m"}),
        AIMessageChunk(content="", chunk_position="last", response_metadata={"model_provider": "m"}),
    ]
    whole = pieces[0] + pieces[1:]
    assert type(whole) is AIMessageChunk
    assert whole.content == [
        {"type": "thinking", "index": 0, "thinking": "Let me.", "signature": "sig"},
        {"type": "text", "text": "Hello", "index": 1},
    ]
    assert [made["args"] for made in whole.tool_calls] == [{"a": 1}, {}]
    assert (whole.id, whole.chunk_position) == ("msg_1", "last")
    assert whole.additional_kwargs == {"a": "xy", "b": None}
    assert whole.response_metadata == {"model_provider": "m"}


def test_texts_of_both_forms_are_joined_in_their_order() -> None:
    assert (
        join_chunks([chunk("a"), chunk([{"type": "text", "text": "b"}]), chunk("c"), chunk("d")]).text
        == "abcd"
    )


def test_what_a_failed_try_has_sent_is_no_part_of_the_answer() -> None:
    assert join_chunks([chunk("thought"), chunk("an", begins_anew=True), chunk("swer")]).text == "answer"


async def test_very_many_pieces_are_joined_at_once() -> None:
    pieces = [chunk([{"type": "text", "text": "word ", "index": 0}], [(0, "x" * 9)]) for _ in range(7_000)]
    others = [chunk([{"type": "text", "text": "w", "index": n}], [(n, "{}")]) for n in range(1, 3_000)]
    async with loop_gaps() as gaps:
        whole = join_chunks([*pieces, *others])
    assert len(whole.text) == 35_000 + 2_999
    assert gaps.longest < 0.3


MAX_GAP = 0.3
"""Seconds of CPU time of one turn of the loop. What grows with the square of the size takes seconds at these sizes."""

HARD = {
    "garbled": "{'action': 'type', 'text': '" + WORDS + "'}",
    "a wrong escape early": '{"action": "\\d' + WORDS + '"}',
    "as much as may be": json.dumps({"text": "".join(random.Random(3).choices("abc \n", k=50_000))}),
    "garbled to the limit": "".join(random.Random(5).choices("{[\"'\\,:x ", k=MAX_ARGUMENTS - 100)),
}


@wires_that_stream_arguments
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("kind", HARD)
async def test_arguments_of_any_kind_do_not_hold_the_loop(wire: str, kind: str, together: bool) -> None:
    with providing([say("Hello."), call("act", HARD[kind], id="call_1")]) as server:
        model = model_for(server, wire)
        await model.ainvoke("hi")  # the SDK's classes are made at its first answer
        async with loop_gaps() as gaps:
            if together:
                message = await model.ainvoke("hi")
            else:
                pieces = [piece async for piece in model.astream("hi")]
                message = pieces[0] + pieces[1:]
    assert gaps.longest < MAX_GAP
    (made,) = message.tool_calls
    assert list(broken_tool_calls(message)) == ([] if kind == "as much as may be" else [made["id"]])


@every_wire
@pytest.mark.parametrize("size", [400_001, 10_000_000])
async def test_a_text_of_any_size_in_one_event_ends_at_its_limit(wire: str, size: int) -> None:
    with providing(say(["x " * (size // 2 + 1)])) as server:
        async with loop_gaps() as gaps:
            with pytest.raises(RunFailed) as failed:
                await model_for(server, wire).ainvoke("hi")
        assert (failed.value.code, len(server.requests)) == ("output_limit", 1)
    assert gaps.longest < MAX_GAP


@wires_that_stream_arguments
async def test_a_call_with_endless_arguments_is_ended_by_its_name(wire: str) -> None:
    words = "".join(random.Random(1).choices("abcdefgh ", k=300_000))
    with providing(call("act", '{"text": "' + words)) as server:
        async with loop_gaps() as gaps:
            with pytest.raises(RunFailed, match="64 KB of arguments") as failed:
                await model_for(server, wire).ainvoke("hi")
    assert failed.value.code == "output_limit"
    assert gaps.longest < MAX_GAP


REPEATED = {
    "line": ("So I click the button.\n" * 900, "So I click the button."),
    "element": ('{"eid": "e12", "action": "click"}, ' * 900, '"action"'),
    "word": ("very " * 4_000, "very"),
    "paragraph": (("".join(f"Sentence {n} of many. " for n in range(40)) + "\n\n") * 40, "Sentence 0"),
    "white space": ("{\n" + "\t \n" * 5_000, "white space"),
    "one character": ("a" * 20_000, "a"),
    "chinese": ("好的,我来看看。" * 900, "好的"),
}


@pytest.mark.parametrize("size", [1, 7, 5_000])
@pytest.mark.parametrize("kind", REPEATED)
def test_repetition_is_noticed_early_and_named(kind: str, size: int) -> None:
    text, words = REPEATED[kind]
    noticed, found, read = Repetition(), None, 0
    while not found and read < len(text):
        found = noticed.feed(text[read : read + size])
        read += size
    assert found is not None
    assert words in found
    assert read <= 18_000


def real_texts() -> dict[str, str]:
    rows = [f"| {n} | Tea no. {n % 12} | {3 + n % 5}.50 | in stock | |\n" for n in range(3_000)]
    cells = "\n".join(",".join("0" for _ in range(40)) for _ in range(70))
    return {
        "table": "| n | name | price | stock | note |\n|---|---|---|---|---|\n" + "".join(rows),
        "empty table": "| | | | | |\n" * 300,
        "tree of tags": "".join(
            f"<li class='item'>\n  <a href='/p/{n}'>Product</a>\n</li>\n" for n in range(2_000)
        ),
        "code": "".join(f"    assert f({n}) == {n * n}\n    assert g({n}) is None\n" for n in range(2_000)),
        "matrix": cells,
        "hex": "".join(f"{n * 16:08x}  {'00 ' * 16}\n" for n in range(2_000)),
        "similar rows": json.dumps(
            [{"name": f"Item {n}", "price": "1.00", "ok": True} for n in range(2_000)]
        ),
        "rules": ("=" * 79 + "\nChapter\n" + "-" * 79 + "\n") * 20,
        "log": "".join(f"12:{n // 60 % 60:02}:{n % 60:02} INFO ok\n" for n in range(3_000)),
        "checklist": "- [ ] \n" * 200,
    }


@pytest.mark.parametrize("kind", real_texts())
def test_long_content_with_similar_lines_is_no_repetition(kind: str) -> None:
    noticed = Repetition()
    text = real_texts()[kind]
    assert not any(noticed.feed(text[at : at + 11]) for at in range(0, len(text), 11))


@wires_that_stream_arguments
@pytest.mark.parametrize("channel", ["text", "thinking", "arguments"])
async def test_an_answer_that_repeats_itself_is_ended(wire: str, channel: str) -> None:
    loop = "I look at the page once more. "
    replies = {
        "text": say([loop] * 2_000),
        "thinking": Reply(thinking=[loop] * 2_000),
        "arguments": Reply(calls=(ToolCall("act", '{"text": "' + loop * 1_500, "call_1"),)),
    }
    async with ModelServer(replies[channel]) as server:
        with pytest.raises(RunFailed, match="I look at the page once more") as failed:
            await model_for(server, wire).ainvoke("hi")
    assert failed.value.code == "llm_bad_response"
