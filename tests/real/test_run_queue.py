"""What a queue of runs promises, for the queue of one process and for that of several."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import psycopg
import pytest
from pgqueuer.adapters.persistence import schema_inspect
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment
from pgqueuer.domain.settings import db_settings
from pgqueuer.queries import Queries
from sqlalchemy import Connection

from scripts.shell import ROOT
from server.database import Database
from server.errors import Unavailable
from server.extras.cluster.jobs import enqueue_run
from server.extras.cluster.pg_queue import PgRunQueue
from server.runs.queue import Execute, InProcessRunQueue, QueueStats, RunQueue
from tests.support.databases import open_database
from tests.support.eventually import eventually
from tests.support.postgres import Postgres

LEASE = 2.0


@dataclass
class Worker:
    """Executes runs until they are released, and notes each call."""

    began: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    may_end: asyncio.Event = field(default_factory=asyncio.Event)

    async def execute(self, run_id: str, has_begun: asyncio.Event) -> None:
        self.began.append(run_id)
        has_begun.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled.append(run_id)
            raise
        self.ended.append(run_id)


@dataclass
class Queues:
    """A kind of queue. `open` starts one with as many slots; `add` commits a run and submits it."""

    open: Callable[[Execute, int], Awaitable[RunQueue]]
    add: Callable[[RunQueue, str], Awaitable[None]]


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    async with open_database(postgres_url) as database:
        yield database


@pytest.fixture(params=["one process", "postgresql"])
async def queues(request: pytest.FixtureRequest) -> AsyncIterator[Queues]:
    async with AsyncExitStack() as stack:
        if request.param == "one process":

            async def open_local(execute: Execute, slots: int) -> RunQueue:
                queue = InProcessRunQueue(execute, slots=slots)
                stack.push_async_callback(queue.drain, 0)
                return queue

            async def submit(queue: RunQueue, run_id: str) -> None:
                queue.submit(run_id)

            yield Queues(open_local, submit)
            return
        url: str = request.getfixturevalue("postgres_url")
        database = await stack.enter_async_context(open_database(url))

        async def open_shared(execute: Execute, slots: int) -> RunQueue:
            return await stack.enter_async_context(connected(execute, url, "w1", slots))

        async def commit(queue: RunQueue, run_id: str) -> None:
            await database.write(lambda db: enqueue_run(db, run_id))
            queue.submit(run_id)

        yield Queues(open_shared, commit)


@asynccontextmanager
async def connected(
    execute: Execute, url: str, worker_id: str, slots: int = 4, lease: float = LEASE
) -> AsyncIterator[PgRunQueue]:
    async with PgRunQueue(execute, url, worker_id=worker_id, slots=slots, lease_seconds=lease) as queue:
        await queue.connected()
        yield queue


async def test_a_run_is_executed_once_and_is_known_while_it_is(queues: Queues) -> None:
    worker = Worker()
    queue = await queues.open(worker.execute, 4)
    await queues.add(queue, "r1")
    await eventually(lambda: worker.began, message="the run begins")
    assert queue.knows("r1")
    assert await queue.wait_started("r1")
    assert not await queue.wait_started("r2")
    worker.may_end.set()
    await eventually(lambda: not queue.knows("r1"), message="the run is forgotten")

    async def stats() -> QueueStats:
        return await queue.stats()

    await eventually(stats, lambda it: it == QueueStats(0, 0, 0.0), message="the queue is empty")
    assert (worker.began, worker.ended) == (["r1"], ["r1"])


async def test_no_more_runs_at_once_than_slots(queues: Queues) -> None:
    worker = Worker()
    queue = await queues.open(worker.execute, 2)
    for number in range(5):
        await queues.add(queue, f"r{number}")

    async def counts() -> tuple[int, int]:
        found = await queue.stats()
        return found.queued, found.running

    await eventually(counts, lambda it: it == (3, 2), message="two run, three wait")
    assert len(worker.began) == 2
    assert (await queue.stats()).oldest_seconds > 0
    worker.may_end.set()
    await eventually(lambda: len(worker.ended), lambda it: it == 5, message="all have run")
    assert sorted(worker.began) == [f"r{number}" for number in range(5)]


async def test_a_cancel_reaches_what_runs_and_removes_what_waits(queues: Queues) -> None:
    worker = Worker()
    queue = await queues.open(worker.execute, 2)
    for number in range(3):
        await queues.add(queue, f"r{number}")
    await eventually(lambda: len(worker.began), lambda it: it == 2, message="two run")
    (waiting,) = {"r0", "r1", "r2"} - set(worker.began)
    first = worker.began[0]
    await queue.cancel(waiting)
    await queue.cancel(first)
    await eventually(lambda: worker.cancelled, lambda it: it == [first], message="the cancel arrives")
    worker.may_end.set()
    await eventually(queue.stats, lambda it: it == QueueStats(0, 0, 0.0), message="the queue is empty")
    assert waiting not in worker.began
    assert len(worker.ended) == 1


async def test_a_drain_waits_then_cancels(queues: Queues) -> None:
    worker = Worker()
    queue = await queues.open(worker.execute, 2)
    await queues.add(queue, "r1")
    await eventually(lambda: worker.began, message="the run begins")
    await queue.drain(0.01)
    assert worker.cancelled == ["r1"]
    assert not queue.knows("r1")


# Only of several processes


class Undone(Exception):
    pass


async def test_a_transaction_that_is_rolled_back_leaves_no_job(database: Database, postgres_url: str) -> None:
    def fail(db: Connection) -> None:
        enqueue_run(db, "r1", prefer="w1")
        raise Undone

    with pytest.raises(Undone):
        await database.write(fail)
    worker = Worker()
    async with connected(worker.execute, postgres_url, "w1") as queue:
        assert await queue.stats() == QueueStats(0, 0, 0.0)
        await database.write(lambda db: enqueue_run(db, "r2"))  # the next job is the first one
        await eventually(lambda: worker.began, lambda it: it == ["r2"], message="the committed run begins")
        worker.may_end.set()


async def test_a_transaction_that_is_repeated_adds_one_job(database: Database, postgres_url: str) -> None:
    worker = Worker()
    async with connected(worker.execute, postgres_url, "w1") as queue:
        for _ in range(2):
            await database.write(lambda db: enqueue_run(db, "r1"))
        await eventually(lambda: worker.began, message="the run begins")
        assert await queue.stats() == QueueStats(0, 1, 0.0)
        await database.write(lambda db: enqueue_run(db, "r1", attempt=1))
        assert (await queue.stats()).running == 1  # of one run
        worker.may_end.set()


async def test_the_worker_that_has_the_browser_gets_the_run(database: Database, postgres_url: str) -> None:
    one, other = Worker(), Worker()
    async with (
        connected(one.execute, postgres_url, "w1") as queue,
        connected(other.execute, postgres_url, "w2"),
    ):
        for worker in (one, other):
            worker.may_end.set()
        for number in range(10):
            prefer = f"w{number % 2 + 1}"
            await database.write(lambda db, run=f"r{number}", to=prefer: enqueue_run(db, run, prefer=to))
        await eventually(
            lambda: len(one.ended) + len(other.ended), lambda it: it == 10, message="all have run"
        )
        await eventually(queue.stats, lambda it: it == QueueStats(0, 0, 0.0), message="no second job is left")
    assert sorted(one.began) == [f"r{number}" for number in range(0, 10, 2)]
    assert sorted(other.began) == [f"r{number}" for number in range(1, 10, 2)]


async def test_a_preferred_worker_that_is_gone_only_delays(database: Database, postgres_url: str) -> None:
    worker = Worker()
    worker.may_end.set()
    async with connected(worker.execute, postgres_url, "w1") as queue:
        await database.write(lambda db: enqueue_run(db, "r1", prefer="gone"))
        await eventually(lambda: worker.ended, lambda it: it == ["r1"], message="another worker takes it")
        await eventually(queue.stats, lambda it: it == QueueStats(0, 0, 0.0), message="no second job is left")
    assert worker.began == ["r1"]


DYING = """
import asyncio, sys
from server.extras.cluster.pg_queue import PgRunQueue

