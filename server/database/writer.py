"""SQLite's single writer thread. Transactions that wait for it share one COMMIT."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

T = TypeVar("T")

GROUP = 100
"""Maximum number of transactions that share a COMMIT."""


@dataclass(slots=True)
class Job:
    """One queued transaction, with the future that receives its result."""

    work: Callable[[Connection], object]
    answer: asyncio.Future[Any]
    synced: bool = False
    """Its COMMIT has to be on disk before `answer` is set."""
    value: object = None
    error: Exception | None = None

    def run(self, db: Connection) -> None:
        self.value, self.error = self.work(db), None

    def set_result(self) -> None:
        if self.answer.cancelled():
            return
        if self.error is None:
            self.answer.set_result(self.value)
        else:
            self.answer.set_exception(self.error)


class Writer:
    """Runs jobs in a thread. Each job is atomic, and its future is set after the COMMIT."""

    def __init__(self, engine: Engine) -> None:
        self._engines = {
            synced: engine.execution_options(immediate=True, synced=synced) for synced in (False, True)
        }
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        """None ends the thread."""
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="database writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Connection], T], *, synced: bool = False) -> asyncio.Future[T]:
        if self._is_closed:
            raise RuntimeError("the database is closed")
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.put(Job(work, answer, synced))
        return answer

    def close(self) -> None:
        """Finish the queued jobs, then end the thread."""
        self._is_closed = True
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while jobs := self._take():
            self._commit(jobs)
            _post_results(jobs)

    def _take(self) -> list[Job]:
        """Wait for a job; return it with the others in the queue, up to GROUP. Empty at the end."""
        jobs: list[Job] = []
        job = self._waiting.get()
        while job:
            jobs.append(job)
            if len(jobs) == GROUP:
                return jobs
            try:
                job = self._waiting.get_nowait()
            except Empty:
                return jobs
        if jobs:
            self._waiting.put(None)  # end after these jobs
        return jobs

    def _commit(self, jobs: Sequence[Job]) -> None:
        """Commit all jobs together, or each alone if that fails: too rare to pay for a savepoint per job."""
        has_begun = False
        engine = self._engines[any(job.synced for job in jobs)]
        try:
            with engine.begin() as db:
                has_begun = True
                for job in jobs:
                    job.run(db)
        except Exception as error:
            if has_begun and len(jobs) > 1:
                for job in jobs:
                    self._commit([job])
            else:
                for job in jobs:
                    job.error = error


def _post_results(jobs: Sequence[Job]) -> None:
    """Set the results of the jobs, with one call per event loop."""
    for loop in {job.answer.get_loop() for job in jobs}:
        answered = [job for job in jobs if job.answer.get_loop() is loop]
        try:
            loop.call_soon_threadsafe(_set_results, answered)
        except RuntimeError:
            continue  # the loop is closed: no task waits any more


def _set_results(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.set_result()
