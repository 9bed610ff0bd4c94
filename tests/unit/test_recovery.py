"""No run is left without an end, also when the database is away for longer than a run can wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.agent.event_adapter import EventAdapter
from server.browser.browsers import BrowserState
from server.errors import Unavailable
from server.events import Activity, ActivityAdded, Error, Resumed, Stamped, Token, ToolEnd, ToolStart, Usage
from server.extras.mock.browser import MockBrowser
from server.extras.mock.pool import MockBrowsers
from server.runs.execution import Execution
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runs.services import RunServices
from server.runtime import Runtime
from server.settings import Settings
from server.store import FinishedRun, Ownership, StartedRun, Store, process_name
from tests.support.chat import parse_sse
from tests.support.databases import agents_of, share_database
from tests.support.eventually import eventually

PING = "this is a ping test: do not think"


class FaintStore(Store):
    """Its database is unavailable for one method, as long as the test says so."""

    away = ""

    async def begin_execution(self, *args: Any, **kwargs: Any) -> StartedRun | None:
        self._stand("begin_execution")
        return await super().begin_execution(*args, **kwargs)

    async def finish_run(self, *args: Any, **kwargs: Any) -> FinishedRun | None:
        self._stand("finish_run")
        return await super().finish_run(*args, **kwargs)

    def _stand(self, method: str) -> None:
        if self.away == method:
            raise Unavailable("The database does not answer.", code="db_unavailable")


class TalkingStore(Store):
    """While it stores an activity, the agent says two words: the second one waits to be joined with a third one."""

    def __init__(self, world: Runtime, execution: Execution) -> None:
        super().__init__(world.database, process_name())
        self._execution = execution

    async def add_activity(self, *args: Any, **kwargs: Any) -> Activity:
        activity = await super().add_activity(*args, **kwargs)
        for word in ("first", "second"):
            self._execution.publish(Token(message_id=self._execution.run.answer_id, text=word))
        return activity


@dataclass
class Parts:
    store: FaintStore
    recorder: RunRecorder
    executor: Executor
    recovery: Recovery


@pytest.fixture
async def parts(world: Runtime) -> AsyncIterator[Parts]:
    share_database(world)
    store = FaintStore(world.database, process_name())
    recorder = RunRecorder(world.settings, store, world.bus, patience=0.1)
    agents = agents_of(world, store)
    executor = Executor(
        RunServices(world.settings, store, world.bus, agents, world.browsers, world.screenshots, recorder)
    )
    yield Parts(store, recorder, executor, Recovery(store, world.bus, recorder, executor))
    await executor.drain(0)


async def new_session(store: Store) -> str:
    session = await store.create_session(
        id=None, title=None, agent="assistant", model="mock:scripted", max_tool_steps=10
    )
    return session.id


@pytest.mark.parametrize("away", ["begin_execution", "finish_run"])
async def test_a_run_whose_database_was_away_is_interrupted_when_it_is_back(
    parts: Parts, world: Runtime, away: str
) -> None:
    store, executor = parts.store, parts.executor
    published: list[Stamped] = []
    world.bus.listeners.append(published.append)
    session_id = await new_session(store)
    accepted = await store.accept(session_id, PING)
    waiting = await store.accept(session_id, "and this", mode="queue")
    run = accepted.run
    store.away = away
    executor.dispatch.start(accepted)
    executor.dispatch.start(waiting)
    await eventually(lambda: parts.recorder.is_lost(run.id), message="the run is noted as lost")
    await store.keep_leases()
    store.away = ""
    await parts.recovery.end_orphans()
    ended = await store.run(run.id)
    assert (ended.status, ended.error_code) == ("interrupted", "db_unavailable")
    assert not parts.recorder.is_lost(run.id)
    said = [it.event.code for it in published if it.run_id == run.id and isinstance(it.event, Error)]
    assert said == ["db_unavailable"]
    await eventually(
        lambda: store.messages(session_id),
        lambda it: it[-1].role == "assistant",
        message="the waiting message is answered",
    )


async def test_a_query_that_is_tried_again_knows_that_the_first_may_have_been_committed(
    world: Runtime,
) -> None:
    tries: list[bool] = []

    async def query(again: bool) -> str:
        tries.append(again)
        if not again:
            raise Unavailable("The database does not answer.", code="db_unavailable")
        return "stored"

    assert await RunRecorder(world.settings, world.store, world.bus).with_retry(query) == "stored"
    assert tries == [False, True]


async def begun_execution(world: Runtime, session_id: str, *, said: str = "") -> Execution:
    accepted = await world.store.accept(session_id, PING)
    begun = await world.store.begin_execution(accepted.run.id)
    assert begun
    world.bus.open(session_id, begun.run.id, begun.run.epoch)
    return Execution(begun.run, EventAdapter(begun.run.answer_id, said=said), world.bus, max_steps=1)


async def test_an_answer_without_words_ends_its_run_as_failed(world: Runtime) -> None:
    session_id = await new_session(world.store)
    execution = await begun_execution(world, session_id, said=" \n")
    ended = await RunRecorder(world.settings, world.store, world.bus).complete(execution)
    assert ended
    assert (ended.run.status, ended.run.error_code) == ("failed", "llm_bad_response")
    assert [message.role for message in await world.store.messages(session_id)] == ["user"]


async def test_a_run_that_was_ended_or_begun_by_others_is_left_to_them(world: Runtime) -> None:
    session_id = await new_session(world.store)
    queued = (await world.store.accept(await new_session(world.store), PING)).run
    assert await world.store.begin_execution(queued.id)
    recorder = RunRecorder(world.settings, world.store, world.bus)
    assert await recorder.cancel_unexecuted(queued) is None
    assert (await world.store.run(queued.id)).status == "running"
    execution = await begun_execution(world, session_id, said="Harbour")
    run = execution.run
    assert await world.store.finish_run(run.id, "interrupted", epoch=run.epoch, error="ended", error_code="x")
    assert await recorder.complete(execution) is None
    assert (await world.store.run(run.id)).status == "interrupted"


async def test_a_run_of_several_processes_that_cannot_begin_is_left_to_its_job(world: Runtime) -> None:
    store = FaintStore(world.database, "a", ownership=Ownership("a", enqueue=lambda *_: None))
    store.away = "begin_execution"
    with pytest.raises(Unavailable):
        await RunRecorder(world.settings, store, world.bus, patience=0.1).begin("r")


async def test_what_the_user_did_stands_behind_the_words_that_the_agent_said_before(world: Runtime) -> None:
    execution = await begun_execution(world, await new_session(world.store))
    published: list[Stamped] = []
    world.bus.listeners.append(published.append)
    recorder = RunRecorder(world.settings, TalkingStore(world, execution), world.bus)
    await recorder.add_activity(execution.run.session_id, Resumed(seconds=1), execution)
    assert [type(it.event) for it in published] == [Token, Token, ActivityAdded]


async def test_a_shutdown_leaves_the_message_behind_a_run_queued(world: Runtime) -> None:
    session_id = await new_session(world.store)
    execution = await begun_execution(world, session_id)
    waiting = await world.store.accept(session_id, "and this", mode="queue")
    recorder = RunRecorder(world.settings, world.store, world.bus)
    recorder.start_no_next()
    ended = await recorder.fail(execution, "interrupted", "The server is shutting down.")
    assert ended
    assert ended.next is None
    assert (await world.store.run(waiting.run.id)).held


async def test_an_execution_that_breaks_before_it_begins_ends_its_run_as_failed(
    parts: Parts, world: Runtime
) -> None:
    session_id = await new_session(parts.store)
    accepted = await parts.store.accept(session_id, PING)
    world.bus.open(session_id, "another", accepted.run.epoch + 1)
    await parts.executor.execute(accepted.run.id, asyncio.Event())
    ended = await parts.store.run(accepted.run.id)
    assert (ended.status, ended.error_code) == ("failed", "internal")


async def test_a_run_that_is_going_on_is_nobodys_orphan(parts: Parts) -> None:
    store = parts.store
    session_id = await new_session(store)
    parts.executor.dispatch.start(accepted := await store.accept(session_id, "slow story"))
    await eventually(
        lambda: parts.executor.executions, lambda it: session_id in it, message="the execution begins"
    )
    await parts.recovery.end_orphans()
    assert (await store.run(accepted.run.id)).status == "running"


async def test_a_message_whose_sender_went_away_is_not_there_or_is_answered(world: Runtime) -> None:
    for laps in range(12):
        session_id = await new_session(world.store)
        sending = asyncio.create_task(world.commands.accept(session_id, PING))
        for _ in range(laps):
            await asyncio.sleep(0)
        sending.cancel()
        await asyncio.wait({sending})
        run = await eventually(
            partial(world.store.current_run, session_id),
            lambda it: it is None or it.finished_at,
            message="the run ends, if there is one",
        )
        roles = [message.role for message in await world.store.messages(session_id)]
        assert roles == (["user", "assistant"] if run else [])


async def test_a_message_whose_commit_was_not_acknowledged_is_answered_when_it_is_sent_again(
    parts: Parts, world: Runtime
) -> None:
    session_id = await new_session(parts.store)
    unread = await parts.store.accept(session_id, PING, client_id="c1")
    accepted = await world.commands.accept(session_id, PING, client_id="c1")
    assert accepted.run.id == unread.run.id
    await eventually(
        lambda: parts.store.run(accepted.run.id), lambda it: it.finished_at, message="the run ends"
    )
    said = [message.role for message in await parts.store.messages(session_id)]
    assert said == ["user", "assistant"]


@pytest.mark.parametrize("why", ["held", "draining"])
async def test_a_run_that_must_not_begin_is_not_adopted(parts: Parts, world: Runtime, why: str) -> None:
    session_id = await new_session(parts.store)
    accepted = await parts.store.accept(session_id, PING)
    if why == "held":
        accepted = await parts.store.accept(session_id, "and this", mode="queue")
    else:
        await parts.executor.drain(0)
    published: list[Stamped] = []
    world.bus.listeners.append(published.append)
    parts.executor.dispatch.submit_recovered(accepted)
    assert published == []
    assert not parts.executor.dispatch.knows(accepted.run.id)


class ResetBrowser(MockBrowser):
    """Counts how often it was reset."""

    resets = 0

    async def reset(self) -> None:
        self.resets += 1


class ResetBrowsers(MockBrowsers):
    """One browser for all sessions, which is not open before the first asks for it."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.browser = ResetBrowser()
        self.is_open = False

    async def get(self, session_id: str) -> MockBrowser:
        self.is_open = True
        return self.browser

    def peek(self, session_id: str) -> BrowserState | None:
        return BrowserState(session_id, "open", "") if self.is_open else None


