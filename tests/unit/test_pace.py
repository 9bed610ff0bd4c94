"""Reading rests only while the event loop is the bottleneck."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

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


class Loop(asyncio.AbstractEventLoop):
    """Its time passes by `run` only."""

    now = cpu = 0.0
    timers: list[tuple[float, Callable[[], None]]]

    def __init__(self) -> None:
        self.timers = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[..., object], *args: Any, **_: Any) -> Any:
        self.timers.append((when, callback))
        return self

    def cancel(self) -> None:
        self.timers.clear()

    def run(self, seconds: float, cpu: float = 0.0, late: float = 0.0) -> None:
        """So many seconds, with so many of CPU time in them; timers run late."""
        end, per_second = self.now + seconds, cpu / seconds
        while self.timers and self.timers[0][0] + late <= end:
            due, run = self.timers.pop(0)
            self.cpu += (due + late - self.now) * per_second
            self.now = due + late
            run()
        self.cpu += (end - self.now) * per_second
        self.now = end


@pytest.mark.parametrize("strain", [{"cpu": 0.35}, {"late": 0.05}])
def test_a_busy_loop_rests_and_an_idle_one_does_not(strain: dict[str, float]) -> None:
    loop = Loop()
    pace = Pace(loop, lambda: loop.cpu)
    with pace.stream():
        loop.run(0.25)
        assert pace.rest == 0
        loop.run(0.35, **strain)
        assert pace.rest > 0
        loop.run(0.35)
        assert pace.rest == 0
        loop.run(0.35, **strain)
    assert pace.rest == 0
    assert loop.timers == []


def test_nothing_is_measured_without_streams() -> None:
    loop = Loop()
    pace = Pace(loop)
    assert loop.timers == []
    with pace.stream(), pace.stream():
        assert len(loop.timers) == 1
    assert loop.timers == []
