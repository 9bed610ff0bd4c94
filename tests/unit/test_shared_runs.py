"""What a process does for the others: renews leases, stops what was taken from it, follows wishes, hands its runs back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import update

from server.agent.context import RunContext, UserUpdates
from server.browser.lease import lease_of_run
from server.clock import elapsed
from server.database.models import ProcessRow, RunRow, SessionRow
from server.errors import Unavailable
from server.events import Answer, RunChanged, Stamped, StateChanged, Usage, now
from server.extras.cluster.sharing import SharedRuns, _logged
from server.extras.cluster.signals import InProcessSignals, Signal
from server.extras.mock.pool import MockBrowsers
from server.ops.json_types import Json
from server.runs.agents import AgentFactory
from server.runs.executed import OwnRuns
from server.runs.execution import Execution, RunLease
from server.runs.executor import Executor
from server.runs.queue import HandedBack, InProcessRunQueue
from server.runs.recorder import HANDED_BACK, RunRecorder
from server.runs.recovery import Recovery
from server.runs.services import RunServices
from server.runtime import Runtime
from server.store import Ownership, StartedRun, Store, process_name
from tests.support.actions import question_about
from tests.support.databases import agents_of, share_database
from tests.support.eventually import eventually


@dataclass
class Walker:
    """An agent that reads its inbox before each step, and takes a step when the test lets it."""

    context: RunContext
    heard: list[UserUpdates] = field(default_factory=list)
    may_step: asyncio.Event = field(default_factory=asyncio.Event)
    said: str = ""
    hold: Callable[[], Awaitable[None]] | None = None
    """What its acts wait for."""

    async def astream_events(self, *, version: str) -> AsyncIterator[dict[str, Any]]:
        self.hold = lease_of_run.get()
        while True:
            self.heard.append(await self.context.inbox.take_updates())
            await self.may_step.wait()
            self.may_step.clear()
            yield {"event": "on_chain_end"}

    async def question(self) -> None: ...

    def release(self) -> None: ...


class WalkingAgents(AgentFactory):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.walkers: dict[str, Walker] = {}

    async def prepare(self, started: StartedRun, context: RunContext) -> Any:
        walker = self.walkers[started.run.id] = Walker(context)
        return walker


class KeptBrowsers(MockBrowsers):
    """They outlive the process."""

    async def has_outlived(self, session_id: str) -> bool:
        return True


@dataclass
class Process:
    """A process whose runs others continue."""

    world: Runtime
    store: Store
    agents: WalkingAgents
    browsers: MockBrowsers
    recorder: RunRecorder
    executor: Executor
    shared: SharedRuns
    signals: InProcessSignals

    async def accept(self) -> RunRow:
        session = await self.store.create_session(
            id=None, title="Mine", agent="operator", model="mock:scripted", max_tool_steps=10
        )
        return (await self.store.accept(session.id, "go")).run

    async def begin(self) -> Execution:
        """The execution of a new run, whose agent has read its inbox and waits for its first step."""
        run = await self.accept()
        self.executor.dispatch.submit(run.id)
        await eventually(lambda: self.heard(run.id), message="the agent reads its inbox")
        return self.executor.executions[run.session_id]

    def heard(self, run_id: str) -> list[UserUpdates]:
        walker = self.agents.walkers.get(run_id)
        return walker.heard if walker else []

    async def hears(self, execution: Execution) -> UserUpdates:
        """What the agent reads before its next step."""
        known = len(self.heard(execution.run.id))
        self.agents.walkers[execution.run.id].may_step.set()
        heard = await eventually(
            lambda: self.heard(execution.run.id), lambda it: len(it) > known, message="it reads its inbox"
        )
        return heard[-1]

    async def wish(self, execution: Execution, **wishes: Json) -> None:
        assert await self.store.wish(execution.run.id, dict(wishes))
        await self.shared.look()

    async def over(self, execution: Execution) -> RunRow:
        async with asyncio.timeout(60):
            await execution.ended.wait()
        return await self.store.run(execution.run.id)


async def open_process(world: Runtime, owner: str, kind: type[Store] = Store) -> Process:
    store = kind(world.database, owner, ownership=Ownership(owner, continues=True))
    agents = agents_of(world, store, WalkingAgents)
    assert isinstance(agents, WalkingAgents)
    browsers, recorder = KeptBrowsers(world.settings), RunRecorder(world.settings, store, world.bus)
    parts = (agents, browsers, world.screenshots, recorder)
    executor = Executor(
        RunServices(world.settings, store, world.bus, *parts),
        lambda execute: InProcessRunQueue(execute, slots=8),
    )
    own, signals = OwnRuns(executor.executions, world.bus, browsers, recorder), InProcessSignals()

    async def reload() -> None: ...

    shared = SharedRuns(world.settings, store, signals, executor, own, browsers, reload)
    return Process(world, store, agents, browsers, recorder, executor, shared, signals)


@pytest.fixture
async def process(world: Runtime) -> AsyncIterator[Process]:
    share_database(world)
    process = await open_process(world, process_name("home"))
    yield process
    for execution in process.executor.executions.values():
        execution.stop("cancelled")
    await process.executor.drain(0)


@pytest.fixture
def published(world: Runtime) -> list[Stamped]:
    found: list[Stamped] = []
    world.bus.listeners.append(found.append)
    return found


class Behind:
    """A clock that stood still for `seconds` until it is set."""

    def __init__(self, seconds: float) -> None:
        self.behind = seconds

    def __call__(self) -> float:
        return elapsed() - self.behind


# Leases


async def test_a_renewal_lets_the_runs_that_are_executed_here_act_again(process: Process) -> None:
    execution, other = await process.begin(), await process.accept()
    assert await process.store.begin_execution(other.id)
    before = {run: (await process.store.run(run)).lease_until for run in (execution.run.id, other.id)}
    clock = Behind(100)
    execution.lease = RunLease(20, clock)
    clock.behind = 0
    assert not execution.lease.is_fresh
    await process.shared.renew()
    assert execution.lease.is_fresh
    after = {run: (await process.store.run(run)).lease_until for run in before}
    assert after[execution.run.id] != before[execution.run.id]
    assert after[other.id] == before[other.id], "nobody executes it"
    assert not execution.stopped.is_set()


@pytest.mark.parametrize("by", ["another process", "this process again"])
async def test_a_run_that_was_taken_is_stopped_here_and_left_to_its_owner(process: Process, by: str) -> None:
    execution, kept = await process.begin(), await process.begin()
    execution.lease = RunLease(0, elapsed)
    owner = process.store if by == "this process again" else Store(process.world.database, process_name())
    taken = await owner.take_run(execution.run.id, "running")
    assert taken
    await process.shared.renew()
    present = await process.over(execution)
    assert execution.stop_reason == "interrupted"
    assert (present.status, present.owner, present.epoch) == ("running", owner.owner, taken.epoch)
    assert not execution.lease.is_fresh
    assert not kept.stopped.is_set()


async def test_a_run_whose_agent_has_ended_is_not_stopped_any_more(process: Process) -> None:
    """Its last commit says whether it was taken."""
    execution = await process.begin()
    assert await Store(process.world.database, process_name()).take_run(execution.run.id, "running")
    execution.is_over = True
    await process.shared.renew()
    assert not execution.stopped.is_set()


async def test_acts_of_a_run_that_others_may_continue_wait_for_its_lease(process: Process) -> None:
    execution = await process.begin()
    assert process.agents.walkers[execution.run.id].hold == execution.lease.hold


async def test_a_run_that_goes_on_knows_whether_its_question_was_answered_meanwhile(process: Process) -> None:
    store, run = process.store, await process.accept()
    known = list[tuple[bool, bool]]()
    for is_asked in (False, False, True, False):
        if is_asked:
            await answer_a_question(store, await store.run(run.id))
        elif known:
            assert await store.hand_back_run(await store.run(run.id), Usage())
        started = await store.begin_execution(run.id)
        assert started
        known.append((started.continues, started.is_newly_answered))
    assert known == [(False, True), (True, False), (True, True), (True, False)]


async def test_a_run_that_only_one_process_executes_does_not_go_on_elsewhere(process: Process) -> None:
    run = await process.accept()
    store = Store(process.world.database, process.store.owner)
    assert await store.begin_execution(run.id)
    await answer_a_question(store, await store.run(run.id))
    started = await store.begin_execution(run.id)
    assert started
    assert (started.run.attempt, started.continues) == (2, False)


async def answer_a_question(store: Store, run: RunRow) -> None:
    question = await store.open_interrupt(run, question_about(), expires_at=None, usage=Usage())
    assert question
    await store.decide(run.session_id, Answer(reference=question.reference, confirmed=True))


# Wishes of users at other processes


async def test_a_cancel_is_followed(process: Process) -> None:
    execution, other = await process.begin(), await process.begin()
    await process.wish(execution, cancel=True)
    assert (await process.over(execution)).status == "cancelled"
    assert not other.stopped.is_set()


async def test_a_pause_and_a_resume_are_followed_once(process: Process, published: list[Stamped]) -> None:
    execution = await process.begin()
    await process.wish(execution, pause=True)
    assert execution.has_own_pause
    assert (await process.store.run(execution.run.id)).status == "paused"
    await process.shared.look()
    await process.wish(execution, pause=False, resume=True)
    assert not execution.is_paused
    present = await process.store.run(execution.run.id)
    assert (present.status, present.wishes) == ("running", {"pause": False})
    await process.shared.look()
    told = [it.event.status for it in published if isinstance(it.event, RunChanged)]
    assert told == ["running", "paused", "running"]


async def test_a_pause_that_is_withdrawn_before_it_was_seen_ends(process: Process) -> None:
    execution = await process.begin()
    await process.wish(execution, pause=True)
    await process.wish(execution, pause=False)
    assert not execution.is_paused


async def test_words_and_an_edited_plan_reach_the_agent_once(
    process: Process, published: list[Stamped]
) -> None:
    execution = await process.begin()
    execution.publish(StateChanged(plan=["look", "answer"]))
    await process.store.accept(execution.run.session_id, "only blue ones", mode="steer")
    await process.wish(execution, plan=["buy", "answer"], dismissed=["sell"])
    heard = await process.hears(execution)
    assert (heard.messages, heard.plan, heard.dismissed) == (
        ("only blue ones",), ("buy", "answer"), ("sell",),
    )  # fmt: skip
    states = [it.event.plan for it in published if isinstance(it.event, StateChanged)]
    assert states == [["look", "answer"], ["buy", "answer"]]
    assert (await process.store.run(execution.run.id)).wishes == {}
    await process.shared.look()
    heard = await process.hears(execution)
    assert (heard.messages, heard.plan, heard.dismissed) == ((), None, None)


@pytest.mark.parametrize(
    ("wishes", "plan", "dismissed"),
    [({"plan": ["buy"]}, ("buy",), None), ({"dismissed": ["sell"]}, None, ("sell",))],
)
async def test_a_plan_and_a_dismissal_are_independent(
    process: Process, wishes: dict[str, Json], plan: Any, dismissed: Any
) -> None:
    execution = await process.begin()
    await process.wish(execution, **wishes)
    heard = await process.hears(execution)
    assert (heard.plan, heard.dismissed) == (plan, dismissed)
    assert execution.state is None


async def test_a_wish_that_cannot_be_followed_keeps_no_other_from_being(process: Process) -> None:
    first, second = await process.begin(), await process.begin()
    assert await process.store.wish(first.run.id, {"resume": True})  # it is not paused
    await process.wish(second, cancel=True)
    assert (await process.over(second)).status == "cancelled"
    assert not first.stopped.is_set()


async def test_wishes_of_a_run_whose_agent_has_ended_are_left(process: Process) -> None:
    execution = await process.begin()
    execution.is_over = True
    await process.wish(execution, cancel=True)
    assert not execution.stopped.is_set()


async def test_a_signal_of_a_session_that_is_executed_here_is_a_reason_to_look(process: Process) -> None:
    execution = await process.begin()
    following = asyncio.create_task(process.shared.follow_signals())
    await eventually(
        lambda: process.signals.signal(process.store.owner, Signal(kind="cancel", session_id="other")),
        message="it follows signals",
    )
    for _ in range(5):
        await asyncio.sleep(0)
    assert not process.shared._look.is_set()
    assert await process.store.wish(execution.run.id, {"cancel": True})
    await process.signals.signal(
        process.store.owner, Signal(kind="cancel", session_id=execution.run.session_id)
    )
    await eventually(process.shared._look.is_set, message="the signal is heard")
    looking = asyncio.create_task(process.shared.follow_wishes())
    assert (await process.over(execution)).status == "cancelled"
    for task in (following, looking):
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_a_signal_that_was_lost_only_delays_a_wish(process: Process) -> None:
    first, second = await process.begin(), await process.begin()
    looking = asyncio.create_task(process.shared.follow_wishes())
    for execution in (first, second):
        assert await process.store.wish(execution.run.id, {"cancel": True})
        assert (await process.over(execution)).status == "cancelled"
    looking.cancel()
    with suppress(asyncio.CancelledError):
        await looking


async def test_who_does_not_know_the_others_is_not_the_oldest(world: Runtime) -> None:
    class FaintStore(Store):
        async def live_processes(self) -> list[ProcessRow]:
            raise Unavailable("The database does not answer.")

    process = await open_process(world, process_name("home"), FaintStore)
    assert not await process.shared.is_oldest()


@pytest.mark.parametrize("error", [None, ValueError("odd")])
async def test_one_failure_does_not_end_what_keeps_all_runs_alive(
    caplog: pytest.LogCaptureFixture, error: Exception | None
) -> None:
    async def work() -> None:
        if error:
            raise error

    await _logged("leases are not renewed", work())
    assert ("leases are not renewed" in caplog.text) is (error is not None)


async def test_browsers_of_sessions_that_are_gone_are_closed_here(process: Process) -> None:
    """Those that are executed, and those that this process has, stay."""
    execution = await process.begin()
    ours, archived, moved = [(await process.accept()).session_id for _ in range(3)]
    for session_id, values in ((ours, {}), (archived, {"archived_at": now()})):
        changed = update(SessionRow).where(SessionRow.id == session_id)
        changed = changed.values(worker=process.store.owner, **values)
        await process.store.database.write(lambda db, changed=changed: db.execute(changed))
    for session_id in (execution.run.session_id, ours, archived, moved):
        await process.browsers.get(session_id)
    await process.shared._close_browsers()
    assert set(process.browsers.opened()) == {execution.run.session_id, ours}


# The end of a process


async def test_a_process_that_ends_hands_its_run_back_once_its_step_has_ended(
    process: Process, published: list[Stamped]
) -> None:
    execution = await process.begin()
    run, walker = execution.run, process.agents.walkers[execution.run.id]
    execution.adapter.usage = Usage(input_tokens=70, model_calls=1)
    drained = asyncio.create_task(process.executor.drain(0))
    await eventually(lambda: execution._is_leaving, message="no further step may begin")
    assert not execution.stopped.is_set(), "its step is not cut off"
    walker.may_step.set()
    await drained
    assert len(walker.heard) == 1, "no further step has begun"
    waiting = await process.store.run(run.id)
    assert (waiting.status, waiting.finished_at, waiting.error_code) == ("queued", None, None)
    assert waiting.usage == execution.adapter.usage.model_dump()
    assert (await process.store.session(run.session_id)).status == "queued"
    last = published[-1].event
    assert isinstance(last, RunChanged)
    assert (last.status, last.note) == ("queued", HANDED_BACK)
    assert not process.executor.executions
    assert not any(it.event.is_terminal for it in published)


async def test_what_was_handed_back_is_taken_by_the_next_process_at_once(process: Process) -> None:
    execution = await process.begin()
    process.agents.walkers[execution.run.id].may_step.set()
    await process.executor.drain(0)
    following = await open_process(process.world, process_name("home"))
    recovery = Recovery(
        following.store, process.world.bus, following.recorder, following.executor,
        following.browsers.has_outlived,
    )  # fmt: skip
    await recovery.recover()
    await eventually(lambda: following.heard(execution.run.id), message="its agent works")
    present = await following.store.run(execution.run.id)
    assert (present.status, present.owner) == ("running", following.store.owner)
    assert (present.epoch, present.attempt) == (execution.run.epoch + 1, 2)
    following.executor.executions[execution.run.session_id].stop("cancelled")
    await following.executor.drain(60)


async def test_a_run_that_was_taken_while_its_process_ends_is_not_handed_back(process: Process) -> None:
    execution = await process.begin()
    other = Store(process.world.database, process_name())
    taken = await other.take_run(execution.run.id, "running")
    assert taken
    process.agents.walkers[execution.run.id].may_step.set()
    await process.executor.drain(0)
    present = await other.run(execution.run.id)
    assert (present.status, present.owner, present.epoch) == ("running", other.owner, taken.epoch)


async def test_a_hand_back_of_a_run_that_was_taken_is_not_told(
    process: Process, published: list[Stamped]
) -> None:
    execution = await process.begin()
    assert await Store(process.world.database, process_name()).take_run(execution.run.id, "running")
    assert await process.recorder.hand_back(execution) is False
    notes = [it.event.note for it in published if isinstance(it.event, RunChanged)]
    assert HANDED_BACK not in notes


async def test_a_run_that_begins_while_its_process_ends_is_handed_back_without_a_step(
    process: Process,
) -> None:
    await process.executor.drain(0)
    run = await process.accept()
    with pytest.raises(HandedBack):
        await process.executor.execute(run.id, asyncio.Event())
    assert process.heard(run.id) == []
    waiting = await process.store.run(run.id)
    assert (waiting.status, waiting.finished_at) == ("queued", None)
