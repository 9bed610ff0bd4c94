"""Reading rests only while the event loop is the bottleneck."""

from __future__ import annotations

import asyncio
import time

import pytest

from server.agent.models.pacing import Pace, rest_for


@pytest.mark.parametrize(
    ("busy", "late", "rest"),
    [
        (0.0, 0.0, 0.0),
        (0.75, 0.02, 0.0),
        (1.0, 0.0, 0.06),
        (0.0, 0.1, 0.06),
        (2.0, 5.0, 0.06),
        (0.875, 0.0, 0.03),
    ],
)
def test_the_rest_grows_with_the_strain(busy: float, late: float, rest: float) -> None:
    assert rest_for(busy, late) == pytest.approx(rest)


def _work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def test_a_busy_loop_rests_and_an_idle_one_does_not() -> None:
    pace = Pace(asyncio.get_running_loop())
    with pace.stream():
        await asyncio.sleep(0.25)
        assert pace.rest == 0
        for _ in range(7):
            _work(0.05)
            await asyncio.sleep(0)
        assert pace.rest > 0
    assert pace.rest == 0


async def test_nothing_is_measured_without_streams() -> None:
    pace = Pace(asyncio.get_running_loop())
    with pace.stream(), pace.stream():
        assert pace._timer is not None
    assert pace._timer is None
