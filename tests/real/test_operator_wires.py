"""The operator over the providers' real wires: what they send, what they refuse, how they fail."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from server.agent.models.chat_model import build_chat_model
from server.errors import RunFailed
from tests.support.model_reply import (
    Asked,
    Reply,
    Step,
    ToolCall,
    call,
    calls,
    cut,
    endless,
    fail,
    refuse,
    reset,
    say,
)
from tests.support.model_server import ModelServer
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel
from tests.unit.test_operator_graph import LEADS, PAGES, SHOP

WIRES = {
    "anthropic": ("anthropic:claude-haiku-4-5", {}),
    "chat": ("openai:gpt-5-mini", {"openai_api": "chat"}),
    "responses": ("openai:gpt-5-mini", {"openai_api": "responses"}),
    "openrouter": ("openrouter:some/model", {}),
    "google": ("google:gemini-3.8-flash", {}),
    "ollama": ("ollama:qwen3", {}),
}
BY_SCHEMA = ("google", "ollama")
ANSWER = 'Готово: "чай" \\ 😀\nend'
STOP = {"reason": "done", "action": "stop", "final_response": ANSWER}
SCROLL = {"reason": "look", "action": "scroll", "direction": "down"}


@asynccontextmanager
async def asking(
    steps: Sequence[Step] | Step, wire: str = "chat", name: str | None = None, **options: Any
) -> AsyncIterator[tuple[World, ModelServer]]:
    async with ModelServer(steps) as server:
        default, more = WIRES[wire]
        model = build_chat_model(name or default, server.settings(**more))
        browser = ScriptedBrowser(dict(PAGES), dict(LEADS), SHOP)
        yield World(browser, cast(ScriptedModel, model), options=options), server
        assert server.refusals == []


def decide(move: dict[str, Any], wire: str) -> Reply:
    """A move as the provider gives it: by the tool, or as text of the schema."""
    if wire in BY_SCHEMA:
        return say(json.dumps(move, ensure_ascii=False))
    return call("act", move)


@pytest.mark.parametrize("wire", BY_SCHEMA)
async def test_a_decision_is_asked_for_by_schema_and_the_answer_streams(wire: str) -> None:
    looks = Reply(thinking="Hmm, tea.", text=json.dumps(SCROLL))
    # At the pace of a model: what is read together is joined.
    async with asking([looks, decide(STOP, wire).but(delay=0.02)], wire) as (it, server):
        assert await it.say("look") == ANSWER == it.spoken
        assert len(it.of("token")) > 1
        assert "".join(payload["text"] for payload in it.of("thinking")) == "Hmm, tea."
        body = server.requests[0].body
        schema = body["format"] if wire == "ollama" else body["generationConfig"]["responseJsonSchema"]
        branch = schema["anyOf"][0] if wire == "ollama" else schema
        assert branch["required"][:2] == ["reason", "action"]
        assert [asked.tools for asked in server.requests] == [[], []]
        assert it.values["tokens"] == 240


@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire not in BY_SCHEMA])
async def test_a_decision_is_asked_for_by_a_forced_tool_and_the_answer_streams(wire: str) -> None:
    # At the pace of a model: what is read together is joined.
    async with asking([call("act", SCROLL), call("act", STOP).but(delay=0.02)], wire) as (it, server):
        assert await it.say("look") == ANSWER == it.spoken
        assert len(it.of("token")) > 1
        assert [asked.tools for asked in server.requests] == [["act"], ["act"]]
        choice = str(server.requests[0].body["tool_choice"])
        assert "act" in choice or "required" in choice
        assert it.values["tokens"] > 0


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
async def test_a_request_stays_small_and_its_head_is_constant(wire: str) -> None:
    async with asking([call("act", SCROLL), call("act", STOP)], wire) as (it, server):
        await it.say("look")
        first, second = (asked.body for asked in server.requests)
        assert first["tools"] == second["tools"]
        assert (
            len(json.dumps(second.get("messages") or second["input"])) + len(json.dumps(second["tools"]))
            < 4500
        )
        if wire == "anthropic":
            assert first["system"] == second["system"]
            assert first["system"][0]["cache_control"] == {"type": "ephemeral"}


async def test_a_model_that_cannot_be_forced_is_offered_the_tool_without_a_warning() -> None:
    async with asking([call("act", STOP)], "anthropic", "anthropic:claude-haiku-5-5") as (it, server):
        assert await it.say("look") == ANSWER == it.spoken
        assert server.requests[0].tools == ["act"]
        assert server.requests[0].body.get("tool_choice", {}).get("type") in (None, "auto")


async def test_a_model_that_thinks_is_asked_by_schema_and_its_thoughts_are_told_apart() -> None:
    reply = Reply(thinking="Hmm, tea.", text=json.dumps(STOP, ensure_ascii=False))
    async with asking([reply], "anthropic", "anthropic:claude-sonnet-5-5") as (it, server):
        assert await it.say("look") == ANSWER == it.spoken
        assert server.requests[0].tools == []
        assert "".join(payload["text"] for payload in it.of("thinking")) == "Hmm, tea."


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
async def test_of_twenty_parallel_calls_one_step_is_taken(wire: str) -> None:
    early = [ToolCall("act", STOP | {"final_response": "too early"})] * 19
    many = calls(ToolCall("act", SCROLL), *early)
    async with asking([many, call("act", STOP)], wire) as (it, _):
        assert await it.say("look") == ANSWER == it.spoken
        assert it.browser.log == ["scroll down 600"]


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
@pytest.mark.parametrize(
    "bad",
    [
        call("act", '{"action": "scro'),
        call("click", {"eid": "e1"}),
        say("I would scroll."),
        call("act", {"action": "fly"}),
    ],
    ids=["broken json", "unknown tool", "words", "unknown action"],
)
async def test_an_unusable_answer_is_repaired(wire: str, bad: Reply) -> None:
    async with asking([bad, call("act", STOP)], wire) as (it, server):
        assert await it.say("look") == ANSWER == it.spoken
        assert "could not be used" in server.requests[1].text
        assert it.browser.log == []


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
async def test_an_answer_cut_by_length_is_asked_again_once(wire: str) -> None:
    stop = "max_tokens" if wire == "anthropic" else "length"
    half = call("act", '{"action":"click","eid":"e2', stop=stop)
    async with asking([half, call("act", STOP)], wire) as (it, server):
        assert await it.say("look") == ANSWER == it.spoken
        assert "cut at its length limit" in server.requests[1].text
        most = [asked.body.get("max_tokens") for asked in server.requests]
        assert most == {"chat": [8192, 2048], "anthropic": [8192, 8192], "responses": [None, None]}[wire]
    async with asking([half, half], wire) as (it, _):
        with pytest.raises(RunFailed) as failure:
            await it.say("look")
        assert failure.value.code == "output_limit"
        assert it.browser.log == []


def heeds(*ways: str) -> Callable[[Asked], Reply]:
    """A server that heeds these of `tool`, `schema` and `json`, refuses `!schema`, and answers everything else in words."""

    def answer(asked: Asked) -> Reply:
        way = "tool" if asked.tools else "schema" if "response_format" in asked.body else "json"
        if f"!{way}" in ways:
            return fail(400, "This response_format type is unavailable now")
        if way not in ways:
            return say("I would stop, because it is known.")
        return call("act", STOP) if way == "tool" else say(json.dumps(STOP, ensure_ascii=False))

    return answer


def ways_of(server: ModelServer) -> list[str]:
    return [
        "tool" if asked.tools else "schema" if "response_format" in asked.body else "json"
        for asked in server.requests
    ]


@pytest.mark.parametrize(
    ("server_heeds", "first", "later"),
    [
        (["tool"], ["tool"], ["tool"]),
        (["schema", "json"], ["tool", "schema"], ["schema"]),
        (["json"], ["tool", "schema", "json"], ["json"]),
        (["!schema", "json"], ["tool", "schema", "json"], ["json"]),
    ],
)
async def test_what_a_server_does_not_heed_is_asked_in_another_way_and_remembered(
    server_heeds: list[str], first: list[str], later: list[str]
) -> None:
    async with asking(heeds(*server_heeds)) as (it, server):
        assert await it.say("look") == ANSWER == it.spoken
        assert ways_of(server) == first
        for asked, way in zip(server.requests, first, strict=True):
            assert ("Write one JSON object" in asked.text) == (way != "tool")
        it.build()  # as after a change of the settings
        server.requests.clear()
        assert await it.say("look again") == ANSWER
        assert ways_of(server) == later


async def test_a_server_that_heeds_nothing_ends_the_run_after_three_answers() -> None:
    async with asking(heeds()) as (it, server):
        with pytest.raises(RunFailed) as failure:
            await it.say("look")
        assert failure.value.code == "llm_bad_response"
        assert ways_of(server) == ["tool", "schema", "json"]
        assert it.spoken == ""


async def test_the_method_may_be_set() -> None:
    async with asking(heeds("schema"), structured="schema") as (it, server):
        assert await it.say("look") == ANSWER
        assert ways_of(server) == ["schema"]
        sent = server.requests[0].body["response_format"]["json_schema"]
        assert sent["name"] == "act"
        assert {one["properties"]["action"]["const"] for one in sent["schema"]["anyOf"]} >= {"click", "stop"}


async def test_words_without_end_are_ended_and_asked_again() -> None:
    async with asking([endless("The sails are the sails. "), say(json.dumps(STOP))]) as (it, server):
        assert await it.say("look") == ANSWER
        await server.wait_until(lambda: server.open_streams == 0)
        assert it.values["tokens"] > 300


async def test_arguments_broken_in_a_call_without_an_id_are_not_acted_on() -> None:
    nameless = Reply(calls=[ToolCall("act", '{"action":"click","eid":"e2')])
    async with asking([nameless, call("act", STOP)], "openrouter") as (it, _):
        assert await it.say("look") == ANSWER
        assert it.browser.log == []


@pytest.mark.parametrize("wire", ["anthropic", "chat"])
@pytest.mark.parametrize(
    "fault",
    [fail(500), fail(429, retry_after=0), refuse(), reset(after=0)],
    ids=["500", "429", "refused", "reset"],
)
async def test_a_call_that_failed_before_it_spoke_is_tried_again(wire: str, fault: Reply) -> None:
    async with asking([fault, call("act", STOP)], wire) as (it, _):
        assert await it.say("look") == ANSWER == it.spoken


async def test_an_answer_that_broke_off_is_no_answer() -> None:
    reply = cut(after=3).but(text="", calls=call("act", STOP).calls)
    async with asking(reply, "chat") as (it, _):
        with pytest.raises(RunFailed):
            await it.say("look")
        assert it.values.get("final_response") is None


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
async def test_a_picture_goes_along_when_vision_says_so(wire: str) -> None:
    for vision, pictures in (("always", [1, 1, 1]), ("auto", [1, 1, 0]), ("never", [0, 0, 0])):
        see = call("act", {"reason": "see", "action": "screenshot"})
        async with asking([see, call("act", SCROLL), call("act", STOP)], wire, vision=vision) as (it, server):
            assert await it.say("look") == ANSWER
            assert [asked.pictures for asked in server.requests] == pictures, vision


async def test_the_limit_is_summed_up_in_a_speaking_call() -> None:
    async with asking([call("act", SCROLL), say("I scrolled. Go on?")], "anthropic") as (it, server):
        it.max_tool_steps = 1
        assert await it.say("look") == "I scrolled. Go on?" == it.spoken
        assert server.requests[-1].tools == []
