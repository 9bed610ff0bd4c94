"""Which runs are executed here, and when: the interface, and the queue of one process.

The queue of several processes is `server/extras/cluster/pg_queue.py`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

Execute = Callable[[str, asyncio.Event], Awaitable[None]]
"""Executes the run with this id. Sets the event as soon as others can see its execution."""


logger = logging.getLogger(__name__)


class HandedBack(Exception):
    """Raised by `Execute`: this process leaves the run to another one."""


@dataclass(frozen=True)
class QueueStats:
    """Runs in all processes of the queue."""

    queued: int
    running: int
    oldest_seconds: float
    """How long the first of the queued runs has waited; 0 if there is none."""


class RunQueue(Protocol):
    """Calls `Execute` for each run: once, and again in another process if this one dies before it returns."""

    async def reserve(self) -> bool:
        """Keep a free slot for a run that begins with its message; False if there is none, or with several processes.

        It is used by `submit`, or given back by `give_back`.
        """
        ...

    def give_back(self) -> None: ...

    def submit(self, run_id: str, *, is_reserved: bool = False) -> None:
        """Queue the run for execution. Call it after the run's row, and its job if it has one, are committed."""
        ...

    def knows(self, run_id: str) -> bool:
        """Whether the run waits here or is being executed."""
        ...

    async def wait_started(self, run_id: str) -> bool:
        """Wait until the run's execution can be seen or has ended. False if it has not begun here."""
        ...

    async def cancel(self, run_id: str) -> None:
        """Take the run out of the queue; cancel the call of `Execute`, wherever it is in progress."""
        ...

    async def stats(self) -> QueueStats: ...

    def take_no_more(self) -> None:
        """Leave what waits to other processes; with one process there are none."""
        ...

    async def drain(self, seconds: float) -> None:
        """Wait up to `seconds` for the runs in progress, then cancel the rest and wait up to 5 s for them."""
        ...


class InProcessRunQueue:
    """One task per run, with a limit on concurrent runs."""

    def __init__(self, execute: Execute, *, slots: int) -> None:
        self._execute = execute
        self._slots = asyncio.Semaphore(slots)
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._waiting: dict[str, float] = {}
        """By run: the event loop's time since which it waits."""
        self._begun: dict[str, asyncio.Event] = {}
        """By run: set when its execution can be seen, or has ended without being seen."""

    async def reserve(self) -> bool:
        return not self._slots.locked() and await self._slots.acquire()

    def give_back(self) -> None:
        self._slots.release()

    def submit(self, run_id: str, *, is_reserved: bool = False) -> None:
        if is_reserved:
            work = self._work(run_id, self._begin(run_id))
        else:
            self._waiting[run_id] = asyncio.get_running_loop().time()
            work = self._work_in_turn(run_id)
        task = asyncio.create_task(work, name=f"run {run_id}")
        self._tasks[task] = run_id
        task.add_done_callback(self._tasks.pop)

    def knows(self, run_id: str) -> bool:
        return run_id in self._waiting or run_id in self._begun

    async def wait_started(self, run_id: str) -> bool:
        has_begun = self._begun.get(run_id)
        return has_begun is not None and await has_begun.wait()

    async def _work_in_turn(self, run_id: str) -> None:
        await self._slots.acquire()
        self._waiting.pop(run_id, None)
        await self._work(run_id, self._begin(run_id))

    def _begin(self, run_id: str) -> asyncio.Event:
        has_begun = self._begun[run_id] = asyncio.Event()
        return has_begun

    async def _work(self, run_id: str, has_begun: asyncio.Event) -> None:
        """Execute the run in a slot that is taken."""
        try:
            await self._execute(run_id, has_begun)
        except HandedBack:
            logger.info("run %s is left for the next start", run_id)
        finally:
            self._slots.release()
            has_begun.set()
            if self._begun.get(run_id) is has_begun:
                del self._begun[run_id]

    async def cancel(self, run_id: str) -> None:
        self._waiting.pop(run_id, None)
        for task in [task for task, known in self._tasks.items() if known == run_id]:
            task.cancel()

    def take_no_more(self) -> None:
        """Nothing: there is no other process."""

    async def stats(self) -> QueueStats:
        moment = asyncio.get_running_loop().time()
        oldest = min(self._waiting.values(), default=moment)
        return QueueStats(len(self._waiting), len(self._begun), moment - oldest)

    async def drain(self, seconds: float) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
