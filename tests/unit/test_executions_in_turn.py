"""The executions of a session follow one another, also if the next one is requested before the last has fully ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from server.agent.context import RunContext
from server.api.live import Release, handle_message
from server.browser.browser import BrowserUnavailable
from server.browser.takeover.live_view import LiveView
from server.database.models import InterruptRow, RunRow, SessionRow
from server.events import Answer, Question
from server.extras.mock.browser import MockBrowser
from server.extras.mock.pool import MockBrowsers
from server.extras.mock.view import MockScreen
from server.runs.agents import AgentFactory, PreparedAgent
from server.runs.commands import RunCommands
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.runs.services import RunServices
from server.runtime import Runtime, open_runtime
from server.settings import Settings
from server.store import StartedRun, Store, process_name
from tests.support.databases import agents_of, share_database
from tests.support.eventually import eventually


class SlowStore(Store):
    """Reads a session, and returns from `begin_execution`, only when the test allows it."""

    def __init__(self, world: Runtime) -> None:
        super().__init__(world.database, process_name())
        self.may_read = asyncio.Event()
        self.may_begin = asyncio.Event()
        self.may_begin.set()
        self.before_purge: Callable[[], Awaitable[None]] | None = None

    async def purge_session(self, session_id: str) -> None:
        if self.before_purge:
            await self.before_purge()
        await super().purge_session(session_id)

    async def begin_execution(self, *args: Any, **kwargs: Any) -> StartedRun | None:
        begun = await super().begin_execution(*args, **kwargs)
        await self.may_begin.wait()
        return begun

    async def session(self, session_id: str) -> SessionRow:
        await self.may_read.wait()
        return await super().session(session_id)


@dataclass
class LateAgent(PreparedAgent):
    """The user does something after the agent has read its last input."""

    late: Callable[[], Awaitable[object]]

    async def question(self) -> Question | None:
        asked = await super().question()
        await self.late()
        return asked


async def nothing() -> object:
    return None


class LateAgents(AgentFactory):
    late: Callable[[], Awaitable[object]] = staticmethod(nothing)
    """What the user does at that moment."""

    async def prepare(self, started: StartedRun, context: RunContext) -> PreparedAgent:
        return LateAgent(**vars(await super().prepare(started, context)), late=self.late)


@dataclass
class Stage:
    store: SlowStore
    agents: LateAgents
    executor: Executor
    commands: RunCommands

    async def begin(self, words: str) -> RunRow:
        session = await self.store.create_session(
            id=None, title=None, agent="operator", model="mock:scripted", max_tool_steps=10
        )
        accepted = await self.store.accept(session.id, words)
        self.executor.dispatch.start(accepted)
        return accepted.run

    async def wait_started(self) -> RunRow:
        """A run that has begun in the database, before its execution knows."""
        self.store.may_begin.clear()
        run = await self.begin("slow story")
        await eventually(
            lambda: self.store.run(run.id), lambda it: it.status == "running", message="the run begins"
        )
        return run

    async def asked(self) -> InterruptRow:
        """The open question of a run, before its execution publishes the session's new status."""
        run = await self.begin("shop for a kettle")
        question = await eventually(
            lambda: self.store.pending(run.session_id), message="the run asks its question"
        )
        assert question
        assert run.session_id in self.executor.executions
        return question

    async def rests(self, session_id: str) -> None:
        """Wait until no execution of this session is left."""
        await eventually(lambda: session_id not in self.executor.executions, message="the execution ends")

    async def plan(self, session_id: str) -> list[str]:
        state = await self.commands.working_state.read(session_id)
        return state.plan if state else []

    async def status(self, question: InterruptRow) -> str:
        return (await self.store.run(question.run_id)).status


