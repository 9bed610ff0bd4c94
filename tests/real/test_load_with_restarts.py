"""Runs under a PostgreSQL that is killed and started again and again: each ends once, and nothing stays behind."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from psycopg.rows import dict_row

from server.main import create_app
from server.runtime import Runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.eventually import eventually
from tests.support.invariants import UNFINISHED, check_rows
from tests.support.postgres import Postgres

SESSIONS = 30
MESSAGES = 3
RESTARTS = 5
PING = "this is a ping test: do not think"
SETTLED = 120.0
"""Seconds after the last restart."""


async def say(client: httpx.AsyncClient, session_id: str, client_id: str) -> str:
    """Send the message until it is accepted, as a client does after a 503; return its run."""
    body = {"content": PING, "client_id": client_id, "mode": "queue"}
    while True:
        answer = await client.post(f"/api/sessions/{session_id}/messages", json=body)
        if answer.status_code == 202:
            return str(answer.json()["run"]["id"])
        assert (answer.status_code, answer.json()["code"]) == (503, "db_unavailable")
        assert answer.headers["retry-after"]
        await asyncio.sleep(0.3)


async def converse(client: httpx.AsyncClient, session_id: str, chance: random.Random) -> list[str]:
    runs = []
    for number in range(MESSAGES):
        runs.append(await say(client, session_id, f"{session_id}-{number}"))
        await asyncio.sleep(chance.uniform(0, 2))
    return runs


async def restart_again_and_again(postgres: Postgres, chance: random.Random) -> None:
    for _ in range(RESTARTS):
        await asyncio.sleep(chance.uniform(0.3, 1.5))
        await asyncio.to_thread(postgres.stop)
        await asyncio.sleep(chance.uniform(0, 1))
        await asyncio.to_thread(postgres.start)


def rows(url: str, table: str) -> list[dict[str, Any]]:
    with psycopg.connect(url.replace("+psycopg", ""), row_factory=dict_row) as db:
        return db.execute(f"SELECT * FROM {table}").fetchall()


async def settled(world: Runtime, url: str) -> list[dict[str, Any]]:
    return await eventually(
        lambda: asyncio.to_thread(rows, url, "runs"),
        lambda it: not any(run["status"] in UNFINISHED for run in it),
        timeout=SETTLED,
        message="every run ends",
        interval=0.5,
    )


@pytest.mark.timeout(400)
async def test_every_run_ends_once_and_none_is_left_behind(
    postgres: Postgres, migrated_template: str, tmp_path: Path
) -> None:
    name = postgres.create_database(migrated_template)
    url, chance = postgres.url(name), random.Random(7)
    chosen = {"agent_mode": "mock", "auth_token": PASSWORD, "drain_timeout": 0.0, "data_dir": tmp_path}
    app = create_app(Settings.model_validate(chosen | {"database_url": url}))
    headers = {"authorization": f"Bearer {PASSWORD}"}
    async with app.router.lifespan_context(app), open_client(app, headers) as client:
        world: Runtime = await app.state.starting.runtime()
        made = [(await client.post("/api/sessions")).json()["id"] for _ in range(SESSIONS)]
        talks = asyncio.gather(*(converse(client, session_id, chance) for session_id in made))
        await restart_again_and_again(postgres, chance)
        accepted = {run for runs in await talks for run in runs}
        runs = await settled(world, url)
        messages, questions = rows(url, "messages"), rows(url, "interrupts")
        for session_id in made:
            of = [
                [row for row in kind if row["session_id"] == session_id]
                for kind in (runs, messages, questions)
            ]
            check_rows(*of)
        assert {run["id"] for run in runs} == accepted
        assert len(accepted) == SESSIONS * MESSAGES
        assert {run["status"] for run in runs} <= {"completed", "interrupted"}
        assert {row["content"] for row in messages if row["role"] == "assistant"} == {"Harbour"}
        assert [row["role"] for row in messages].count("user") == SESSIONS * MESSAGES
        assert not world.executor.executions
        assert (await client.get("/api/ready")).status_code == 200
    postgres.drop_database(name)