@pytest.mark.parametrize("task", ["slow steps", "endless story"])
async def test_an_open_browser_is_reset_when_its_run_is_cut_off(world: Runtime, task: str) -> None:
    browsers = ResetBrowsers(world.settings)
    recorder = RunRecorder(world.settings, world.store, world.bus)
    agents = agents_of(world, world.store)
    executor = Executor(
        RunServices(world.settings, world.store, world.bus, agents, browsers, world.screenshots, recorder)
    )
    session_id = await new_session(world.store)
    accepted = await world.store.accept(session_id, task)
    executor.dispatch.start(accepted)
    uses_browser = task == "slow steps"
    await eventually(
        lambda: browsers.is_open if uses_browser else executor.executions.get(session_id),
        message="the agent works",
    )
    executor.executions[session_id].stop("cancelled")
    ended = await eventually(
        partial(world.store.run, accepted.run.id), lambda it: it.finished_at, message="the run ends"
    )
    assert ended.status == "cancelled"
    await eventually(lambda: browsers.browser.resets == uses_browser, message="it is reset if it is open")
    await executor.drain(0)
    assert browsers.browser.resets == uses_browser


@pytest.mark.parametrize("last_id", [{}, {"last-event-id": "1-3"}])
async def test_an_answer_that_was_committed_and_never_told_is_told_to_who_comes_back(
    client: httpx.AsyncClient, app: FastAPI, last_id: dict[str, str]
) -> None:
    world: Runtime = await app.state.starting.runtime()
    begun = await world.store.begin_execution(
        (await world.store.accept(await new_session(world.store), "hi")).run.id
    )
    assert begun
    await world.store.finish_run(begun.run.id, "completed", answer="Hello.")
    response = await client.get(f"/api/sessions/{begun.session.id}/stream", headers=last_id)
    (done,) = parse_sse(response.text.splitlines())
    assert (done["type"], done["run_id"], done["message"]["content"]) == ("done", begun.run.id, "Hello.")
    assert done["id"] == ("1-4" if last_id else "1-1")


