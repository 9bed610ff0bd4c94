"""A whole database is copied into another one, or nothing of it is."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import JSON, create_engine, inspect, make_url, select, text

from cli.moving import run_move
from scripts.shell import ROOT
from server.database.migrate import migrate
from server.database.sole_use import SoleUse
from server.extras.move import rows as move
from server.extras.move.checkpoints import copy_checkpoints
from tests.support.cluster import ask, get, post, session_at, wait_for
from tests.support.databases import open_saver
from tests.support.eventually import eventually_sync
from tests.support.lossy_link import lingering_link
from tests.support.postgres import Postgres
from tests.support.server import serving
from tests.support.walks import answer, stored, walk
from wording.catalogue import command_line, languages

NOT_COPIED = {"alembic_version", "checkpoint_migrations", "processes", "grants"}
"""`grants`: of the version before; its rows were copied to `lasting_grants` by a migration."""
GRAPHS = {"checkpoints", "checkpoint_blobs", "checkpoint_writes", "writes"}


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a server that was used and stopped while a question is open."""
    folder = tmp_path_factory.mktemp("lived")
    with serving(folder) as server:
        wait_for(server, ask(server, "this is a ping test: do not think"), "completed")
        wait_for(server, ask(server, "log in to my mail"), "waiting_user")
        with httpx.Client(base_url=server.api, headers=server.headers, trust_env=False) as client:
            assert client.put("/settings/keys/anthropic", json={"key": "sk-ant-secret"}).status_code == 204
    url = f"sqlite:///{folder / 'pilothouse.db'}"
    asyncio.run(leave_a_graph_asking(url))
    return folder


def fill_empty_tables(url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as db:
        for table in move.TABLES:
            if db.execute(select(table).limit(1)).first() is None:
                db.execute(table.insert(), {c.name: value_for(c, db) for c in table.columns})
    engine.dispose()


def value_for(column: Any, db: Any) -> object:
    for key in column.foreign_keys:
        return db.scalar(select(key.column).limit(1))
    if isinstance(column.type, JSON):
        return {"words": ["é", 1.5, None, {"deep": True}]}
    kind = getattr(column.type, "impl_instance", column.type).python_type
    values = {
        str: "x",
        int: 7,
        float: 2.5,
        bool: True,
        bytes: b"\x00\xff",
        datetime: datetime(2026, 11, 24, 10, tzinfo=UTC),
    }
    return values[kind]


async def leave_a_graph_asking(url: str) -> None:
    async with open_saver(url) as saver:
        thread = await saver.open("walk", 1, "sync")
        assert await walk(saver, thread, asks=True) == ["a", "b"]
        await thread.settle()
        saver.release(thread)


@pytest.fixture
def source(lived_in: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(lived_in, tmp_path / "data"))


@pytest.fixture
def full(source: Path) -> str:
    """The URL of a copy in which every table has a row. No server could read all of them."""
    fill_empty_tables(url_of(source))
    return url_of(source)


@pytest.fixture
def target(postgres_url: str) -> str:
    return postgres_url


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder / 'pilothouse.db'}"


def move_all(source: str, target: str) -> dict[str, int]:
    return {copied.table: copied.rows for copied in move.move(source, target, copy_checkpoints)}


def refusal(source: str, target: str) -> str:
    with pytest.raises(move.MoveRefused) as refused:
        move_all(source, target)
    return str(refused.value)


