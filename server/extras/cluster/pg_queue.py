"""The queue of several processes: PgQueuer on PostgreSQL. `server/extras/cluster/jobs.py` adds a run to it.

A worker takes a job by a lease that it renews; when it dies, another worker takes the job after the lease has ended.
Delivery is at least once: a worker that only lost its connection continues, while its job is taken elsewhere.
`Store.begin_execution` lets only one of them begin.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType
from typing import Any

import psycopg
from pgqueuer.adapters.drivers.psycopg import PsycopgDriver
from pgqueuer.core.qm import QueueManager
from pgqueuer.domain.errors import PgqException, RetryRequested
from pgqueuer.domain.models import Context, Job
from pgqueuer.ports.driver import NotifyCallback
from pgqueuer.queries import Queries
from psycopg.conninfo import make_conninfo

from server.database.postgresql import CONNECT_SECONDS, SILENT_LINK
from server.errors import Unavailable
from server.extras.cluster.jobs import ENTRYPOINT, entrypoint_of
from server.runs.queue import Execute, HandedBack, QueueStats
from server.store import LeaseHeld
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

JOB_LEASE_SECONDS = 20.0
QUEUE_RETRY_SECONDS = 0.5
"""Seconds between attempts to connect."""
MAX_JOBS_AT_ONCE = 2
"""Jobs that a worker takes at once, so that a burst is spread over the workers."""
FEWEST_SLOTS = 2
"""PgQueuer takes up to half of its slots at once."""

POLLS_PER_LEASE, MAX_BETWEEN_LOOKS = 8, timedelta(seconds=5)
"""How often per lease the queue is polled for jobs of dead workers, for which there is no notification."""

LINK: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, **SILENT_LINK}
WITHDRAW = "DELETE FROM pgqueuer WHERE payload = $1 AND status = 'queued'"
JOBS_OF_RUN = "SELECT id FROM pgqueuer WHERE payload = $1 AND status IN ('queued', 'picked')"
STATS = """
SELECT count(DISTINCT payload) FILTER (WHERE status = 'queued') AS queued,
       count(DISTINCT payload) FILTER (WHERE status = 'picked') AS running,
       extract(epoch FROM now() - min(created) FILTER (WHERE status = 'queued'))::float AS oldest
