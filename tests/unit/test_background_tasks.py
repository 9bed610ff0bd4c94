"""Background tasks are kept until they end, and their failures are logged."""

from __future__ import annotations

import asyncio
import gc
import logging

import pytest

from server.ops.background_tasks import BackgroundTasks


async def test_a_task_that_nobody_else_refers_to_runs_to_its_end() -> None:
    tasks, done = BackgroundTasks(), list[str]()

    async def work() -> None:
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(waiting.set_result, None)
        await waiting
        done.append("done")

    tasks.start(work())
    gc.collect()
    await tasks.wait()
    assert done == ["done"]


@pytest.mark.parametrize(("error", "level"), [(OSError("odd"), "WARNING"), (KeyError("usual"), "DEBUG")])
async def test_a_failure_is_logged(caplog: pytest.LogCaptureFixture, error: Exception, level: str) -> None:
    async def fail() -> None:
        raise error

    tasks = BackgroundTasks(KeyError)
    with caplog.at_level(logging.DEBUG, "server.ops.background_tasks"):
        tasks.start(fail())
        await tasks.wait()
    assert [record.levelname for record in caplog.records] == [level]
    assert str(error) in caplog.text


async def test_cancelled_tasks_end_and_are_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    tasks, ended = BackgroundTasks(), list[str]()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    tasks.start(work())
    await tasks.wait(0)
    tasks.cancel()
    await tasks.wait()
    assert ended == ["ended"]
    assert not caplog.records
