"""How long the event loop is kept from its other work, in CPU time, so that a busy machine does not count.

    async with loop_gaps() as gaps: ...
    gaps.longest   # seconds

It is the CPU time of the loop's own thread between two turns of a task that asks for nothing but its turn. Work in other
threads does not count: they give the interpreter's lock away every few milliseconds.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass


@dataclass
class Gaps:
    longest: float = 0.0


@asynccontextmanager
async def loop_gaps() -> AsyncIterator[Gaps]:
    gaps = Gaps()

    async def tick() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0.001)
            now = time.thread_time()
            gaps.longest, last = max(gaps.longest, now - last), now

    ticking = asyncio.create_task(tick())
    try:
        yield gaps
    finally:
        ticking.cancel()
        with suppress(asyncio.CancelledError):
            await ticking
