"""Merges several byte streams into one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing


async def merge(sources: Sequence[AsyncIterator[bytes]]) -> AsyncIterator[bytes]:
    """Yield blocks of all sources as they arrive. Backpressure: at most one block per source is queued.

    Ends when all sources have ended. Raises the exception of any source, so that a reader does not wait for a
    failed one.
    """
    ready: asyncio.Queue[bytes | Exception | None] = asyncio.Queue(maxsize=len(sources))

    async def pump(source: AsyncIterator[bytes]) -> None:
        end: Exception | None = None
        try:
            async with aclosing(source) as blocks:  # type: ignore[type-var]
                async for block in blocks:
                    await ready.put(block)
        except Exception as error:
            end = error
        await ready.put(end)

    tasks = [asyncio.create_task(pump(source)) for source in sources]
    left = len(tasks)
    try:
        while left:
            block = await ready.get()
            if isinstance(block, Exception):
                raise block
            if block is None:
                left -= 1
            else:
                yield block
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
