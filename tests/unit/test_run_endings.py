"""A run ends when it has to, no matter what its model and browser do; the next message is answered."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from server.agent.context import RunContext
from server.browser.browser import ToolOutcome
from server.checkpoints import Checkpoints, MemoryTables
from server.database.models import RunRow
from server.events import ToolStart, Usage
from server.extras.mock.browser import MockBrowser
from server.extras.mock.model import ScriptedChatModel
from server.extras.mock.pool import MockBrowsers
from server.files.transcript import line_of
from server.runs.agents import AgentFactory
from server.runs.commands import RunCommands
from server.runs.events import describe, interruption
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runs.services import RunServices
from server.runtime import Runtime
from server.store import StartedRun, Store, process_name
from tests.support.databases import share_database
from tests.support.eventually import eventually
from wording.catalogue import Wording, parts_of

SHOP, PING = "shop for a kettle", "this is a ping test"


class OddModel(ScriptedChatModel):
    """Mock mode's, but as often as it has `oddities` it breaks with one, or is silent for good where that is None."""

    oddities: list[BaseException | None] = []
    open_streams: list[object] = []

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        if self.oddities:
            if oddity := self.oddities.pop():
                raise oddity
            await self._be_silent()
        async for chunk in super()._astream(*args, **kwargs):
            yield chunk

    async def _be_silent(self) -> None:
        self.open_streams.append(self)
        try:
            await asyncio.Event().wait()
        finally:
            self.open_streams.remove(self)


class DeafBrowser(MockBrowser):
    """Never finishes a navigation, and ignores that its call was cancelled."""

    async def navigate(self, url: str) -> ToolOutcome:
        self.log.append(f"on the way to {url}")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.Event().wait()
        raise AssertionError("nobody wakes it")


class DeafBrowsers(MockBrowsers):
    async def get(self, session_id: str) -> MockBrowser:
        return self._browsers.setdefault(session_id, DeafBrowser())


class DeafAgent:
    """Only its own task refers to what it waits for, and it ignores the first cancel."""

    said = ""

    async def astream_events(self, *, version: str) -> AsyncIterator[Mapping[str, Any]]:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()
        yield {}

    async def question(self) -> None: ...

    def release(self) -> None: ...


class OddAgents(AgentFactory):
    """The real ones, but they can ignore cancels, and make a title at once."""

    are_deaf = False
    titles_asked = 0

    async def prepare(self, started: StartedRun, context: RunContext) -> Any:
        return DeafAgent() if self.are_deaf else await super().prepare(started, context)

    async def title(
        self, model_name: str, asked: str, answered: str, instructions: str = ""
    ) -> tuple[str | None, Usage]:
        self.titles_asked += 1
        return "Found title", Usage(model_calls=1)


@dataclass
class Stage:
    store: Store
    browsers: MockBrowsers
    model: OddModel
    agents: OddAgents
    executor: Executor
    commands: RunCommands

    async def say(self, words: str, session_id: str | None = None) -> RunRow:
        if session_id is None:
            session = await self.store.create_session(
                id=None, title=None, agent="operator", model="mock:scripted", max_tool_steps=10
            )
            session_id = session.id
        return (await self.commands.accept(session_id, words)).run

    async def ended(self, run: RunRow) -> tuple[str, str | None]:
        row = await eventually(
            lambda: self.store.run(run.id), lambda it: it.finished_at, message="the run ends"
        )
        return row.status, row.error_code

    async def sent(self, run: RunRow) -> None:
        """Its browser is on the way."""

        async def calls() -> list[str]:
            return (await self.browsers.get(run.session_id)).log if self.browsers.peek(run.session_id) else []

        await eventually(calls, message="the browser is called")


@pytest.fixture
async def stage(world: Runtime, request: pytest.FixtureRequest) -> AsyncIterator[Stage]:
    settings = world.settings.model_copy(update=getattr(request, "param", {}))
    browsers, model = DeafBrowsers(settings), OddModel(oddities=[], open_streams=[])
    agents = OddAgents(lambda: settings, lambda _: model, browsers, Checkpoints(MemoryTables()))
    share_database(world)
    store = Store(world.database, process_name())
    recorder = RunRecorder(settings, store, world.bus)
    parts = (agents, browsers, world.screenshots, recorder)
    services = RunServices(settings, store, world.bus, *parts)
    executor = Executor(services)
    commands = RunCommands(services, executor)
    yield Stage(store, browsers, model, agents, executor, commands)
    await executor.drain(0)


async def test_a_cancel_does_not_wait_for_a_tool_that_never_ends(stage: Stage) -> None:
    run = await stage.say(SHOP)
    await stage.sent(run)
    await stage.commands.cancel(run.session_id)
    assert await stage.ended(run) == ("cancelled", "cancelled")
    assert await stage.ended(await stage.say(PING, run.session_id)) == ("completed", None)


