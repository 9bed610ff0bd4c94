"""A disk that fails to write: what was not stored is not confirmed, what was stored is there, and users see why."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from server.errors import Unavailable
from server.runtime import Runtime
from server.settings import Settings
from tests.support.chat import new_session, read, read_stream, send, wait_for_status

PING = "this is a ping test"
LARGEST = 32_768
"""Bytes. The database's files are larger from the beginning."""


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Without a database: the migrations of the start write a log that is larger than `LARGEST`."""
    (settings.data_dir / "pilothouse.db").unlink()
    return settings


@contextmanager
def failing_disk(settings: Settings) -> Iterator[None]:
    """No file grows beyond `LARGEST`: SQLite takes that as an error of the disk."""
    assert (settings.data_dir / "pilothouse.db-wal").stat().st_size > LARGEST
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


async def test_what_cannot_be_kept_is_refused_and_said_why(
    client: httpx.AsyncClient, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    # Writes are done in turn: behind as many as it has, the sweep of the start has ended. It changes nothing, so it
    # would succeed on a failing disk, and the next failure be reported as a new one.
    for _ in range(5):
        session_id = await new_session(client)
    with failing_disk(settings):
        for path, body in (
            (f"/api/sessions/{session_id}/messages", {"content": PING}),
            ("/api/sessions", {"title": "new"}),
        ):
            refused = await client.post(path, json=body)
            assert (refused.status_code, refused.json()["code"]) == (503, "db_unavailable")
            assert refused.json()["detail"] == "The disk of the database fails."
        ready = await client.get("/api/ready")
        assert ready.status_code == 503
        assert "cannot be written" in ready.json()["detail"]
        assert (await read(client, session_id))["messages"] == []
    told = [record.message for record in caplog.records if record.name == "server.database.database"]
    assert told == ["the database cannot be written: disk I/O error"]
    assert (await client.get("/api/ready")).status_code == 200


async def test_what_does_not_reach_the_disk_is_told_and_reaches_it_later(
    world: Runtime, settings: Settings
) -> None:
    file = settings.data_dir / "pilothouse.db"
    with failing_disk(settings), pytest.raises(Unavailable, match="The disk of the database fails"):
        await world.database.flush()
    assert file.stat().st_size <= LARGEST
    await world.database.flush()
    assert file.stat().st_size > LARGEST


async def test_nothing_is_confirmed_into_a_file_that_is_gone(
    client: httpx.AsyncClient, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    session_id = await new_session(client)
    path = settings.data_dir / "pilothouse.db"
    away = path.rename(path.with_suffix(".away"))
    for is_replaced in (False, True):
        if is_replaced:
            assert not path.exists()
            path.touch()
        refused = await client.post("/api/sessions")
        assert (refused.status_code, refused.json()["code"]) == (503, "db_unavailable")
        assert refused.json()["detail"] == "The database's file was moved or replaced."
        reads = [client.get("/api/sessions") for _ in range(6)]
        assert {answer.status_code for answer in await asyncio.gather(*reads)} == {503}
        assert "restart the server" in (await client.get("/api/ready")).json()["detail"]
    assert "the database cannot be written: " in caplog.text
    away.replace(path)
    assert (await client.get("/api/ready")).status_code == 200
    assert (await read(client, session_id))["id"] == session_id


async def test_a_run_waits_for_the_disk_and_ends_once(client: httpx.AsyncClient, settings: Settings) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "shop for a kettle")
    reference = (await wait_for_status(client, session_id, "waiting_user"))["pending"]["reference"]
    decision = {"reference": reference, "confirmed": True}
    with failing_disk(settings):
        lost = await client.post(f"/api/sessions/{session_id}/decision", json=decision)
        assert lost.status_code == 503
        assert (await read(client, session_id))["pending"]["reference"] == reference
    assert (await client.post(f"/api/sessions/{session_id}/decision", json=decision)).status_code == 202
    with failing_disk(settings):
        while (await client.get("/api/ready")).status_code == 200:
            assert (await client.post("/api/sessions")).status_code == 503
    session = await wait_for_status(client, session_id, "completed")
    said = [message["content"] for message in session["messages"]]
    assert sum(text.endswith('Clicked button "Place order".') for text in said) == 1
    assert [message["role"] for message in session["messages"]].count("assistant") == 1
    assert [event["type"] for event in await read_stream(client, session_id)].count("done") == 1
