"""Where the first model fails, the second one takes the step: both agents, real wires, and no act twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage

from server.agent.assistant.agent import build_assistant
from server.agent.assistant.input import to_lc_messages
from server.agent.custom_events import ModelReplaced
from server.agent.event_adapter import EventAdapter
from server.agent.models.catalog import usage_cost
from server.agent.models.chat_model import build_chat_model
from server.agent.second_model import PAUSE_SECONDS, SecondModel
from server.agent.streaming import graph_events
from server.errors import RunFailed
from server.events import SECOND_MODEL, Message, ToolEnd, Usage, now, sum_usage
from server.runs.agents import AgentFactory, cost_of
from server.settings import Settings
from server.store import StartedRun
from tests.support.model_reply import (
    Reply,
    Step,
    ToolCall,
    break_off,
    cut,
    fail,
    hang,
    refuse,
    say,
    think,
)
from tests.support.model_server import ModelServer
from tests.support.operator_tasks import step_of
from tests.support.operator_world import World
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import click, stop, type_into
from tests.unit.test_assistant import SPECS, new_context
from tests.unit.test_operator_graph import CART, LEADS, PAGES, SHOP

NAMES = {
    "anthropic": ("anthropic:claude-haiku-4-5", {}),
    "thinking": ("anthropic:claude-haiku-5-5", {}),
    "chat": ("openai:gpt-5-mini", {"openai_api": "chat"}),
    "responses": ("openai:gpt-5-mini", {"openai_api": "responses"}),
    "google": ("google:gemini-2.5-flash", {}),
    "ollama": ("ollama:qwen3", {}),
}
DEATHS: dict[str, Reply] = {
    "401": fail(401), "402": fail(402), "404": fail(404, "no such model"), "429": fail(429, retry_after=60),
    "503": fail(503, retry_after=0), "silent": hang(), "gone": refuse(),
}  # fmt: skip


@dataclass
class Clock:
    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class Pair:
    first: ModelServer
    other: ModelServer
    model: Any
    second: SecondModel
    clock: Clock


@asynccontextmanager
async def pair(
    first: Any, other: Any, wires: tuple[str, str] = ("anthropic", "ollama"), seconds: float = 20.0
) -> AsyncIterator[Pair]:
    """Two models on two servers, and no request that one of them would refuse."""
    async with ModelServer(first) as one, ModelServer(other) as two:

        def model(server: ModelServer, wire: str, seconds: float = 20.0) -> Any:
            name, more = NAMES[wire]
            built: Any = build_chat_model(name, server.settings(**more))
            built._limits = replace(built._limits, backoff=0.01, first_token=seconds, is_patient=False)
            return built

        clock, name = Clock(), NAMES[wires[1]][0]
        second = SecondModel(NAMES[wires[0]][0], name, model(two, wires[1]), partial(usage_cost, name), clock)
        yield Pair(one, two, model(one, wires[0], seconds), second, clock)
        assert two.refusals == []


def dying(turns: Sequence[Any], at: int, death: Reply) -> tuple[Callable[..., Step], list[Any]]:
    """A first model that dies at one step, and what the second one has to say."""
    left = list(turns[:at])

    def answer(asked: Any) -> Reply:
        step = step_of(left.pop(0)) if left else death
        return step if isinstance(step, Reply) else step(asked)

    return answer, [step_of(turn) for turn in turns[at:]]


TURNS = [type_into({"Search": "kettle"}), click("Kettle"), stop("It costs €43.90.")]


def shop(models: Pair, **options: Any) -> World:
    browser = ScriptedBrowser(dict(PAGES), dict(LEADS), SHOP)
    return World(browser, cast(Any, models.model), options={"second": models.second, **options})


@pytest.mark.parametrize(
    "wires",
    [
        ("anthropic", "ollama"),
        ("chat", "anthropic"),
        ("ollama", "responses"),
        ("google", "chat"),
        ("thinking", "google"),
    ],
)
@pytest.mark.parametrize("at", range(len(TURNS)))
async def test_the_operators_task_ends_as_with_a_healthy_model(wires: tuple[str, str], at: int) -> None:
    first, other = dying(TURNS, at, fail(503, retry_after=0))
    async with pair(first, other, wires) as models:
        it = shop(models)
        assert await it.say("What does the kettle cost?") == "It costs €43.90."
        assert it.browser.log == ["type Search=kettle", "click Kettle"]
        replaced = it.of("model_replaced")
    assert len(replaced) == len(TURNS) - at
    assert replaced[0] == {
        "model": NAMES[wires[1]][0],
        "instead_of": NAMES[wires[0]][0],
        "code": "llm_unavailable",
        "reason": "unavailable",
    }


@pytest.mark.parametrize("death", DEATHS)
async def test_each_way_to_die_is_replaced(death: str) -> None:
    is_silent = death == "silent"  # from the start: no answer of it is measured
    first, other = dying(TURNS, 0 if is_silent else 1, DEATHS[death])
    async with pair(first, other, seconds=0.2 if is_silent else 20.0) as models:
        it = shop(models)
        assert await it.say("What does the kettle cost?") == "It costs €43.90."
        assert it.browser.log == ["type Search=kettle", "click Kettle"]


@pytest.mark.parametrize("broken", [cut("word " * 9, after=7), break_off()])
async def test_a_move_that_broke_off_is_asked_for_again_and_then_of_the_second(broken: Reply) -> None:
    async with pair([broken, broken], [step_of(turn) for turn in TURNS]) as models:
        it = shop(models)
        assert await it.say("What does the kettle cost?") == "It costs €43.90."
        assert len(models.first.requests) == 2


@pytest.mark.parametrize(
    ("death", "code"),
    [
        (fail(400, "content_filter"), "llm_content_filter"),
        (fail(400, "prompt is too long: 9 tokens > 8 maximum"), "llm_context_too_long"),
        (fail(400, "tools.0: bad"), "llm_bad_request"),
    ],
)
async def test_a_refusal_is_for_the_person_not_for_the_second_model(death: Reply, code: str) -> None:
    async with pair(death, say("never")) as models:
        with pytest.raises(RunFailed) as failed:
            await shop(models).say("What does the kettle cost?")
        assert (failed.value.code, models.other.requests) == (code, [])


async def test_an_answer_that_is_shown_is_not_replaced() -> None:
    async with pair(cut("word " * 9, after=7), say("never")) as models:
        graph = build_assistant(models.model, SPECS, second=models.second)
        with pytest.raises(RunFailed) as failed:
            await graph.ainvoke({"messages": [HumanMessage("Hi")]}, context=new_context())
        assert (failed.value.code, models.other.requests) == ("llm_stream_cut", [])


async def test_a_run_that_may_not_use_it_fails() -> None:
    async with pair(fail(401), say("never")) as models:
        graph = build_assistant(models.model, SPECS, second=models.second)
        context = replace(new_context(), only_first_model=True)
        with pytest.raises(RunFailed):
            await graph.ainvoke({"messages": [HumanMessage("Hi")]}, context=context)
        assert models.other.requests == []


async def test_thoughts_without_an_answer_are_asked_for_once_more() -> None:
    async with pair(
        [break_off("", after=4).but(thinking="Let me see how it is"), say("Fine.")],
        say("never"),
        ("chat", "chat"),
    ) as models:
        graph = build_assistant(models.model, SPECS, second=models.second)
        result = await graph.ainvoke({"messages": [HumanMessage("Hi")]}, context=new_context())
        assert (result["messages"][-1].text, len(models.first.requests)) == ("Fine.", 2)


def look(n: int) -> ToolCall:
    return ToolCall("browser_snapshot", {}, f"call_{n}")


STEPS = [think("I look.", calls=(look(1),)), think("Again.", "Once more.", calls=(look(2),)), say("A cart.")]


def wide(step: Reply, n: int) -> Reply:
    """Ids of calls that only some providers take."""
    return step.but(calls=[ToolCall(one.name, one.args, f"call.{n}:{'x' * 40}") for one in step.calls])


@pytest.mark.parametrize(
    "wires",
    [
        ("thinking", "ollama"),
        ("thinking", "responses"),
        ("chat", "anthropic"),
        ("responses", "anthropic"),
        ("google", "chat"),
        ("ollama", "google"),
    ],
)
@pytest.mark.parametrize("at", range(len(STEPS)))
async def test_the_assistants_task_ends_as_with_a_healthy_model(wires: tuple[str, str], at: int) -> None:
    death = fail(503, retry_after=0)
    steps = [wide(step, n) if wires[0] == "chat" else step for n, step in enumerate(STEPS)]
    left = steps[:at]
    async with pair(lambda asked: left.pop(0) if left else death, STEPS[at:], wires) as models:
        graph = build_assistant(models.model, SPECS, second=models.second)
        browser = ScriptedBrowser(dict(PAGES), dict(LEADS), CART)
        adapter = EventAdapter("m", second_cost=cost_of)
        events = [
            event
            async for raw in graph_events(
                graph,
                {"messages": [HumanMessage("What do you see?")]},
                {},
                context=new_context(max_tool_steps=9, browser=browser),
            )
            for event in adapter.feed(raw)
        ]
        other = NAMES[wires[1]][0]
    assert adapter.answer.endswith("A cart.")
    rows = [event for event in events if isinstance(event, ToolEnd)]
    assert [row.name for row in rows].count("browser_snapshot") == 2
    (told,) = [row for row in rows if row.name == SECOND_MODEL]
    assert told.summary == f"{NAMES[wires[0]][0]} failed (unavailable): {other} answers for it."
    assert adapter.usage.models is not None
    used = adapter.usage.models[other]
    assert (used.model_calls, adapter.usage.model_calls) == (len(STEPS) - at, len(STEPS))
    assert (used.cost is None) == (other == "ollama:qwen3")


@pytest.mark.parametrize("is_alone", [False, True])
async def test_the_plan_before_a_start_is_asked_of_it_too(is_alone: bool) -> None:
    async with pair(fail(401), [say('{"plan": ["Look"]}')] * 2) as models:
        built = {models.second.first: models.model, models.second.name: models.second.model}
        settings = Settings(fallback_model=models.second.name)
        agents = AgentFactory(lambda: settings, built.__getitem__, cast(Any, None), cast(Any, None))
        message = Message(
            id="m", session_id="s", run_id="r", seq=1, role="user", content="Look", created_at=now()
        )
        run: Any = SimpleNamespace(model=models.second.first, message_id="m")
        started = StartedRun(run, cast(Any, None), [message], [], only_first_model=is_alone)
        if is_alone:
            with pytest.raises(RunFailed):
                await agents.foresee(started, None, (), "")
            assert models.other.requests == []
            return
        for _ in range(2):
            plan, reply, by_second = await agents.foresee(started, None, (), "")
        assert (plan.plan, len(models.first.requests)) == (["Look"], 1)
    assert by_second
    adapter = EventAdapter("m", second_cost=cost_of)
    assert [event.type for event in adapter.replace(by_second)] == ["tool_start", "tool_end"]
    adapter.count(reply)
    assert adapter.usage.models is not None
    assert adapter.usage.models[models.second.name].model_calls == 1


def test_what_the_first_one_has_used_before_it_failed_is_its_own() -> None:
    adapter = EventAdapter("m", second_cost=cost_of)
    adapter.feed(
        cast(
            Any, {"event": "on_chat_model_start", "data": {"input": {"messages": [[HumanMessage("x" * 40)]]}}}
        )
    )
    chunk = {"event": "on_chat_model_stream", "metadata": {}, "data": {"chunk": AIMessageChunk("y" * 8)}}
    adapter.feed(cast(Any, chunk))
    adapter.replace(ModelReplaced("openai:a", "google:b", "llm_stream_cut", "its answer broke off"))
    assert (adapter.usage.input_tokens, adapter.usage.output_tokens, adapter.usage.models) == (10, 2, None)
    adapter.count(AIMessage("", usage_metadata={"input_tokens": 5, "output_tokens": 1, "total_tokens": 6}))
    assert adapter.usage.models is not None
    assert adapter.usage.models["openai:a"].input_tokens == 5


async def test_the_first_model_is_tried_again_after_ten_minutes() -> None:
    async with pair([fail(401), step_of(stop("First."))], [step_of(stop("Second."))] * 2) as models:
        it = shop(models)
        assert [await it.say("a"), await it.say("b")] == ["Second.", "Second."]
        assert len(models.first.requests) == 1
        models.clock.seconds += PAUSE_SECONDS + 1
        assert await it.say("c") == "First."


async def test_both_models_count_towards_one_budget() -> None:
    dear = stop("Never.")
    first, other = dying([type_into({"Search": "kettle"}), click("Kettle"), dear], 1, fail(401))
    async with pair(first, other) as models:
        it = shop(models, token_budget=200)
        said = await it.say("What does the kettle cost?")
    assert it.values["outcome"] == "limit"
    assert said is not None


def test_usage_by_models_adds_up_and_is_left_out_where_there_is_none() -> None:
    one = Usage(input_tokens=5, model_calls=1, cost=0.5)
    other = Usage(input_tokens=7, model_calls=1, models={"ollama:x": {"input_tokens": 7, "model_calls": 1}})  # type: ignore[dict-item]
    total = sum_usage(sum_usage(one, other), other)
    assert total.models is not None
    assert (total.input_tokens, total.models["ollama:x"].input_tokens, total.cost) == (19, 14, 0.5)
    assert "models" not in one.model_dump()
    assert Usage.model_validate(total.model_dump()) == total


def test_the_row_of_the_second_model_is_no_call_for_the_next_run() -> None:
    row = Message(
        id="1", session_id="s", run_id="r", seq=1, role="tool", content="It answers.", created_at=now(),
        meta_json={"call_id": "c", "name": SECOND_MODEL},
    )  # fmt: skip
    assert to_lc_messages([row]) == []
