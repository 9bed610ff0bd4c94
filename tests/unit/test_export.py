"""A session as one file."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from server.events import Message
from server.export import Conversation, file_name, to_html
from server.models import SessionRow
from tests.support.chat import ask, new_session, send
from tests.unit.test_decisions import wait_for


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
    await wait_for(client, session_id, "waiting_user")
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
    page = to_html(Conversation(session, steps, {}), lambda address: tmp_path / "page.jpg")
    opened, clicked, last = page.split("<article")[1:]
    assert '<rect x="10" y="20" width="30" height="5"/>' in opened
    assert "Outlined: where the next step acts." in opened
    assert "<rect" not in clicked
    assert "<rect" not in last


def test_without_a_page_before_it_nothing_is_marked(tmp_path: Path) -> None:
    (tmp_path / "page.jpg").write_bytes(b"picture")
    session = SessionRow(id="s", title="Shop", created_at=datetime.now(UTC))
    page = to_html(
        Conversation(session, [step(1, box=(1, 2, 3, 4))], {}), lambda address: tmp_path / "page.jpg"
    )
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


def test_file_names_are_plain() -> None:
    for title in ("../../x", "Кот", "a/b\\c", "=cmd()", ""):
        name = file_name(Conversation(SessionRow(id="0123456789", title=title), [], {}), "md")
        assert name.replace("-", "").replace(".", "").isalnum()
