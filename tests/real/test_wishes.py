"""What users ask of a run that another process executes, and the fencing token of its browser, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from server.database.models import RunRow
from server.errors import Conflict
from server.store import Ownership, Store
from tests.support.databases import open_database, open_store


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    async with open_store(database_url, "one:1") as store:
        yield store


@pytest.fixture
async def other(database_url: str) -> AsyncIterator[Store]:
    async with open_store(database_url, "other:1") as store:
        yield store


async def begun(store: Store) -> RunRow:
    session = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=10)
    started = await store.begin_execution((await store.accept(session.id, "go")).run.id)
    assert started
    return started.run


async def test_wishes_of_two_processes_at_once_are_both_kept(store: Store, other: Store) -> None:
    run = await begun(store)
    for number in range(10):
        await asyncio.gather(
            store.wish(run.id, {"plan": [str(number)]}), other.wish(run.id, {"dismissed": [str(number)]})
        )
        assert (await store.run(run.id)).wishes == {"plan": [str(number)], "dismissed": [str(number)]}


async def test_a_wish_that_comes_while_others_are_taken_is_kept(store: Store, other: Store) -> None:
    run = await begun(store)
    for number in range(10):
        await store.wish(run.id, {"plan": [str(number)]})
        taken, _ = await asyncio.gather(
            store.take_wishes(run, ("plan",)), other.wish(run.id, {"pause": number % 2 == 0})
        )
        assert taken == {"plan": [str(number)]}
        assert (await store.run(run.id)).wishes == {"pause": number % 2 == 0}


async def test_a_wish_is_taken_once_and_only_by_who_executes_the_run(store: Store, other: Store) -> None:
    former = await begun(store)
    known = await store.wish(former.id, {"plan": ["look"], "resume": True})
    assert known
    assert known.wishes == {"plan": ["look"], "resume": True}
    taken = await other.take_run(former.id, "running")
    assert taken
    assert await store.take_wishes(former, ("plan",)) == {}
    assert await other.take_wishes(taken, ("plan", "dismissed")) == {"plan": ["look"]}
    assert await other.take_wishes(taken, ("plan", "dismissed")) == {}
    assert (await other.run(former.id)).wishes == {"resume": True}


async def test_nothing_is_asked_of_a_run_that_has_ended_or_is_gone(store: Store) -> None:
    run = await begun(store)
    await store.finish_run(run.id, "completed", epoch=run.epoch, answer="Done.")
    assert await store.wish(run.id, {"cancel": True}) is None
    assert await store.take_wishes(run, ("cancel",)) == {}
    assert not (await store.run(run.id)).wishes
    assert await store.wish("unknown", {"cancel": True}) is None


async def test_wishes_are_found_by_run_with_the_words_that_its_agent_has_not_read(store: Store) -> None:
    run, quiet, unasked = [await begun(store) for _ in range(3)]
    read = (await store.accept(run.session_id, "faster", mode="steer")).message
    unread = (await store.accept(run.session_id, "only blue ones", mode="steer")).message
    await store.accept(quiet.session_id, "and then", mode="queue")
    await store.mark_read_by_agent(run, {read.id})
    await store.wish(
        run.id, {"cancel": True, "pause": True, "resume": True, "plan": ["a"], "dismissed": ["b"]}
    )
    await store.wish(unasked.id, {"cancel": True})
    found = await store.wishes([run.id, quiet.id])
    assert set(found) == {run.id, quiet.id}
    all_of, none = found[run.id], found[quiet.id]
    assert (all_of.cancel, all_of.pause, all_of.resume) == (True, True, True)
    assert (all_of.plan, all_of.dismissed) == (["a"], ["b"])
    assert [message.id for message in all_of.messages] == [unread.id]
    assert (none.cancel, none.pause, none.resume) == (False, False, False)
    assert (none.plan, none.dismissed, none.messages) == (None, None, [])


async def test_each_holder_of_a_browser_has_a_newer_fencing_token(store: Store, other: Store) -> None:
    session_id, second = (await begun(store)).session_id, (await begun(store)).session_id
    assert await store.raise_browser_epoch(session_id) == (1, None)
    await store.set_browser_host(session_id, "http://host-1")
    assert await other.raise_browser_epoch(session_id) == (2, "http://host-1")
    assert await other.raise_browser_epoch(second) == (1, None)
    tokens = await asyncio.gather(
        *(one.raise_browser_epoch(session_id) for one in (store, other) for _ in range(5))
    )
    assert sorted(token for token, _ in tokens) == list(range(3, 13))


async def test_a_process_gets_no_fencing_token_for_a_browser_that_is_not_its_own(database_url: str) -> None:
    """Among several processes, of which it may be one that was frozen."""

    async with open_database(database_url) as database:
        alone = Store(database, "one:1")
        session_id = (await begun(alone)).session_id
        ownership = Ownership("one:1", enqueue=lambda *_: None)
        shared = Store(database, "one:1", ownership=ownership)
        with pytest.raises(Conflict):
            await shared.raise_browser_epoch(session_id)
        assert await alone.raise_browser_epoch(session_id) == (1, None)
