"""The wait that the other tests use."""

from __future__ import annotations

import asyncio
from itertools import count

import pytest

from tests.support.eventually import eventually, eventually_sync


async def look_that_hangs() -> None:
    await asyncio.Event().wait()


async def look_that_times_out() -> None:
    raise TimeoutError("of its own")


async def test_what_was_seen_when_it_held_is_returned() -> None:
    numbers, more = count(), count()

    async def look() -> int:
        return next(more)

    assert await eventually(lambda: next(numbers), lambda it: it > 3, message="four", interval=0) == 4
    assert await eventually(look, lambda it: it > 3, message="four", interval=0) == 4
    assert eventually_sync(lambda: next(numbers), lambda it: it > 9, message="ten", interval=0) == 10


async def test_a_failure_says_what_was_waited_for_and_what_was_seen_last() -> None:
    with pytest.raises(AssertionError, match=r"^not within 0\.05 s: the fourth; seen last: 3$"):
        await eventually(lambda: 3, lambda it: it > 3, timeout=0.05, message="the fourth")
    with pytest.raises(AssertionError, match=r"^not within 0\.05 s: the door opens; seen last: 'shut'$"):
        eventually_sync(
            lambda: "shut", lambda it: it == "open", timeout=0.05, message=lambda: "the door opens"
        )


async def test_a_look_that_does_not_return_ends_at_the_deadline() -> None:
    with pytest.raises(AssertionError, match="the answer; seen last: None"):
        await eventually(look_that_hangs, timeout=0.05, message="the answer")


async def test_a_timeout_of_the_look_itself_is_not_taken_for_the_deadline() -> None:
    with pytest.raises(TimeoutError, match="of its own"):
        await eventually(look_that_times_out, message="the answer")


def test_the_time_between_two_looks_may_be_used() -> None:
    paused: list[float] = []
    eventually_sync(lambda: len(paused) > 2, message="three pauses", interval=0.5, pause=paused.append)
    assert paused == [0.5] * 3
