"""Who executes a run: leases that end, are renewed, are given up, and what a former owner can still do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, func, select, text, update

from server.agent.event_adapter import EventAdapter
from server.checkpoints import Checkpoints, MemoryTables
from server.database.models import ProcessRow, RunRow
from server.events import Usage
from server.extras.cluster.jobs import put_job
from server.extras.cluster.sharing import SharedRuns
from server.extras.cluster.signals import InProcessSignals
from server.extras.mock.model import ScriptedChatModel
from server.extras.mock.pool import MockBrowsers
from server.files.screenshots import Screenshots
from server.runs.agents import AgentFactory
from server.runs.commands import RunCommands
from server.runs.execution import Execution
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.runs.services import RunServices
from server.settings import Settings
from server.store import LeaseHeld, Ownership, StartedRun, Store
from server.store.owners import MAX_COUNTED, UNRENEWED_SECONDS
from server.stream.bus import InProcessBus
from tests.support.actions import question_about
from tests.support.databases import open_database
from tests.support.eventually import eventually
from tests.support.postgres import BLOCKED_BY_US

LEASE = 60.0


@dataclass
class Workers:
    """Processes that share a database on PostgreSQL, each with a connection of its own."""

    url: str
    stack: AsyncExitStack

    async def open(self, name: str) -> Store:
        ownership = Ownership(name, enqueue=put_job, lease_seconds=LEASE)
        database = await self.stack.enter_async_context(open_database(self.url))
        return Store(database, name, ownership=ownership)


@pytest.fixture
async def workers(postgres_url: str) -> AsyncIterator[Workers]:
    async with AsyncExitStack() as stack:
        yield Workers(postgres_url, stack)


async def accepted(store: Store, content: str = "go") -> RunRow:
    session = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=10)
    return (await store.accept(session.id, content)).run


async def begun(store: Store, run_id: str) -> StartedRun:
    started = await store.begin_execution(run_id)
    assert started
    return started


async def end_lease(store: Store, run_id: str, *, seconds: float = -0.001) -> None:
    """Let the run's lease end so many seconds from now, by the clock of the database."""
    moment = func.clock_timestamp() + timedelta(seconds=seconds)
    change = update(RunRow).where(RunRow.id == run_id).values(lease_until=moment)
    await store.database.write(lambda db: db.execute(change))


async def left(store: Store, run_id: str) -> float:
    """The seconds that are left of the run's lease."""
    asked = select(func.extract("epoch", RunRow.lease_until - func.clock_timestamp()))
    return float(await store.database.read(lambda db: db.scalar(asked.where(RunRow.id == run_id))) or 0)


async def jobs(store: Store, run_id: str, status: str = "queued") -> int:
    asked = text(
        "SELECT count(*) FROM pgqueuer WHERE payload = convert_to(:run_id, 'UTF8') AND status = :status"
    )
    values = {"run_id": run_id, "status": status}
    return await store.database.read(lambda db: db.scalar(asked, values)) or 0


async def lose_jobs(store: Store) -> None:
    await store.database.write(lambda db: db.execute(text("DELETE FROM pgqueuer")))


async def outcomes(calls: Iterable[Awaitable[StartedRun | None]]) -> list[StartedRun | str | None]:
    """At once; what came back, "held" where another process has the lease."""
    found = await asyncio.gather(*calls, return_exceptions=True)
    results: list[StartedRun | str | None] = []
    for one in found:
        if isinstance(one, BaseException) and not isinstance(one, LeaseHeld):
            raise one
        results.append("held" if isinstance(one, LeaseHeld) else one)
    return results


async def columns(store: Store, run_id: str) -> dict[str, Any]:
    row = await store.run(run_id)
    return {column.key: getattr(row, column.key) for column in RunRow.__table__.columns}


