"""The tests' own PostgreSQL: private, quick to copy from, and never left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg

from scripts.shell import ROOT
from tests.support.eventually import eventually_sync
from tests.support.postgres import Postgres, postgres_cluster

OWNER = """
import sys
from tests.support.postgres import postgres_cluster
with postgres_cluster() as postgres:
    print(postgres.folder, flush=True)
    sys.stdin.read()
"""


def connect(postgres: Postgres, database: str) -> psycopg.Connection:
    url = postgres.url(database).replace("+psycopg", "")
    return psycopg.connect(url, autocommit=True)


def test_a_database_is_a_copy_of_its_template_and_outlasts_a_crash() -> None:
    with postgres_cluster() as postgres:
        template = postgres.create_database()
        with connect(postgres, template) as db:
            db.execute("CREATE TABLE words (word text)")
        copy = postgres.create_database(template)
        with connect(postgres, copy) as db:
            db.execute("INSERT INTO words VALUES ('яблоко')")
            postgres.stop()
        postgres.start()
        with connect(postgres, copy) as db:
            assert db.execute("SELECT upper(word) FROM words").fetchall() == [("ЯБЛОКО",)]
        with connect(postgres, template) as db:
            assert db.execute("SELECT word FROM words").fetchall() == []
        postgres.drop_database(copy)
    assert not postgres.folder.exists()


def test_nothing_is_left_when_the_tests_are_killed() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], cwd=ROOT, stdin=pipe, stdout=pipe, text=True
    ) as owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().strip())
        server = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        owner.kill()
    eventually_sync(
        lambda: [path for path in (folder, Path(f"/proc/{server}")) if path.exists()],
        lambda it: not it,
        message="the cluster is gone",
        interval=0.05,
    )
