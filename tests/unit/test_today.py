"""What prompts say of the day: the person's, or the automation's, whatever the server's clock shows."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from server.agent.assistant import today as middleware
from server.agent.foresight import ask_plan
from server.agent.operator.memory.state import State
from server.agent.operator.plan.prompts import step_prompt, summary_prompt
from server.agent.titles import ask_title
from server.agent.today import with_today, without_today
from server.channels.quiet import QuietRefused, check_quiet
from server.clock import today
from server.runtime import open_runtime
from server.settings import Settings
from tests.support.scripted_model import ScriptedModel

NIGHT = datetime(2026, 11, 26, 16, 5, tzinfo=UTC)
"""A Thursday in UTC, and Friday at 01:05 in Tokyo."""
LINE = "Today: Friday, 2026-11-27, 01:05 (Asia/Tokyo)"


@pytest.mark.parametrize(
    ("zone", "locale", "line"),
    [
        ("Asia/Tokyo", None, LINE),
        ("Asia/Tokyo", "ja", f"{LINE}, ja"),
        ("America/Los_Angeles", "en-US", "Today: Thursday, 2026-11-26, 08:05 (America/Los_Angeles), en-US"),
        ("Pacific/Kiritimati", None, "Today: Friday, 2026-11-27, 06:05 (Pacific/Kiritimati)"),
    ],
)
def test_the_day_is_that_of_the_zone(zone: str, locale: str | None, line: str) -> None:
    assert today(NIGHT, zone, locale) == line


def test_without_a_zone_the_line_says_that_it_is_the_servers() -> None:
    assert today(NIGHT, None).endswith(", server's zone)")


def test_the_operators_prompts_have_the_line_in_their_last_message() -> None:
    for prompt in (
        step_prompt(State.read({"task": "t"}), "", today=LINE),
        summary_prompt(State.read({"task": "t"}), "time", LINE),
    ):
        assert [LINE in message.text.split("\n") for message in prompt] == [False, True]


@pytest.mark.parametrize(
    "last",
    [
        HumanMessage("Book it."),
        ToolMessage("ok", tool_call_id="1"),
        HumanMessage([{"type": "text", "text": "x"}]),
    ],
)
def test_the_line_is_added_to_the_last_message_and_the_state_stays(last: AnyMessage) -> None:
    before = [HumanMessage("Hello"), AIMessage("Yes?"), last]
    told = with_today(before, LINE)
    assert told[:-1] == before[:-1]
    assert LINE in told[-1].text
    assert LINE not in last.text
    assert LINE not in without_today(told)[-1].text or isinstance(last.content, list)


async def test_the_assistants_line_is_made_anew_at_each_call() -> None:
    lines = iter(["Today: one", "Today: two"])
    read: list[str] = []

    async def call(request: Any) -> Any:
        read.append(request.messages[-1].text)

    class Request(SimpleNamespace):
        def override(self, **values: object) -> Request:
            return Request(**{**vars(self), **values})

    context = SimpleNamespace(today=lambda: next(lines))
    request = Request(messages=[HumanMessage("Book it.")], runtime=SimpleNamespace(context=context))
    for _ in range(2):
        await middleware.Today().awrap_model_call(cast("Any", request), call)
    assert read == ["Book it.\n\nToday: one", "Book it.\n\nToday: two"]


async def test_titles_and_plans_have_the_line() -> None:
    model = ScriptedModel(turns=["A name", "{}"], prompts=[])
    await ask_title(model, "Book a table for tomorrow", "Done", LINE, "")
    await ask_plan(model, "Book a table for tomorrow", None, (), LINE, "")
    assert [prompt.endswith(f"\n\n{LINE}") for prompt in model.prompts] == [True, True]


BAD_ZONES = [
    "Mars/Base",
    "localtime",
    "posixrules",
    "UTC+3",
    "/etc/localtime",
    "../../etc/passwd",
    "Europe/Berlin\r\nX: b",
    "",
]


@pytest.mark.parametrize("name", ["time_zone", "device_zone"])
@pytest.mark.parametrize("zone", BAD_ZONES)
async def test_a_zone_that_is_none_is_refused(client: httpx.AsyncClient, name: str, zone: str) -> None:
    answer = await client.patch("/api/settings", json={name: zone})
    assert answer.status_code == 422
    assert name in answer.json()["detail"]


@pytest.mark.parametrize("locale", ["de_DE", "german language", "de\r\nX: b", "1", ""])
async def test_a_language_that_is_none_is_refused(client: httpx.AsyncClient, locale: str) -> None:
    assert (await client.patch("/api/settings", json={"locale": locale})).status_code == 422


async def test_automations_and_quiet_hours_refuse_the_servers_own_zone(client: httpx.AsyncClient) -> None:
    automation = {"name": "a", "task": "t", "zone": "localtime"}
    assert (await client.post("/api/automations", json=automation)).status_code == 422
    preview = {"rule": "FREQ=DAILY", "zone": "localtime"}
    assert (await client.post("/api/automations/preview", json=preview)).status_code == 422
    with pytest.raises(QuietRefused):
        check_quiet("22:00", "07:00", "localtime")


async def test_what_the_person_sets_goes_before_what_their_browser_says(settings: Settings) -> None:
    async with open_runtime(settings) as world:
        change = world.preferences.change
        assert "server's zone" in world.agents.today()
        await change({"device_zone": "Asia/Tokyo", "device_locale": "ja"})
        assert world.agents.today().endswith("(Asia/Tokyo), ja")
        assert world.preferences.chosen.time_zone is None
        await change({"time_zone": "Europe/Berlin"})
        await change({"device_zone": "America/New_York"})
        assert "(Europe/Berlin)" in world.agents.today()
        assert "(Pacific/Auckland)" in world.agents.today("Pacific/Auckland")  # an automation's own
    async with open_runtime(settings) as world:  # kept
        assert "(Europe/Berlin)" in world.agents.today()
        await world.preferences.change({"time_zone": None})
        assert "(America/New_York)" in world.agents.today()


async def test_the_same_words_of_a_device_change_nothing(settings: Settings) -> None:
    async with open_runtime(settings) as world:
        told: list[Settings] = []
        world.preferences.listeners.append(told.append)
        for _ in range(2):
            await world.preferences.change({"device_zone": "Asia/Tokyo"})
        assert len(told) == 1
