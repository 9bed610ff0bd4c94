"""A PostgreSQL that goes away and comes back: clients see why, and nothing is lost."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, text

from server.checkpoints import Checkpoints, DatabaseTables
from server.database import Database
from server.errors import Unavailable
from tests.support.databases import open_database
from tests.support.postgres import Postgres
from tests.support.walks import stored, walk


@pytest.fixture
async def database(postgres: Postgres, migrated_template: str) -> AsyncIterator[Database]:
    name = postgres.create_database(migrated_template)
    async with open_database(postgres.url(name)) as database:
        yield database
    postgres.drop_database(name)


def count_sessions(db: Connection) -> int:
    return int(db.scalar(text("SELECT count(*) FROM sessions")) or 0)


async def test_a_connection_that_is_cut_is_told_and_the_next_one_works(database: Database) -> None:
    def cut(db: Connection) -> None:
        connection = db.connection.driver_connection
        assert connection is not None
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(Unavailable) as caught:
        await database.write(cut)
    assert (caught.value.status, caught.value.code) == (503, "db_unavailable")
    assert await database.read(count_sessions) == 0


async def test_a_connection_that_was_cut_while_nobody_used_it_costs_no_request(database: Database) -> None:
    """As after a restart of PostgreSQL in a quiet hour."""
    others = text(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    assert await database.read(count_sessions) == 0
    async with open_database(database.url) as other:
        ended = await other.read(lambda db: db.scalars(others).all())
    assert ended == [True]
    assert await database.read(count_sessions) == 0


async def test_of_two_transactions_that_wait_for_each_other_both_are_made(database: Database) -> None:
    both_wait, tries = threading.Barrier(2), Counter[str]()

    def lock(db: Connection, name: str, first: int, second: int) -> str:
        tries[name] += 1
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": first})
        if tries[name] == 1:
            both_wait.wait(60)
        db.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": second})
        return name

    done = await asyncio.gather(
        database.write(lambda db: lock(db, "one", 1, 2)), database.write(lambda db: lock(db, "other", 2, 1))
    )
    assert done == ["one", "other"]
    assert sorted(tries.values()) == [1, 2]


async def test_a_checkpoint_waits_for_a_database_that_restarts(
    database: Database, postgres: Postgres
) -> None:
    saver = Checkpoints(DatabaseTables(database))
    thread = await saver.open("t", 1, "async")
    assert await walk(saver, thread, asks=True) == ["a", "b"]
    await asyncio.to_thread(postgres.stop)
    settling = asyncio.create_task(thread.settle())
    with pytest.raises(Unavailable):
        await database.read(count_sessions)
    assert not settling.done()
    await asyncio.to_thread(postgres.start)
    await settling
    assert await stored(Checkpoints(DatabaseTables(database)), "t") == (["a", "b"], 1)
