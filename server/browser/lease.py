"""Whether this process may still act for a run: it waits before each call of a browser's tools while that is unknown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar

lease_of_run: ContextVar[Callable[[], Awaitable[None]] | None] = ContextVar("lease_of_run", default=None)
"""Set in the tasks of a run that several processes may execute: returns while its lease is fresh, else waits."""


async def wait_for_lease() -> None:
    """Return at once without such a run, else while its lease is fresh."""
    if hold := lease_of_run.get():
        await hold()
