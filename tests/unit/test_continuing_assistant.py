"""Another process continues a run of the assistant: no call is made twice, nothing that was said is lost."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from server.agent.assistant.continuing import OWN_READERS
from server.agent.assistant.reading import READING_TOOLS
from server.agent.context import RunContext
from server.agent.event_adapter import EventAdapter
from server.agent.today import without_today
from server.browser.browser import ToolOutcome, ToolSpec
from server.checkpoints import Checkpoints, MemoryTables
from server.database.models import RunRow, SessionRow
from server.events import Event, Message, ToolEnd, now
from server.extras.mock.pool import MockBrowsers
from server.ops.json_types import JsonObject
from server.runs.agents import AgentFactory, Interrupted
from server.settings import Settings
from server.store import StartedRun
from tests.support.operator_world import Post
from tests.support.scripted_browser import ScriptedBrowser
from tests.support.scripted_model import ScriptedModel, navigate, stop
from tests.unit.test_assistant import new_context
from tests.unit.test_operator_graph import CART, LEADS, PAGES, SHOP

SCHEMA: JsonObject = {"type": "object", "properties": {"n": {"type": "integer"}}}
LOOK, STEP = "browser_snapshot", "browser_scroll"
SPECS = (ToolSpec(LOOK, "look", SCHEMA, acts=False), ToolSpec(STEP, "scroll", SCHEMA))
ENDLESS = Exception("the process ends here")


def message(id: str, role: Any, content: str, run_id: str = "r", **meta: Any) -> Message:
    return Message(
        id=id, session_id="s", run_id=run_id, seq=int(id), role=role, content=content, created_at=now(),
        meta_json=meta or None,
    )  # fmt: skip


ASKED = message("3", "user", "Do it.")
EARLIER = [message("1", "user", "Hello.", "q"), message("2", "assistant", "Hello to you.", "q"), ASKED]


def call(tool: str, beside: str = "") -> JsonObject:
    """The script gives its calls the ids `call_1`, or `call_0` and so on where a list has several."""
    return {"tool": tool, "raw": "{}", "beside": beside}


class Tools(MockBrowsers):
    async def tools(self) -> tuple[ToolSpec, ...]:
        return SPECS


class CountedBrowser(ScriptedBrowser):
    """Counts calls; the call number `ends_at` is the last thing that its process does."""

    def __init__(self, ends_at: int = 0) -> None:
        super().__init__(dict(PAGES), dict(LEADS), CART)
        self.calls: list[str] = []
        self.has_begun, self._ends_at = asyncio.Event(), ends_at

    async def call(self, name: str, args: JsonObject) -> ToolOutcome:
        self.calls.append(name)
        if len(self.calls) == self._ends_at:
            self.has_begun.set()
            await asyncio.Event().wait()
        return ToolOutcome(True, f"did {name}")


class Worker:
    """A process with its part of a run: `turns` are what its model says, its tables are those of all."""

    def __init__(self, settings: Settings, tables: MemoryTables, turns: list[Any], ends_at: int = 0) -> None:
        self.model, self.browser = ScriptedModel(turns=turns, prompts=[], asked=[]), CountedBrowser(ends_at)
        self.adapter, self.events = EventAdapter("m"), list[Event]()
        self._agents = AgentFactory(
            lambda: settings, lambda name: self.model, Tools(settings), Checkpoints(tables), continues=True
        )

    async def run(self, started: StartedRun, post: Post | None = None) -> None:
        context: RunContext = new_context(post, browser=self.browser, max_tool_steps=9)
        agent = await self._agents.prepare(started, context)
        self.events += self.adapter.take_over(agent.said)
        async with aclosing(agent.astream_events(version="v2")) as raw_events:
            async for raw in raw_events:
                self.events += self.adapter.feed(raw)
        await agent.question()
        agent.release()

    async def run_until_killed(self, started: StartedRun) -> None:
        """Until the call at which it ends; nothing of it is saved after that."""
        running = asyncio.create_task(self.run(started))
        await self.browser.has_begun.wait()
        running.cancel()
        await asyncio.wait({running})

    @property
    def told(self) -> str:
        """The last thing that its model was asked with."""
        return without_today(self.model.asked[-1])[-1].text


def begun(
    attempt: int, *, agent: str = "assistant", doing: str | None = None, more: tuple[Message, ...] = ()
) -> StartedRun:
    run = RunRow(
        id="r", session_id="s", message_id=ASKED.id, answer_id="m", agent=agent, model="scripted", epoch=6 + attempt,
        attempt=attempt, doing=doing,
    )  # fmt: skip
    return StartedRun(
        run, SessionRow(id="s"), [*EARLIER, *more], [], continues=attempt > 1, is_newly_answered=attempt == 1
    )


@pytest.fixture
def tables() -> MemoryTables:
    return MemoryTables()


async def test_a_call_that_may_have_been_made_is_not_made_again_and_neither_is_what_was_to_follow_it(
    settings: Settings, tables: MemoryTables
) -> None:
    turns = [[call(STEP), call(STEP), call(STEP)]]
    await Worker(settings, tables, turns, ends_at=2).run_until_killed(begun(1))
    next_one = Worker(settings, tables, ["I do not know."])
    await next_one.run(begun(2))
    assert next_one.browser.calls == []
    results = [m.text for m in next_one.model.asked[-1] if m.type == "tool"]
    assert results[0] == f"did {STEP}"
    assert "may or may not have happened" in results[1]
    assert results[2].startswith("Not done")
    assert [(one.call_id, one.ok, one.reason) for one in next_one.events if isinstance(one, ToolEnd)] == [
        ("call_1", False, "interrupted")
    ]
    assert next_one.adapter.answer == "I do not know."


def test_the_assistants_own_tools_that_read_are_known() -> None:
    assert READING_TOOLS.keys() == OWN_READERS


async def test_a_call_that_only_reads_is_made_again(settings: Settings, tables: MemoryTables) -> None:
    await Worker(settings, tables, [call(LOOK)], ends_at=1).run_until_killed(begun(1))
    next_one = Worker(settings, tables, ["A cart."])
    await next_one.run(begun(2))
    assert next_one.browser.calls == [LOOK]
    assert next_one.told == f"did {LOOK}"


async def test_of_a_call_whose_end_is_stored_the_model_is_told_the_result(
    settings: Settings, tables: MemoryTables
) -> None:
    await Worker(settings, tables, [call(STEP)], ends_at=1).run_until_killed(begun(1))
    stored = message("4", "tool", "Scrolled to the end", call_id="call_1", name=STEP)
    next_one = Worker(settings, tables, ["Done."])
    await next_one.run(begun(2, more=(stored,)))
    assert next_one.browser.calls == []
    assert next_one.told.startswith("Scrolled to the end\n(another process took over")
    assert not [one for one in next_one.events if isinstance(one, ToolEnd)]


async def test_a_later_call_with_the_id_of_the_left_one_is_made(
    settings: Settings, tables: MemoryTables
) -> None:
    """Some providers number the calls of each answer from 0."""
    await Worker(settings, tables, [call(STEP)], ends_at=1).run_until_killed(begun(1))
    next_one = Worker(settings, tables, [call(STEP), "Done."])
    await next_one.run(begun(2))
    assert next_one.browser.calls == [STEP]


async def test_what_was_said_and_heard_before_is_known_to_the_next_process(
    settings: Settings, tables: MemoryTables
) -> None:
    """The model was asked, with a message that was marked as read, when the process ended."""
    turns = [call(STEP, beside="I scroll first."), ENDLESS]
    worker = Worker(settings, tables, turns)
    with pytest.raises(Exception, match="ends here"):
        await worker.run(begun(1))
    heard = message("5", "user", "Quickly!", mode="steer", heard=True)
    next_one = Worker(settings, tables, ["Done."])
    await next_one.run(begun(2, more=(message("4", "tool", "Scrolled", call_id="call_1", name=STEP), heard)))
    said = without_today(next_one.model.asked[-1])
    assert [(m.type, m.text) for m in said[-1:]] == [("human", "Quickly!")]
    assert "the browser may have been started anew" in said[-2].text
    assert sum(isinstance(m, HumanMessage) for m in said) == 3
    assert next_one.browser.calls == []
    assert next_one.adapter.answer == "I scroll first.\n\nDone."


async def test_an_answer_that_was_not_stored_is_given_again_and_no_call_is_repeated(
    settings: Settings, tables: MemoryTables
) -> None:
    await Worker(settings, tables, [call(STEP), "Done, I think."]).run(begun(1))
    next_one = Worker(settings, tables, ["Done."])
    await next_one.run(begun(2))
    assert next_one.browser.calls == []
    assert next_one.adapter.answer == "Done."


async def test_an_operator_whose_answer_was_not_stored_knows_what_it_has_done(
    settings: Settings, tables: MemoryTables
) -> None:
    await Worker(settings, tables, [navigate(SHOP), stop("Bought, I think.")]).run(begun(1, agent="operator"))
    next_one = Worker(settings, tables, [stop("Bought.")])
    await next_one.run(begun(2, agent="operator"))
    assert "1. navigate https://shop.example/: ok" in next_one.model.prompts[0]
    assert next_one.adapter.answer == "Bought."


async def test_a_run_of_which_nothing_is_saved_begins_unless_it_has_acted(
    settings: Settings, tables: MemoryTables
) -> None:
    await Worker(settings, tables, ["The answer before."]).run(replace(begun(1)))
    older = begun(2)
    older.run.epoch = 30  # of a later run than what is saved
    first = Worker(settings, tables, ["Done."])
    await first.run(older)
    assert first.adapter.answer == "Done."
    acted = begun(3, doing="Clicked “Buy”")
    acted.run.epoch = 60
    with pytest.raises(Interrupted, match="Clicked"):
        await Worker(settings, tables, ["Done."]).run(acted)
