"""What models answer where a move is asked for, and what is made of it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage

from server.agent.models.errors import OUTPUT_LIMIT
from server.agent.models.text_channel import THOUGHTS
from server.agent.operator.plan.move import Move, Offer, branched_schema
from server.agent.operator.plan.reply import MOVE_CHARS, WORDS_BYTES, MoveReply, UnusableMove
from server.errors import RunFailed
from tests.support.loop_gaps import loop_gaps
from tests.support.operator_world import World, world
from tests.support.scripted_model import stop
from tests.unit.test_operator_graph import LEADS, PAGES, SHOP

MOVE = {"reason": "known", "action": "stop", "final_response": "It is Paris."}
JSON = json.dumps(MOVE)
CALL = json.dumps({"name": "act", "arguments": MOVE})


class Read(MoveReply):
    """A reply that keeps what it says."""

    def __init__(self, *, by_text: bool = False) -> None:
        self.said: list[str] = []

        async def say(text: str) -> None:
            self.said.append(text)

        super().__init__(say, say, by_text)


def chunk(text: str = "", arguments: str | None = None, name: str | None = None) -> AIMessageChunk:
    """As the wire gives it: LangChain's constructor would parse the arguments."""
    part = {"name": name, "args": arguments, "id": None, "index": 0, "type": "tool_call_chunk"}
    calls = [] if arguments is None else [part]
    return AIMessageChunk.model_construct(
        content=text, tool_call_chunks=calls, additional_kwargs={}, usage_metadata=None, response_metadata={}
    )


async def given(chunks: Sequence[AIMessageChunk]) -> AsyncIterator[AIMessageChunk]:
    for one in chunks:
        await asyncio.sleep(0)
        yield one


async def moved(reply: MoveReply, chunks: Sequence[AIMessageChunk]) -> Move:
    await reply.take(given(chunks))
    return reply.move()


async def read(chunks: Sequence[AIMessageChunk], *, by_text: bool = False) -> Move:
    return await moved(Read(by_text=by_text), chunks)


def in_pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@pytest.mark.parametrize("by_text", [True, False], ids=["json", "tool"])
@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"\n  {JSON}\n",
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```\n",
        f"``` \n{CALL}\n```",
        json.dumps(JSON),
        json.dumps(MOVE, indent=2),
        CALL,
        json.dumps({"name": "act", "parameters": MOVE}),
        json.dumps({"name": "act", "arguments": JSON}),
        json.dumps({"type": "function", "function": {"name": "act", "arguments": MOVE}}),
        json.dumps({"function": {"name": "act", "arguments": JSON}}),
    ],
)
async def test_a_text_that_is_nothing_but_a_move_is_one(text: str, size: int, by_text: bool) -> None:
    move = await read([chunk(piece) for piece in in_pieces(text, size)], by_text=by_text)
    assert (move.action, move.final_response) == ("stop", "It is Paris.")


@pytest.mark.parametrize("by_text", [True, False], ids=["json", "tool"])
@pytest.mark.parametrize(
    "text",
    [
        "It is Paris.",
        f"I think: {JSON}",
        f"{JSON.replace('stop', 'wait')} Then I stop.",
        f"Here it is:\n```json\n{JSON}\n```",
        JSON.replace('"', "'"),
        '{"action":"wait"',
        f"[{JSON}]",
        "[]",
        '"act"',
        "null",
        "{}",
        json.dumps({"name": "click", "arguments": {"eid": "e1"}}),
        json.dumps({"name": "act", "arguments": [1]}),
        json.dumps({"reason": "known", "final_response": "It is Paris."}),
        "```",
        "[" * 5_000,
        '{"action":' * 3_000,
    ],
)  # fmt: skip
async def test_any_other_text_is_asked_again_and_never_the_answer(text: str, by_text: bool) -> None:
    reply = Read(by_text=by_text)
    with pytest.raises(UnusableMove):
        await moved(reply, [chunk(text)])
    assert reply.said == []


@pytest.mark.parametrize(
    ("arguments", "name", "problem"),
    [
        (JSON, "act", None),
        (json.dumps(JSON), "act", None),
        (JSON.replace("It is", "It\nis"), "act", None),
        (JSON, "click", "no tool `click`"),
        (JSON, "functions.act.extra", "no tool"),
        ("", "act", "no valid JSON"),
        ("null", "act", "no valid JSON"),
        ("[1]", "act", "no valid JSON"),
        ('"wait"', "act", "no valid JSON"),
        ("NaN", "act", "no valid JSON"),
        (JSON.replace('"', "'").replace("stop", "wait"), "act", "no valid JSON"),
        (JSON.replace("stop", "wait") + "</tool_call>", "act", "no valid JSON"),
    ],
)
async def test_a_call_is_a_move_by_its_name_and_its_json(
    arguments: str, name: str, problem: str | None
) -> None:
    chunks = [chunk(arguments="", name=name), *(chunk(arguments=part) for part in in_pieces(arguments, 5))]
    if problem is None:
        assert (await read(chunks)).action == "stop"
        return
    with pytest.raises(UnusableMove, match=problem):
        await read(chunks)