@pytest.mark.parametrize("stage", [{"run_timeout": 0.2}], indirect=True)
async def test_an_agent_that_does_not_end_is_held_until_it_does(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    """The garbage collector ends a task in its middle that has no reference."""
    stage.agents.are_deaf = True
    assert await stage.ended(await stage.say(PING)) == ("failed", "time_limit")
    gc.collect()
    assert "destroyed" not in caplog.text


@pytest.mark.parametrize("stage", [{"run_timeout": 0.2}], indirect=True)
async def test_a_run_whose_tool_never_ends_fails_at_its_time_limit(stage: Stage) -> None:
    assert await stage.ended(await stage.say(SHOP)) == ("failed", "time_limit")


async def test_only_a_session_that_nobody_has_named_is_named_after_its_first_answer(stage: Stage) -> None:
    other = await stage.store.create_session(
        id=None, title="Mine", agent="operator", model="mock:scripted", max_tool_steps=10
    )
    assert await stage.ended(await stage.say(PING, other.id)) == ("completed", None)
    run = await stage.say(PING)  # its name is asked for after that of the other would have been
    assert await stage.ended(run) == ("completed", None)
    await eventually(
        lambda: stage.store.session(run.session_id),
        lambda it: it.title == "Found title",
        message="the session is named",
    )
    assert (await stage.store.session(other.id)).title == "Mine"
    assert stage.agents.titles_asked == 1


async def test_a_cancel_closes_the_models_stream(stage: Stage) -> None:
    stage.model.oddities.append(None)
    run = await stage.say(PING)
    await eventually(lambda: stage.model.open_streams, message="the model is called")
    await stage.commands.cancel(run.session_id)
    assert not stage.model.open_streams
    assert await stage.ended(await stage.say(PING, run.session_id)) == ("completed", None)


class Panic(BaseException):
    """As libraries that are not written in Python raise it."""


@pytest.mark.parametrize("kind", [ValueError, Panic])
async def test_a_fault_that_nobody_expects_fails_its_run_and_no_other(
    stage: Stage, caplog: pytest.LogCaptureFixture, kind: type[BaseException]
) -> None:
    stage.model.oddities.append(kind("nobody expects this"))
    run = await stage.say(PING)
    assert await stage.ended(run) == ("failed", "internal")
    assert "nobody expects this" in caplog.text
    assert "nobody" not in ((await stage.store.run(run.id)).error or "")
    assert await stage.ended(await stage.say(PING, run.session_id)) == ("completed", None)


@pytest.mark.parametrize("doing", ["click Place order", None])
async def test_a_killed_run_tells_which_action_may_have_happened(
    stage: Stage, world: Runtime, doing: str | None
) -> None:
    gone = Store(world.database, f"{world.store.owner.rpartition(':')[0]}:gone")
    session = await gone.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=10)
    begun = await gone.begin_execution((await gone.accept(session.id, "buy")).run.id)
    assert begun
    await gone.begin_call(begun.run, "click Place order")
    if doing is None:
        await gone.add_tool_message(begun.run, "clicked", {"call_id": "c"})
    recorder = RunRecorder(world.settings, world.store, world.bus)
    await Recovery(world.store, world.bus, recorder, stage.executor).recover()
    ended = await world.store.run(begun.run.id)
    assert (ended.status, ended.error_code) == ("interrupted", "server_restart")
    told = f"may or may not have happened: {doing}" if doing else "Interrupted by a restart of the server."
    assert str(ended.error).endswith(told)


def test_the_step_that_may_have_happened_is_told_in_words_of_a_person() -> None:
    """As recovery stores it, and as a Russian reads it."""

    def done(name: str, **args: str) -> Wording:
        step = describe(ToolStart(call_id="c", name=name, args=args))
        return interruption(RunRow(doing=step, doing_parts=parts_of(step)))

    clicked = done("browser_click", element='button "Place order"', target="e10", reason="Step 1 of 2")
    assert clicked.endswith("may or may not have happened: Clicked “Place order”")
    assert done("navigate", url="http://shop.example/kettle").endswith(": Opened shop.example/kettle")
    assert done("odd_tool", text="a").endswith(": odd_tool a")
    run = RunRow(id="r", session_id="s", status="interrupted", error=clicked, error_parts=parts_of(clicked))
    assert line_of(run, "ru") == (
        "Закончилось без ответа: Прервано перезапуском сервера. "
        "Неизвестно, выполнено ли последнее действие: Нажатие «Place order»"
    )


async def test_a_run_that_has_ended_is_not_executed_again(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    run = await stage.say(PING)
    assert await stage.ended(run) == ("completed", None)
    said = await stage.store.messages(run.session_id)
    stage.executor.dispatch.submit(run.id)
    assert not await stage.executor.dispatch.wait_started(run.id)
    await stage.executor.drain(60)
    assert await stage.store.messages(run.session_id) == said
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_what_was_said_before_the_stream_broke_is_kept_and_marked(stage: Stage) -> None:
    run = await stage.say(PING)
    ended = await stage.store.finish_run(
        run.id,
        "failed",
        answer="It is P",
        answer_meta={"cut": "stream"},
        error_code="llm_stream_cut",
        error="broke",
    )
    assert ended is not None
    assert ended.message is not None
    assert ended.message.meta_json == {"cut": "stream"}
    assert ended.run.end_position == ended.message.seq + 1 == ended.session.last_seq
