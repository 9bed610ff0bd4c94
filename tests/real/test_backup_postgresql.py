"""A dump made while the server runs, with the runbook's own command, and restored into another database."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from scripts.programs import find_postgres
from scripts.shell import ROOT
from server.main import create_app
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runtime import Runtime
from server.settings import Settings
from server.store import Store, process_name
from server.store.owners import UNRENEWED_SECONDS
from tests.conftest import PASSWORD, open_client
from tests.support.chat import ask, new_session, read_stream, send, wait_for_status
from tests.support.postgres import Postgres

PING = "this is a ping test: do not think"
DUMP = 'pg_dump --format=custom --file=copy.dump "$DATABASE_URL"'
RESTORE = 'pg_restore --no-owner --dbname="$DATABASE_URL" copy.dump'


async def run(command: str, folder: Path, url: str) -> None:
    """As a person types it."""
    programs = find_postgres()
    env = {"PATH": f"{programs}:/usr/bin:/bin", "DATABASE_URL": url.replace("+psycopg", "")}
    await asyncio.to_thread(subprocess.run, command, shell=True, check=True, cwd=folder, env=env)


def test_the_runbook_names_the_commands() -> None:
    text = (ROOT / "docs/runbook.md").read_text()
    assert DUMP in text
    assert RESTORE in text


async def let_leases_end(world: Runtime, client: httpx.AsyncClient, session_id: str) -> None:
    """The lease that the dump contains ends, seen by a second process on the same database with a clock of its own.

    The restored server is another installation, so it cannot know that the owner of the run is gone.
    """
    passed = 0.0
    store = Store(world.database, process_name(), clock=lambda: passed)
    watcher = Recovery(store, world.bus, RunRecorder(world.settings, store, world.bus), world.executor)
    while passed < UNRENEWED_SECONDS:
        await watcher.end_orphans()
        assert (await client.get(f"/api/sessions/{session_id}")).json()["run"]["status"] == "running"
        passed += UNRENEWED_SECONDS / 4
    await watcher.end_orphans()


@pytest.mark.parametrize("place", ["the same data folder", "another data folder"])
async def test_a_dump_shows_every_session_and_interrupts_what_was_in_flight(
    postgres: Postgres, migrated_template: str, tmp_path: Path, place: str
) -> None:
    source, target = postgres.create_database(migrated_template), postgres.create_database()
    headers = {"authorization": f"Bearer {PASSWORD}"}

    def app_on(name: str, folder: str) -> FastAPI:
        chosen = {"agent_mode": "mock", "auth_token": PASSWORD, "drain_timeout": 0.0}
        places = {"data_dir": tmp_path / folder, "database_url": postgres.url(name)}
        return create_app(Settings.model_validate(chosen | places))

    app = app_on(source, "the same data folder")
    async with app.router.lifespan_context(app), open_client(app, headers) as client:
        done, _ = await ask(client, PING)
        running = await new_session(client)
        store = (await app.state.starting.runtime()).store
        await store.begin_execution((await store.accept(running, "a task")).run.id)
        asking = await new_session(client)
        await send(client, asking, "shop for a kettle")
        pending = (await wait_for_status(client, asking, "waiting_user"))["pending"]
        await run(DUMP, tmp_path, postgres.url(source))
        messages = (await client.get(f"/api/sessions/{done}")).json()["messages"]
    await run(RESTORE, tmp_path, postgres.url(target))
    app = app_on(target, place)
    async with app.router.lifespan_context(app), open_client(app, headers) as client:
        assert (await client.get(f"/api/sessions/{done}")).json()["messages"] == messages
        assert (await client.get(f"/api/sessions/{asking}")).json()["pending"]["reference"] == pending[
            "reference"
        ]
        if place == "another data folder":
            await let_leases_end(await app.state.starting.runtime(), client, running)
        session = (await client.get(f"/api/sessions/{running}")).json()
        assert (session["run"]["status"], session["run"]["error_code"]) == ("interrupted", "server_restart")
        assert [message["content"] for message in session["messages"]] == ["a task"]
        assert (await client.get("/api/sessions", params={"q": "kettle"})).json()["items"]
        for session_id in (running, await new_session(client)):
            await send(client, session_id, PING)
            assert (await read_stream(client, session_id))[-1]["type"] == "done"
    for name in (source, target):
        postgres.drop_database(name)
