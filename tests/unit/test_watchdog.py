"""Deadlines count only the time spent waiting for the source, and closing the stream closes the source."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from server.agent.models.deadlines import watched


async def source(*delays: float, closed: list[bool] | None = None) -> AsyncGenerator[int, None]:
    try:
        for number, delay in enumerate(delays):
            await asyncio.sleep(delay)
            yield number
    finally:
        if closed is not None:
            closed.append(True)


async def collect(stream: AsyncGenerator[int, None]) -> list[int]:
    return [item async for item in stream]


async def test_items_in_time_pass() -> None:
    assert await collect(watched(source(0, 0.01, 0), 60, 60)) == [0, 1, 2]


async def test_a_first_item_that_does_not_come_times_out_and_closes_the_source() -> None:
    closed: list[bool] = []
    with pytest.raises(TimeoutError):
        await collect(watched(source(3600, closed=closed), 0.05, 3600))
    assert closed == [True]


async def test_a_stall_times_out_by_the_shorter_limit() -> None:
    with pytest.raises(TimeoutError):
        await collect(watched(source(0, 3600), 3600, 0.05))


async def test_items_that_do_not_count_do_not_keep_the_stream_alive() -> None:
    with pytest.raises(TimeoutError):
        await collect(watched(source(*[0.02] * 200), 0.2, 0.2, counts=lambda item: False))


async def test_a_slow_consumer_is_not_the_sources_fault() -> None:
    seen = []
    async for item in watched(source(0, 0, 0), 0.05, 0.05):
        await asyncio.sleep(0.1)
        seen.append(item)
    assert seen == [0, 1, 2]


async def test_cancelling_stays_cancelling() -> None:
    closed: list[bool] = []
    task = asyncio.create_task(collect(watched(source(60, closed=closed), 60, 60)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed == [True]


async def test_leaving_early_closes_the_source() -> None:
    closed: list[bool] = []
    async with aclosing(watched(source(0, 60, closed=closed), 60, 60)) as stream:
        await anext(stream)
    assert closed == [True]
