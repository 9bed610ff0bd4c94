"""A person's request whose COMMIT's answer is lost: it succeeds, or its run continues by itself, and nothing is done twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from server.main import create_app
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runtime import Runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import ask, new_session, of_type, parse_sse, read, send, wait_for_status
from tests.support.lossy_link import LossyLink, lossy_link
from tests.support.postgres import Postgres

PING = "this is a ping test: do not think"
ORDERED = 'Clicked button "Place order".'
DECIDED, BEGUN = b"UPDATE interrupts", b"INSERT INTO runs"
"""What the transaction sends that is to be lost."""


@dataclass
class World:
    link: LossyLink
    client: httpx.AsyncClient
    runtime: Runtime

    async def sweep(self) -> None:
        """As it is done every 15 s."""
        runtime = self.runtime
        recorder = RunRecorder(runtime.settings, runtime.store, runtime.bus)
        await Recovery(runtime.store, runtime.bus, recorder, runtime.executor).maintain_runs()


@pytest.fixture
async def world(postgres: Postgres, migrated_template: str, tmp_path: Path) -> AsyncIterator[World]:
    name = postgres.create_database(migrated_template)
    async with lossy_link(postgres.port) as link:
        url = postgres.url(name).replace(f":{postgres.port}/", f":{link.port}/")
        chosen = {"agent_mode": "mock", "data_dir": tmp_path, "auth_token": PASSWORD, "database_url": url}
        app = create_app(Settings.model_validate(chosen | {"drain_timeout": 0.0}))
        headers = {"authorization": f"Bearer {PASSWORD}"}
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            yield World(link, client, await app.state.starting.runtime())
    postgres.drop_database(name)


Call = Callable[[], Awaitable[httpx.Response]]


async def waiting(client: httpx.AsyncClient) -> tuple[str, str]:
    """A session with an open question, and its reference."""
    session_id = await new_session(client)
    await send(client, session_id, "shop for a kettle")
    pending = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    return session_id, pending["reference"]


async def prepare(client: httpx.AsyncClient, operation: str) -> tuple[str, Call, bytes, list[str]]:
    """The session, the request, what its transaction sends, and what the user has said in the end."""
    if operation in ("yes", "yes in words"):
        session_id, reference = await waiting(client)
        if operation == "yes":
            body = {"reference": reference, "confirmed": True, "remember": True}
            call = lambda: client.post(f"/api/sessions/{session_id}/decision", json=body)  # noqa: E731
            return session_id, call, DECIDED, ["shop for a kettle"]
        words = {"content": "yes", "client_id": "words"}
        call = lambda: client.post(f"/api/sessions/{session_id}/messages", json=words)  # noqa: E731
        return session_id, call, DECIDED, ["shop for a kettle", "yes"]
    if operation in ("edit", "retry"):
        session_id, events = await ask(client, "this is a ping test: think first")
        if operation == "retry":
            call = lambda: client.post(f"/api/sessions/{session_id}/retry")  # noqa: E731
            return session_id, call, BEGUN, ["this is a ping test: think first"]
        asked = of_type(events, "message")[0]["message"]["id"]
        path = f"/api/sessions/{session_id}/messages/{asked}"
        call = lambda: client.put(path, json={"content": PING})  # noqa: E731
        return session_id, call, BEGUN, [PING]
    session_id = await new_session(client)
    message = {"content": PING} | ({"client_id": "one"} if operation == "message with client_id" else {})
    call = lambda: client.post(f"/api/sessions/{session_id}/messages", json=message)  # noqa: E731
    return session_id, call, BEGUN, [PING]


OPERATIONS = ["yes", "yes in words", "edit", "retry", "message", "message with client_id"]
REPEATABLE = ["yes", "yes in words", "message with client_id"]
"""Those of which a client may send the same again and gets the same answer."""


async def check(world: World, session_id: str, said: list[str]) -> None:
    """The run comes to its end, and was executed once."""
    session = await wait_for_status(world.client, session_id, "completed", "failed", "interrupted")
    assert session["run"]["status"] == "completed"
    contents = [message["content"] for message in session["messages"] if message["role"] == "user"]
    assert contents == said
    done = [message["content"] for message in session["messages"] if message["role"] == "tool"]
    assert sum(text.endswith(ORDERED) for text in done) == (1 if said[0].startswith("shop") else 0)
    stream = await world.client.get(f"/api/sessions/{session_id}/stream")
    events = parse_sse(stream.text.splitlines())
    assert len(of_type(events, "done")) == 1
    assert len(of_type(events, "decision")) == (1 if said[0].startswith("shop") else 0)
    told = [event["message"]["content"] for event in of_type(events, "message")]
    assert all(told.count(content) <= 1 for content in said)
    assert await world.runtime.store.unbegun_runs() == []


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_lost_answer_is_asked_for_again_within_the_request(world: World, operation: str) -> None:
    session_id, call, sent, said = await prepare(world.client, operation)
    world.link.lose(sent, then_down=False)
    assert (await call()).status_code == 202
    assert world.link.lost == 1
    await check(world, session_id, said)


@pytest.mark.parametrize("operation", REPEATABLE)
async def test_after_an_outage_the_same_request_succeeds(world: World, operation: str) -> None:
    session_id, call, sent, said = await prepare(world.client, operation)
    world.link.lose(sent, then_down=True)
    refused = await call()
    assert (refused.status_code, refused.json()["code"], world.link.lost) == (503, "db_unavailable", 1)
    assert refused.headers["retry-after"]
    world.link.come_back()
    assert (await call()).status_code == 202
    await world.sweep()
    await check(world, session_id, said)
    if operation == "yes":
        assert len(await world.runtime.store.grants(session_id=session_id)) == 1
        again = await call()
        assert (again.status_code, again.json()["code"]) == (409, "already_decided")


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_after_an_outage_a_run_goes_on_by_itself(world: World, operation: str) -> None:
    session_id, call, sent, said = await prepare(world.client, operation)
    world.link.lose(sent, then_down=True)
    assert (await call()).status_code == 503
    world.link.come_back()
    assert (await read(world.client, session_id))["run"]["status"] == "queued"
    await world.sweep()
    await world.sweep()
    await check(world, session_id, said)


async def test_a_run_that_is_about_to_begin_is_not_begun_twice(world: World) -> None:
    """Sweeps come at every moment of a message's way."""
    for _ in range(5):
        session_id = await new_session(world.client)
        sending = asyncio.create_task(send(world.client, session_id, PING))
        while not sending.done():
            await world.sweep()
        await sending
        await check(world, session_id, [PING])
