"""A copy made while the server runs, as the runbook says, and brought to another place."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import httpx

from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import ask, new_session, read_stream, send

PING = "this is a ping test: do not think"


def back_up(source: str, copy: Path) -> None:
    """What `sqlite3 FILE ".backup COPY"` does."""
    with sqlite3.connect(source) as running, sqlite3.connect(copy) as saved:
        running.backup(saved)


async def test_a_copy_shows_every_session_and_interrupts_what_was_in_flight(
    client: httpx.AsyncClient, settings: Settings, tmp_path: Path
) -> None:
    done, _ = await ask(client, PING)
    running = await new_session(client)
    await send(client, running, "slow story")
    copy = tmp_path / "copy.db"
    await asyncio.to_thread(back_up, settings.database.removeprefix("sqlite:///"), copy)
    messages = (await client.get(f"/api/sessions/{done}")).json()["messages"]

    place = {"data_dir": tmp_path / "elsewhere", "database_url": f"sqlite:///{copy}"}
    app = create_app(settings.model_copy(update=place))
    headers = {"authorization": f"Bearer {PASSWORD}"}
    async with app.router.lifespan_context(app), open_client(app, headers) as restored:
        assert (await restored.get(f"/api/sessions/{done}")).json()["messages"] == messages
        session = (await restored.get(f"/api/sessions/{running}")).json()
        assert (session["run"]["status"], session["run"]["error_code"]) == ("interrupted", "server_restart")
        assert [message["content"] for message in session["messages"]] == ["slow story"]
        await send(restored, running, PING)
        assert (await read_stream(restored, running))[-1]["type"] == "done"
