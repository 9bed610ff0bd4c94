"""A loop that stands still is told while it does."""

import asyncio
import logging
import time

import pytest

from server.ops.loop_watchdog import stalls_told


def hold_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    deadline = time.monotonic() + 20
    while "stood still" not in caplog.text and time.monotonic() < deadline:
        time.sleep(0.01)


async def test_what_holds_the_loop_is_named_and_so_is_the_end_of_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "server.ops.loop_watchdog"), stalls_told(0.05):
        hold_the_loop(caplog)
        assert "in hold_the_loop" in caplog.text
        async with asyncio.timeout(20):
            while "goes on after" not in caplog.text:
                await asyncio.sleep(0.01)


async def test_a_loop_that_answers_is_not_told_of(caplog: pytest.LogCaptureFixture) -> None:
    with stalls_told(2):
        await asyncio.sleep(0.2)
    assert caplog.text == ""
