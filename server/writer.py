"""SQLite's one writer: a thread of its own. What waits for it is committed together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import Connection, Engine

TOGETHER = 100
"""How many transactions share a COMMIT at most."""


@dataclass(slots=True)
class Job:
    """One transaction that somebody waits for."""

    work: Callable[[Connection], Any]
    answer: asyncio.Future[Any]
    value: Any = None
    error: Exception | None = None

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
        self._engine = engine
        self._connection: Connection | None = None
        self._waiting: SimpleQueue[Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="database writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Connection], Any]) -> asyncio.Future[Any]:
        job = Job(work, asyncio.get_running_loop().create_future())
        self._waiting.put(job)
        return job.answer

    def close(self) -> None:
        """Write what waits, then end."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        while jobs := self._take():
            self._commit(jobs)
            _tell(jobs)
        if self._connection:
            self._connection.close()

    def _take(self) -> list[Job]:
        """All that wait; empty at the end."""
        first = self._waiting.get()
        jobs = [first] if first else []
        while first and len(jobs) < TOGETHER:
            try:
                following = self._waiting.get_nowait()
            except Empty:
                break
            if following is None:
                self._waiting.put(None)
                break
            jobs.append(following)
        return jobs

    def _commit(self, jobs: Sequence[Job]) -> None:
        """All together; each alone when they could not be committed together."""
        began = False
        try:
            with self._connect().begin():
                began = True
                self._work(jobs)
        except Exception as error:
            if began and len(jobs) > 1:
                for job in jobs:
                    self._commit([job])
            else:
                for job in jobs:
                    job.error = error

    def _work(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if len(jobs) == 1:
                job.value, job.error = job.work(self._connect()), None
            else:
                self._attempt(job)

    def _attempt(self, job: Job) -> None:
        savepoint = self._connect().begin_nested()
        try:
            job.value, job.error = job.work(self._connect()), None
        except Exception as error:
            savepoint.rollback()
            job.error = error
        else:
            savepoint.commit()

    def _connect(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection


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
