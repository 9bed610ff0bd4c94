"""The hold at the edge of a browser that runs on a host."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from server.browser.chromium.cdp import Cdp, CdpError
from server.browser.chromium.hold import ChromiumHold
from server.browser.outgoing.held import ActTerms
from server.extras.hosts.protocol import ToHolder, ToHost
from server.extras.hosts.remote_hold import RemoteHold, carry_out
from tests.support.paused_requests import ORDER, PAGE, Edge


async def test_the_hold_of_a_host_is_used_by_messages() -> None:
    edge = Edge()
    hold = ChromiumHold(cast(Cdp, edge))
    await hold.start()
    hold.listen(lambda held: None)

    async def say(message: ToHost) -> None:
        sent = ToHost.model_validate_json(message.model_dump_json(exclude_defaults=True))
        assert sent.hold is not None
        done = ToHolder(hold_done=await carry_out(sent.hold, hold))
        remote.take(None, done.hold_done)

    tasks: list[asyncio.Task[None]] = []
    remote = RemoteHold(lambda message: tasks.append(asyncio.create_task(say(message))))
    await remote.begin(ActTerms(), PAGE, is_passive=False)
    order = await edge.pause(ORDER)
    await remote.end()
    assert await remote.waits([order])
    assert await remote.release([order]) == [order]
    assert not await remote.waits([order])
    assert edge.outcome(order) == "sent"
    await remote.begin(ActTerms(), PAGE, is_passive=False)
    other = await edge.pause(ORDER)
    await remote.fail()
    assert edge.outcome(other) == "Aborted"


async def test_a_lost_host_ends_what_is_waited_for() -> None:
    remote = RemoteHold(lambda message: None)
    begun = asyncio.create_task(remote.begin(ActTerms(), PAGE, is_passive=False))
    await asyncio.sleep(0)
    remote.lose()

    with pytest.raises(CdpError):
        await begun