def contents(url: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables that have models, each table in the order of its keys."""
    engine = create_engine(url)
    with engine.connect() as db:
        found = {
            table.name: [dict(row) for row in db.execute(select(table)).mappings()] for table in move.TABLES
        }
    engine.dispose()
    return {name: sorted(rows, key=repr) for name, rows in found.items()}


def is_empty(url: str) -> bool:
    engine = create_engine(url)
    with engine.connect() as db:
        names = set(inspect(db).get_table_names()) - NOT_COPIED
        rows = [db.scalar(text(f"SELECT count(*) FROM {name}")) for name in names]
    engine.dispose()
    return not any(rows)


def test_a_server_goes_on_from_the_copy_as_if_nothing_had_been_moved(source: Path, target: str) -> None:
    move_all(url_of(source), target)
    with serving(source, database_url=target) as server:
        sessions = get(server, "/sessions").json()["items"]
        (asking,) = [one["id"] for one in sessions if one["status"] == "waiting_user"]
        reference = session_at(server, asking)["pending"]["reference"]
        assert post(server, f"/sessions/{asking}/decision", reference=reference, done=True).status_code == 202
        session = wait_for(server, asking, "completed")
        assert session["messages"][-1]["content"].startswith("You are logged in.")
        assert get(server, "/sessions?q=mail").json()["items"], "the search finds what was copied"
        keys = get(server, "/settings").json()["keys"]
        assert keys["anthropic"] == "set", "the copied key can be decrypted"


def test_every_table_is_the_same_in_the_copy_and_in_the_copy_of_that(
    full: str, target: str, tmp_path: Path
) -> None:
    before = contents(full)
    assert [name for name, rows in before.items() if not rows] == []
    move_all(full, target)
    assert contents(target) == before
    back = f"sqlite:///{tmp_path / 'back.db'}"
    migrate(back)
    move_all(target, back)
    assert contents(back) == before


async def test_a_graph_answers_its_question_in_the_copy_and_in_the_copy_of_that(
    source: Path, target: str, tmp_path: Path
) -> None:
    back = f"sqlite:///{tmp_path / 'back.db'}"
    migrate(back)
    await asyncio.to_thread(move_all, url_of(source), target)
    await asyncio.to_thread(move_all, target, back)
    for url in (target, back):
        async with open_saver(url) as saver:
            assert await stored(saver, "walk") == (["a", "b"], 1)
            thread = await saver.open("walk", 2, "sync")
            assert await answer(saver, thread, "yes") == ["a", "b", "yes"]
            await thread.settle()


async def test_a_moved_database_is_free_before_the_server_sees_that_its_connections_ended(
    source: Path, target: str, tmp_path: Path
) -> None:
    back = f"sqlite:///{tmp_path / 'back.db'}"
    migrate(back)
    async with lingering_link(make_url(target).port or 0) as link:
        slow = make_url(target).set(port=link.port).render_as_string(hide_password=False)
        await asyncio.to_thread(move_all, url_of(source), slow)
        assert "is not empty" in await asyncio.to_thread(refusal, url_of(source), slow)
        assert await asyncio.to_thread(move_all, target, back)


async def test_a_database_is_free_as_soon_as_its_server_has_stopped(target: str) -> None:
    async with lingering_link(make_url(target).port or 0) as link:
        slow = make_url(target).set(port=link.port).render_as_string(hide_password=False)
        for url in (slow, target):
            use = SoleUse(url, is_shared=False)
            await use.acquire()
            await use.aclose()


def test_every_table_of_both_databases_is_copied_or_left_out_on_purpose(source: Path, target: str) -> None:
    copied = {table.name for table in move.TABLES}
    for url in (url_of(source), target):
        engine = create_engine(url)
        with engine.connect() as db:
            found = {
                name for name in inspect(db).get_table_names()
                if not name.startswith(("pgqueuer", "search_"))  # jobs; SQLite's index, which its triggers fill
            }  # fmt: skip
        engine.dispose()
        assert found - NOT_COPIED - GRAPHS == copied


def test_no_copied_table_takes_numbers_from_a_sequence(target: str) -> None:
    owned = text("SELECT pg_get_serial_sequence(quote_ident(table_name), column_name) FROM information_schema.columns "
                 "WHERE table_schema = 'public' AND table_name = :name")  # fmt: skip
    engine = create_engine(target)
    with engine.connect() as db:
        found = [
            db.scalars(owned, {"name": name}).all() for name in (*(it.name for it in move.TABLES), *GRAPHS)
        ]
    engine.dispose()
    assert {one for names in found for one in names} == {None}


def test_a_database_that_a_server_uses_is_refused(source: Path, target: str, tmp_path: Path) -> None:
    with serving(source):
        assert "uses the database of --from" in refusal(url_of(source), target)
    with serving(tmp_path / "other", database_url=target):
        assert "uses the database of --to" in refusal(url_of(source), target)


def test_a_target_with_rows_is_refused_and_keeps_them(source: Path, target: str) -> None:
    move_all(url_of(source), target)
    before = contents(target)
    assert "is not empty" in refusal(url_of(source), target)
    assert contents(target) == before


def test_a_database_of_another_schema_is_refused(source: Path, postgres: Postgres) -> None:
    name = postgres.create_database()
    assert "has schema none" in refusal(url_of(source), postgres.url(name))
    postgres.drop_database(name)


def test_a_run_in_progress_is_refused(source: Path, target: str) -> None:
    engine = create_engine(url_of(source))
    with engine.begin() as db:
        db.execute(
            text(
                "UPDATE runs SET status = 'running', finished_at = NULL WHERE id = (SELECT min(id) FROM runs)"
            )
        )
    engine.dispose()
    assert "1 runs" in refusal(url_of(source), target)
    assert is_empty(target)


def test_a_value_that_the_target_refuses_is_named_and_nothing_is_copied(source: Path, target: str) -> None:
    engine = create_engine(url_of(source))
    with engine.begin() as db:
        db.execute(text("UPDATE messages SET content = 'a' || char(0) || 'b'"))
    engine.dispose()
    assert "messages cannot be stored" in refusal(url_of(source), target)
    assert is_empty(target)


def test_rows_that_change_on_their_way_are_noticed(source: Path, target: str) -> None:
    engine = create_engine(target)
    with engine.begin() as db:
        db.exec_driver_sql(
            "CREATE FUNCTION spoil() RETURNS trigger AS $$ BEGIN NEW.title := 'other'; RETURN NEW; END $$ LANGUAGE plpgsql;"
            "CREATE TRIGGER spoil BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION spoil()"
        )
    engine.dispose()
    assert "sessions is not the same" in refusal(url_of(source), target)
    assert is_empty(target)


KILLED = """
import os, signal, sys
from server.extras.move.checkpoints import copy_checkpoints
from server.extras.move import rows as move
from server.database.migrate import migrate

for copied in move.move(sys.argv[1], sys.argv[2], copy_checkpoints):
    if copied.table == "messages":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_in_the_middle_leaves_an_empty_target_and_the_next_one_copies(
    source: Path, target: str
) -> None:
    code = subprocess.run([sys.executable, "-c", KILLED, url_of(source), target], cwd=ROOT).returncode
    assert code == -signal.SIGKILL
    assert is_empty(target)
    eventually_sync(lambda: move_all(url_of(source), target), message="PostgreSQL has noticed its end")


def test_the_command_says_what_it_does_in_the_language_of_the_terminal(
    source: Path, target: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LC_ALL", "ru_RU.UTF-8")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    address = target.replace("postgresql+psycopg://", "postgresql://")
    assert run_move(str(source / "pilothouse.db"), address) == 0
    said = capsys.readouterr().out.splitlines()
    assert "sessions: 2 из 2" in said
    assert said[-1].startswith("Скопировано и сверено: ")
    assert run_move(str(source / "pilothouse.db"), address) == 1
    assert capsys.readouterr().out.startswith("База данных --to не пуста")


@pytest.mark.parametrize("language", languages())
def test_every_sentence_is_in_each_language(language: str) -> None:
    assert [one for one in move.SENTENCES if one not in command_line(language)["texts"]] == []
