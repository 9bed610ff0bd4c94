"""A private PostgreSQL cluster for the tests: in a temporary folder, on a free port, gone afterwards.

    with postgres_cluster() as postgres:
        url = postgres.create_database()

It does not outlive the tests, even if they are killed: a guard process holds the other end of a pipe,
and when that closes, as it does when the tests are killed too, it stops the cluster and removes the folder.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from scripts.programs import find_postgres
from tests.support.ports import free_port

USER = "pilothouse"
BLOCKED_BY_US = (
    "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
)
"""How many locks wait for the transaction that asks. In `pg_stat_activity` it sees only connections from before its
first look there.
"""

_GUARD = """
cat > /dev/null
"$1/pg_ctl" stop --silent --pgdata "$2/data" --mode immediate > /dev/null 2>&1
rm -rf "$2"
"""

# Nothing here has to survive a power cut; what is committed does survive a killed server.
_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "200",
}


@dataclass
class Postgres:
    """A running cluster. Its superuser needs no password."""

    programs: Path
    folder: Path
    port: int
    _names: Iterator[int] = field(default_factory=count)

    def url(self, database: str = "postgres") -> str:
        """The SQLAlchemy URL of one of the cluster's databases."""
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{database}"

    def create_database(self, template: str | None = None) -> str:
        """Make a database, empty or as a copy of another that has no connections. Returns its name."""
        name = f"test_{next(self._names)}"
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
            sql.Identifier(name), sql.Identifier(template or "template1")
        )
        self._execute(statement)
        return name

    def drop_database(self, name: str) -> None:
        """Remove a database, even if it has connections."""
        self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    @contextmanager
    def asking_for_passwords(self, role: str) -> Iterator[None]:
        """While the block runs this role needs its password."""
        rules = self.folder / "data" / "pg_hba.conf"
        before = rules.read_text()
        rules.write_text(f"host all {role} all scram-sha-256\n{before}")
        try:
            self._run("pg_ctl", "reload")
            yield
        finally:
            rules.write_text(before)
            self._run("pg_ctl", "reload")

    def start(self) -> None:
        options = " ".join(f"-c {name}='{value}'" for name, value in {**_OPTIONS, "port": self.port}.items())
        log = self.folder / "log"
        try:
            self._run("pg_ctl", "start", "--wait", "--timeout=60", f"--log={log}", f"--options={options}")
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"PostgreSQL does not start:\n{log.read_text()}") from error

    def stop(self, mode: str = "immediate") -> None:
        """Stop the cluster; `immediate` is as if it were killed. `start` brings it back with its data."""
        self._run("pg_ctl", "stop", "--wait", f"--mode={mode}")

    @property
    def pid(self) -> int:
        """Of the process whose children serve the connections."""
        return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])

    def signal(self, number: signal.Signals) -> None:
        """To all its processes. After SIGSTOP connections stay open, and nothing is answered until SIGCONT."""
        for pid in (self.pid, *_children_of(self.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _initialize(self) -> None:
        names = ("--encoding=UTF8", "--locale=C.UTF-8", f"--username={USER}")
        self._run("initdb", "--auth=trust", "--no-sync", *names)

    def _run(self, program: str, *arguments: str) -> None:
        # Output goes to a file: the server would keep a pipe open for as long as it runs.
        with (self.folder / "commands.log").open("ab") as log:
            subprocess.run(
                [self.programs / program, *arguments, f"--pgdata={self.folder / 'data'}"],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                **_identity(),
            )

    def _execute(self, statement: sql.Composed) -> None:
        address = f"host=127.0.0.1 port={self.port} user={USER} dbname=postgres"
        with psycopg.connect(address, autocommit=True) as db:
            db.execute(statement)


def _children_of(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(status.parent.name))
    return found


@contextmanager
def postgres_cluster() -> Iterator[Postgres]:
    """A cluster that runs until the block is left."""
    programs = find_postgres()
    if programs is None:
        raise RuntimeError("The tests need PostgreSQL. Run: make real, or sudo apt install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pilothouse-postgres-"))
    if identity := _identity():
        shutil.chown(folder, identity["user"], identity["group"])
    with _guarded(programs, folder):
        postgres = Postgres(programs, folder, free_port())
        postgres._initialize()
        postgres.start()
        yield postgres


@contextmanager
def _guarded(programs: Path, folder: Path) -> Iterator[None]:
    command = ["sh", "-c", _GUARD, "guard", str(programs), str(folder)]
    guard = subprocess.Popen(command, stdin=subprocess.PIPE, cwd="/", start_new_session=True, **_identity())
    try:
        yield
    finally:
        guard.communicate()


def _identity() -> dict[str, Any]:
    """Who PostgreSQL runs as: it refuses to run as root, and then takes a system user's place."""
    if os.geteuid() != 0:
        return {}
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
