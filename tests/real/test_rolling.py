"""Two versions on one database: a migration only adds, and this version works with what a later one has added."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from scripts.shell import ROOT
from server.database import HEAD
from server.database.migrate import migrate_once
from server.settings import Settings
from tests.support.cluster import ask, get, post, session_at, wait_for
from tests.support.eventually import eventually_sync
from tests.support.postgres import Postgres
from tests.support.schemas import NEXT, NEXT_GENERATION, migrate_further, read_schema, what_is_not_added
from tests.support.server import serving

FIRST = "0008"
"""The rule holds from here on."""


@pytest.fixture
def url(postgres: Postgres, migrated_template: str) -> Iterator[str]:
    name = postgres.create_database(migrated_template)
    yield postgres.url(name)
    postgres.drop_database(name)


def test_every_migration_only_adds_to_the_schema(postgres: Postgres, tmp_path: Path) -> None:
    name = postgres.create_database()
    for empty in (f"sqlite:///{tmp_path / 'empty.db'}", postgres.url(name)):
        config = Config(ROOT / "alembic.ini")
        config.set_main_option("sqlalchemy.url", empty)
        script = ScriptDirectory.from_config(config)
        assert script.get_current_head() == HEAD
        later = [one.revision for one in script.walk_revisions(FIRST, HEAD)][::-1]
        command.upgrade(config, FIRST)
        engine = create_engine(empty)
        with engine.connect() as db:
            before = read_schema(db)
        for revision in later[1:]:
            command.upgrade(config, revision)
            with engine.connect() as db:
                after = read_schema(db)
            if (
                revision[0] == script.get_revision(revision).down_revision[0]
            ):  # another digit: a new generation
                assert what_is_not_added(before, after) == [], revision
            before = after
        engine.dispose()
    postgres.drop_database(name)


def test_what_a_later_version_does_in_these_tests_only_adds(url: str) -> None:
    engine = create_engine(url)
    with engine.connect() as db:
        before = read_schema(db)
    migrate_further(url)
    with engine.connect() as db:
        assert what_is_not_added(before, read_schema(db)) == []
    engine.dispose()


def changes(url: str, statement: str) -> list[str]:
    engine = create_engine(url)
    with engine.connect() as db:
        before = read_schema(db)
        db.execute(text(statement))
        found = what_is_not_added(before, read_schema(db))
        db.rollback()
    engine.dispose()
    return found


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("ALTER TABLE runs DROP COLUMN wishes", "runs.wishes is gone"),
        ("ALTER TABLE runs RENAME COLUMN wishes TO asked", "runs.wishes is gone"),
        ("DROP TABLE processes", "processes is gone"),
        ("ALTER TABLE runs ADD COLUMN more TEXT NOT NULL", "runs.more is left out by others"),
        ("ALTER TABLE runs ALTER COLUMN doing SET NOT NULL", "runs.doing must have a value now"),
        ("ALTER TABLE runs ALTER COLUMN error TYPE VARCHAR(9)", "runs.error has another type"),
        (
            "ALTER TABLE runs ALTER COLUMN end_position DROP DEFAULT",
            "runs.end_position has no default any more",
        ),
        ("CREATE UNIQUE INDEX once ON runs (owner)", "runs: unique once"),
        ("ALTER TABLE runs ADD CONSTRAINT few CHECK (attempt < 9)", "runs: check few"),
        ("ALTER TABLE runs ADD FOREIGN KEY (message_id) REFERENCES messages", "runs: key"),
    ],
)
def test_a_migration_that_an_older_process_may_not_survive_is_found(
    url: str, statement: str, found: str
) -> None:
    assert [one for one in changes(url, statement) if one.startswith(found)] != []


def test_a_running_server_works_with_the_schema_of_a_later_version_and_starts_on_it(
    url: str, tmp_path: Path
) -> None:
    with serving(tmp_path / "data", database_url=url) as server:
        session_id = ask(server, "slow story")
        wait_for(server, session_id, "running")
        migrate_further(url)
        store_unknown_activity(url, session_id)
        assert get(server, "/ready").status_code == 200
        wait_for(server, session_id, "completed")
        assert post(server, f"/sessions/{session_id}/messages", content="ping test").status_code == 202
        wait_for(server, session_id, "completed")
    with serving(tmp_path / "data", database_url=url, auto_migrate="true") as server:
        wait_for(server, ask(server, "ping test"), "completed")
        assert session_at(server, session_id)["messages"][-1]["role"] == "assistant"


def store_unknown_activity(url: str, session_id: str) -> None:
    engine = create_engine(url)
    columns = "id, session_id, position, kind, details, created_at"
    with engine.begin() as db:
        statement = (
            f"INSERT INTO activities ({columns}) VALUES ('later', :session_id, 2, 'hologram', '{{}}', now())"
        )
        db.execute(text(statement), {"session_id": session_id})
    engine.dispose()


@pytest.mark.parametrize(
    "version", [NEXT_GENERATION, f"{int(FIRST) - 1:04}"], ids=["next generation", "older"]
)
def test_a_schema_that_it_cannot_work_with_is_named_until_it_is_there(
    url: str, tmp_path: Path, version: str
) -> None:
    engine = create_engine(url)

    def set_version(value: str) -> None:
        with engine.begin() as db:
            db.execute(text("UPDATE alembic_version SET version_num = :value"), {"value": value})

    set_version(version)
    with serving(tmp_path / "data", database_url=url) as server:
        answer = get(server, "/ready")
        assert answer.status_code == 503
        assert f"the database schema is {version}, this server needs {HEAD}" in answer.json()["detail"]
        assert ("newer version" in answer.json()["detail"]) == (version > HEAD)
        set_version(HEAD)
        eventually_sync(lambda: get(server, "/ready").status_code, lambda code: code == 200, message="ready")
    engine.dispose()


async def test_migrating_by_an_older_version_changes_nothing(url: str) -> None:
    migrate_further(url)
    await migrate_once(Settings.model_validate({"database_url": url}))
    engine = create_engine(url)
    with engine.connect() as db:
        assert db.scalar(text("SELECT version_num FROM alembic_version")) == NEXT
    engine.dispose()
