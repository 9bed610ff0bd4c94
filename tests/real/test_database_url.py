"""A wrong DATABASE_URL: what waiting does not heal ends the server with one clear line, the rest is looked for again."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import httpx
import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from server.database import Database
from server.database.migrate import migrate
from server.settings import Settings
from tests.support.eventually import eventually_sync
from tests.support.ports import free_port
from tests.support.postgres import Postgres
from tests.support.server import Server, end, launch, serving

SECRET = "S3cr3t-W0rd"
PROMISED = 35.0
"""Seconds until the server has ended."""


def end_of(server: Server) -> tuple[int, list[str]]:
    """Its exit code, and the lines of its log that name the setting."""
    try:
        code = server.process.wait(PROMISED)
    except subprocess.TimeoutExpired:
        server.kill()
        raise
    log = server.log.read_text()
    assert SECRET not in log
    assert "Traceback" not in log
    return code, [line for line in log.splitlines() if "DATABASE_URL" in line]


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (f"mysql://u:{SECRET}@host/name", "use sqlite:///file or postgresql://"),
        (f"postgresql://u:{SECRET}@host:port/name", "use sqlite:///file or postgresql://"),
        ("sqlite:////nowhere/at/all/pilothouse.db", "the folder /nowhere/at/all does not exist"),
        ("sqlite:////usr", "/usr is a folder, not a file"),
    ],
    ids=["scheme", "port", "missing folder", "folder instead of a file"],
)
def test_an_address_that_leads_nowhere_ends_the_server(tmp_path: Path, url: str, told: str) -> None:
    code, lines = end_of(launch(tmp_path, database_url=url))
    assert (code, len(lines)) == (1, 1)
    assert told in lines[0]
    assert not Path("/nowhere").exists()


@pytest.mark.parametrize("refused", ["password", "database", "role"])
def test_a_server_that_refuses_us_ends_ours(tmp_path: Path, postgres: Postgres, refused: str) -> None:
    with psycopg.connect(postgres.url().replace("+psycopg", ""), autocommit=True) as db:
        db.execute("DROP ROLE IF EXISTS locked")
        db.execute(f"CREATE ROLE locked LOGIN PASSWORD '{SECRET}right'")
        with postgres.asking_for_passwords("locked"):
            who, what = {
                "password": (f"locked:{SECRET}", "postgres"),
                "database": (f"pilothouse:{SECRET}", "unknown"),
                "role": (f"stranger:{SECRET}", "postgres"),
            }[refused]
            url = f"postgresql://{who}@127.0.0.1:{postgres.port}/{what}"
            code, lines = end_of(launch(tmp_path, database_url=url))
        db.execute("DROP ROLE locked")
    assert (code, len(lines)) == (1, 1)
    expected = {"password": "password authentication failed", "database": '"unknown"', "role": '"stranger"'}
    assert expected[refused] in lines[0]


def test_a_file_that_can_only_be_read_ends_the_server(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "files" / "pilothouse.db"
    file.parent.mkdir()
    migrate(f"sqlite:///{file}")
    file.chmod(0o444)
    file.parent.chmod(0o555)
    # No mode stops root, unless the capability for that is taken away.
    wrapper = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    try:
        code, lines = end_of(launch(data, wrapper=wrapper, database_url=f"sqlite:///{file}"))
    finally:
        file.parent.chmod(0o755)
    assert (code, len(lines)) == (1, 1)
    assert "readonly database" in lines[0] or "unable to open" in lines[0]


def test_what_is_written_after_another_program_has_read_the_database_is_in_the_database(
    tmp_path: Path,
) -> None:
    """The last program that closes an SQLite database deletes its log: it must see that the server has it open, also
    after a migration."""
    with (
        serving(tmp_path, migrated=False) as server,
        httpx.Client(base_url=server.api, headers=server.headers) as client,
    ):

        def sessions() -> list[str]:
            with closing(sqlite3.connect(tmp_path / "pilothouse.db", timeout=30)) as db:
                return [row[0] for row in db.execute("SELECT id FROM sessions ORDER BY id")]

        for number in (1, 2):
            client.post("/sessions", json={"id": f"s{number}"}).raise_for_status()
            assert sessions() == ["s1", "s2"][:number]


def test_a_host_that_is_not_there_is_looked_for_again(tmp_path: Path) -> None:
    """Both kinds at once: each takes half a minute, in which nothing happens."""
    hosts = ("127.0.0.1", "nowhere.invalid")
    urls = {host: f"postgresql://u:{SECRET}@{host}:{free_port()}/name" for host in hosts}
    servers = [launch(tmp_path / host, database_url=url) for host, url in urls.items()]
    try:
        for server in servers:
            detail = problem_of(server)
            assert "does not answer" in detail
            assert SECRET not in detail
        for server in servers:
            assert server.stop() == 0
            assert SECRET not in server.log.read_text()
    finally:
        for server in servers:
            end(server.process)


def problem_of(server: Server) -> str:
    """What it says when it has given its start up for now."""

    def problem() -> str:
        try:
            ready = client.get("/ready")
        except httpx.TransportError:
            return "starting"
        assert ready.status_code == 503
        return str(ready.json()["detail"])

    # Not verified: it asks often, and each client of its own would load the certificates.
    with httpx.Client(base_url=server.api, timeout=5, trust_env=False, verify=False) as client:
        return eventually_sync(
            problem, lambda it: it != "starting", message="the start reports its problem", interval=0.1
        )


@pytest.mark.parametrize("password", [SECRET, f"a@{SECRET}", f"a/{SECRET}", f"{SECRET}%40x"])
def test_the_password_is_masked_also_in_the_drivers_own_words(password: str) -> None:
    settings = Settings.model_validate(
        {"auth_token": "x", "database_url": f"postgresql://user:{password}@127.0.0.1/name"}
    )
    database = Database(settings)
    for words in (f"invalid password {password}", f'could not translate host name "{SECRET}@127.0.0.1"'):
        told = database.words_of(OperationalError(None, None, psycopg.OperationalError(words)))
        assert SECRET not in told
        assert "***" in told


def mode_of(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def test_nobody_else_reads_what_the_server_keeps(tmp_path: Path) -> None:
    """Also where an earlier version left folder and file open to all."""
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    before = os.umask(0o022)
    try:
        (data / "pilothouse.db").touch(mode=0o644)
        with (
            serving(data) as server,
            httpx.Client(base_url=server.api, headers=server.headers, trust_env=False) as client,
        ):
            session_id = client.post("/sessions", json={}).json()["id"]
            client.post(f"/sessions/{session_id}/messages", json={"content": "shop for a kettle"})
            eventually_sync(
                lambda: client.get(f"/sessions/{session_id}").json()["run"],
                lambda it: it["status"] == "waiting_user",
                message="a question is open",
                interval=0.05,
            )
            made = [path for path in data.rglob("*") if path != server.log]
            assert {"pilothouse.db", "pilothouse.db-wal", "pilothouse.db-shm"} <= {path.name for path in made}
            assert any(path.suffix in (".png", ".jpg", ".webp") for path in made)
            open_to_others = {
                str(path): mode_of(path) for path in (data, *made) if path.stat().st_mode & 0o077
            }
            assert open_to_others == {}
    finally:
        os.umask(before)
