"""A process begins no act for a run unless its lease was renewed a short time ago."""

from __future__ import annotations

import asyncio

from server.browser.lease import lease_of_run, wait_for_lease
from server.runs.execution import RunLease


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_an_act_waits_while_the_lease_is_old_and_begins_after_a_renewal() -> None:
    clock = Clock()
    lease = RunLease(10, clock)
    lease_of_run.set(lease.hold)
    await wait_for_lease()
    clock.now += 8  # as a process that was frozen
    act = asyncio.create_task(wait_for_lease())
    await asyncio.sleep(0)
    assert not act.done()
    lease.renew(clock.now - 9)  # the answer to a renewal from before it was frozen
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not act.done()
    lease.renew(clock.now)
    await act


async def test_the_only_process_never_waits() -> None:
    clock = Clock()
    lease = RunLease(None, clock)
    clock.now += 1_000_000
    await lease.hold()
    await wait_for_lease()
