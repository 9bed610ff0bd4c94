"""The run queue. In this process: one task per run, with a limit on concurrent runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Execute = Callable[[str], Awaitable[None]]


class InProcessRunQueue:
    def __init__(self, execute: Execute, *, slots: int) -> None:
        self._execute = execute
        self._slots = asyncio.Semaphore(slots)
        self._tasks: set[asyncio.Task[None]] = set()

    def submit(self, run_id: str) -> None:
        """Queue the run for execution. Call it after the run's row is committed."""
        task = asyncio.create_task(self._work(run_id), name=f"run {run_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work(self, run_id: str) -> None:
        async with self._slots:
            await self._execute(run_id)

    async def drain(self, seconds: float) -> None:
        """Wait up to `seconds` for the runs in progress, then cancel the rest and wait up to 5 s for them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
