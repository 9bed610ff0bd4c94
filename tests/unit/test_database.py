"""Transactions on SQLite: what cancelling, locks and full disks do to them."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from server.database import Database
from server.errors import Unavailable
from tests.support.databases import open_database

PATIENCE = 0.5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "notes.db"
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode=WAL")  # as the migrations leave it
    db.execute("CREATE TABLE notes (name TEXT)")
    db.close()
    return path


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    async with open_database(f"sqlite:///{path}", PATIENCE) as database:
        yield database


def note(db: Connection, name: str = "a") -> None:
    db.execute(text("INSERT INTO notes VALUES (:name)"), {"name": name})


def count(db: Connection) -> int:
    return int(db.scalar(text("SELECT count(*) FROM notes")) or 0)


async def test_who_is_cancelled_hears_of_it_when_the_transaction_is_over(database: Database) -> None:
    begun, go = threading.Event(), threading.Event()

    def work(db: Connection) -> None:
        note(db)
        begun.set()
        go.wait(5)

    caller = asyncio.create_task(database.write(work))
    await asyncio.to_thread(begun.wait, 60)
    caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert await database.read(count) == 1


async def test_what_a_failing_transaction_wrote_is_not_kept(database: Database) -> None:
    def work(db: Connection) -> None:
        note(db)
        raise ValueError("no further")

    with pytest.raises(ValueError, match="no further"):
        await database.write(work)
    assert await database.read(count) == 0


async def test_a_read_sees_one_moment_and_is_not_held_up_by_a_write(database: Database) -> None:
    counted, go = threading.Event(), threading.Event()

    def work(db: Connection) -> tuple[int, int]:
        before = count(db)
        counted.set()
        go.wait(5)
        return before, count(db)

    reader = asyncio.create_task(database.read(work))
    await asyncio.to_thread(counted.wait, 60)
    await database.write(note)
    assert await database.read(count) == 1
    go.set()
    assert await reader == (0, 0)


async def test_a_file_that_is_locked_for_a_moment_delays_a_write(database: Database, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writing = asyncio.create_task(database.write(note))
    done, _ = await asyncio.wait({writing}, timeout=PATIENCE / 4)
    assert not done
    other.execute("COMMIT")
    await writing
    other.close()
    assert await database.read(count) == 1


async def test_a_file_that_stays_locked_is_told_and_nothing_is_half_written(
    database: Database, path: Path
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable) as caught:
        await database.write(note)
    assert (caught.value.status, caught.value.code) == (503, "db_busy")
    assert await database.read(count) == 0  # reads are possible in the meantime
    other.execute("COMMIT")
    other.close()
    await database.write(note)
    assert await database.read(count) == 1


def overwrite_pages(path: Path, since: int = 4096) -> bytes:
    """All but the first, which contains the schema. Returns what the file was."""
    whole = path.read_bytes()
    path.write_bytes(whole[:since] + b"x" * (len(whole) - since))
    return whole


def restore(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def test_a_damaged_file_is_told_until_the_next_start(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_database(f"sqlite:///{path}", PATIENCE) as database:
        await database.write(note)
    good = overwrite_pages(path)
    async with open_database(f"sqlite:///{path}", PATIENCE) as database:
        for broken in (database.read(count), database.write(note)):
            with pytest.raises(Unavailable) as caught:
                await broken
            assert caught.value.code == "db_damaged"
        restore(path, good)
        assert (
            f"{path} (DATABASE_URL) is damaged: (sqlite3.DatabaseError) database disk image is malformed"
            in (await database.problem() or "")
        )
    assert caplog.text.count("is damaged") == 1
    async with open_database(f"sqlite:///{path}", PATIENCE) as database:
        assert await database.read(count) == 1


async def test_damage_in_pages_that_nobody_reads_is_found(path: Path) -> None:
    async with open_database(f"sqlite:///{path}", PATIENCE) as database:
        await database.write(lambda db: [note(db, "x" * 3000) for _ in range(50)])
        await database.look_for_damage()
    overwrite_pages(path, since=20 * 4096)
    async with open_database(f"sqlite:///{path}", PATIENCE) as database:
        assert await database.read(lambda db: db.scalar(text("SELECT name FROM notes LIMIT 1"))) == "x" * 3000
        with pytest.raises(Unavailable, match="damaged"):
            await database.look_for_damage()
        assert "is damaged" in (await database.problem() or "")


async def test_a_full_disk_is_told_also_when_the_driver_says_so(database: Database) -> None:
    def fill(db: Connection) -> None:
        pages = db.scalar(text("PRAGMA page_count"))
        db.execute(text(f"PRAGMA max_page_count = {pages}"))
        note(db, "x" * 100_000)

    def fill_by_driver(db: Connection) -> None:
        connection = db.connection.driver_connection
        assert connection is not None
        connection.execute("INSERT INTO notes VALUES (?)", ("x" * 100_000,))

    for work in (fill, fill_by_driver):
        with pytest.raises(Unavailable) as caught:
            await database.write(work)
        assert caught.value.code == "storage_full"
    assert await database.read(count) == 0


async def test_a_log_that_a_reader_holds_is_not_taken_for_emptied(database: Database, path: Path) -> None:
    await database.write(note)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM notes").fetchall()
    await database.write(note)
    with pytest.raises(Unavailable) as caught:
        await database.flush(empty=True)
    assert caught.value.code == "db_busy"
    other.execute("COMMIT")
    other.close()
    await database.flush(empty=True)
    assert path.with_name(f"{path.name}-wal").stat().st_size == 0


def level(db: Connection) -> int:
    return int(db.scalar(text("PRAGMA synchronous")) or 0)


async def test_a_commit_is_synced_where_that_is_asked_for_and_with_all_that_share_it(
    database: Database,
) -> None:
    normal, full = 1, 2
    for synced in (False, True, False, True):
        assert await database.write(level, synced=synced) == (full if synced else normal)
    begun, go = threading.Event(), threading.Event()

    def wait(db: Connection) -> None:
        begun.set()
        go.wait(5)

    first = asyncio.create_task(database.write(wait))
    await asyncio.to_thread(begun.wait, 60)
    group = [asyncio.create_task(database.write(level, synced=synced)) for synced in (False, True, False)]
    await asyncio.sleep(0)
    go.set()
    await first
    assert await asyncio.gather(*group) == [full] * 3
