"""Several streams of bytes as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing


async def merge(sources: Sequence[AsyncIterator[bytes]]) -> AsyncIterator[bytes]:
    """Blocks of all sources as they come. A slow reader holds the sources back, one block each.

    Ends when all sources have ended. Raises what a source raises: a reader must not wait for one that is dead.
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