async def test_a_start_ends_the_runs_of_the_process_before_it(parts: Parts, world: Runtime) -> None:
    """The start itself, not a later sweep: no lease has ended yet."""
    former, store = (Store(world.database, process_name("home")) for _ in range(2))
    begun = await former.begin_execution((await former.accept(await new_session(former), "go")).run.id)
    assert begun
    recorder = RunRecorder(world.settings, store, world.bus, patience=0.1)
    await Recovery(store, world.bus, recorder, parts.executor).recover()
    run = await store.run(begun.run.id)
    assert (run.status, run.error_code) == ("interrupted", "server_restart")
    assert [message.content for message in await store.messages(begun.session.id)] == ["go"]


async def test_a_run_that_another_server_took_over_is_stopped_here(parts: Parts) -> None:
    """As after a freeze: nothing more is done in the browser for it."""
    store = parts.store
    session_id = await new_session(store)
    parts.executor.dispatch.start(accepted := await store.accept(session_id, "slow story"))
    await eventually(
        lambda: parts.executor.executions, lambda it: session_id in it, message="the execution begins"
    )
    execution = parts.executor.executions[session_id]
    other = Store(store.database, process_name())
    taken = await other.take_run(accepted.run.id, "running")
    assert taken
    await other.finish_run(taken.id, "interrupted", epoch=taken.epoch, error_code="server_restart")
    await parts.recovery.maintain_runs()
    async with asyncio.timeout(60):
        await execution.ended.wait()
    assert execution.stop_reason == "interrupted"
    assert [message.role for message in await store.messages(session_id)] == ["user"]


