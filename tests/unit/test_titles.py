"""A session is named by a model: which one, with what request, and at what cost."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from server.agent.models.chat_model import build_chat_model
from server.agent.titles import read_title
from server.events import Usage
from server.runs.agents import AgentFactory
from server.settings import Settings
from server.text import cut_whole
from tests.support.model_reply import fail, say
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


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("<think>Okay, a name.</think>Capital of France", "Capital of France"),
        ("<think>\nOkay, a name.\n</think>\n\nCapital of France", "Capital of France"),
        ("Okay, a name.</think>\nCapital of France", "Capital of France"),
        ("<thinking>Cut in the thou", None),
        ("<think></think>", None),
        ("**Title:** Capital of France", "Capital of France"),
        ("**Title: Capital of France**", "Capital of France"),
        ("# Capital of France", "Capital of France"),
        ("Title:\n\n> **Capital of France**", "Capital of France"),
        ("Here is a name for it:\n\n`Capital of France`", "Capital of France"),
        ("- Session title: «Capital of France».", "Capital of France"),
        ("Название: Столица Франции", "Столица Франции"),
        ("标题：法国首都", "法国首都"),
        ("Paris: the capital of France", "Paris: the capital of France"),
        ("Title fight of 1974", "Title fight of 1974"),
        ("***\n---", None),
    ],
)
def test_a_name_is_read_without_thoughts_signs_and_labels(said: str, name: str | None) -> None:
    assert read_title(AIMessage(said)) == name


@pytest.mark.parametrize("whole", ["👩‍👩‍👧‍👦", "🇫🇷", "👍🏽", "e\u0301", "1\ufe0f\u20e3", "நி"])
@pytest.mark.parametrize("before", range(53, 60))
def test_a_name_is_cut_between_characters(whole: str, before: int) -> None:
    kept = cut_whole("x" * before + whole * 9, 60)
    assert len(kept) <= 60
    assert kept.strip("x") == whole * (len(kept.strip("x")) // len(whole))


@pytest.mark.parametrize("model", [HAIKU, "openai:some-model", "google:gemini-2.5-flash", "ollama:qwen3"])
async def test_a_name_may_not_be_long_and_its_failure_keeps_the_first_words(model: str) -> None:
    async with ModelServer([say("Blue kettle"), fail(401)]) as server:
        agents = factory(server.settings(summary_model=None))
        assert (await agents.title(model, ASKED, ANSWERED))[0] == "Blue kettle"
        assert "512" in str(server.requests[0].body)
        assert await agents.title(model, ASKED, ANSWERED) == (None, Usage())


@pytest.mark.parametrize(
    ("model", "more", "is_near"),
    [
        ("ollama:qwen3", {}, True),
        ("openai:qwen3", {"openai_base_url": "http://192.168.1.7:8080/v1"}, True),
        ("openai:qwen3", {"openai_base_url": "https://llm.example.com/v1"}, False),
        ("openai:gpt-6-luna", {}, False),
        (HAIKU, {}, False),
        ("ollama:qwen3", {"summary_model": HAIKU}, False),
        (HAIKU, {"summary_model": "ollama:qwen3"}, True),
        ("ollama:qwen3", {"summary_model": "off"}, False),
    ],
)
def test_a_server_of_ones_own_is_known_by_its_address(
    model: str, more: dict[str, str], is_near: bool
) -> None:
    settings = Settings(_env_file=None, **more)  # type: ignore[arg-type,call-arg]
    assert factory(settings).names_nearby(model) is is_near