@pytest.fixture
async def stage(world: Runtime) -> AsyncIterator[Stage]:
    share_database(world)
    store = SlowStore(world)
    recorder = RunRecorder(world.settings, store, world.bus)
    agents = agents_of(world, store, LateAgents)
    assert isinstance(agents, LateAgents)
    parts = (world.bus, agents, world.browsers, world.screenshots, recorder)
    services = RunServices(world.settings, store, *parts)
    executor = Executor(services)
    watching = asyncio.create_task(_watch(world))
    yield Stage(store, agents, executor, RunCommands(services, executor))
    store.may_read.set()
    await executor.drain(0)
    watching.cancel()


async def _watch(world: Runtime) -> None:
    async for _ in world.bus.watch():
        pass


async def test_a_run_that_is_cancelled_while_its_question_is_told_is_over(stage: Stage) -> None:
    question = await stage.asked()
    cancelling = asyncio.create_task(stage.commands.cancel(question.session_id))
    await asyncio.sleep(0)
    stage.store.may_read.set()
    async with asyncio.timeout(60):
        await cancelling
    assert await stage.status(question) == "cancelled"


async def test_who_answers_while_the_question_is_told_can_still_cancel(stage: Stage) -> None:
    question = await stage.asked()
    run = stage.executor.executions[question.session_id]
    await stage.commands.decide(
        question.session_id, Answer(reference=question.reference, message="slow down")
    )
    await eventually(lambda: stage.status(question), lambda it: it == "running", message="the run goes on")
    stage.store.may_read.set()
    await run.ended.wait()
    await eventually(
        lambda: stage.executor.executions.get(question.session_id),
        lambda it: it not in (None, run),
        message="the next execution begins",
        interval=0,
    )
    async with asyncio.timeout(60):
        await stage.commands.cancel(question.session_id)
    assert await stage.status(question) == "cancelled"
    assert not stage.executor.executions


async def test_a_run_that_begins_while_the_server_goes_down_is_interrupted(stage: Stage) -> None:
    stage.store.may_read.set()
    run = await stage.wait_started()
    draining = asyncio.create_task(stage.executor.drain(0))
    await asyncio.sleep(0)
    stage.store.may_begin.set()
    async with asyncio.timeout(60):
        await draining
    assert (await stage.store.run(run.id)).status == "interrupted"