async def assert_powerless(store: Store, former: RunRow) -> None:
    """A process that had the run as `former` stores nothing of it any more."""
    usage = Usage(input_tokens=1_000_000)
    before = await columns(store, former.id)
    assert await store.begin_call(former, "late click", usage=usage) is None
    assert await store.add_tool_message(former, "late", {"call_id": "c"}, usage=usage) is None
    assert await store.set_run_status(former, "paused") is False
    assert await store.open_interrupt(former, question_about(), expires_at=None, usage=usage) is None
    assert await store.mark_read_by_agent(former, {"m"}) == []
    assert await store.take_wishes(former, ("plan",)) == {}
    assert await store.hand_back_run(former, usage) is False
    assert await store.finish_run(former.id, "completed", epoch=former.epoch, answer="late") is None
    assert await store.keep_leases([former.id]) == {}
    executed = store.database.read(lambda db: store.is_executed_here(db, former.session_id, former.epoch))
    assert await executed is False
    assert await columns(store, former.id) == before


# Several processes: a lease ends by the clock of the database


async def test_a_lease_that_has_ended_is_taken_by_exactly_one(workers: Workers) -> None:
    dead, one, other = [await workers.open(name) for name in ("dead", "one", "other")]
    for _ in range(5):
        run = await accepted(dead)
        former = (await begun(dead, run.id)).run
        await end_lease(dead, run.id)
        found = await outcomes(store.begin_execution(run.id) for store in (one, other) for _ in range(3))
        taken = [it for it in found if isinstance(it, StartedRun)]
        assert len(taken) == 1
        assert found.count("held") == 5
        assert (taken[0].run.epoch, taken[0].run.attempt) == (former.epoch + 1, 2)
        assert taken[0].continues
        present = await one.run(run.id)
        assert (present.owner, present.epoch) == (taken[0].run.owner, taken[0].run.epoch)
        assert LEASE - 5 < await left(one, run.id) <= LEASE
        await assert_powerless(dead, former)


