"""A link to PostgreSQL that stops forwarding, without a reset: every request ends, and all is well when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import ask, new_session
from tests.support.lossy_link import SilentLink, silent_link
from tests.support.postgres import Postgres

NOTICED = 15.0
"""Seconds that are promised."""
MACHINE = 10.0
"""Seconds that a busy machine may need on top."""
PING = "this is a ping test: do not think"


@dataclass
class World:
    link: SilentLink
    client: httpx.AsyncClient
    session_id: str


@pytest.fixture
async def world(postgres: Postgres, migrated_template: str, tmp_path: Path) -> AsyncIterator[World]:
    name = postgres.create_database(migrated_template)
    async with silent_link(postgres.port) as link:
        url = postgres.url(name).replace(f":{postgres.port}/", f":{link.port}/")
        settings = Settings.model_validate(
            {
                "agent_mode": "mock",
                "data_dir": tmp_path,
                "auth_token": PASSWORD,
                "drain_timeout": 0.0,
                "database_url": url,
            }
        )
        app = create_app(settings)
        headers = {"authorization": f"Bearer {PASSWORD}"}
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            yield World(link, client, await new_session(client))
            link.come_back()  # also after a failure: what still waits for the database would keep the server open
    postgres.drop_database(name)


async def fill_pool(client: httpx.AsyncClient) -> None:
    """All connections that the server may have are open."""
    answers = await asyncio.gather(*(client.get("/api/sessions") for _ in range(30)))
    assert {answer.status_code for answer in answers} == {200}


@pytest.mark.parametrize("pool", ["cold", "warm"])
async def test_every_request_on_a_silent_link_ends_and_works_again_when_it_is_back(
    world: World, pool: str
) -> None:
    client = world.client
    if pool == "warm":
        await fill_pool(client)
    world.link.fall_silent()
    path = f"/api/sessions/{world.session_id}"
    calls = [client.get(path) for _ in range(15)]
    calls += [client.post(f"{path}/messages", json={"content": PING, "client_id": "one"})]
    calls += [client.post("/api/sessions") for _ in range(15)]
    async with asyncio.timeout(NOTICED + MACHINE):
        answering = asyncio.gather(*calls)
        ready = await client.get("/api/ready")
        assert ready.status_code == 503
        assert "does not answer" in ready.json()["detail"]
        answers = await answering
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(503, "db_unavailable")}
    assert all(answer.headers["retry-after"] for answer in answers)
    world.link.come_back()
    assert (await client.get("/api/ready")).status_code == 200
    _, events = await ask(client, PING)
    assert events[-1]["type"] == "done"
