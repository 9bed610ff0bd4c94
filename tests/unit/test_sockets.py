"""The tasks of a WebSocket connection."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from server.api.sockets import run_until_one_ends


async def test_a_cancellation_while_the_other_parts_end_is_raised_as_it_came() -> None:
    is_ending = asyncio.Event()

    async def closes_slowly() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            is_ending.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    connection = asyncio.create_task(run_until_one_ends(asyncio.sleep(0), closes_slowly()))
    await is_ending.wait()
    connection.cancel("by the caller's scope")
    with pytest.raises(asyncio.CancelledError) as raised:
        await connection
    assert raised.value.args == ("by the caller's scope",)