async def test_a_lease_that_has_not_ended_is_left_to_its_owner(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    run = await accepted(owner)
    held = (await begun(owner, run.id)).run
    await end_lease(owner, run.id, seconds=30)
    with pytest.raises(LeaseHeld) as caught:
        await other.begin_execution(run.id)
    assert caught.value.retry_after == 1
    present = await owner.run(run.id)
    assert (present.owner, present.epoch, present.attempt) == ("owner", held.epoch, 1)
    assert await owner.set_run_status(held, "paused") is True


async def test_a_lease_that_is_renewed_when_it_has_just_ended_is_kept(workers: Workers) -> None:
    """Until another process has taken the run, its owner may go on with it."""
    owner, other = await workers.open("owner"), await workers.open("other")
    run = await accepted(owner)
    held = (await begun(owner, run.id)).run
    await end_lease(owner, run.id)
    assert await owner.keep_leases([run.id]) == {run.id: held.epoch}
    assert LEASE - 5 < await left(owner, run.id) <= LEASE
    with pytest.raises(LeaseHeld):
        await other.begin_execution(run.id)
    assert (await owner.run(run.id)).owner == "owner"


async def test_a_renewal_renews_nothing_but_what_is_asked_for_and_ours(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    ours, stale, theirs = [await accepted(owner) for _ in range(3)]
    for store, run in ((owner, ours), (owner, stale), (other, theirs)):
        await begun(store, run.id)
        await end_lease(owner, run.id, seconds=10)
    assert await owner.keep_leases([ours.id, theirs.id]) == {ours.id: ours.epoch}
    assert [await left(owner, run.id) > 10 for run in (ours, stale, theirs)] == [True, False, False]
    assert await owner.keep_leases([]) == {}
    assert set(await owner.keep_leases()) == {ours.id, stale.id}
    assert await left(owner, theirs.id) <= 10


async def test_a_run_that_is_taken_twice_belongs_to_the_last_one(workers: Workers) -> None:
    first, second, third = [await workers.open(name) for name in ("first", "second", "third")]
    run = await accepted(first)
    formers = [(first, (await begun(first, run.id)).run)]
    await end_lease(first, run.id)
    formers.append((second, (await begun(second, run.id)).run))
    await end_lease(first, run.id)
    last = (await begun(third, run.id)).run
    assert [former.epoch for _, former in formers] == [last.epoch - 2, last.epoch - 1]
    assert last.attempt == 3
    for store, former in formers:
        await assert_powerless(store, former)
    assert await third.begin_call(last, "click") is not None
    ended = await third.finish_run(run.id, "completed", epoch=last.epoch, answer="Done.")
    assert ended
    assert [message.content for message in await third.messages(run.session_id)] == ["go", "Done."]


async def test_a_begin_whose_reply_was_lost_is_repeated_by_its_own_process_only(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    run = await accepted(owner)
    held = (await begun(owner, run.id)).run
    for store, again in ((owner, False), (other, True)):
        with pytest.raises(LeaseHeld):
            await store.begin_execution(run.id, again=again)
    repeated = await owner.begin_execution(run.id, again=True)
    assert repeated
    assert repeated.run.epoch == held.epoch + 1
    assert await owner.set_run_status(held, "paused") is False


async def test_a_run_that_waits_for_a_person_or_has_ended_is_taken_by_nobody(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    asking, ended = [(await begun(owner, (await accepted(owner)).id)).run for _ in range(2)]
    assert await owner.open_interrupt(asking, question_about(), expires_at=None, usage=Usage())
    assert await owner.finish_run(ended.id, "completed", epoch=ended.epoch, answer="Done.")
    for run in (asking, ended):
        await end_lease(owner, run.id)
        before = await columns(owner, run.id)
        assert await other.begin_execution(run.id) is None
        assert await columns(owner, run.id) == before


async def test_a_run_that_is_handed_back_is_taken_at_once(workers: Workers) -> None:
    """Its owner needs no lease to end; what it has used counts on."""
    owner, other = await workers.open("owner"), await workers.open("other")
    run = await accepted(owner)
    held = (await begun(owner, run.id)).run
    used = Usage(input_tokens=70, model_calls=2)
    assert await owner.hand_back_run(held, used) is True
    waiting = await owner.run(run.id)
    assert (waiting.status, waiting.owner, waiting.lease_until) == ("queued", None, None)
    assert (await owner.session(run.session_id)).status == "queued"
    taken = await begun(other, run.id)
    assert (taken.continues, taken.run.epoch, taken.run.usage) == (True, held.epoch + 1, used.model_dump())
    await assert_powerless(owner, held)


async def blocks_another(holder: psycopg.AsyncConnection[Any]) -> bool:
    """Whether a transaction waits for the one that is open here."""
    found = await (await holder.execute(BLOCKED_BY_US)).fetchone()
    return bool(found and found[0])


async def test_a_run_that_is_taken_at_the_moment_of_its_hand_back_stays_with_who_took_it(
    workers: Workers,
) -> None:
    owner = await workers.open("owner")
    held = (await begun(owner, (await accepted(owner)).id)).run
    async with await psycopg.AsyncConnection.connect(workers.url.replace("+psycopg", "")) as other:
        await other.execute("SELECT 1 FROM sessions WHERE id = %s FOR UPDATE", [held.session_id])
        await other.execute("UPDATE runs SET owner = 'other', epoch = epoch + 1 WHERE id = %s", [held.id])
        back = asyncio.create_task(owner.hand_back_run(held, Usage()))
        await eventually(lambda: blocks_another(other), message="the hand-back waits")
        await other.commit()
    assert await back is False
    present = await owner.run(held.id)
    assert (present.owner, present.epoch, present.status) == ("other", held.epoch + 1, "running")


async def test_a_run_without_owner_begins_only_while_it_waits(workers: Workers) -> None:
    store = await workers.open("owner")
    run = await accepted(store)
    change = update(RunRow).where(RunRow.id == run.id).values(status="paused")
    await store.database.write(lambda db: db.execute(change))
    assert await store.begin_execution(run.id) is None


async def test_only_runs_that_nobody_executes_get_a_job_again_and_one_only(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    waiting, dead, alive, asking, ended = [await accepted(owner) for _ in range(5)]
    held = await owner.accept(alive.session_id, "and then", mode="queue")
    for run in (dead, alive, asking, ended):
        await begun(owner, run.id)
    assert await owner.open_interrupt(asking, question_about(), expires_at=None, usage=Usage())
    assert await owner.finish_run(ended.id, "completed", epoch=ended.epoch, answer="Done.")
    for run in (dead, asking, ended):
        await end_lease(owner, run.id)
    assert await jobs(owner, waiting.id) == 1
    assert waiting.id not in await other.requeue_lost_runs(), "its job is there"
    await lose_jobs(owner)
    assert set(await other.requeue_lost_runs()) == {waiting.id, dead.id}
    assert await owner.requeue_lost_runs() == []
    found = {run.id: await jobs(owner, run.id) for run in (waiting, dead, alive, asking, ended, held.run)}
    assert {run_id for run_id, count in found.items() if count} == {waiting.id, dead.id}
    assert set(found.values()) == {0, 1}


async def test_the_job_of_a_worker_that_is_gone_leads_nobody_to_its_run(workers: Workers) -> None:
    """A job that only one worker may take counts while that worker lives."""
    store = await workers.open("owner")
    run = await accepted(store)
    put = text(
        "UPDATE pgqueuer SET entrypoint = 'run@gone', heartbeat = clock_timestamp() - CAST(:age AS interval)"
    )
    for age, is_lost in ((LEASE - 30, False), (LEASE + 1, True)):
        values = {"age": timedelta(seconds=age)}
        await store.database.write(lambda db, values=values: db.execute(put, values))
        assert await store.requeue_lost_runs() == ([run.id] if is_lost else [])
        assert await jobs(store, run.id) == 1
    entrypoint = text("SELECT entrypoint FROM pgqueuer")
    assert await store.database.read(lambda db: db.scalar(entrypoint)) == "run"


async def test_a_run_that_ends_while_its_job_is_looked_for_gets_none(workers: Workers) -> None:
    store = await workers.open("owner")
    run = await accepted(store)
    put = text(
        "UPDATE pgqueuer SET entrypoint = 'run@gone', heartbeat = clock_timestamp() - interval '1 day'"
    )
    await store.database.write(lambda db: db.execute(put))
    async with await psycopg.AsyncConnection.connect(workers.url.replace("+psycopg", "")) as other:
        await other.execute("SELECT 1 FROM pgqueuer FOR UPDATE")
        looking = asyncio.create_task(store.requeue_lost_runs())
        await eventually(
            lambda: blocks_another(other), message="it removes the job of the worker that is gone"
        )
        assert await store.finish_run(run.id, "cancelled", epoch=run.epoch)
        await other.commit()
    assert await looking == [run.id]
    assert await jobs(store, run.id) == 0


async def test_processes_live_while_they_say_so_and_the_first_one_is_known(workers: Workers) -> None:
    first, second = await workers.open("first"), await workers.open("second")
    for store in (first, second):
        await store.report_alive(role="worker", address="http://a", runs=0, browsers=0, is_draining=False)
    assert [one.name for one in await first.live_processes()] == ["first", "second"]
    await age(first, "first", LEASE - 30)
    assert [one.name for one in await first.live_processes()] == ["first", "second"]
    await age(first, "first", LEASE + 1)
    assert [one.name for one in await first.live_processes()] == ["second"]
    await first.report_alive(role="worker", address="http://b", runs=1, browsers=2, is_draining=True)
    found = {one.name: one for one in await first.live_processes()}
    assert (found["first"].address, found["first"].runs, found["first"].is_draining) == ("http://b", 1, True)
    await second.forget_process()
    assert [one.name for one in await first.live_processes()] == ["first"]


async def test_a_process_that_was_not_heard_of_for_a_day_is_forgotten(workers: Workers) -> None:
    store, late, gone = [await workers.open(name) for name in ("owner", "late", "gone")]
    for one in (store, late, gone):
        await one.report_alive(role="worker", address="http://a", runs=0, browsers=0, is_draining=False)
    await age(store, "late", 24 * 3600 - 60)
    await age(store, "gone", 24 * 3600 + 60)
    await store.report_alive(role="worker", address="http://a", runs=0, browsers=0, is_draining=False)
    names = select(ProcessRow.name).order_by(ProcessRow.name)
    assert await store.database.read(lambda db: [*db.scalars(names)]) == ["late", "owner"]


async def age(store: Store, name: str, seconds: float) -> None:
    change = text(
        "UPDATE processes SET seen_at = clock_timestamp() - CAST(:age AS interval) WHERE name = :name"
    )
    values = {"age": timedelta(seconds=seconds), "name": name}
    await store.database.write(lambda db: db.execute(change, values))


async def test_a_browser_has_one_process_until_that_is_gone(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    for store in (owner, other):
        await store.report_alive(role="worker", address="http://a", runs=0, browsers=0, is_draining=False)
    session_id = (await accepted(owner)).session_id
    assert await owner.claim_browser(session_id) is None
    assert await owner.claim_browser(session_id) is None
    holder: Any = await other.claim_browser(session_id)
    assert holder.name == "owner"
    await age(owner, "owner", LEASE + 1)
    assert await other.claim_browser(session_id) == "owner"
    await owner.leave_browser(session_id)  # it wakes, and has it no more
    assert (await other.session(session_id)).worker == "other"
    assert await other.claim_browser(session_id) is None
    assert await owner.gone_sessions({session_id}) == {session_id}
    assert await other.gone_sessions({session_id}) == set()
    await other.leave_browser(session_id)
    assert (await other.session(session_id)).worker is None


async def test_of_two_processes_that_want_a_browser_at_once_one_gets_it(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    for store in (owner, other):
        await store.report_alive(role="worker", address="http://a", runs=0, browsers=0, is_draining=False)
    for _ in range(10):
        session_id = (await accepted(owner)).session_id
        found = await asyncio.gather(*(store.claim_browser(session_id) for store in (owner, other)))
        assert found.count(None) == 1
        has = (await owner.session(session_id)).worker
        assert [has] == [
            store.owner for store, holder in zip((owner, other), found, strict=True) if not holder
        ]


async def test_a_process_that_ends_leaves_its_browsers_and_no_others(workers: Workers) -> None:
    owner, other = await workers.open("owner"), await workers.open("other")
    ours, theirs = [(await accepted(owner)).session_id for _ in range(2)]
    assert await owner.claim_browser(ours) is None
    assert await other.claim_browser(theirs) is None
    await owner.forget_process()
    assert [(await owner.session(session_id)).worker for session_id in (ours, theirs)] == [None, "other"]


@dataclass
class Shared:
    """A process that reports what it does, with executions that the test puts there."""

    runs: SharedRuns
    executions: dict[str, Execution]
    browsers: MockBrowsers
    reloads: list[str]


def share(store: Store, tmp_path: Path) -> Shared:
    settings = Settings.model_validate(
        {
            "data_dir": tmp_path, "auth_token": "x", "database_url": store.database.url, "redis_url": "redis://x",
            "role": "worker", "run_lease": 3.0,
        }
    )  # fmt: skip
    bus, browsers = InProcessBus(), MockBrowsers(settings)
    recorder = RunRecorder(settings, store, bus)
    agents = AgentFactory(
        lambda: settings, lambda _: ScriptedChatModel(), browsers, Checkpoints(MemoryTables())
    )
    parts, executions = (bus, agents, browsers, Screenshots(tmp_path, "/s"), recorder), dict[str, Execution]()
    services = RunServices(settings, store, *parts)
    executor = Executor(services, executions=executions)
    reloads: list[str] = []

    async def reload() -> None:
        reloads.append("settings")

    commands = RunCommands(services, executor)
    runs = SharedRuns(settings, store, InProcessSignals(), executor, commands, browsers, reload)
    return Shared(runs, executions, browsers, reloads)


async def until_cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_a_process_says_that_it_lives_that_it_ends_and_that_it_is_gone(
    workers: Workers, tmp_path: Path
) -> None:
    first, second = await workers.open("first"), await workers.open("second")
    ours, theirs = share(first, tmp_path / "a"), share(second, tmp_path / "b")
    assert not await ours.runs.is_oldest(), "nobody knows it"
    for one in (ours, theirs):
        await one.runs.begin()
    assert [await one.runs.is_oldest() for one in (ours, theirs)] == [True, False]
    assert not any(one.is_draining for one in await second.live_processes())
    await ours.runs.announce_drain()
    assert {one.name: one.is_draining for one in await second.live_processes()} == {
        "first": True, "second": False,
    }  # fmt: skip
    await ours.runs.end()
    assert [one.name for one in await second.live_processes()] == ["second"]
    assert await theirs.runs.is_oldest()


async def test_a_process_that_lives_renews_its_leases_and_says_so_again_and_again(
    workers: Workers, tmp_path: Path
) -> None:
    store = await workers.open("owner")
    shared, run = share(store, tmp_path), await accepted(store)
    held = (await begun(store, run.id)).run
    shared.executions[run.session_id] = Execution(
        held, EventAdapter(held.answer_id), InProcessBus(), max_steps=1
    )
    living = asyncio.create_task(shared.runs.keep_alive())
    for _ in range(3):
        await end_lease(store, run.id, seconds=1)
        await eventually(lambda: left(store, run.id), lambda it: it > 1, message="the lease is renewed")
        await age(store, "owner", LEASE + 1)
        await eventually(store.live_processes, message="it is known to live")
    await until_cancelled(living)
    (known,) = await store.live_processes()
    assert (known.role, known.runs, known.browsers) == ("worker", 1, 0)


async def test_a_process_looks_after_runs_without_a_job_again_and_again(
    workers: Workers, tmp_path: Path
) -> None:
    store = await workers.open("owner")
    shared, run = share(store, tmp_path), await accepted(store)
    looking = asyncio.create_task(shared.runs.keep_consistent())
    for _ in range(2):
        await lose_jobs(store)
        await eventually(lambda: jobs(store, run.id), message="it has a job again")
    await until_cancelled(looking)
    assert len(shared.reloads) >= 2


# Processes that only look whether a lease is renewed


@dataclass
class Passed:
    seconds: float = 5_000.0

    def __call__(self) -> float:
        return self.seconds


async def renewed_at(store: Store, run_id: str, minute: int) -> None:
    """As its owner does it at that minute, by a clock of its own."""
    change = update(RunRow).where(RunRow.id == run_id)

    def renew(db: Connection) -> None:
        before = db.scalar(select(RunRow.created_at).where(RunRow.id == run_id))
        assert before
        db.execute(change.values(lease_until=before + timedelta(minutes=minute)))

    await store.database.write(renew)


async def test_a_lease_that_is_not_renewed_is_noticed_in_its_time_and_its_run_ended_once(
    database_url: str,
) -> None:
    clock = Passed()
    async with open_database(database_url) as database:
        owner = Store(database, "home:a")
        watching = [Store(database, f"elsewhere:{name}", clock=clock) for name in ("b", "c")]
        run = (await begun(owner, (await accepted(owner)).id)).run

        async def orphans() -> list[list[str]]:
            return [[one.id for one in await store.orphaned_runs()] for store in watching]

        for minute in range(3):
            await renewed_at(owner, run.id, minute)
            assert await orphans() == [[], []]
            clock.seconds += MAX_COUNTED
            assert await orphans() == [[], []]
            clock.seconds += UNRENEWED_SECONDS - MAX_COUNTED - 0.5
            assert await orphans() == [[], []]
        clock.seconds += 0.5
        assert await orphans() == [[run.id], [run.id]]
        ended = await asyncio.gather(
            *(
                store.finish_run(run.id, "interrupted", epoch=run.epoch)
                for store in watching
                for _ in range(2)
            )
        )
        assert len([one for one in ended if one]) == 1
        assert await orphans() == [[], []]
        await assert_powerless(owner, run)


async def test_a_run_that_is_continued_after_a_restart_is_requeued_once(database_url: str) -> None:
    async with open_database(database_url) as database:
        gone, store, late = [
            Store(database, name, ownership=Ownership(name, continues=True))
            for name in ("home:gone", "home:now", "home:late")
        ]
        run = (await begun(gone, (await accepted(gone)).id)).run
        (orphan,) = await store.orphaned_runs()
        taken = await store.requeue_run(orphan)
        assert taken
        assert (taken.status, taken.owner) == ("queued", "home:now")
        assert await late.requeue_run(orphan) is None
        assert await late.requeue_run(run) is None
        again = await begun(store, run.id)
        assert (again.continues, again.run.epoch) == (True, run.epoch + 1)
        assert await late.requeue_run(taken) is None, "it is executed"
        await assert_powerless(gone, run)
        assert await store.finish_run(run.id, "completed", epoch=again.run.epoch, answer="Done.")
        assert await late.requeue_run(again.run) is None, "it has ended"
