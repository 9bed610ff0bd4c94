"""Tasks that run in the background of an object: they are not awaited one by one, and end with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable

logger = logging.getLogger(__name__)


class BackgroundTasks:
    """Keeps a reference to each task until it ends, since the event loop itself does not, and logs failures.

    `quiet` are expected exceptions; they are logged at debug level.
    """

    def __init__(self, *quiet: type[Exception]) -> None:
        self._quiet = quiet
        self._tasks: set[asyncio.Task[object]] = set()

    def start(self, work: Awaitable[object]) -> None:
        """Start a coroutine, or adopt a task."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until the tasks that run now have ended, for at most `seconds`. Raises none of their errors."""
        if self._tasks:
            await asyncio.wait(self._tasks.copy(), timeout=seconds)

    async def end(self, seconds: float) -> None:
        """Wait up to `seconds` for the tasks, then cancel the rest and wait again: before what they use is closed."""
        await self.wait(seconds)
        self.cancel()
        await self.wait(seconds)

    def _end(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        level = logging.DEBUG if isinstance(error, self._quiet) else logging.WARNING
        logger.log(level, "background work failed: %s", error)
