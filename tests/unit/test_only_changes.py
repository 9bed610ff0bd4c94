"""Automations that report a result only if it is not that of the last run."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.events import now
from server.results.changes import ComparedResult, compare, result_of, words_of
from server.results.columns import read_schema
from server.results.rows import SCHEMA_KEY
from server.runtime import Runtime
from server.store import FinishedRun, new_id
from server.store.automations import Fired
from tests.support.chat import read
from tests.support.tables import KETTLES, kettle, record
from tests.unit.test_automations import add, get, log_of


@pytest.fixture
async def world(app: FastAPI) -> Runtime:
    runtime: Runtime = await app.state.starting.runtime()
    return runtime


async def run_once(
    world: Runtime, made: dict[str, Any], answer: str | None, *rows: Any, outcome: str | None = None
) -> FinishedRun:
    """Fire it and end its run with this answer; without one it fails. The server does not execute it."""
    row = await world.store.automation(made["id"])
    fired: Fired = await world.store.fire_now(
        row.id, "hand", row.task, new_id(), row.created_at + timedelta(days=1)
    )
    assert fired.accepted
    started = await world.store.begin_execution(fired.accepted.run.id)
    assert started
    if rows:
        await record(world.store, started.run, *rows)
    status = "failed" if answer is None else "completed"
    meta = {"outcome": outcome} if outcome else None
    ended = await world.store.finish_run(started.run.id, status, answer=answer, answer_meta=meta)
    assert ended
    return ended


async def add_channel(client: httpx.AsyncClient) -> None:
    """One that collects for an hour: what it has to deliver can be read."""
    body = {"kind": "webhook", "address": "https://hooks.example/", "events": ["done", "failed", "needs_you"]}
    answer = await client.post("/api/channels", json=body | {"digest": {"minutes": 60}})
    assert answer.status_code == 201, answer.text


async def told(world: Runtime) -> list[tuple[str, Any]]:
    """Kind and deed of all messages."""
    moment = now() + timedelta(hours=2)
    claimed = await world.store.claim_deliveries(moment=moment, until=moment, most=100)
    rows = [row for one in claimed for row in (one.delivery, *(other for other, _ in one.others))]
    return sorted(((row.type, row.facts.get("action")) for row in rows), key=str)


async def test_only_a_change_is_told_and_each_run_is_recorded(
    client: httpx.AsyncClient, world: Runtime
) -> None:
    await add_channel(client)
    made = await add(client, only_changes=True, session_mode="new", rule=None)
    for answer in ("It costs **5 €**.", "it costs 5 €", "It costs 6 €.", None, "it costs 6 €"):
        await run_once(world, made, answer)
    assert await told(world) == [
        ("done", "First result"), ("done", "The answer has changed"), ("failed", None)
    ]  # fmt: skip
    log = await log_of(client, made)
    assert sorted(one["outcome"] for one in log) == ["completed"] * 4 + ["failed"]
    kinds = [one["change"]["kind"] for one in log if one["change"]]
    assert sorted(kinds) == ["changed", "first", "same", "same"]
    by_kind = {(one["change"] or {}).get("kind"): one["session_id"] for one in log}
    assert (await read(client, by_kind["same"]))["unread"] is False
    assert (await read(client, by_kind["changed"]))["unread"] is True


async def test_rows_are_compared_and_shown_with_the_answer_and_only_counted_outside(
    client: httpx.AsyncClient, world: Runtime
) -> None:
    await add_channel(client)
    made = await add(client, only_changes=True, result_schema=KETTLES, rule=None, name="Kettle prices")
    asked = (await run_once(world, made, "Two.", kettle(1, 5), kettle(2, 7))).session
    (message, *_) = (await read(client, asked.id))["messages"]
    assert message["meta_json"][SCHEMA_KEY] == made["result_schema"]
    await run_once(world, made, "Again two, in other words.", kettle(1, 5), kettle(2, 7))
    ended = await run_once(world, made, "Two.", kettle(1, 6), kettle(3, 9))
    assert ended.message
    change = (ended.message.meta_json or {})["change"]
    counts = {"added": 1, "removed": 1, "changed": 1}
    assert change["counts"] == counts
    assert [row["price"] for row in change["added"]] == [9]
    assert [row["price"] for row in change["removed"]] == [7]
    assert [(one["before"]["price"], one["after"]["price"]) for one in change["changed"]] == [(5, 6)]
    log = await log_of(client, made)
    assert sorted((one["change"] for one in log), key=str) == [
        {"kind": "changed", "counts": counts}, {"kind": "first", "counts": None}, {"kind": "same", "counts": None}
    ]  # fmt: skip
    # What leaves the server has no value of a row.
    assert await told(world) == [("done", "First result"), ("done", "Rows: 1 added, 1 removed, 1 changed")]


async def test_a_table_that_lacks_rows_is_told_and_is_no_result(
    client: httpx.AsyncClient, world: Runtime
) -> None:
    made = await add(client, only_changes=True, result_schema=KETTLES, session_mode="new", rule=None)
    await run_once(world, made, "One.", kettle(1, 5))
    assert (await run_once(world, made, "Nothing was recorded.")).session.unread is True
    assert (await run_once(world, made, "One.", kettle(1, 5))).session.unread is False


async def test_a_task_that_was_not_done_is_told_and_is_no_result(
    client: httpx.AsyncClient, world: Runtime
) -> None:
    made = await add(client, only_changes=True, session_mode="new", rule=None)
    await run_once(world, made, "Five.")
    assert (await run_once(world, made, "I could not.", outcome="blocked")).session.unread is True
    assert (await run_once(world, made, "Five.")).session.unread is False  # compared with the last result
    assert [one["change"] for one in await log_of(client, made)].count(None) == 1


async def test_another_task_begins_anew_and_without_it_each_run_is_told(
    client: httpx.AsyncClient, world: Runtime
) -> None:
    made = await add(client, only_changes=True, session_mode="new", rule=None)
    await run_once(world, made, "Five.")
    await client.patch(f"/api/automations/{made['id']}", json={"task": "another"})
    assert ((await run_once(world, made, "Five.")).message or None) is not None
    kinds = [(one["change"] or {}).get("kind") for one in await log_of(client, made)]
    assert kinds == ["first", "first"]
    await client.patch(f"/api/automations/{made['id']}", json={"only_changes": False})
    assert (await run_once(world, made, "Five.")).session.unread is True
    assert (await get(client, f"/{made['id']}"))["only_changes"] is False


async def test_a_table_is_refused_for_an_agent_that_makes_none(client: httpx.AsyncClient) -> None:
    known = {"name": "x", "task": "x", "agent": "assistant", "result_schema": KETTLES}
    assert (await client.post("/api/automations", json=known)).status_code == 422
    assert (await client.post("/api/automations", json=known | {"agent": "operator"})).status_code == 201
    bad = known | {"agent": "operator", "result_schema": {"type": "string"}}
    assert (await client.post("/api/automations", json=bad)).json()["code"] == "result_schema_refused"
    (made,) = (await get(client, ""))["items"]
    path = f"/api/automations/{made['id']}"
    assert (await client.patch(path, json={"agent": "assistant"})).status_code == 422
    assert (await client.patch(path, json={"result_schema": None, "agent": "assistant"})).status_code == 200


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("It costs **5 €**.", "it costs 5 €", True),
        ("- one\n- two", "one two", True),
        ("5 €", "5 $", False),
        ("-5", "5", False),
        ("1.5", "15", False),
        ("a b", "b a", False),
        ("Ёлка", "ёлка!", True),
        ("50 %", "50", False),
        ("", "…", True),
    ],
)  # fmt: skip
def test_answers_are_compared_by_their_words_and_numbers(before: str, after: str, is_same: bool) -> None:
    change = compare(result_of(before, None), result_of(after, None))
    assert change.kind == ("same" if is_same else "changed")


def table(*rows: dict[str, Any], columns: tuple[str, ...] = ("name", "price")) -> ComparedResult:
    return ComparedResult(columns=list(columns), rows=list(rows))


def test_rows_without_a_column_that_tells_them_apart_are_compared_whole() -> None:
    before = table({"name": "a", "price": 1}, {"name": "a", "price": 1}, {"name": None, "price": 1})
    after = table({"name": "A ", "price": 1.0}, {"name": None, "price": 1}, {"name": None, "price": 2})
    change = compare(before, after)
    assert change.counts == {"added": 1, "removed": 1, "changed": 0}
    assert change.added == [{"name": None, "price": 2}]
    assert words_of(change) == "Rows: 1 added, 1 removed"


def test_order_and_spaces_of_rows_change_nothing_and_other_columns_begin_anew() -> None:
    one, two = {"name": "a  b", "price": 1}, {"name": "c", "price": True}
    assert compare(table(one, two), table(two, {"name": "A b", "price": 1})).kind == "same"
    assert compare(table(two), table({"name": "c", "price": 1})).kind == "changed"  # true is not 1
    assert compare(table(one), table(one, columns=("name",))).kind == "first"
    assert compare(table(one), result_of("text", None)).kind == "first"
    assert compare(None, table(one)).kind == "first"


def test_many_rows_are_counted_and_some_are_kept() -> None:
    change = compare(table(), table(*({"name": f"{n}" * 300, "price": n} for n in range(120))))
    assert (change.counts["added"], len(change.added), len(str(change.added[0]["name"]))) == (120, 50, 200)
    assert len(read_schema(KETTLES).names) == 2
