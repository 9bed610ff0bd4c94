"""The last status published for the list of sessions is the stored one."""

from __future__ import annotations

import asyncio

from server.database.models import SessionRow
from server.events import SessionChanged
from server.runs.recorder import RunRecorder
from server.runtime import Runtime
from server.store import Store, process_name
from tests.support.databases import share_database
from tests.support.eventually import eventually


class SlowStore(Store):
    """What its first reading of a session finds arrives when it is let go."""

    def __init__(self, world: Runtime) -> None:
        super().__init__(world.database, process_name())
        self.has_read, self.goes_on = asyncio.Event(), asyncio.Event()

    async def session(self, session_id: str) -> SessionRow:
        row = await super().session(session_id)
        self.has_read.set()
        await self.goes_on.wait()
        return row


async def watch(world: Runtime, seen: list[SessionChanged]) -> None:
    """Append what the list of sessions gets, until cancelled."""
    async for changes in world.bus.watch():
        seen.extend(changes)


async def test_what_was_read_before_a_run_ended_is_not_told_after_its_end(world: Runtime) -> None:
    share_database(world)
    store = SlowStore(world)
    recorder = RunRecorder(world.settings, store, world.bus)
    made = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=1)
    run = (await store.accept(made.id, "go")).run
    assert await store.begin_execution(run.id)
    seen: list[SessionChanged] = []
    watching = asyncio.create_task(watch(world, seen))
    await asyncio.sleep(0)
    late = asyncio.create_task(recorder.read_and_announce(made.id))
    await store.has_read.wait()
    ended = await store.finish_run(run.id, "completed", answer="done")
    assert ended
    recorder.announce(ended.session)
    store.goes_on.set()
    await late
    await eventually(lambda: seen, message="a change is published")
    assert seen[-1].status == "idle"
    watching.cancel()


async def test_a_run_that_begins_is_announced(world: Runtime) -> None:
    made = await world.store.create_session(
        id=None, title=None, agent="operator", model="m", max_tool_steps=1
    )
    run = (await world.store.accept(made.id, "go")).run
    seen: list[SessionChanged] = []
    watching = asyncio.create_task(watch(world, seen))
    await asyncio.sleep(0)
    recorder = RunRecorder(world.settings, world.store, world.bus)
    assert await recorder.begin(run.id)
    await eventually(lambda: seen, message="a change is published")
    assert (seen[-1].session_id, seen[-1].status) == (made.id, "running")
    watching.cancel()
