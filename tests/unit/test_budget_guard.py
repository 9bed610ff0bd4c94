"""The hard limits of tokens, money and time, for agents that do not keep to their budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from server.agent.context import RunContext
from server.errors import RunFailed
from server.events import Event, Resync, Usage, UsageChanged
from server.runs.agents import AgentFactory
from server.runs.budgets import LAST_CALLS, check_budget, check_own_budget, is_beyond
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.runs.services import RunServices
from server.runtime import Runtime
from server.settings import Settings
from server.store import StartedRun, Store, process_name
from tests.support.databases import agents_of, share_database

TOKENS = "The token budget of this run is used up."
COST = "The cost budget of this run is used up."


@pytest.mark.parametrize(
    ("total", "call", "budget", "is_over"),
    [
        (100, 1, 100, False),
        (120, 1, 100, False),
        (121, 1, 100, True),
        (100 + LAST_CALLS * 30, 30, 100, False),
        (101 + LAST_CALLS * 30, 30, 100, True),
        (10**9, 1, None, False),
    ],
)
def test_there_is_room_for_the_end_of_a_step_and_the_summary(
    total: float, call: float, budget: float | None, is_over: bool
) -> None:
    assert is_beyond(total, call, budget) is is_over


def used(
    tokens: int = 0, call: int = 0, *, cost: float | None = None, call_cost: float | None = None
) -> UsageChanged:
    """After a model call: of all tokens and of those of the call, a third were written by the model."""
    last = Usage(input_tokens=call - call // 3, output_tokens=call // 3, cost=call_cost)
    return UsageChanged(
        call=last, total=Usage(input_tokens=tokens - tokens // 3, output_tokens=tokens // 3, cost=cost)
    )


@pytest.mark.parametrize(
    ("events", "cost_budget", "told"),
    [
        ([used(120, 3)], None, None),
        ([used(121, 3)], None, TOKENS),
        ([used(100 + LAST_CALLS * 30, 30)], None, None),
        ([used(101 + LAST_CALLS * 30, 30)], None, TOKENS),
        ([used(50, 30), used(240, 30)], None, TOKENS),
        ([Resync(), used(240, 30)], None, TOKENS),
        ([Resync()], None, None),
        ([used(cost=1.25, call_cost=0.0625)], 1.0, None),
        ([used(cost=1.26, call_cost=0.0625)], 1.0, COST),
        ([used(cost=2.0, call_cost=0.25)], 1.0, None),
        ([used(cost=2.01, call_cost=0.25)], 1.0, COST),
        ([used(cost=2.01, call_cost=None)], 1.0, COST),
        ([used(cost=None, call_cost=None)], 0.01, None),
        ([used(cost=1000.0, call_cost=0.25)], None, None),
    ],
)
def test_a_run_fails_beyond_its_budget_and_not_before(
    events: list[Event], cost_budget: float | None, told: str | None
) -> None:
    settings = Settings.model_validate({"token_budget": 100, "cost_budget": cost_budget})
    if told is None:
        check_budget(events, settings)
        return
    with pytest.raises(RunFailed) as caught:
        check_budget(events, settings)
    assert (caught.value.code, caught.value.detail) == ("budget", told)


@pytest.mark.parametrize(
    ("cost", "budget", "is_over"),
    [
        (0.5, None, False),
        (0.5, {}, False),
        (0.5, {"month_tokens": 1, "month_cost": 0.01}, False),
        (0.5, {"run_tokens": 90}, False),
        (0.5, {"run_tokens": 89}, True),
        (0.5, {"run_cost": 0.5}, False),
        (0.5, {"run_cost": 0.49}, True),
        (None, {"run_cost": 0.01}, False),
        (0.5, {"run_tokens": 90, "run_cost": 0.49}, True),
        (0.5, {"run_tokens": 89, "run_cost": 0.5}, True),
    ],
)
def test_a_run_of_an_automation_uses_no_more_than_its_own_budget(
    cost: float | None, budget: dict[str, float] | None, is_over: bool
) -> None:
    usage = Usage(input_tokens=60, output_tokens=30, cost=cost)
    if not is_over:
        check_own_budget(usage, budget)
        return
    with pytest.raises(RunFailed) as caught:
        check_own_budget(usage, budget)
    assert caught.value.code == "automation_budget"
    assert caught.value.detail == "The automation's budget for one run is used up."


@dataclass
class Spender:
    """An agent that calls its model again and again, and knows of no limit."""

    calls: int
    tokens: int
    made: int = 0
    is_released: bool = False
    said: str = "Spent."

    async def astream_events(self, *, version: str) -> AsyncIterator[dict[str, Any]]:
        while self.made < self.calls:
            self.made += 1
            counted = {"input_tokens": self.tokens, "output_tokens": 0, "total_tokens": self.tokens}
            output = AIMessage("", usage_metadata=counted)
            yield {"event": "on_chat_model_end", "data": {"output": output}}

    async def question(self) -> None: ...

    def release(self) -> None:
        self.is_released = True


class SpendingAgents(AgentFactory):
    agent: Spender

    async def prepare(self, started: StartedRun, context: RunContext) -> Any:
        return self.agent


@dataclass
class Bank:
    """Runs with a budget of 1,000 tokens."""

    store: Store
    agents: SpendingAgents
    executor: Executor
    spenders: list[Spender] = field(default_factory=list)

    async def run(self, calls: int, tokens: int) -> tuple[str, str | None, str | None]:
        """The status of the run, its error's code and text."""
        self.agents.agent = Spender(calls, tokens)
        self.spenders.append(self.agents.agent)
        session = await self.store.create_session(
            id=None, title="Mine", agent="operator", model="mock:scripted", max_tool_steps=10
        )
        run = (await self.store.accept(session.id, "spend")).run
        await self.executor.execute(run.id, asyncio.Event())
        ended = await self.store.run(run.id)
        return ended.status, ended.error_code, ended.error


@pytest.fixture
async def bank(world: Runtime) -> AsyncIterator[Bank]:
    share_database(world)
    settings = world.settings.model_copy(update={"token_budget": 1_000})
    store = Store(world.database, process_name())
    agents = agents_of(world, store, SpendingAgents)
    assert isinstance(agents, SpendingAgents)
    recorder = RunRecorder(settings, store, world.bus)
    executor = Executor(
        RunServices(settings, store, world.bus, agents, world.browsers, world.screenshots, recorder)
    )
    yield Bank(store, agents, executor)
    await executor.drain(0)


async def test_an_agent_that_does_not_stop_is_stopped_at_the_call_beyond_the_budget(bank: Bank) -> None:
    """4 calls beyond 1,000 tokens are the last ones."""
    assert await bank.run(calls=100, tokens=100) == ("failed", "budget", TOKENS)
    (spender,) = bank.spenders
    assert (spender.made, spender.is_released) == (15, True)


async def test_an_agent_that_ends_within_the_last_calls_is_not_told_of_a_budget(bank: Bank) -> None:
    assert await bank.run(calls=14, tokens=100) == ("completed", None, None)
    assert bank.spenders[0].made == 14
