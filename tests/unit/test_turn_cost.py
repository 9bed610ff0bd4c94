"""What a turn costs besides its answer, counted: no clock is read."""

from __future__ import annotations

import httpx
from fastapi import FastAPI
from sqlalchemy import event

from server.runtime import Runtime
from tests.support.chat import new_session, read_stream, send

TURNS = 10
OF_A_TURN = 3
"""Transactions: the message, the start of its run, its end with the answer."""
OF_OTHERS = 8
"""The background tasks' own looks every few seconds, of which one may fall into the measured time."""


async def test_a_turn_begins_three_transactions_and_nothing_looks_for_what_nobody_has(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    """Without channels and automations, no end of a run makes their tasks read the database."""
    session_id, begun = await new_session(client, agent="assistant"), list[object]()
    await turn(client, session_id)
    runtime: Runtime = await app.state.world.runtime()
    event.listen(runtime.database._engine, "begin", begun.append)
    for _ in range(TURNS):
        await turn(client, session_id)
    assert len(begun) <= OF_A_TURN * TURNS + OF_OTHERS


async def turn(client: httpx.AsyncClient, session_id: str) -> None:
    await send(client, session_id, "ping")
    await read_stream(client, session_id)
