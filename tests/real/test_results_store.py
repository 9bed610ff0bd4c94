"""The table of a run on both databases: asked for by a message, edited by a person, copied and deleted with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from server.errors import BadRequest, NotFound
from server.results.columns import read_schema
from server.results.rows import ResultTable, table_of, with_pictures
from server.store import Store
from tests.support.databases import open_store
from tests.support.tables import KETTLES, kettle, record

SCHEMA = read_schema(KETTLES).to_json()


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    async with open_store(database_url) as store:
        yield store


async def new_session(store: Store, agent: str = "operator") -> str:
    session = await store.create_session(id=None, title=None, agent=agent, model="m", max_tool_steps=10)
    return session.id


async def table(store: Store, run_id: str) -> ResultTable:
    _, messages = await store.run_with_messages(run_id)
    found = table_of(messages)
    assert found
    return found


async def test_a_run_has_the_rows_that_it_recorded_in_their_order(store: Store) -> None:
    session_id = await new_session(store)
    accepted = await store.accept(session_id, "list", result_schema=SCHEMA)
    assert (await table(store, accepted.run.id)).rows == ()
    started = await store.begin_execution(accepted.run.id)
    assert started
    await record(store, started.run, kettle(1, 5), kettle(2, None, missing={"price": "not shown"}))
    await record(store, started.run, kettle(3, 7.5, unverified=("price",)))
    found = await table(store, started.run.id)
    assert found.schema.to_json() == SCHEMA
    assert [row.values["name"] for row in found.rows] == ["kettle 1", "kettle 2", "kettle 3"]
    assert found.rows[1].missing == {"price": "not shown"}
    assert list(found.rows[0].values) == ["name", "price"]


async def test_an_edit_is_kept_as_the_persons_and_others_do_not_lose_theirs(store: Store) -> None:
    session_id = await new_session(store)
    accepted = await store.accept(session_id, "list", result_schema=SCHEMA)
    started = await store.begin_execution(accepted.run.id)
    assert started
    await record(store, started.run, *(kettle(number, number, unverified=("price",)) for number in range(8)))
    run_id = started.run.id
    edits = (store.change_cell(run_id, f"c-{number}", "price", 10 + number) for number in range(8))
    await asyncio.gather(*edits, record(store, started.run, kettle(9, 9)))
    rows = (await table(store, run_id)).rows
    assert [row.values["price"] for row in rows] == [*range(10, 18), 9]
    assert rows[3].edited == {"price": 3}
    assert rows[3].unverified == ()


async def test_a_cell_takes_only_what_fits_its_column(store: Store) -> None:
    session_id = await new_session(store)
    accepted = await store.accept(session_id, "list", result_schema=SCHEMA)
    started = await store.begin_execution(accepted.run.id)
    assert started
    await record(store, started.run, kettle(1, 5))
    for row, column, value, error in (
        ("c-1", "price", "dear", BadRequest),
        ("c-1", "weight", 1, NotFound),
        ("c-2", "price", 1, NotFound),
    ):
        with pytest.raises(error):
            await store.change_cell(started.run.id, row, column, value)
    with pytest.raises(NotFound):
        await store.change_cell("unknown", "c-1", "price", 1)
    _, row = await store.change_cell(started.run.id, "c-1", "price", None)
    assert row.values["price"] is None
    assert row.missing == {}


async def test_the_table_that_a_message_asks_for_stays_with_it(store: Store) -> None:
    session_id = await new_session(store)
    first = await store.accept(session_id, "one", result_schema=SCHEMA, client_id="c")
    assert not (await store.accept(session_id, "one", result_schema=SCHEMA, client_id="c")).is_new
    with pytest.raises(BadRequest):
        await store.accept(session_id, "one", client_id="c")
    queued = await store.accept(session_id, "two", result_schema=SCHEMA, mode="queue")
    with pytest.raises(BadRequest):
        await store.accept(session_id, "steered", result_schema=SCHEMA, mode="steer")
    await store.begin_execution(first.run.id)
    await store.finish_run(first.run.id, "cancelled", start_next=True)
    started = await store.begin_execution(queued.run.id)
    assert started
    assert (started.messages[-1].meta_json or {})["result_schema"] == SCHEMA
    await store.finish_run(queued.run.id, "failed")
    again = await store.rerun(session_id)
    assert (await table(store, again.run.id)).schema.to_json() == SCHEMA
    await store.finish_run(again.run.id, "failed")
    edited = await store.rerun(session_id, content="three", message_id=again.message.id)
    assert (edited.message.meta_json or {})["result_schema"] == SCHEMA
    await store.finish_run(edited.run.id, "failed")
    plain = await store.rerun(session_id, content="four", message_id=again.message.id, keeps_schema=False)
    assert plain.message.meta_json is None


async def test_a_branch_has_the_rows_with_its_own_pictures(store: Store) -> None:
    session_id = await new_session(store)
    accepted = await store.accept(session_id, "list", result_schema=SCHEMA)
    started = await store.begin_execution(accepted.run.id)
    assert started
    message = await record(store, started.run, kettle(1, 5, screenshot="/old/1.jpg"))
    branch = await store.branch(
        session_id, message.id, copy_meta=lambda meta: with_pictures(meta, lambda address: f"/new{address}")
    )
    asked, copied = await store.messages(branch.id)
    assert (asked.meta_json or {})["result_schema"] == SCHEMA
    assert (copied.meta_json or {})["result"]["rows"][0]["screenshot"] == "/new/old/1.jpg"


async def test_pictures_of_rows_are_not_swept(store: Store) -> None:
    name = f"{'a' * 40}.jpg"
    session_id = await new_session(store)
    started = await store.begin_execution((await store.accept(session_id, "list")).run.id)
    assert started
    await record(store, started.run, kettle(1, 5, screenshot=f"/api/files/{name}"))
    assert name in await store.picture_names()


async def test_only_the_operator_fills_tables(store: Store) -> None:
    session_id = await new_session(store, agent="assistant")
    with pytest.raises(BadRequest):
        await store.accept(session_id, "list", result_schema=SCHEMA)
    assert await store.messages(session_id) == []
