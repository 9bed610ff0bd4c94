"""Alembic owns the schema: it makes what the models say, on both databases, and takes nothing back."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Engine, create_engine, event, inspect, text

from scripts.shell import ROOT
from server.database.migrate import migrate
from server.settings import Settings
from tests.support.server import Fork


@pytest.fixture
def config(database_url: str) -> Config:
    config = Config(ROOT / "alembic.ini")
    config.set_main_option("sqlalchemy.url", database_url.replace("%", "%%"))
    return config


def test_the_migrations_make_what_the_models_say(config: Config, database_url: str) -> None:
    migrate(database_url)  # once more changes nothing
    command.check(config)


def test_going_back_is_refused_in_words_and_keeps_everything(config: Config) -> None:
    for target in ("-1", "base"):
        with pytest.raises(CommandError, match="backup"):
            command.downgrade(config, target)
    command.check(config)


def _migrate(url: str, statements: int, tell: Callable[[str], None]) -> None:
    """Is killed after as many statements; 0 lets it end."""
    done = count(1)

    @event.listens_for(Engine, "after_cursor_execute")
    def kill(*_: object) -> None:
        if next(done) == statements:
            os.kill(os.getpid(), signal.SIGKILL)

    migrate(url)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without a schema."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.db'}"
        return
    cluster = request.getfixturevalue("postgres")
    name = cluster.create_database()
    yield cluster.url(name)
    cluster.drop_database(name)


def start_migrating(url: str, statements: int = 0) -> Fork:
    """A process of its own."""
    return Fork(_migrate, (url, statements))


def check_head(url: str) -> None:
    config = Config(ROOT / "alembic.ini")
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    command.check(config)


def test_of_several_that_migrate_at_once_one_does_and_the_others_wait(empty_url: str) -> None:
    processes = [start_migrating(empty_url) for _ in range(3)]
    assert [process.end() for process in processes] == [(0, "")] * 3
    check_head(empty_url)


@pytest.mark.parametrize("statements", [2, 12, 25])
def test_a_kill_in_the_middle_leaves_nothing_and_the_next_start_migrates(
    empty_url: str, statements: int
) -> None:
    assert start_migrating(empty_url, statements).end()[0] == -signal.SIGKILL
    engine = create_engine(empty_url)
    with engine.connect() as db:
        assert inspect(db).get_table_names() == []
    engine.dispose()
    assert start_migrating(empty_url).end() == (0, "")
    check_head(empty_url)


@pytest.mark.parametrize("is_there", [False, True], ids=["new file", "file that others can read"])
def test_a_migration_by_hand_leaves_a_file_that_nobody_else_reads(tmp_path: Path, is_there: bool) -> None:
    """`alembic upgrade head` does not pass through the server, and does not set its umask."""
    data = tmp_path / "data"
    if is_there:
        data.mkdir(mode=0o755)
        data.chmod(0o755)
        (data / "pilothouse.db").touch()
        (data / "pilothouse.db").chmod(0o644)
    env = {name: value for name, value in os.environ.items() if name.lower() not in Settings.model_fields}
    subprocess.run(
        [sys.executable, "-m", "alembic", "--config", ROOT / "alembic.ini", "upgrade", "head"],
        cwd=tmp_path,
        env=env | {"DATA_DIR": str(data), "PYTHONPATH": str(ROOT)},
        umask=0o022,
        check=True,
    )
    modes = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in (data, *data.iterdir())}
    assert modes == {"data": "0o700", "pilothouse.db": "0o600"}
    check_head(f"sqlite:///{data / 'pilothouse.db'}")


def test_an_older_database_keeps_its_rows_and_gets_their_order(empty_url: str) -> None:
    """From the first version: a question and a failed run stand after the last message before them."""
    config = Config(ROOT / "alembic.ini")
    config.set_main_option("sqlalchemy.url", empty_url.replace("%", "%%"))
    command.upgrade(config, "0001")
    at = [f"2026-11-20 10:00:0{second}" for second in range(6)]
    run = {
        "session_id": "s", "message_id": "m1", "answer_id": "m9", "agent": "operator", "model": "mock:scripted",
        "held": False, "usage": "{}", "attempt": 1, "epoch": 1, "created_at": at[0],
    }  # fmt: skip
    rows = [
        ("sessions", {
            "id": "s", "title": "Kettles", "agent": "operator", "model": "mock:scripted", "status": "idle", "pinned": False, "unread": False,
            "epoch": 1, "last_seq": 3, "max_tool_steps": 40, "usage": "{}", "created_at": at[0], "updated_at": at[5],
        }),
        ("runs", {**run, "id": "r1", "status": "failed", "error": "It broke.", "finished_at": at[4]}),
        ("runs", {**run, "id": "r2", "status": "running", "finished_at": None}),
        *(
            ("messages", {
                "id": f"m{seq}", "session_id": "s", "run_id": "r1", "seq": seq, "role": "user", "content": "hi",
                "created_at": at[seq],
            })
            for seq in (1, 2, 3)
        ),
        ("interrupts", {
            "reference": "q", "session_id": "s", "run_id": "r1", "kind": "confirm", "status": "decided",
            "payload": "{}", "confirmed": False, "created_at": at[2],
        }),
    ]  # fmt: skip
    engine = create_engine(empty_url)
    with engine.begin() as db:
        for table, values in rows:
            columns, places = ", ".join(values), ", ".join(f":{name}" for name in values)
            db.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({places})"), values)
    migrate(empty_url)
    command.check(config)
    with engine.connect() as db:
        assert db.execute(text("SELECT position FROM interrupts")).scalar_one() == 2
        ends = db.execute(text("SELECT id, end_position FROM runs ORDER BY id")).all()
        assert [tuple(end) for end in ends] == [("r1", 3), ("r2", 0)]
        assert db.execute(text("SELECT count(*) FROM messages")).scalar_one() == 3
    engine.dispose()
