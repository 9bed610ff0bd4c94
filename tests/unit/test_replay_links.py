"""Replays by a link: one session as it was, read only, for a while, and nothing else."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from time import time
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.settings import Settings
from tests.support.eventually import eventually
from tests.unit.test_results_api import recorded

OPEN, REPLAY = "/api/links/replay/open", "/api/links/replay"


async def said(client: httpx.AsyncClient, session: str, text: str) -> None:
    """A message, answered."""
    (await client.post(f"/api/sessions/{session}/messages", json={"content": text})).raise_for_status()
    await eventually(
        lambda: client.get(f"/api/sessions/{session}"),
        lambda answer: answer.json()["status"] == "idle",
        message="the run has ended",
    )


@pytest.fixture
async def shop(client: httpx.AsyncClient) -> str:
    (await client.post("/api/sessions", json={"id": "shop"})).raise_for_status()
    await said(client, "shop", "ping one")
    return "shop"


async def share(client: httpx.AsyncClient, session: str, **body: Any) -> tuple[str, str]:
    """The id and the secret of a new link."""
    answer = await client.post(f"/api/sessions/{session}/replays", json={"days": 7, **body})
    assert answer.status_code == 201, answer.text
    page, _, secret = answer.json()["link"].partition("#")
    assert page.endswith("/r")
    assert len(secret) >= 43  # 256 bits
    return answer.json()["id"], secret


async def opened(stranger: httpx.AsyncClient, secret: str) -> httpx.Response:
    return await stranger.post(OPEN, headers={"pilothouse-link": secret})


async def test_it_shows_the_session_as_it_was_without_a_login(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, shop: str
) -> None:
    _, secret = await share(client, shop)
    await said(client, shop, "later words")
    answer = await opened(stranger, secret)
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert f"Path={REPLAY}" in cookie
    page = await stranger.get(REPLAY, params={"lang": "de"})
    assert page.status_code == 200
    assert page.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "no-store" in page.headers["cache-control"]
    assert "ping one" in page.text
    assert 'lang="de"' in page.text
    assert "later words" not in page.text
    assert "later words" in (await client.get(f"/api/sessions/{shop}/export?format=html")).text


async def test_a_cell_that_is_edited_later_is_shown_as_it_was(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, app: FastAPI
) -> None:
    session, run = await recorded(client, app)
    result = f"/api/runs/{run}/result"

    async def edit(row: str, value: float) -> None:
        body = {"row": row, "column": "price", "value": value}
        (await client.patch(result, json=body)).raise_for_status()

    async def shown() -> str:
        await opened(stranger, secret)
        return (await stranger.get(REPLAY)).text

    await edit("c-1", 71.25)
    _, secret = await share(client, session)
    before = await shown()
    assert "71.25" in before
    assert "sold out" in before
    for row, value in (("c-1", 72.25), ("c-1", 73.25), ("c-2", 74.25)):
        await edit(row, value)
    assert await shown() == before
    whole = (await client.get(f"/api/sessions/{session}/export?format=html")).text
    assert ("73.25" in whole, "74.25" in whole, "71.25" in whole) == (True, True, False)


async def test_files_are_there_only_if_the_link_has_them(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, shop: str, settings: Settings
) -> None:
    files = f"/api/sessions/{shop}/files"
    (await client.post(files, files={"file": ("no te.txt", b"milk")})).raise_for_status()
    await opened(stranger, (await share(client, shop))[1])
    assert "te.txt" not in (await stranger.get(REPLAY)).text
    assert (await stranger.get(f"{REPLAY}/files/no te.txt")).status_code == 404
    _, secret = await share(client, shop, with_files=True)
    (await client.post(files, files={"file": ("later.txt", b"later")})).raise_for_status()
    (later,) = settings.data_dir.rglob("later.txt")
    os.utime(later, (time() + 60, time() + 60))
    await opened(stranger, secret)
    page = await stranger.get(REPLAY)
    assert 'href="replay/files/no%20te.txt"' in page.text
    assert "later.txt" not in page.text
    got = await stranger.get(f"{REPLAY}/files/no%20te.txt")
    assert got.content == b"milk"
    assert got.headers["content-disposition"].startswith("attachment")
    assert (await stranger.get(f"{REPLAY}/files/later.txt")).status_code == 404


async def test_it_ends_by_hand_with_its_session_and_with_time(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, shop: str, settings: Settings
) -> None:
    ended, secret = await share(client, shop)
    _, late = await share(client, shop)
    _, kept = await share(client, shop)
    await opened(stranger, secret)
    assert (await stranger.get(REPLAY)).status_code == 200
    assert (await client.delete(f"/api/sessions/{shop}/replays/{ended}")).status_code == 204
    assert (await client.delete(f"/api/sessions/{shop}/replays/{ended}")).status_code == 404
    left = await stranger.get(REPLAY)
    assert (left.status_code, left.json()["code"]) == (401, "link_unknown")
    left = await stranger.get(REPLAY, headers={"accept": "text/html"})
    assert (left.status_code, "url=../../r" in left.text) == (401, True)
    with closing(sqlite3.connect(settings.data_dir / "pilothouse.db")) as db, db:
        db.execute(
            "UPDATE replay_links SET expires_at = '2026-01-01 00:00:00.000000' "
            "WHERE id = (SELECT id FROM replay_links ORDER BY created_at LIMIT 1)"
        )
    assert (await opened(stranger, late)).status_code == 401
    (kept_link,) = (await client.get(f"/api/sessions/{shop}/replays")).json()["items"]
    assert kept_link.keys() == {"id", "with_files", "created_at", "expires_at"}
    assert (await opened(stranger, kept)).status_code == 204
    (await client.delete(f"/api/sessions/{shop}")).raise_for_status()
    assert (await stranger.get(REPLAY)).status_code == 401
    assert (await opened(stranger, kept)).status_code == 401


async def test_its_secret_opens_nothing_else_and_is_not_stored(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, shop: str, settings: Settings
) -> None:
    _, secret = await share(client, shop)
    await opened(stranger, secret)
    for path in (f"/api/sessions/{shop}", f"/api/sessions/{shop}/export", "/api/sessions", "/api/export"):
        for headers in ({}, {"authorization": f"Bearer {secret}"}, {"cookie": f"pilothouse-8000={secret}"}):
            assert (await stranger.get(path, headers=headers)).status_code in (401, 429), path
    assert (await stranger.get("/api/links/handoff", headers={"pilothouse-link": secret})).status_code == 401
    assert (await stranger.get("/api/links/question", headers={"pilothouse-link": secret})).status_code == 401
    stored = b"".join(file.read_bytes() for file in settings.data_dir.glob("pilothouse.db*"))
    assert secret.encode() not in stored


@pytest.mark.parametrize(
    ("session", "body", "status"),
    [("shop", {"days": 0}, 422), ("shop", {"days": 366}, 422), ("shop", {}, 422), ("none", {"days": 1}, 404)],
)
async def test_what_cannot_be_made(
    client: httpx.AsyncClient, shop: str, session: str, body: dict[str, int], status: int
) -> None:
    assert (await client.post(f"/api/sessions/{session}/replays", json=body)).status_code == status
