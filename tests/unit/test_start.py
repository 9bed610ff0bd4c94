"""A server that cannot start says why in a line, without secrets, and can be stopped at once."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from server.__main__ import main, open_many_files, plain
from server.database.migrate import NotReady, migrate
from server.errors import Unavailable
from server.main import RETRY_SECONDS, create_app
from server.runtime import open_runtime
from server.settings import MAX_OPEN_FILES, Settings
from tests.conftest import PASSWORD, open_client
from tests.support.eventually import eventually
from tests.support.ports import free_port
from tests.support.server import environment_of

SECRET = "Secr3t"


def settings_of(tmp_path: Path, database_url: str) -> Settings:
    chosen = {"agent_mode": "mock", "data_dir": tmp_path, "auth_token": PASSWORD, "drain_timeout": 0.0}
    return Settings.model_validate(chosen | {"database_url": database_url})


@pytest.mark.parametrize(
    "url",
    [
        f"mysql://u:{SECRET}@host/name",
        f"postgresql+asyncpg://u:{SECRET}@host/name",
        f"postgresql://u:{SECRET}@host:port/name",
        f"u:{SECRET}@host/name",
        "pilothouse.db",
    ],
)
def test_an_address_of_no_database_is_refused_by_the_settings_name(tmp_path: Path, url: str) -> None:
    with pytest.raises(ValidationError) as refused:
        settings_of(tmp_path, url)
    told = plain(refused.value)
    assert told.startswith("DATABASE_URL: ")
    assert SECRET not in told


@pytest.mark.parametrize(
    "url",
    [
        "postgres://u:p@ss:w0rd/x@host:5432/name",
        "postgresql://u@[::1]:5432/name?a=b@c",
        "sqlite:///relative.db",
    ],
)
def test_addresses_of_databases_are_taken(tmp_path: Path, url: str) -> None:
    assert settings_of(tmp_path, url).database


def test_the_usual_limit_of_open_files_is_raised_and_a_higher_one_kept() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = before[1]
    most = 2 * MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else hard
    try:
        for soft in (min(1024, most), most):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            open_many_files()
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (max(soft, min(MAX_OPEN_FILES, most)), hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"not a database at all" * 1000)
    before = path.read_bytes()
    with pytest.raises(NotReady, match=r"notes.txt \(DATABASE_URL\) does not answer: file is not a database"):
        async with open_runtime(settings_of(tmp_path, f"sqlite:///{path}")):
            pass
    assert path.read_bytes() == before


def test_the_reason_of_a_failed_start_is_its_last_line_and_names_what_was_set(tmp_path: Path) -> None:
    path = tmp_path / "pilothouse.db"
    path.mkdir()
    chosen = {
        "DATA_DIR": str(tmp_path),
        "PORT": str(free_port()),
        "AGENT_MODE": "mock",
        "AUTH_TOKEN": PASSWORD,
    }
    ended = subprocess.run(
        [sys.executable, "-m", "server"],
        env=environment_of(chosen),
        capture_output=True,
        text=True,
        timeout=60,
    )
    reason = f"pilothouse: cannot start: the database file {path} (DATA_DIR) does not answer: {path} is a folder, not a file"
    assert (ended.returncode, ended.stderr.splitlines()[-1]) == (1, reason)


async def test_a_schema_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "pilothouse.db"
    migrate(f"sqlite:///{path}")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NotReady, match=r"9999.*newer version"):
        async with open_runtime(settings_of(tmp_path, f"sqlite:///{path}")):
            pass
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT version_num FROM alembic_version").fetchall() == [("9999",)]


async def test_while_the_database_is_away_requests_wait_and_a_stop_does_not(tmp_path: Path) -> None:
    app = create_app(settings_of(tmp_path, f"postgresql://u:{SECRET}@127.0.0.1:{free_port()}/name"))
    headers = {"authorization": f"Bearer {PASSWORD}"}
    async with asyncio.timeout(60), app.router.lifespan_context(app), open_client(app, headers) as client:
        waiting = asyncio.create_task(client.get("/api/sessions"))
        ready = await client.get("/api/ready")
        assert (ready.status_code, ready.json()["code"]) == (503, "not_ready")
        assert not waiting.done()
        await app.state.starting.drain()
        refused = await waiting
        assert (refused.status_code, refused.json()["code"]) == (503, "not_ready")
        assert refused.headers["retry-after"]


async def test_while_the_database_is_away_no_tasks_pile_up(tmp_path: Path) -> None:
    path = tmp_path / "pilothouse.db"
    migrate(f"sqlite:///{path}")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    app = create_app(settings_of(tmp_path, f"sqlite:///{path}"))
    async with app.router.lifespan_context(app):
        world = app.state.starting
        counts = set()
        for _ in range(4):
            await eventually(
                world.problem, lambda it: it not in (None, "starting"), message="the start fails"
            )
            asked = [asyncio.create_task(world.runtime()) for _ in range(3)]
            assert {type(one) for one in await asyncio.gather(*asked, return_exceptions=True)} == {
                Unavailable
            }
            counts.add(len(asyncio.all_tasks()))
            await asyncio.sleep(RETRY_SECONDS)
        assert max(counts) - min(counts) <= 1, counts


async def test_a_database_that_comes_right_is_used_without_a_new_start(tmp_path: Path) -> None:
    path = tmp_path / "pilothouse.db"
    migrate(f"sqlite:///{path}")
    with sqlite3.connect(path) as db:
        ((version,),) = db.execute("SELECT version_num FROM alembic_version").fetchall()
        db.execute("UPDATE alembic_version SET version_num = '9999'")
    app = create_app(settings_of(tmp_path, f"sqlite:///{path}"))
    async with app.router.lifespan_context(app):
        world = app.state.starting
        await eventually(world.problem, lambda it: it not in (None, "starting"), message="the start fails")
        with sqlite3.connect(path) as db:
            db.execute("UPDATE alembic_version SET version_num = ?", (version,))
        await eventually(world.problem, lambda it: it is None, message="the next look finds it right")


@pytest.mark.parametrize("name", ["cookie_secret", "auth_token"])
def test_a_secret_that_cannot_be_read_is_one_line_that_names_its_file(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).mkdir()
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["server"])
    assert main() == 1
    assert capsys.readouterr().err == f"pilothouse: {tmp_path / name} cannot be read: Is a directory\n"


async def test_a_lock_file_that_cannot_be_opened_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "server.lock").mkdir()
    with pytest.raises(NotReady, match=r"server\.lock cannot be opened: Is a directory") as refused:
        async with open_runtime(settings_of(tmp_path, f"sqlite:///{tmp_path / 'pilothouse.db'}")):
            pass
    assert refused.value.is_final
