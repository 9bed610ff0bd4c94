"""What both databases hold of a graph's thread, and who may put it there."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, text

from server.checkpoints import Checkpoints, DatabaseTables, Durability, Put
from server.database import Database
from server.database.models import RunRow
from server.errors import Conflict
from server.store import Store
from tests.support.databases import open_database
from tests.support.walks import answer, build_walk, stored, walk

DURABILITIES: tuple[Durability, ...] = ("exit", "async", "sync")


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with open_database(database_url) as database:
        yield database


@pytest.fixture
def saver(database: Database) -> Checkpoints:
    return Checkpoints(DatabaseTables(database))


@pytest.fixture
def other(database: Database) -> Checkpoints:
    """Another process on the same database: it sees what is on disk."""
    return Checkpoints(DatabaseTables(database))


def count(db: Connection) -> tuple[int, int]:
    """Checkpoints, and what was written on top of them."""
    writes = "writes" if db.dialect.name == "sqlite" else "checkpoint_writes"
    rows = [db.scalar(text(f"SELECT count(*) FROM {table}")) for table in ("checkpoints", writes)]
    return int(rows[0] or 0), int(rows[1] or 0)


@pytest.mark.parametrize("durability", DURABILITIES)
async def test_a_question_and_the_steps_before_it_outlive_the_process(
    saver: Checkpoints, other: Checkpoints, durability: Durability
) -> None:
    thread = await saver.open("t", 1, durability)
    assert await walk(saver, thread, asks=True) == ["a", "b"]
    assert thread.is_asking
    await thread.settle()
    assert await stored(other, "t") == (["a", "b"], 1)
    again = await other.open("t", 2, durability)
    assert await answer(other, again, "yes") == ["a", "b", "yes"]
    assert not again.is_asking


@pytest.mark.parametrize("durability", ["async", "sync"])
async def test_of_a_finished_run_one_checkpoint_is_left_and_the_next_run_goes_on_from_it(
    saver: Checkpoints, other: Checkpoints, database: Database, durability: Durability
) -> None:
    for epoch in (1, 2):
        thread = await saver.open("t", epoch, durability)
        await walk(saver, thread)
        await thread.settle()
        saver.release(thread)
    await saver.aclose()
    assert (await database.read(count))[0] == 1
    assert await stored(other, "t") == (["a", "b", "c"] * 2, 0)


async def test_without_a_question_an_exit_run_leaves_nothing(saver: Checkpoints, database: Database) -> None:
    thread = await saver.open("t", 1, "exit", starts_over=True)
    assert await walk(saver, thread, asks=True) == ["a", "b"]
    await thread.settle()
    saver.release(thread)
    resumed = await saver.open("t", 2, "exit")
    assert await answer(saver, resumed, "yes") == ["a", "b", "yes"]
    await resumed.settle()
    saver.release(resumed)
    await saver.aclose()
    assert await database.read(count) == (0, 0)


async def test_what_runs_left_behind_is_saved_when_the_server_goes_down(
    saver: Checkpoints, other: Checkpoints
) -> None:
    thread = await saver.open("t", 1, "async")
    await walk(saver, thread)
    await saver.aclose()
    assert await stored(other, "t") == (["a", "b", "c"], 0)


async def test_who_was_taken_over_neither_overwrites_nor_removes(
    saver: Checkpoints, other: Checkpoints
) -> None:
    stale = await saver.open("t", 1, "async")
    await walk(saver, stale)
    newer = await other.open("t", 2, "exit", starts_over=True)
    await walk(other, newer, asks=True)
    await newer.settle()
    await stale.settle()
    await walk(saver, stale, asks=True)
    saver.release(stale)
    await saver.aclose()
    assert await stored(other, "t") == (["a", "b"], 1)


async def test_a_stale_run_that_removes_its_thread_leaves_the_newer_ones_question(
    saver: Checkpoints, other: Checkpoints
) -> None:
    stale = await saver.open("t", 1, "exit")
    await walk(saver, stale, asks=True)
    await stale.settle()
    newer = await other.open("t", 2, "exit", starts_over=True)
    await walk(other, newer, asks=True)
    await newer.settle()
    await answer(saver, stale, "yes")
    saver.release(stale)
    await saver.aclose()
    assert await stored(other, "t") == (["a", "b"], 1)


async def test_what_a_person_changes_between_two_runs_is_kept_and_fenced(
    saver: Checkpoints, other: Checkpoints
) -> None:
    stale = await saver.open("t", 1, "async")
    newer = await other.open("t", 2, "async")
    await walk(other, newer)
    other.release(newer)
    config = {"configurable": {"thread_id": "t"}}
    await build_walk(other).aupdate_state(config, {"steps": ["edited"]}, as_node="third")
    await walk(saver, stale)
    saver.release(stale)
    await saver.aclose()
    assert await stored(other, "t") == (["a", "b", "c", "edited"], 0)


async def test_a_forgotten_thread_is_gone_and_stays_gone(saver: Checkpoints, database: Database) -> None:
    thread = await saver.open("t", 1, "async")
    await walk(saver, thread)
    await saver.adelete_thread("t")
    await walk(saver, thread)
    saver.release(thread)
    await saver.aclose()
    assert await database.read(count) == (0, 0)


async def test_what_was_put_last_counts_also_when_the_clock_was_put_back(
    saver: Checkpoints, database: Database
) -> None:
    thread = await saver.open("t", 1, "async")
    await walk(saver, thread)
    await thread.settle()
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    known = await saver.aget_tuple(config)
    assert known
    earlier = known.checkpoint | {"id": "00000000-0000-6000-8000-000000000000"}
    earlier["channel_values"] = {"steps": ["back in time"]}
    earlier["channel_versions"] = {"steps": "9"}
    put = Put(config, earlier, known.metadata, {"steps": "9"})
    await DatabaseTables(database).save("t", 2, [put], [], saver.serde)
    assert await stored(saver, "t") == (["back in time"], 0)


async def in_session(store: Store, agent: str = "operator") -> tuple[str, RunRow]:
    """A session with a run that `store` executes."""
    session = await store.create_session(id=None, title=None, agent=agent, model="m", max_tool_steps=10)
    begun = await store.begin_execution((await store.accept(session.id, "go")).run.id)
    assert begun
    return session.id, begun.run


@pytest.mark.parametrize("durability", ["async", "sync"])
@pytest.mark.parametrize("taking", ["end", "take", "purge"])
async def test_a_run_that_another_process_took_saves_nothing_although_nothing_newer_was_saved(
    database: Database, durability: Durability, taking: str
) -> None:
    """As a frozen server does when it continues: its graph does not know yet that the run has another owner."""
    mine, others = Store(database, "a:1"), Store(database, "b:1")
    session_id, run = await in_session(mine)
    await mine.accept(session_id, "next", mode="queue")  # waits with the same epoch, and is still its own
    saver = Checkpoints(DatabaseTables(database, mine.is_executed_here))
    other = Checkpoints(DatabaseTables(database, others.is_executed_here))
    thread = await saver.open(session_id, run.epoch, durability)
    assert await walk(saver, thread) == ["a", "b", "c"]
    await thread.settle()
    if taking == "end":
        assert await others.finish_run(run.id, "interrupted", epoch=run.epoch)
    elif taking == "take":
        assert await others.take_run(run.id, "running")
    else:
        await other.adelete_thread(session_id)
        await others.purge_session(session_id)
    before = await stored(other, session_id)
    await walk(saver, thread, asks=True)
    await thread.settle()
    saver.release(thread)
    await saver.aclose()
    assert await stored(other, session_id) == before == ([] if taking == "purge" else ["a", "b", "c"], 0)


async def test_a_run_that_another_process_ended_does_not_remove_its_question(database: Database) -> None:
    mine, others = Store(database, "a:1"), Store(database, "b:1")
    session_id, run = await in_session(mine, "assistant")
    saver = Checkpoints(DatabaseTables(database, mine.is_executed_here))
    thread = await saver.open(f"assistant:{session_id}", run.epoch, "exit")
    await walk(saver, thread, asks=True)
    await thread.settle()
    assert await others.finish_run(run.id, "interrupted", epoch=run.epoch)
    await answer(saver, thread, "yes")
    saver.release(thread)
    await saver.aclose()
    assert await stored(saver, f"assistant:{session_id}") == (["a", "b"], 1)


async def test_what_a_run_left_behind_is_saved_after_its_end_while_others_wait_behind_it(
    database: Database,
) -> None:
    store = Store(database, "a:1")
    session_id, run = await in_session(store)
    await store.accept(session_id, "next", mode="queue")
    saver = Checkpoints(DatabaseTables(database, store.is_executed_here))
    thread = await saver.open(session_id, run.epoch, "async")
    await walk(saver, thread)
    assert await store.finish_run(run.id, "cancelled", epoch=run.epoch, start_next=True)
    saver.release(thread)
    await saver.aclose()
    assert await stored(saver, session_id) == (["a", "b", "c"], 0)


async def test_a_change_made_of_an_older_state_is_refused(saver: Checkpoints, other: Checkpoints) -> None:
    """Its process was frozen between reading the state and writing the change."""
    thread = await saver.open("t", 1, "async")
    await walk(saver, thread)
    await thread.settle()
    saver.release(thread)
    config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
    read = await saver.aget_tuple(config)
    assert read
    newer = await other.open("t", 2, "async")
    await walk(other, newer)
    await newer.settle()
    changed = read.checkpoint | {"id": "ffffffff-ffff-6fff-8fff-ffffffffffff"}
    with pytest.raises(Conflict) as caught:
        await saver.aput(read.config, changed, read.metadata, {})
    assert caught.value.code == "state_changed"
    with pytest.raises(Conflict):
        await saver.aput_writes(read.config, [("steps", ["late"])], "task")
    assert await stored(other, "t") == (["a", "b", "c"] * 2, 0)
