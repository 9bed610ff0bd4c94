"""SQLite's one writer: a thread of its own. What waits for it is committed together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import Connection, Engine

GROUP = 100
"""How many transactions share a COMMIT at most."""


@dataclass(slots=True)
class Job:
    """One transaction that somebody waits for."""

    work: Callable[[Connection], Any]
    answer: asyncio.Future[Any]
    synced: bool = False
    """Its COMMIT has to be on the disk before the answer."""
    value: Any = None
    error: Exception | None = None

    def run(self, db: Connection) -> None:
        self.value, self.error = self.work(db), None

    def tell(self) -> None:
        if self.answer.cancelled():
            return
        if self.error is None:
            self.answer.set_result(self.value)
        else:
            self.answer.set_exception(self.error)


class Writer:
    """Each job is all or nothing, and nobody is answered before the COMMIT."""

    def __init__(self, engine: Engine) -> None:
        self._engines = {
            synced: engine.execution_options(immediate=True, synced=synced) for synced in (False, True)
        }
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        """None is the end."""
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, name="database writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Connection], Any], *, synced: bool = False) -> asyncio.Future[Any]:
        if self._is_closed:
            raise RuntimeError("the database is closed")
        job = Job(work, asyncio.get_running_loop().create_future(), synced)
        self._waiting.put(job)
        return job.answer

    def close(self) -> None:
        """Write what waits, then end."""
        self._is_closed = True
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while jobs := self._take():
            self._commit(jobs)
            _tell(jobs)

    def _take(self) -> list[Job]:
        """All that wait, at least one; empty at the end."""
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
            self._waiting.put(None)  # the end comes after these
        return jobs

    def _commit(self, jobs: Sequence[Job]) -> None:
        """All together; each alone when that fails. It is too rare to pay for a savepoint around each."""
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


def _tell(jobs: Sequence[Job]) -> None:
    """The answers, in one call for each loop that waits for some."""
    for loop in {job.answer.get_loop() for job in jobs}:
        answered = [job for job in jobs if job.answer.get_loop() is loop]
        try:
            loop.call_soon_threadsafe(_answer, answered)
        except RuntimeError:
            continue  # the loop is closed: nobody waits any more


def _answer(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.tell()
