"""A session as one file."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
import zipfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Connection

from server.api.export import _archived
from server.database.models import SessionRow
from server.events import Message
from server.files.export import Conversation, file_name, to_html
from server.runtime import Runtime
from server.store.lookups import add_message
from tests.support.chat import ask, new_session, send, wait_for_status


async def test_markdown_and_json_hold_the_whole_conversation(client: httpx.AsyncClient) -> None:
    session_id, events = await ask(client, "think about boats")
    answer = events[-1]["message"]["content"]
    markdown = (await client.get(f"/api/sessions/{session_id}/export?format=md")).text
    assert markdown.startswith("# think about boats")
    assert answer in markdown
    exported = (await client.get(f"/api/sessions/{session_id}/export?format=json")).json()
    assert [message["role"] for message in exported["messages"]] == ["user", "assistant"]


async def test_html_is_self_contained_with_pictures_and_marks(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client, title="<script>alert(1)</script>")
    await send(client, session_id, "shop for a kettle")
    await wait_for_status(client, session_id, "waiting_user")
    response = await client.get(f"/api/sessions/{session_id}/export?format=html")
    page = response.text
    assert "data:image/jpeg;base64," in page
    assert "<script>alert(1)</script>" not in page
    assert 'http-equiv="Content-Security-Policy"' in page
    assert "/api/files/" not in page
    assert response.headers["content-disposition"].startswith("attachment")


def test_the_place_of_an_action_is_marked_on_the_page_before_it(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"picture")
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    steps = [step(1), step(2, box=(10, 20, 30, 5)), step(3)]
    page = "".join(to_html(Conversation(session, steps, {}), lambda address: tmp_path / "page.jpg"))
    opened, clicked, last = page.split("<article")[1:]
    assert '<rect x="10" y="20" width="30" height="5"/>' in opened
    assert "Outlined: where the next step acts." in opened
    assert "<rect" not in clicked
    assert "<rect" not in last


def test_without_a_page_before_it_nothing_is_marked(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"picture")
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    conversation = Conversation(session, [step(1, box=(1, 2, 3, 4))], {})
    page = "".join(to_html(conversation, lambda address: tmp_path / "page.jpg"))
    assert "<rect" not in page


def step(seq: int, **meta: Any) -> Message:
    known = {"name": "click", "ok": True, "screenshot": "/api/files/screenshots/s/page.jpg"}
    return Message(
        id=f"m{seq}", session_id="s", run_id="r", seq=seq, role="tool", content="Clicked",
        meta_json=known | meta, created_at=datetime.now(UTC),
    )  # fmt: skip


async def test_all_sessions_come_as_one_archive(client: httpx.AsyncClient) -> None:
    await ask(client, "hello")
    await new_session(client, title="../../etc/passwd")
    archive = zipfile.ZipFile(io.BytesIO((await client.get("/api/export")).content))
    names = archive.namelist()
    assert len(names) == 4
    assert not [name for name in names if "/" in name or ".." in name]
    assert all(json.loads(archive.read(name)) for name in names if name.endswith(".json"))


async def test_sessions_of_similar_ids_and_titles_have_files_of_their_own(client: httpx.AsyncClient) -> None:
    ids = ["customer-a", "customer-b", "Customer-A", "CUSTOMER", "customer-a-2", "customer"]
    for session_id in ids:
        await new_session(client, id=session_id, title="Same")
    archive = zipfile.ZipFile(io.BytesIO((await client.get("/api/export")).content))
    assert archive.testzip() is None
    names = archive.namelist()
    assert len({name.casefold() for name in names}) == len(names) == 2 * len(ids)
    exported = [json.loads(archive.read(name))["id"] for name in names if name.endswith(".json")]
    assert sorted(exported) == sorted(ids)


async def test_a_session_that_is_purged_during_the_export_is_left_out(world: Runtime) -> None:
    for name in ("kept", "purged", "last"):
        await world.store.create_session(
            id=name, title=name, agent="operator", model="mock:scripted", max_tool_steps=10
        )
    parts = _archived(world)
    data = await anext(parts)
    await world.purge(["purged"])
    data += b"".join([part async for part in parts])
    names = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert [name for name in names if name.endswith(".md")] == ["kept-kept.md", "last-last.md"]


async def test_an_archive_of_many_large_sessions_needs_the_memory_of_one(world: Runtime) -> None:
    """24 sessions of 250 KB that hardly packs."""
    chance = random.Random(1)
    for number in range(24):
        row = await world.store.create_session(
            id=f"s{number}", title="Large", agent="operator", model="mock:scripted", max_tool_steps=10
        )
        said = [chance.randbytes(16_000).hex() for _ in range(8)]
        await world.database.write(partial(add_all, session=row, said=said))
    tracemalloc.start()
    size = 0
    async for part in _archived(world):
        size += len(part)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 5_000_000
    assert peak < 4_000_000, peak


def add_all(db: Connection, session: SessionRow, said: list[str]) -> None:
    for text in said:
        add_message(db, session, "user", text)


def test_a_page_of_many_pictures_is_made_part_by_part(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"x" * 1_000_000)
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    conversation = Conversation(session, [step(number) for number in range(50)], {})
    sizes = [len(part) for part in to_html(conversation, lambda address: tmp_path / "page.jpg")]
    assert sum(sizes) > 60_000_000
    assert max(sizes) < 2_000_000


def test_file_names_are_plain() -> None:
    for title in ("../../x", "Кот", "a/b\\c", "=cmd()", ""):
        name = file_name(Conversation(SessionRow(id="0123456789", title=title), [], {}), "md")
        assert name.replace("-", "").replace(".", "").isalnum()
