"""The runs submitted to this process: one task per run, with a limit on concurrent runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

Execute = Callable[[str, asyncio.Event], Awaitable[None]]
"""Executes the run with this id. Sets the event as soon as others can see its execution."""


class InProcessRunQueue:
    def __init__(self, execute: Execute, *, slots: int) -> None:
        self._execute = execute
        self._slots = asyncio.Semaphore(slots)
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: set[str] = set()
        self._begun: dict[str, asyncio.Event] = {}
        """By run: set when its execution can be seen, or has ended without being seen."""

    def submit(self, run_id: str) -> None:
        """Queue the run for execution. Call it after the run's row is committed."""
        self._waiting.add(run_id)
        task = asyncio.create_task(self._work(run_id), name=f"run {run_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def knows(self, run_id: str) -> bool:
        """Whether the run waits here or is being executed."""
        return run_id in self._waiting or run_id in self._begun

    async def begins(self, run_id: str) -> bool:
        """Wait until the run's execution can be seen or has ended. False if it has not begun here."""
        has_begun = self._begun.get(run_id)
        return has_begun is not None and await has_begun.wait()

    async def _work(self, run_id: str) -> None:
        async with self._slots:
            self._waiting.discard(run_id)
            has_begun = self._begun[run_id] = asyncio.Event()
            try:
                await self._execute(run_id, has_begun)
            finally:
                has_begun.set()
                if self._begun.get(run_id) is has_begun:
                    del self._begun[run_id]

    async def drain(self, seconds: float) -> None:
        """Wait up to `seconds` for the runs in progress, then cancel the rest and wait up to 5 s for them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
