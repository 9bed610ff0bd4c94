"""A COMMIT whose reply is lost: its effect and its event happen once, as if the reply had come."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from server.agent.event_adapter import EventAdapter
from server.events import Done, MessageAdded, ToolEnd, ToolStart
from server.runs.execution import Execution
from server.runs.recorder import RunRecorder
from server.settings import Settings
from server.store import StartedRun, Store
from server.stream.bus import InProcessBus
from tests.support.actions import question_about
from tests.support.databases import open_store
from tests.support.lossy_link import LossyLink, lossy_link
from tests.support.postgres import Postgres


@dataclass
class World:
    link: LossyLink
    store: Store
    bus: InProcessBus
    recorder: RunRecorder
    session_id: str

    async def begin(self) -> StartedRun | None:
        """A new message, and its run taken by way of an answer that is lost."""
        accepted = await self.store.accept(self.session_id, "go")
        self.recorder.publish_accepted(accepted)
        self.link.losing = True
        return await self.recorder.with_retry(
            lambda again: self.store.begin_execution(accepted.run.id, again=again)
        )

    async def execution(self) -> Execution:
        begun = await self.begin()
        assert begun
        run = begun.run
        self.bus.open(run.session_id, run.id, run.epoch)
        return Execution(run, EventAdapter(run.answer_id), self.bus, max_steps=10)


@pytest.fixture
async def world(postgres: Postgres, migrated_template: str) -> AsyncIterator[World]:
    name = postgres.create_database(migrated_template)
    async with lossy_link(postgres.port) as link:
        url = postgres.url(name).replace(f":{postgres.port}/", f":{link.port}/")
        async with open_store(url) as store:
            session = await store.create_session(
                id=None, title=None, agent="operator", model="m", max_tool_steps=10
            )
            bus = InProcessBus()
            recorder = RunRecorder(Settings.model_validate({"auth_token": "x"}), store, bus)
            yield World(link, store, bus, recorder, session.id)
    postgres.drop_database(name)


async def test_a_run_begins_when_the_answer_to_its_begin_is_lost(world: World) -> None:
    begun = await world.begin()
    assert begun
    assert world.link.lost == 1
    assert [message.content for message in begun.messages] == ["go"]
    kept = await world.store.run(begun.run.id)
    assert (kept.status, kept.epoch) == ("running", begun.run.epoch)


async def test_an_end_whose_answer_is_lost_is_told_and_the_next_run_may_start(world: World) -> None:
    execution = await world.execution()
    held = await world.store.accept(world.session_id, "then this", mode="queue")
    execution.adapter.answer = "Gone well."
    world.link.losing = True
    ended = await world.recorder.complete(execution)
    assert world.link.lost == 2
    assert ended
    assert ended.message
    assert ended.next
    assert ended.next.run.id == held.run.id
    entries = await anext(world.bus.follow(world.session_id, run_id=execution.run.id))
    assert isinstance(entries[-1].stamped.event, Done)
    said = [message.content for message in await world.store.messages(world.session_id)]
    assert said == ["go", "Gone well.", "then this"]


async def test_a_tool_call_and_a_question_are_kept_once(world: World) -> None:
    execution = await world.execution()
    for event in execution.adapter.feed(
        {
            "event": "on_custom_event",
            "name": "tool_start",
            "data": {"call_id": "c", "name": "click", "args": {}},
        }
    ):
        assert isinstance(event, ToolStart)
        await world.recorder.take(execution, event)
    world.link.losing = True
    await world.recorder.take(
        execution, ToolEnd(call_id="c", name="click", ok=True, summary="clicked", duration_ms=1)
    )
    world.link.losing = True
    await world.recorder.ask(execution, question_about(reason="buys"))
    assert world.link.lost == 3
    entries = await anext(world.bus.follow(world.session_id, run_id=execution.run.id))
    events = [entry.stamped.event for entry in entries]
    assert [event.message.content for event in events if isinstance(event, MessageAdded)] == ["go", "clicked"]
    assert events[-1].type == "interrupt"
    overview = await world.store.overview(world.session_id)
    assert [message.content for message in overview.messages] == ["go", "clicked"]
    assert len(overview.questions) == 1