async def test_a_call_that_cannot_be_noted_any_more_stops_its_execution(parts: Parts, world: Runtime) -> None:
    store = parts.store
    begun = await store.begin_execution((await store.accept(await new_session(store), PING)).run.id)
    assert begun
    run = begun.run
    world.bus.open(run.session_id, run.id, run.epoch)
    execution = Execution(run, EventAdapter(run.answer_id), world.bus, max_steps=1)
    await store.finish_run(run.id, "interrupted", epoch=run.epoch)
    await RunRecorder(world.settings, store, world.bus).take(
        execution, ToolStart(call_id="c", name="click", args={})
    )
    assert execution.stop_reason == "interrupted"


async def test_a_call_in_progress_is_stored_in_words_that_an_interruption_can_tell(world: Runtime) -> None:
    begun = await world.store.begin_execution(
        (await world.store.accept(await new_session(world.store), PING)).run.id
    )
    assert begun
    run = begun.run
    world.bus.open(run.session_id, run.id, run.epoch)
    execution = Execution(run, EventAdapter(run.answer_id), world.bus, max_steps=1)
    args = {"target": "Place order", "times": 2, "box": [1, 2]}
    start = ToolStart(call_id="c", name="click", args=args)
    await RunRecorder(world.settings, world.store, world.bus).take(execution, start)
    assert (await world.store.run(run.id)).doing == "Clicked “Place order”"


async def test_what_a_run_has_used_is_kept_with_each_step_and_when_it_is_handed_back(world: Runtime) -> None:
    """The process that continues it counts on from there: no budget begins again."""
    begun = await world.store.begin_execution(
        (await world.store.accept(await new_session(world.store), PING)).run.id
    )
    assert begun
    run, recorder = begun.run, RunRecorder(world.settings, world.store, world.bus)
    world.bus.open(run.session_id, run.id, run.epoch)
    adapter = EventAdapter(run.answer_id)
    execution = Execution(run, adapter, world.bus, max_steps=1)
    start = ToolStart(call_id="c", name="click", args={})
    end = ToolEnd(call_id="c", name="click", ok=True, summary="Clicked", duration_ms=1)
    steps = (recorder.take(execution, start), recorder.take(execution, end), recorder.hand_back(execution))
    for calls, step in enumerate(steps, start=1):
        adapter.usage = Usage(input_tokens=100 * calls, model_calls=calls)
        await step
        assert (await world.store.run(run.id)).usage == adapter.usage.model_dump()


async def test_a_call_is_published_also_when_its_run_is_stopped_while_it_is_noted(world: Runtime) -> None:
    """Its end will be published; without the beginning readers could not place it."""
    entered, may_go_on = asyncio.Event(), asyncio.Event()

    class SlowStore(Store):
        async def begin_call(self, *args: Any, **values: Any) -> bool:
            entered.set()
            await may_go_on.wait()
            return await super().begin_call(*args, **values)

    share_database(world)
    store = SlowStore(world.database, process_name())
    begun = await store.begin_execution((await store.accept(await new_session(store), PING)).run.id)
    assert begun
    run = begun.run
    world.bus.open(run.session_id, run.id, run.epoch)
    execution = Execution(run, EventAdapter(run.answer_id), world.bus, max_steps=1)
    start = ToolStart(call_id="c", name="click", args={})
    taking = asyncio.create_task(RunRecorder(world.settings, store, world.bus).take(execution, start))
    await entered.wait()
    taking.cancel()
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await taking
    assert world.bus.last_id(run.session_id) == f"{run.epoch}-1"


async def test_a_session_is_busy_until_the_last_call_that_expects_a_run_is_done(parts: Parts) -> None:
    with parts.executor.dispatch.submitting("s"):
        with parts.executor.dispatch.submitting("s"):
            assert parts.executor.dispatch.busy_sessions() == {"s"}
        assert parts.executor.dispatch.busy_sessions() == {"s"}
    assert parts.executor.dispatch.busy_sessions() == set()


async def test_a_call_that_a_stop_cuts_off_ends_with_the_code_of_the_stop(world: Runtime) -> None:
    store = world.store
    begun = await store.begin_execution((await store.accept(await new_session(store), PING)).run.id)
    assert begun
    run = begun.run
    world.bus.open(run.session_id, run.id, run.epoch)
    execution = Execution(run, EventAdapter(run.answer_id), world.bus, max_steps=1)
    start = {"call_id": "c", "name": "click", "args": {}}
    execution.adapter.feed({"event": "on_custom_event", "name": "tool_start", "data": start})
    await RunRecorder(world.settings, store, world.bus).fail(execution, "cancelled", "Task cancelled")
    [call] = [message for message in await store.messages(run.session_id) if message.role == "tool"]
    assert (call.meta_json or {})["reason"] == "cancelled"