async def test_a_name_that_is_repeated_with_each_piece_is_one_name() -> None:
    assert (await read([chunk(arguments=part, name="act") for part in in_pieces(JSON, 9)])).action == "stop"


async def test_words_instead_of_a_forced_call_are_ended_after_three_hundred_tokens() -> None:
    reply = Read()
    taken = 0

    async def endless() -> AsyncIterator[AIMessageChunk]:
        nonlocal taken
        while True:
            taken += 1
            yield chunk("The sails are the sails. ")

    with pytest.raises(UnusableMove, match="not in words") as problem:
        await reply.take(endless())
    assert problem.value.in_words
    assert taken * 25 < WORDS_BYTES + 50
    assert reply.tokens([HumanMessage("x" * 400)])["total_tokens"] == 100 + taken * 25 // 4


@pytest.mark.parametrize(
    "before", ['{"action":"stop","final_response":"', "```json\n{", "<tool_call>", "[TOOL_CALLS]"]
)
async def test_a_text_that_may_be_a_move_is_waited_for_and_bounded(before: str) -> None:
    reply = Read()
    await reply.take(given([chunk(before), chunk("x" * 20_000)]))
    with pytest.raises(UnusableMove, match="64 KB"):
        await reply.take(given([chunk("x" * 20_000)] * 3))


async def test_words_are_no_sign_of_anything_where_the_move_is_text() -> None:
    """Models may think before their JSON, and end the thoughts later."""
    await Read(by_text=True).take(given([chunk("Hmm. ")] * 2_000))


async def test_the_arguments_of_a_move_end_at_64_kb_and_say_what_to_do() -> None:
    reply = Read()
    with pytest.raises(UnusableMove, match="repeat nothing") as problem:
        await reply.take(
            given([chunk(arguments='{"action":"wait","reason":"' + "x" * MOVE_CHARS, name="act")])
        )
    assert problem.value.failure is not None


async def test_thoughts_without_an_end_are_ended() -> None:
    thought = AIMessageChunk(content="", additional_kwargs={THOUGHTS: "Hmm. " * 10_000})
    reply = Read()
    with pytest.raises(UnusableMove, match="no end") as problem:
        await reply.take(given([thought] * 9))
    assert problem.value.failure is not None
    assert reply.thought_chars == 250_000


async def test_an_answer_that_was_shown_and_then_cut_fails_the_run() -> None:
    reply = Read()
    await reply.take(given([chunk(arguments='{"action":"stop","final_response":"It', name="act")]))
    assert reply.said == ["It"]
    with pytest.raises(RunFailed) as failure:
        reply.failed(OUTPUT_LIMIT.as_error())
    assert failure.value.code == "output_limit"


GARBLED = {
    "single quotes": "{'action': 'stop', 'final_response': '" + "it''s " * 5_000,
    "escapes": '{"action":"stop","final_response":"' + r"\d\d" * 7_500,
    "brackets": '{"action":"wait","then":[' + '{"action":"press",' * 1_500,
    "then": '{"action":"wait","reason":"r","then":[' + '{"action":"press","key":"Tab"},' * 1_000,
    "quotes": '{"action":"wait","reason":"' + '" ' * 15_000,
    "late action": '{"reason":"r","final_response":"' + "word " * 6_000,
    "escaped answer": '{"action":"stop","final_response":"' + "\\u0441" * 5_000,
    "after the answer": '{"action":"stop","final_response":"x","facts":[' + '"a fact",' * 3_000,
    "letters": "x" * 30_000,
}


@pytest.mark.parametrize("size", [16, 65_536])
@pytest.mark.parametrize("name", GARBLED)
async def test_what_is_long_or_garbled_holds_the_loop_for_no_time(name: str, size: int) -> None:
    reply = Read()
    chunks = [chunk(arguments=part, name="act") for part in in_pieces(GARBLED[name], size)]
    began = time.thread_time()
    async with loop_gaps() as gaps:
        with suppress(UnusableMove, RunFailed):
            await moved(reply, chunks)
    assert gaps.longest < 0.05
    assert time.thread_time() - began < 2


