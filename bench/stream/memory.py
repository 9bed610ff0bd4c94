"""What many turns leave in the server's memory: sessions that are watched, and turns in them one after the other.

    python -m bench.stream.memory [--turns 10000] [--sessions 200] [--parts 10]

Each session has an open event stream. The figure is the process's memory when it does nothing, after each part of the
turns, against that after the first part: by then all sessions have been used and all modules are loaded. Aim: <= 1.05.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from bench.stream.measured import cpu_of, memory_of
from bench.stream.subjects import Ours, ours, provider

AT_ONCE = 20
PROMPT = "bulk 20"


@asynccontextmanager
async def watched(server: Ours, session: str) -> AsyncIterator[None]:
    """An open event stream whose events are read and dropped."""

    async def read() -> None:
        async with server.client.stream("GET", f"/api/events/{session}") as response:
            async for _ in response.aiter_bytes():
                pass

    reader = asyncio.create_task(read())
    try:
        yield
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


async def at_rest(server: Ours) -> float:
    """Megabytes when the server has been idle for two seconds."""
    while True:
        before = cpu_of(server.pid)
        await asyncio.sleep(2)
        if cpu_of(server.pid) - before < 0.05:
            return memory_of(server.pid)


async def measure(turns: int, sessions: int, parts: int) -> None:
    with provider() as url:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(ours(url, "chat"))
            ids = [await server.new_session() for _ in range(sessions)]
            for session in ids:
                await stack.enter_async_context(watched(server, session))
            slots = asyncio.Semaphore(AT_ONCE)
            failed = 0

            async def in_turn(session: str, count: int) -> None:
                nonlocal failed
                for _ in range(count):
                    async with slots:
                        failed += (await server.ask(session, PROMPT)).failed

            print(f"{'turns':>8} {'MB':>8} {'ratio':>8}   load {os.getloadavg()[0]:.0f}")
            print(f"{0:>8} {await at_rest(server):>8.1f}")
            first, each = 0.0, max(turns // parts // sessions, 1)
            for part in range(1, parts + 1):
                await asyncio.gather(*(in_turn(session, each) for session in ids))
                memory = await at_rest(server)
                first = first or memory
                print(f"{part * each * sessions:>8} {memory:>8.1f} {memory / first:>8.3f}", flush=True)
            print(f"turns that failed: {failed}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--parts", type=int, default=10)
    options = parser.parse_args()
    asyncio.run(measure(options.turns, options.sessions, options.parts))


if __name__ == "__main__":
    main()
