"""Reads what pages and tool servers wrote in threads of its own, so that no page holds the event loop.

Texts are bounded where they come from, and everything that reads them takes linear time; so what is started here ends
soon, also where nobody waits for it any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

DEADLINE = 10.0
"""Seconds, time in the queue included."""
_THREADS = ThreadPoolExecutor(4, thread_name_prefix="page")


class TookTooLong(Exception):
    """The text was not read in time; the message tells the model."""


async def off_loop(work: Callable[..., T], *args: Any, deadline: float = DEADLINE, **options: Any) -> T:
    """What `work` returns, called in a thread. Raises TookTooLong, and whatever `work` raises."""
    done = asyncio.get_running_loop().run_in_executor(_THREADS, partial(work, *args, **options))
    try:
        return await asyncio.wait_for(done, deadline)
    except TimeoutError:
        raise TookTooLong(f"What is on the page could not be read within {deadline:g} s.") from None