async def test_four_hundred_thousand_characters_at_once_cost_nothing() -> None:
    async with loop_gaps() as gaps:
        with pytest.raises(UnusableMove):
            await Read().take(
                given([chunk(arguments='{"action":"stop","final_response":\'' + "x" * 400_000, name="act")])
            )
    assert gaps.longest < 0.05


def test_each_action_has_a_branch_with_what_it_needs() -> None:
    schema = branched_schema(offer=Offer(points=True))
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for branch in schema["anyOf"]:
        by_kind.setdefault(branch["properties"]["action"]["const"], []).append(branch)
    assert set(by_kind) == set(Offer(points=True).kinds)
    assert [one["required"] for one in by_kind["click"]] == [
        ["reason", "action", "eid"],
        ["reason", "action", "at"],
    ]
    assert [one["required"] for one in by_kind["stop"]] == [["reason", "action", "final_response"]]
    assert all(
        "final_response" not in one["properties"]
        for kind in by_kind
        if kind != "stop"
        for one in by_kind[kind]
    )
    assert all(not one["additionalProperties"] for branches in by_kind.values() for one in branches)
    text = json.dumps(schema)
    assert text.count('"maxLength"') == 2
    assert set(re.findall(r'"\$ref": "([^"]+)"', text)) == {"#/$defs/line", "#/$defs/short"}
    then = by_kind["click"][0]["properties"]["then"]
    assert then["maxItems"] == 4
    assert by_kind["stop"][0]["properties"]["plan"]["maxItems"] == 6


def test_without_points_and_rows_there_is_no_branch_for_them() -> None:
    kinds = [one["properties"]["action"]["const"] for one in branched_schema(offer=Offer())["anyOf"]]
    assert "drag" not in kinds
    assert "record" not in kinds
    assert kinds.count("click") == 1
    rows = {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}
    last = branched_schema(rows)["anyOf"]
    assert [one["properties"]["rows"] for one in last if "rows" in one["properties"]] == [
        rows | {"maxItems": 50}
    ]


def shop(*turns: Any, **more: Any) -> World:
    return world(dict(PAGES), turns, leads=dict(LEADS), url=SHOP, **more)


LOOK = {"reason": "look", "action": "read_page", "final_response": "555-0142"}
ENDLESS = '{"action":"wait","reason":"r","then":[' + '{"action":"press","key":"Tab"},' * 3_000
SMALL_MODELS: dict[str, tuple[Any, str]] = {
    "a call in a fence": (f"```json\n{CALL}\n```", "It is Paris."),
    "prose": ("The answer is not in words.", "asked again"),
    "an answer beside a look": (LOOK, "555-0142"),
    "endless acts": ({"raw": ENDLESS}, "asked again"),
    "an endless line": ("The sails are the sails. " * 400, "asked again"),
}


@pytest.mark.parametrize("name", SMALL_MODELS)
async def test_what_small_models_answer_ends_well(name: str) -> None:
    turn, answer = SMALL_MODELS[name]
    it = shop(turn, again=stop("asked again"))
    it.model.piece = 200
    assert await it.say("What is it?") == answer == it.spoken
    assert it.browser.log == []
    assert len(it.model.prompts) == (2 if answer == "asked again" else 1)


async def test_the_same_cut_answer_twice_fails_with_its_reason() -> None:
    it = shop(again={"raw": ENDLESS})
    it.model.piece = 200
    with pytest.raises(RunFailed) as failure:
        await it.say("What is it?")
    assert failure.value.code == "output_limit"
    assert len(it.model.prompts) == 2
    assert "repeat nothing" in it.model.prompts[1]


@pytest.mark.parametrize("action", ["read_page", "focus", "screenshot", "wait", "read"])
async def test_an_answer_beside_a_look_is_asked_about_once_where_the_page_was_not_all_shown(
    action: str,
) -> None:
    look = LOOK | {"action": action, "eid": "e1"}
    long = {**PAGES, SHOP: PAGES[SHOP] + "\n- paragraph: " + "A long text. " * 200}
    it = world(long, [look, look], leads=dict(LEADS), url=SHOP, again=stop("It is known."))
    assert await it.say("What is it?") == "It is known."
    assert "the answer goes with `stop`" in it.model.prompts[1]
    assert it.values["tool_steps"] == 1


async def test_what_is_in_the_prompt_is_not_read_again() -> None:
    read_again = {"reason": "again", "action": "read_page"}
    it = shop(read_again, read_again, stop("It is known."))
    it.browser.texts[SHOP] = ["All of it."]
    assert await it.say("What is it?") == "It is known."
    assert it.browser.log == ["read_page 1"]
    assert "in <reading> above" in it.model.prompts[2]
    assert "<reading>" in it.model.prompts[2].replace("in <reading> above", "")
