"""A run that waits for a free browser: it says its place, and stopping, pausing and the clock know of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from server.browser.browsers import BrowserState
from server.browser.slots import Slots
from server.events import RunChanged, SessionChanged
from server.extras.mock.browser import MockBrowser
from server.extras.mock.pool import MockBrowsers
from server.runs.commands import RunCommands
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runs.services import RunServices
from server.runtime import Runtime
from server.settings import Settings
from server.store import Store, process_name
from tests.support.eventually import eventually


class OneBrowser(MockBrowsers):
    """Scripted browsers of which one is open at a time; a place is given back when its session rests."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.places = Slots(1, self._on_queue_change)

    def _on_queue_change(self, session_id: str, place: int | None) -> None:
        for hear in self.place_listeners:
            hear(session_id, place)

    async def get(self, session_id: str) -> MockBrowser:
        await self.places.enter(session_id)
        return await super().get(session_id)

    def peek(self, session_id: str) -> BrowserState | None:
        place = self.places.place_of(session_id)
        return BrowserState(session_id, "queued", place=place) if place else super().peek(session_id)

    def mark_idle(self, session_id: str) -> None:
        self.places.leave(session_id)


@dataclass
class Stage:
    world: Runtime
    browsers: OneBrowser
    recorder: RunRecorder
    executor: Executor
    commands: RunCommands

    async def begin(self) -> str:
        """A session whose run needs a browser. Returns its id."""
        session = await self.world.store.create_session(
            id=None, title=None, agent="operator", model="mock:scripted", max_tool_steps=10
        )
        self.executor.dispatch.start(await self.world.store.accept(session.id, "shop for a kettle"))
        return session.id

    async def status(self, session_id: str) -> tuple[str, str]:
        """Of the session and of its run, as they are stored."""
        run = await self.world.store.current_run(session_id)
        assert run
        return (await self.world.store.session(session_id)).status, run.status

    async def reaches(self, session_id: str, status: str) -> None:
        await eventually(
            lambda: self.status(session_id),
            lambda it: it == (status, status),
            message=f"session and run are {status}",
        )

    async def told(self, session_id: str) -> list[tuple[str, int | None]]:
        """Of the run, after its end: each status with the place in the queue, repeats left out."""
        told: list[tuple[str, int | None]] = []
        async for entries in self.world.bus.follow(session_id):
            changes = [entry.stamped.event for entry in entries]
            for now in [(one.status, one.queue_place) for one in changes if isinstance(one, RunChanged)]:
                told += [now] if told[-1:] != [now] else []
        return told


@pytest.fixture
async def stage(world: Runtime) -> AsyncIterator[Stage]:
    """Another session has the browser."""
    browsers = OneBrowser(world.settings)
    recorder = RunRecorder(world.settings, world.store, world.bus)
    parts = (world.store, world.bus, world.agents, browsers, world.screenshots, recorder)
    services = RunServices(world.settings, *parts)
    executor = Executor(services)
    await browsers.places.enter("somebody else")
    yield Stage(world, browsers, recorder, executor, RunCommands(services, executor))
    await executor.drain(0)


async def test_a_run_that_waits_for_a_browser_says_its_place_and_then_goes_on(stage: Stage) -> None:
    first = await stage.begin()
    await stage.reaches(first, "queued")
    second = await stage.begin()
    await stage.reaches(second, "queued")
    stage.browsers.places.leave("somebody else")
    await stage.reaches(first, "waiting_user")
    await stage.commands.cancel(first)
    await stage.reaches(second, "waiting_user")
    await stage.commands.cancel(second)
    assert await stage.told(first) == [
        ("running", None),
        ("queued", 1),
        ("running", None),
        ("waiting_user", None),
    ]
    assert await stage.told(second) == [
        ("running", None), ("queued", 2), ("queued", 1), ("running", None), ("waiting_user", None),
    ]  # fmt: skip


async def test_the_list_of_sessions_is_told_the_place(stage: Stage) -> None:
    watching = stage.world.bus.watch()
    heard = asyncio.create_task(places_heard(watching))
    await asyncio.sleep(0)
    session_id = await stage.begin()
    async with asyncio.timeout(60):
        assert await heard == (session_id, "queued", 1)


async def places_heard(watching: AsyncIterator[list[SessionChanged]]) -> tuple[str, str, int | None]:
    async for changes in watching:
        for change in changes:
            if change.queue_place:
                return change.session_id, change.status, change.queue_place
    raise AssertionError("nobody told of a place")


async def test_stopping_a_run_that_waits_ends_it_at_once_and_gives_up_its_place(stage: Stage) -> None:
    first, second = await stage.begin(), await stage.begin()
    await stage.reaches(second, "queued")
    async with asyncio.timeout(60):
        await stage.commands.cancel(first)
    assert await stage.status(first) == ("idle", "cancelled")
    assert stage.browsers.places.place_of(first) is None
    assert stage.browsers.places.place_of(second) == 1
    assert await stage.told(first) == [("running", None), ("queued", 1)]


async def test_a_paused_run_keeps_its_place_and_waits_again_when_it_is_resumed(stage: Stage) -> None:
    session_id = await stage.begin()
    await stage.reaches(session_id, "queued")
    await stage.commands.executed.pause(session_id)
    assert await stage.status(session_id) == ("paused", "paused")
    assert stage.browsers.places.place_of(session_id) == 1
    await stage.commands.executed.resume(session_id)
    assert await stage.status(session_id) == ("queued", "queued")
    await stage.commands.executed.pause(session_id)
    stage.browsers.places.leave("somebody else")
    await stage.commands.executed.resume(session_id)
    await stage.reaches(session_id, "waiting_user")


async def test_a_run_that_waits_when_the_server_goes_down_is_interrupted(stage: Stage) -> None:
    session_id = await stage.begin()
    await stage.reaches(session_id, "queued")
    await stage.executor.drain(0)
    assert await stage.status(session_id) == ("idle", "interrupted")


async def test_a_run_that_waited_in_a_process_that_is_gone_is_interrupted(stage: Stage) -> None:
    session_id = await stage.begin()
    await stage.reaches(session_id, "queued")
    world = stage.world
    later = Store(world.database, process_name(stage.world.store.owner.rpartition(":")[0]))
    recorder = RunRecorder(world.settings, later, world.bus)
    executor = Executor(
        RunServices(
            world.settings,
            later,
            world.bus,
            world.agents,
            OneBrowser(world.settings),
            world.screenshots,
            recorder,
        )
    )
    await Recovery(later, world.bus, recorder, executor).recover()
    assert await stage.status(session_id) == ("idle", "interrupted")