async def test_a_run_that_is_cancelled_while_it_begins_is_not_carried_out(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.store.may_read.set()
    run = await stage.wait_started()
    cancelling = asyncio.create_task(stage.commands.cancel(run.session_id))
    async with asyncio.timeout(60):
        await asyncio.wait({cancelling}, timeout=0.2)
        stage.store.may_begin.set()
        await cancelling
        await stage.executor.drain(60)
    ended = await stage.store.run(run.id)
    assert (ended.status, ended.attempt) == ("cancelled", 1)
    assert not caplog.records


async def test_a_purge_that_is_cut_short_leaves_nothing_that_cannot_be_purged_again(
    stage: Stage, world: Runtime
) -> None:
    session_id = (await stage.asked()).session_id
    stage.store.may_read.set()
    await world.files.add(session_id, "letter.txt", b"canary")

    async def kill() -> None:
        raise asyncio.CancelledError

    stage.store.before_purge = kill
    with pytest.raises(asyncio.CancelledError):
        await stage.commands.delete(session_id, purge=True)
    assert await stage.store.session_ids() == [session_id]
    assert not [path for path in world.settings.data_dir.rglob("*") if session_id in path.parts]
    assert await stage.commands.working_state.read(session_id) is None
    stage.store.before_purge = None
    await stage.commands.delete(session_id, purge=True)
    assert await stage.store.session_ids() == []


async def test_a_message_that_comes_while_its_session_is_removed_leaves_nothing_going_on(
    stage: Stage, world: Runtime
) -> None:
    stage.store.may_read.set()
    run = await stage.begin("this is a ping test")

    async def say_more() -> None:
        await stage.commands.accept(run.session_id, "slow story")
        executions = stage.executor.executions
        await eventually(lambda: run.session_id in executions, message="the execution begins", interval=0)

    stage.store.before_purge = say_more
    await stage.commands.delete(run.session_id, purge=True)
    assert not stage.executor.executions
    assert world.browsers.peek(run.session_id) is None


MINE = ["Compare the prices", "Order", "Tell the result"]


async def test_a_plan_that_is_edited_while_the_question_is_told_stays_with_the_question(stage: Stage) -> None:
    question = await stage.asked()
    editing = asyncio.create_task(stage.commands.working_state.edit_plan(question.session_id, MINE))
    await asyncio.sleep(0)
    stage.store.may_read.set()
    async with asyncio.timeout(60):
        assert (await editing).plan == MINE
    await stage.rests(question.session_id)
    assert (await stage.plan(question.session_id)) == MINE


@pytest.mark.parametrize("words", ["shop for a kettle", "hello"])
async def test_a_plan_that_is_edited_after_the_agent_read_its_last_edits_is_kept(
    stage: Stage, words: str
) -> None:
    async def edit() -> object:
        (session_id,) = stage.executor.executions
        stage.agents.late = nothing
        return await stage.commands.working_state.edit_plan(session_id, MINE)

    stage.store.may_read.set()
    stage.agents.late = edit
    run = await stage.begin(words)
    await eventually(
        lambda: stage.store.run(run.id),
        lambda it: it.status in ("waiting_user", "completed"),
        message="the run ends or asks",
    )
    await stage.rests(run.session_id)
    assert (await stage.plan(run.session_id)) == MINE


class SlowScreen(MockScreen):
    """Gives the browser back when it may."""

    def __init__(self, may_end: asyncio.Event) -> None:
        super().__init__(lambda: None, self._none)
        self.is_ending = asyncio.Event()
        self._may_end = may_end

    async def _none(self) -> MockBrowser:
        raise BrowserUnavailable("there is none")

    async def hand_back(self) -> str:
        self.is_ending.set()
        await self._may_end.wait()
        return await super().hand_back()


class OneView(MockBrowsers):
    """All sessions have this view."""

    def __init__(self, settings: Settings, view: LiveView) -> None:
        super().__init__(settings)
        self._view = view

    def live(self, session_id: str) -> LiveView:
        return self._view


async def test_a_run_that_begins_while_the_browser_is_given_back_works(world: Runtime, stage: Stage) -> None:
    may_end = asyncio.Event()
    screen = SlowScreen(may_end)
    view = LiveView(screen)
    recorder = RunRecorder(world.settings, stage.store, world.bus)
    parts = (world.bus, stage.agents, OneView(world.settings, view), world.screenshots, recorder)
    stage.executor = Executor(RunServices(world.settings, stage.store, *parts))
    viewer = view.join()
    await view.take(viewer)
    giving = asyncio.create_task(view.hand_back(viewer))
    await screen.is_ending.wait()
    run = await stage.begin("hello")
    await eventually(lambda: run.session_id in stage.executor.executions, message="the run is executed")
    may_end.set()
    await giving
    await stage.rests(run.session_id)
    assert (await stage.store.run(run.id)).status == "completed"
    view.leave(viewer)
    await view.aclose()


async def test_a_hand_back_whose_client_is_gone_ends_before_the_database_is_closed(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    may_end = asyncio.Event()
    screen = SlowScreen(may_end)
    view = LiveView(screen)
    async with open_runtime(settings) as world:
        made = await world.store.create_session(
            id=None, title=None, agent="operator", model="m", max_tool_steps=1
        )
        viewer = view.join()
        await view.take(viewer)
        releasing = asyncio.create_task(handle_message(Release(type="release"), made.id, view, viewer, world))
        await screen.is_ending.wait()
        releasing.cancel()
        ending = asyncio.create_task(end_when(lambda: world.executor.dispatch.is_draining, may_end))
    await ending
    await world.background.wait()
    assert not view.is_held
    assert [record.message for record in caplog.records if record.levelname != "INFO"] == []
    view.leave(viewer)
    await view.aclose()


async def end_when(holds: Callable[[], bool], event: asyncio.Event) -> None:
    await eventually(holds, message="the server ends")
    event.set()
