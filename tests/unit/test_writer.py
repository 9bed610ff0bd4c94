"""SQLite's writer: what waits is committed together, and yet each job is all or nothing by itself."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import IntegrityError, OperationalError

from server.database.engines import open_sqlite
from server.database.writer import Writer

PATIENCE = 0.3


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Notes may point at another note; whether it is there is asked at the COMMIT."""
    engine = open_sqlite(f"sqlite:///{tmp_path / 'notes.db'}", 2, PATIENCE)
    with engine.begin() as db:
        db.execute(
            text(
                "CREATE TABLE notes (name TEXT PRIMARY KEY, "
                "after TEXT REFERENCES notes (name) DEFERRABLE INITIALLY DEFERRED)"
            )
        )
    yield engine
    engine.dispose()


@pytest.fixture
def writer(engine: Engine) -> Iterator[Writer]:
    writer = Writer(engine.execution_options(immediate=True))
    yield writer
    writer.close()


def note(name: str, after: str | None = None) -> Callable[[Connection], str]:
    def work(db: Connection) -> str:
        db.execute(text("INSERT INTO notes VALUES (:name, :after)"), {"name": name, "after": after})
        return name

    return work


def names(engine: Engine) -> list[str]:
    with engine.connect() as db:
        return list(db.scalars(text("SELECT name FROM notes ORDER BY name")))


async def submit_together(writer: Writer, *jobs: Callable[[Connection], str]) -> list[asyncio.Future[str]]:
    """While the writer is busy, so that it finds all of them when it is done."""
    is_busy, go = threading.Event(), threading.Event()

    def keep_busy(db: Connection) -> None:
        is_busy.set()
        go.wait(5)

    writer.submit(keep_busy)
    await asyncio.to_thread(is_busy.wait, 60)
    answers = [writer.submit(job) for job in jobs]
    go.set()
    return answers


async def test_jobs_that_wait_share_one_commit(engine: Engine, writer: Writer) -> None:
    commits: list[int] = []
    event.listen(engine, "commit", lambda _: commits.append(1))
    answers = await submit_together(writer, *(note(name) for name in "abcde"))
    assert await asyncio.gather(*answers) == list("abcde")
    assert names(engine) == list("abcde")
    assert len(commits) == 2  # of the job that kept it busy, and of the five


async def test_a_job_that_fails_fails_alone_and_undoes_its_own_statements_only(
    engine: Engine, writer: Writer
) -> None:
    def half(db: Connection) -> str:
        note("half")(db)
        raise ValueError("no further")

    answers = await submit_together(writer, note("a"), half, note("a"), note("b"))
    results = await asyncio.gather(*answers, return_exceptions=True)
    assert [type(result) for result in results] == [str, ValueError, IntegrityError, str]
    assert names(engine) == ["a", "b"]


async def test_when_a_commit_fails_each_job_is_tried_alone(engine: Engine, writer: Writer) -> None:
    answers = await submit_together(writer, note("a"), note("b", after="nothing"), note("c"))
    results = await asyncio.gather(*answers, return_exceptions=True)
    assert [type(result) for result in results] == [str, IntegrityError, str]
    assert names(engine) == ["a", "c"]


async def test_nobody_is_answered_before_the_commit(engine: Engine, writer: Writer) -> None:
    seen: list[list[str]] = []
    answer = writer.submit(note("a"))
    answer.add_done_callback(lambda _: seen.append(names(engine)))
    await answer
    await asyncio.sleep(0)
    assert seen == [["a"]]


async def test_a_locked_file_is_waited_for_once_for_all_who_wait(engine: Engine, writer: Writer) -> None:
    loop = asyncio.get_running_loop()
    with engine.execution_options(immediate=True).begin():
        started = loop.time()
        answers = [writer.submit(note(str(number))) for number in range(50)]
        results = await asyncio.gather(*answers, return_exceptions=True)
        assert loop.time() - started < 10 * PATIENCE
    assert {type(result) for result in results} == {OperationalError}
    assert names(engine) == []
    assert await writer.submit(note("later")) == "later"


async def test_closing_writes_what_waits_and_takes_nothing_more(engine: Engine) -> None:
    writer = Writer(engine.execution_options(immediate=True))
    answers = await submit_together(writer, note("a"), note("b"))
    await asyncio.to_thread(writer.close)
    assert await asyncio.gather(*answers) == ["a", "b"]
    with pytest.raises(RuntimeError, match="closed"):
        writer.submit(note("c"))