async def execute(run_id, has_begun):
    print(run_id, flush=True)
    await asyncio.Event().wait()

async def main():
    async with PgRunQueue(execute, sys.argv[1], worker_id="dying", slots=4, lease_seconds=float(sys.argv[2])):
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_the_run_of_a_killed_worker_is_taken_by_another(database: Database, postgres_url: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", DYING, postgres_url, str(LEASE), cwd=ROOT, stdout=subprocess.PIPE
    )
    assert process.stdout
    try:
        await database.write(lambda db: enqueue_run(db, "r1"))
        assert await process.stdout.readline() == b"r1\n"
        worker = Worker()
        async with connected(worker.execute, postgres_url, "w2") as queue:
            assert (await queue.stats()).running == 1
            os.kill(process.pid, signal.SIGKILL)
            await eventually(
                lambda: worker.began, lambda it: it == ["r1"], message="the run is delivered again"
            )
            worker.may_end.set()
            await eventually(queue.stats, lambda it: it == QueueStats(0, 0, 0.0), message="the job is done")
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_a_living_worker_keeps_its_run_for_longer_than_a_lease(
    database: Database, postgres_url: str
) -> None:
    one, other = Worker(), Worker()

    def seconds(db: Connection) -> float:
        """Since the run was taken, by the database's clock."""
        age = "SELECT extract(epoch FROM clock_timestamp() - updated)::float FROM pgqueuer"
        return float(db.exec_driver_sql(age).scalar_one())

    async with connected(one.execute, postgres_url, "w1"):
        await database.write(lambda db: enqueue_run(db, "r1"))
        await eventually(lambda: one.began, message="the run begins")
        async with connected(other.execute, postgres_url, "w2"):
            await eventually(
                lambda: database.read(seconds), lambda it: it > 3 * LEASE, message="three leases pass"
            )
            assert (one.began, other.began) == (["r1"], [])
            one.may_end.set()
            await eventually(lambda: one.ended, message="the run ends")


