"""Several streams of bytes as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing


async def merge(sources: Sequence[AsyncIterator[bytes]]) -> AsyncIterator[bytes]:
    """Blocks of all sources as they come. A slow reader holds the sources back, one block each."""
    ready: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=len(sources))

    async def pump(source: AsyncIterator[bytes]) -> None:
        async with aclosing(source) as blocks:  # type: ignore[type-var]
            async for block in blocks:
                await ready.put(block)
        await ready.put(None)

    tasks = [asyncio.create_task(pump(source)) for source in sources]
    left = len(tasks)
    try:
        while left:
            block = await ready.get()
            if block is None:
                left -= 1
            else:
                yield block
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
