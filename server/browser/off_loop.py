"""Parses text of pages and tool servers in a separate thread pool, so that no page blocks the event loop.

Texts are bounded at their source and all parsers take linear time, so a job ends soon even after its caller
has timed out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

OFF_LOOP_SECONDS = 10.0
"""Seconds, including time in the pool's queue."""
_PAGE_THREADS = ThreadPoolExecutor(4, thread_name_prefix="page")


class TookTooLong(Exception):
    """The text was not parsed in time; the message is for the model."""


async def off_loop(work: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
    """Run `work` in a thread and return its result. Raises TookTooLong and what `work` raises."""
    done = asyncio.get_running_loop().run_in_executor(_PAGE_THREADS, partial(work, *args, **options))
    try:
        return await asyncio.wait_for(done, OFF_LOOP_SECONDS)
    except TimeoutError:
        raise TookTooLong(f"What is on the page could not be read within {OFF_LOOP_SECONDS:g} s.") from None
