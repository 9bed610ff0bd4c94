"""A session is named by a model: which one, with what request, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest

from server.agent.models.chat_model import build_chat_model
from server.events import Usage
from server.runs.agents import AgentFactory
from server.settings import Settings
from tests.support.model_reply import say
from tests.support.model_server import ModelServer

HAIKU = "anthropic:claude-haiku-4-5"
ASKED, ANSWERED = "find me a blue kettle, please", "The blue kettle costs €43.90."


def factory(settings: Settings) -> AgentFactory:
    nothing: Any = None  # naming needs neither browsers nor checkpoints
    return AgentFactory(lambda: settings, lambda name: build_chat_model(name, settings), nothing, nothing)


@pytest.mark.parametrize(
    ("summary_model", "asked_of"),
    [(None, "claude-haiku-4-5"), ("anthropic:claude-opus-5", "claude-opus-5")],
)
async def test_a_session_is_named_by_its_own_model_unless_another_is_set(
    summary_model: str | None, asked_of: str
) -> None:
    async with ModelServer([say('"Blue kettle."\n', usage=(100, 20))]) as server:
        agents = factory(server.settings(summary_model=summary_model))
        title, usage = await agents.title(HAIKU, ASKED, ANSWERED)
        assert title == "Blue kettle"
        assert (usage.input_tokens, usage.output_tokens, usage.model_calls) == (100, 20, 1)
        assert usage.cost
        (request,) = server.requests
    assert request.body["model"] == asked_of
    assert ASKED in str(request.body)
    assert ANSWERED in str(request.body)


@pytest.mark.parametrize(
    ("summary_model", "model", "mode"),
    [
        ("off", HAIKU, "real"), ("none", HAIKU, "real"), ("OFF", HAIKU, "real"), (None, "demo", "real"),
        (None, "mock:scripted", "mock"), (HAIKU, "mock:scripted", "mock"),
    ],
)  # fmt: skip
async def test_no_call_is_made_where_it_is_off_or_the_model_goes_by_rules(
    summary_model: str | None, model: str, mode: str
) -> None:
    async with ModelServer(say("never")) as server:
        agents = factory(server.settings(summary_model=summary_model, agent_mode=mode))
        assert await agents.title(model, ASKED, ANSWERED) == (None, Usage())
        assert server.requests == []


async def test_a_reply_without_words_names_nothing_and_is_counted(world: Any) -> None:
    row = await world.store.create_session(
        id=None, title=None, agent="operator", model=HAIKU, max_tool_steps=3
    )
    usage = Usage(input_tokens=7, output_tokens=1, model_calls=1, cost=0.5)
    named = await world.store.name_session(row.id, old="", new=None, usage=usage)
    again = await world.store.name_session(row.id, old="", new="Kettle", usage=usage)
    other = await world.store.name_session(row.id, old="", new="Too late", usage=usage)
    assert [named.title, again.title, other.title] == ["", "Kettle", "Kettle"]
    assert other.usage["input_tokens"] == 21
    assert other.usage["cost"] == 1.5