async def test_a_worker_that_goes_down_hands_its_run_back(database: Database, postgres_url: str) -> None:
    one, other = Worker(), Worker()
    async with connected(one.execute, postgres_url, "w1", lease=60) as queue:
        await database.write(lambda db: enqueue_run(db, "r1"))
        await eventually(lambda: one.began, message="the run begins")
        await queue.drain(0.01)
        assert one.cancelled == ["r1"]
        async with connected(other.execute, postgres_url, "w2", lease=60):
            await eventually(lambda: other.began, lambda it: it == ["r1"], message="another worker takes it")
            other.may_end.set()


async def test_a_worker_survives_a_restart_of_the_database(
    postgres: Postgres, database: Database, postgres_url: str
) -> None:
    """Its execution continues, and it takes runs again."""
    worker = Worker()
    async with connected(worker.execute, postgres_url, "w1") as queue:
        await database.write(lambda db: enqueue_run(db, "r1"))
        await eventually(lambda: worker.began, message="the run begins")
        postgres.stop()
        postgres.start()

        async def add() -> bool:
            try:
                await database.write(lambda db: enqueue_run(db, "r2"))
            except Exception:
                return False
            return True

        await eventually(add, message="the database is back", interval=0.2)
        await eventually(lambda: "r2" in worker.began, message="the worker takes runs again")

        def managers(db: Connection) -> tuple[int, int]:
            held = "SELECT count(*), count(DISTINCT queue_manager_id) FROM pgqueuer WHERE status = 'picked'"
            rows, distinct = db.exec_driver_sql(held).one()
            return rows, distinct

        await eventually(
            lambda: database.read(managers), lambda it: it == (2, 1), message="it has both jobs again"
        )
        assert (worker.began.count("r1"), worker.cancelled) == (1, [])
        worker.may_end.set()
        await eventually(queue.stats, lambda it: it == QueueStats(0, 0, 0.0), message="the queue is empty")
        assert sorted(worker.ended) == ["r1", "r2"]


async def test_a_process_without_slots_commands_jobs_is_woken_by_none_and_survives_a_restart(
    postgres: Postgres, database: Database, postgres_url: str
) -> None:
    worker, nobody = Worker(), Worker()
    listening = (
        "SELECT count(*) FROM pg_stat_activity WHERE query ILIKE 'LISTEN%%' AND datname = current_database()"
    )
    async with connected(nobody.execute, postgres_url, "web", slots=0) as front:
        await database.write(lambda db: enqueue_run(db, "r1"))
        stats = await front.stats()
        assert (stats.queued, stats.running) == (1, 0)
        postgres.stop()
        postgres.start()

        async def queued() -> int:
            try:
                return (await front.stats()).queued
            except Unavailable:
                return 0

        await eventually(queued, message="it asks again")
        async with connected(worker.execute, postgres_url, "w1"):
            await eventually(lambda: worker.began, message="the run begins")
            listeners = await database.read(lambda db: db.exec_driver_sql(listening).scalar_one())
            assert listeners == 1, "only the worker listens"
            await front.cancel("r1")
            await eventually(lambda: worker.cancelled, lambda it: it == ["r1"], message="it is cancelled")
        assert nobody.began == []


async def test_what_fails_because_of_the_database_is_delivered_again(
    database: Database, postgres_url: str
) -> None:
    calls: list[str] = []

    async def execute(run_id: str, has_begun: asyncio.Event) -> None:
        calls.append(run_id)
        if len(calls) == 1:
            raise Unavailable("The database does not answer.", code="db_unavailable")

    async with connected(execute, postgres_url, "w1") as queue:
        await database.write(lambda db: enqueue_run(db, "r1"))
        await eventually(lambda: calls, lambda it: it == ["r1", "r1"], message="the run is delivered again")
        await eventually(queue.stats, lambda it: it == QueueStats(0, 0, 0.0), message="the job is done")


async def test_the_migrations_make_the_schema_that_pgqueuer_would(
    postgres: Postgres, postgres_url: str
) -> None:
    name = postgres.create_database()
    try:
        found = []
        for url in (postgres_url, postgres.url(name)):
            address = url.replace("+psycopg", "")
            async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
                queries = Queries.from_psycopg_connection(connection)
                if url != postgres_url:
                    await connection.execute(QueryBuilderEnvironment().build_install_query().encode())
                else:
                    assert (await queries.plan_upgrade()).statements == ()
                found.append(await schema_inspect.inspect(queries.driver, db_settings()))
        ours, theirs = found
        assert {table.name for table in theirs.tables} >= {"pgqueuer", "pgqueuer_log"}
        for part in ("enums", "tables", "indexes", "functions", "triggers"):
            assert getattr(ours, part) == getattr(theirs, part), part
    finally:
        postgres.drop_database(name)
