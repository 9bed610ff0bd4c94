"""An event loop that is blocked is logged while it is."""

import asyncio
import logging
import threading

import pytest

from server.ops.loop_watchdog import _Watch, log_stalls
from tests.support.eventually import eventually, eventually_sync


def hold_the_loop(caplog: pytest.LogCaptureFixture) -> None:
    eventually_sync(lambda: caplog.text, lambda it: "stood still" in it, message="the stall is logged")


async def test_what_holds_the_loop_is_named_and_so_is_the_end_of_it(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "server.ops.loop_watchdog"), log_stalls(0.05):
        hold_the_loop(caplog)
        assert "in hold_the_loop" in caplog.text
        await eventually(lambda: caplog.text, lambda it: "goes on after" in it, message="its end is logged")


def test_nothing_is_logged_once_the_watch_is_over(caplog: pytest.LogCaptureFixture) -> None:
    over = threading.Event()

    class EndingLoop:
        def call_soon_threadsafe(self, _: object) -> None:
            over.set()

    _Watch(EndingLoop(), threading.get_ident(), 0.01, over).watch()  # type: ignore[arg-type]
    assert caplog.text == ""


async def test_a_loop_that_answers_is_not_told_of(caplog: pytest.LogCaptureFixture) -> None:
    with log_stalls(2):
        await asyncio.sleep(0.2)
    assert caplog.text == ""