FROM pgqueuer
"""
FORGET = "DELETE FROM pgqueuer_log WHERE created < now() - interval '1 day'"
"""PgQueuer logs each change of a job, and removes nothing by itself."""


class PgRunQueue:
    """A `RunQueue`; a context manager. Without slots it executes nothing, it only cancels runs and returns statistics."""

    def __init__(
        self,
        execute: Execute,
        url: str,
        *,
        worker_id: str,
        slots: int,
        lease_seconds: float = JOB_LEASE_SECONDS,
    ) -> None:
        self._execute = execute
        self._address = url.replace("postgresql+psycopg://", "postgresql://")
        self._worker_id = worker_id
        self._slots = max(slots, FEWEST_SLOTS) if slots else 0
        self._lease = timedelta(seconds=lease_seconds)
        self._manager: QueueManager | None = None
        """None while it is not connected."""
        self._connected = asyncio.Event()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By run: its execution, which continues when the queue loses its connection."""
        self._begun: dict[str, asyncio.Event] = {}
        self._is_draining = False
        self._serving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> PgRunQueue:
        self._serving = asyncio.create_task(self._keep_serving(), name="run queue")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.drain(0)
        if self._serving:
            self._serving.cancel()
            await asyncio.wait({self._serving})

    # The interface

    async def reserve(self) -> bool:
        return False  # any process may execute it

    def give_back(self) -> None:
        """Does nothing: no slot was reserved."""

    def submit(self, run_id: str, *, is_reserved: bool = False) -> None:
        """Does nothing: the commit of the job has notified the workers."""

    def knows(self, run_id: str) -> bool:
        return run_id in self._tasks

    async def wait_started(self, run_id: str) -> bool:
        has_begun = self._begun.get(run_id)
        return has_begun is not None and await has_begun.wait()

    async def cancel(self, run_id: str) -> None:
        """Raises Unavailable."""
        queries = self._queries()
        try:
            found = await queries.driver.fetch(JOBS_OF_RUN, run_id.encode())
            if found:
                await queries.mark_job_as_cancelled([row["id"] for row in found])  # type: ignore[misc]
        except psycopg.Error as error:
            raise _away() from error

    async def stats(self) -> QueueStats:
        """Raises Unavailable."""
        try:
            (row,) = await self._queries().driver.fetch(STATS)
        except psycopg.Error as error:
            raise _away() from error
        found: dict[str, Any] = row
        return QueueStats(found["queued"], found["running"], found["oldest"] or 0.0)

    def take_no_more(self) -> None:
        self._is_draining = True
        if self._manager:
            self._manager.shutdown.set()

    async def drain(self, seconds: float) -> None:
        """Take no more jobs. The jobs of runs that have to be cancelled are handed back to other workers."""
        self.take_no_more()
        for patience in (seconds, 5.0):
            if self._tasks:
                await asyncio.wait(self._tasks.values(), timeout=patience)
            for task in self._tasks.values():
                task.cancel()
        if self._serving:
            await asyncio.wait({self._serving}, timeout=5.0)  # it reports the ends of the jobs

    async def connected(self) -> None:
        """Wait until the queue is connected and takes jobs."""
        await self._connected.wait()

    def _queries(self) -> Queries:
        if self._manager is None or not isinstance(self._manager.queries, Queries):
            raise _away()
        return self._manager.queries

    # The worker

    async def _keep_serving(self) -> None:
        while not self._is_draining:
            try:
                await self._serve()
            except (psycopg.Error, PgqException, OSError) as error:
                logger.warning("the run queue has lost its connection to DATABASE_URL: %s", error)
            finally:
                self._manager = None
                self._connected.clear()
            if not self._is_draining:
                await asyncio.sleep(QUEUE_RETRY_SECONDS)

    async def _serve(self) -> None:
        async with await self._connect() as listening, await self._connect() as asking:
            driver = _Driver(listening, asking)
            manager = QueueManager(Queries(driver))
            driver.on_lost = lambda: _cancel_all(manager)
            if self._slots:
                for name in (ENTRYPOINT, entrypoint_of(self._worker_id)):
                    manager.entrypoint(name, accepts_context=True)(self._handle)
            self._manager = manager
            self._connected.set()
            await asking.execute(FORGET)
            if not self._slots:
                driver.on_lost = manager.shutdown.set
                driver.listens.set()
                await _stand_by(manager, listening)
                return
            await manager.run(
                dequeue_timeout=min(MAX_BETWEEN_LOOKS, self._lease / POLLS_PER_LEASE),
                batch_size=max(1, min(self._slots // 2, MAX_JOBS_AT_ONCE)),
                max_concurrent_tasks=self._slots or None,
                shutdown_on_listener_failure=True,
                heartbeat_timeout=self._lease,
                log_aggregation_interval=timedelta(0),
            )

    async def _connect(self) -> psycopg.AsyncConnection[Any]:
        return await psycopg.AsyncConnection.connect(make_conninfo(self._address, **LINK), autocommit=True)

    async def _handle(self, job: Job, context: Context) -> None:
        """Returning acknowledges the job; RetryRequested hands it back."""
        run_id = (job.payload or b"").decode()
        task = self._tasks.get(run_id)
        if task is None:
            task = self._tasks[run_id] = asyncio.create_task(self._work(run_id), name=f"run {run_id}")
            task.add_done_callback(lambda _: self._tasks.pop(run_id, None))
        with context.cancellation:
            try:
                await self._queries().driver.fetch(f"{WITHDRAW} RETURNING id", run_id.encode())
                await asyncio.shield(task)
                return
            except HandedBack:
                raise RetryRequested(timedelta(0), "the worker is going down") from None
            except (Unavailable, LeaseHeld, psycopg.Error) as error:
                raise RetryRequested(timedelta(seconds=1), str(error)) from error
            except asyncio.CancelledError:
                if self._is_draining and task.done():
                    raise RetryRequested(timedelta(0), "the worker is going down") from None
                raise
        if isinstance(self._manager, QueueManager) and not _is_lost(self._manager):
            task.cancel()
            await asyncio.wait({task})

    async def _work(self, run_id: str) -> None:
        has_begun = self._begun[run_id] = asyncio.Event()
        try:
            await self._execute(run_id, has_begun)
        finally:
            has_begun.set()
            if self._begun.get(run_id) is has_begun:
                del self._begun[run_id]


class _Driver(PsycopgDriver):
    """PgQueuer's driver with a second connection, for queries: the one that listens is locked for up to 1 s."""

    def __init__(self, listening: psycopg.AsyncConnection[Any], asking: psycopg.AsyncConnection[Any]) -> None:
        super().__init__(listening)
        self._asking = PsycopgDriver(asking)
        self._link = asking
        self.listens = asyncio.Event()
        self.on_lost: Callable[[], None] = lambda: None

    @property
    def is_lost(self) -> bool:
        return self._link.closed

    async def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        try:
            return await self._asking.fetch(query, *args)
        except psycopg.OperationalError:
            self._note_loss()
            raise

    async def add_listener(self, channel: str, callback: NotifyCallback) -> None:
        await super().add_listener(channel, callback)
        self.listens.set()

    async def execute(self, query: str, *args: object) -> str:
        await self.listens.wait()  # at its start PgQueuer tests the listener with a notification
        try:
            return await self._asking.execute(query, *args)
        except psycopg.OperationalError:
            self._note_loss()
            raise

    def _note_loss(self) -> None:
        if self.is_lost:
            self.on_lost()


async def _stand_by(manager: QueueManager, link: psycopg.AsyncConnection[Any]) -> None:
    """Without slots: wait until the connection or this process ends, without taking jobs."""
    while not manager.shutdown.is_set():
        async for _ in link.notifies(timeout=1.0, stop_after=1):
            pass


def _cancel_all(manager: QueueManager) -> None:
    """Cancel PgQueuer's own tasks, which wait for the executions and would keep it from returning."""
    for context in list(manager.job_context.values()):
        context.cancellation.cancel()


def _is_lost(manager: QueueManager) -> bool:
    driver = manager.queries.driver
    return isinstance(driver, _Driver) and driver.is_lost


def _away() -> Unavailable:
    return Unavailable(sentence("queue.no_answer"), code="db_unavailable", retry_after=5)
