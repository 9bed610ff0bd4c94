"""What a turn costs besides its answer, counted, and the start of its run with its message."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from sqlalchemy import event

from server.errors import Conflict
from server.main import TRIED_FIRST, create_app
from server.runs.queue import InProcessRunQueue
from server.runtime import Runtime
from server.settings import Settings
from tests.support.chat import new_session, read_stream, send

TURNS = 10
OF_A_TURN = 2
"""Transactions: the message with the start of its run, and its end with the answer."""
OF_OTHERS = 8
"""The background tasks' own looks every few seconds, of which one may fall into the measured time."""


async def test_a_turn_takes_two_transactions_and_nothing_looks_for_what_nobody_has(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    """Without channels and automations, no end of a run makes their tasks read the database."""
    session_id, begun = await new_session(client, agent="assistant"), list[object]()
    await turn(client, session_id)
    runtime: Runtime = await app.state.starting.runtime()
    event.listen(runtime.database._engine, "begin", begun.append)
    for _ in range(TURNS):
        await turn(client, session_id)
    assert len(begun) <= OF_A_TURN * TURNS + OF_OTHERS


async def turn(client: httpx.AsyncClient, session_id: str) -> None:
    await send(client, session_id, "ping")
    await read_stream(client, session_id)


async def test_a_run_without_a_free_slot_does_not_begin_with_its_message(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    runtime: Runtime = await app.state.starting.runtime()
    queue = InProcessRunQueue(runtime.executor.execute, slots=1)
    runtime.executor.dispatch.queue = queue
    session_id = await new_session(client, agent="assistant")
    assert await queue.reserve()
    assert (await send(client, session_id, "ping"))["run"]["status"] == "queued"
    queue.give_back()
    assert (await read_stream(client, session_id))[-1]["type"] == "done"
    assert (await send(client, session_id, "ping"))["run"]["status"] == "running"
    assert (await read_stream(client, session_id))[-1]["type"] == "done"
    assert await queue.reserve(), "the slot is free again"


async def test_a_refused_message_gives_its_slot_back(client: httpx.AsyncClient, app: FastAPI) -> None:
    runtime: Runtime = await app.state.starting.runtime()
    runtime.executor.dispatch.queue = queue = InProcessRunQueue(runtime.executor.execute, slots=1)
    assert (await client.post("/api/sessions/unknown/messages", json={"content": "ping"})).status_code == 404
    assert await queue.reserve()


async def test_a_cancel_waits_for_a_message_that_is_being_committed(world: Runtime) -> None:
    """It would take the run from its execution, which is not to be seen yet."""
    session = await world.store.create_session(
        id="s", title=None, agent="assistant", model="mock:scripted", max_tool_steps=5
    )
    with world.executor.dispatch.submitting(session.id):
        cancelling = asyncio.create_task(world.commands.cancel(session.id))
        done, _ = await asyncio.wait({cancelling}, timeout=0.5)
        assert not done
    with pytest.raises(Conflict, match="no run to cancel"):
        await cancelling


def test_no_other_route_is_tried_before_those_of_a_turn(settings: Settings) -> None:
    """Nor could any of them answer a turn's requests: the order changes who is asked first, not who answers."""
    routes = [route for route in create_app(settings).routes if isinstance(route, APIRoute)]
    first, others = routes[: len(TRIED_FIRST)], routes[len(TRIED_FIRST) :]
    assert {route.path for route in first} == set(TRIED_FIRST)
    for path in TRIED_FIRST:
        asked = path.format(session_id="s")
        assert [route.path for route in others if route.path_regex.fullmatch(asked)] == []
