"""Runs that ask before they start: nothing happens before the yes, and a yes allows what was shown for this run only."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.agent.foresight import read_plan
from server.events import now
from server.main import create_app
from server.runtime import Runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import new_session, of_type, read, read_stream, send, wait_for_rest, wait_for_status
from tests.support.eventually import eventually
from tests.support.receivers import receiving
from tests.unit.test_automations import add, at, ended, get, log_of


@pytest.fixture
async def world(app: FastAPI) -> Runtime:
    runtime: Runtime = await app.state.starting.runtime()
    return runtime


async def begun(client: httpx.AsyncClient, **body: Any) -> tuple[dict[str, Any], str, dict[str, Any]]:
    """An automation that asks first, the session of its first run, and the question."""
    made = await add(client, **({"task": "shop for a kettle", "ask_first": True} | body))
    await client.post(f"/api/automations/{made['id']}/run")
    session_id = (await log_of(client, made))[0]["session_id"]
    session = await wait_for_status(client, session_id, "waiting_user")
    return made, session_id, session["pending"]


async def decide(client: httpx.AsyncClient, session_id: str, pending: dict[str, Any], **body: Any) -> int:
    answer = {"reference": pending["reference"], **body}
    return (await client.post(f"/api/sessions/{session_id}/decision", json=answer)).status_code


async def test_nothing_runs_before_the_yes_and_then_it_works_alone_within_it(
    client: httpx.AsyncClient, world: Runtime
) -> None:
    made, session_id, pending = await begun(client)
    assert (pending["kind"], pending["risk"], pending["scopes"]) == ("confirm", "start", [])
    assert pending["start"] == {
        "plan": ["Look at the page", "Do what is asked", "Tell the result"],
        "effects": [{"site": "shop.example", "kind": "order", "count": 1}],
    }  # fmt: skip
    before = await read(client, session_id)
    assert [message["role"] for message in before["messages"]] == ["user"]
    assert before["usage"]["model_calls"] == 0
    assert world.browsers.peek(session_id) is None
    assert await decide(client, session_id, pending, confirmed=True, effects=[0]) == 202
    await ended(client, made, "completed")
    session = await read(client, session_id)
    assert "is ordered" in session["messages"][-1]["content"]
    assert [one["risk"] for one in session["interrupts"]] == ["start"]  # the order was not asked about again
    assert session["state"]["plan"] == pending["start"]["plan"]
    await client.post(f"/api/automations/{made['id']}/run")  # a yes counts for one run
    again = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    assert (again["risk"], again["reference"] != pending["reference"]) == ("start", True)


@pytest.mark.parametrize("ticked", [{}, {"effects": []}])
async def test_what_is_left_out_of_the_yes_is_asked_about(
    client: httpx.AsyncClient, ticked: dict[str, Any]
) -> None:
    _, session_id, pending = await begun(client)
    assert await decide(client, session_id, pending, confirmed=True, **ticked) == 202
    await wait_for_rest(client, session_id)
    session = await wait_for_status(client, session_id, "waiting_user")
    assert (session["pending"]["risk"], session["pending"]["start"]) == ("order", None)
    assert (await client.get("/api/grants")).json()["items"] == []


async def test_a_yes_allows_as_many_acts_as_were_shown(client: httpx.AsyncClient, world: Runtime) -> None:
    made, session_id, pending = await begun(client)
    (row,) = [row for row, _ in (await world.store.open_questions()).rows]
    assert await decide(client, session_id, pending, confirmed=True, effects=[0]) == 202
    await ended(client, made, "completed")
    run = await world.store.run(row.run_id)
    (grant,) = await world.store.held_grants(run)
    assert (grant.scope, grant.site, grant.kind, grant.count, grant.uses) == (
        "run",
        "shop.example",
        "order",
        1,
        1,
    )


async def test_a_no_ends_it_and_nothing_was_done(client: httpx.AsyncClient, world: Runtime) -> None:
    made, session_id, pending = await begun(client)
    assert await decide(client, session_id, pending, confirmed=False) == 202
    await ended(client, made, "cancelled")
    session = await read(client, session_id)
    assert [message["role"] for message in session["messages"]] == ["user"]
    assert session["errors"][0]["message"] == "Task cancelled"
    assert session["usage"]["model_calls"] == 1
    assert world.browsers.peek(session_id) is None


@pytest.mark.parametrize("way", ["button", "message"])
async def test_words_make_another_plan_which_is_asked_about_and_the_agent_hears_them(
    client: httpx.AsyncClient, way: str
) -> None:
    made, session_id, pending = await begun(client)
    words = "leave it in the basket"
    if way == "button":
        await decide(client, session_id, pending, confirmed=False, message=words)
    else:
        await send(client, session_id, words)
    await wait_for_rest(client, session_id)
    again = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    assert again["reference"] != pending["reference"]
    assert (again["risk"], again["start"]["effects"]) == ("start", [])
    await send(client, session_id, "yes")
    await wait_for_rest(client, session_id)
    session = await wait_for_status(client, session_id, "waiting_user")
    assert session["pending"]["risk"] == "order"  # outside of what was approved
    assert words in session["state"]["goal"]
    assert [asked["outcome"] for asked in session["interrupts"][:2]] == ["replan", "yes"]
    assert (await log_of(client, made))[0]["outcome"] == "running"


async def test_a_yes_in_words_starts_it_and_allows_nothing_in_advance(client: httpx.AsyncClient) -> None:
    _, session_id, _ = await begun(client)
    await send(client, session_id, "yes")
    await wait_for_rest(client, session_id)
    pending = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    assert (pending["risk"], bool(pending["amount"])) == ("order", True)
    assert (await client.get("/api/grants")).json()["items"] == []


async def test_it_can_be_put_off_and_its_patience_ends_it_with_a_receipt(
    client: httpx.AsyncClient, world: Runtime
) -> None:
    async with receiving() as receiver:
        address = {"kind": "webhook", "address": receiver.url, "events": ["needs_you"]}
        await client.post("/api/channels", json=address)
        made, session_id, pending = await begun(client, patience=3600)
        until = (datetime.now(UTC) + timedelta(minutes=30)).isoformat()
        path = f"/api/sessions/{session_id}/questions/{pending['reference']}/later"
        assert (await client.post(path, json={"until": until})).status_code == 200
        (listed,) = (await client.get("/api/questions")).json()["items"]
        assert (listed["start"], bool(listed["later_at"])) == (pending["start"], True)
        await at(world, datetime.now(UTC) + timedelta(minutes=61)).look()
        firing = await ended(client, made, "needs_you")
        assert firing["receipt"] == {
            "done": [], "left": pending["start"]["plan"], "waited_for": "Start · shop.example",
            "waited_for_parts": [{"code": "act.start", "values": {}}, " · ", "shop.example"],
        }  # fmt: skip
        assert (await read(client, session_id))["pending"] is None
        (told,) = await eventually(
            lambda: [json.loads(one.body) for one in receiver.received], message="it is told"
        )
    assert (told["kind"], told["action"], told["site"]) == ("start", "Start", "shop.example")


async def test_a_session_can_ask_first_and_the_assistant_does_too(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client, agent="assistant")
    changed = await client.patch(f"/api/sessions/{session_id}", json={"ask_first": True})
    assert changed.json()["ask_first"] is True
    await send(client, session_id, "shop for a kettle")
    pending = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    assert pending["risk"] == "start"
    assert await decide(client, session_id, pending, confirmed=True, effects=[0]) == 202
    await wait_for_rest(client, session_id)
    session = await wait_for_status(client, session_id, "completed")
    assert [one["risk"] for one in session["interrupts"]] == ["start"]
    events = await read_stream(client, session_id)
    (asked,) = of_type(events, "interrupt") or [pending]
    assert asked["start"] == pending["start"]


async def test_a_yes_that_comes_too_late_starts_nothing_and_is_asked_anew(settings: Settings) -> None:
    app = create_app(settings.model_copy(update={"decision_timeout": 0.01}))
    async with (
        app.router.lifespan_context(app),
        open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as client,
    ):
        session_id = await new_session(client, ask_first=True)
        await send(client, session_id, "shop for a kettle")
        pending = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
        expired = datetime.fromisoformat(pending["expires_at"]) + timedelta(milliseconds=5)
        await eventually(now, lambda it: it >= expired, message="the question expires", interval=0.005)
        assert await decide(client, session_id, pending, confirmed=True) == 409
        session = await eventually(
            lambda: read(client, session_id),
            lambda it: it.get("pending") not in (None, pending),
            message="the question is asked anew",
        )
        assert session["pending"]["risk"] == "start"
        assert [message["role"] for message in session["messages"]] == ["user"]


async def test_a_session_is_made_so_and_its_branch_asks_too(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client, ask_first=True)
    await send(client, session_id, "ping test")
    pending = (await wait_for_status(client, session_id, "waiting_user"))["pending"]
    assert await decide(client, session_id, pending, confirmed=True) == 202
    await wait_for_rest(client, session_id)
    (said, *_) = (await wait_for_status(client, session_id, "completed"))["messages"]
    branch = await client.post(f"/api/sessions/{session_id}/branch", json={"message_id": said["id"]})
    assert branch.json()["ask_first"] is True
    await send(client, branch.json()["id"], "ping test")
    assert (await wait_for_status(client, branch.json()["id"], "waiting_user"))["pending"]["risk"] == "start"


async def test_it_is_off_by_default_and_carried_by_change_and_export(client: httpx.AsyncClient) -> None:
    made = await add(client)
    assert (made["ask_first"], made["only_changes"], made["result_schema"]) == (False, False, None)
    changed = (await client.patch(f"/api/automations/{made['id']}", json={"ask_first": True})).json()
    assert changed["ask_first"] is True
    exported = (await client.get("/api/automations/export")).json()
    imported = (await client.post("/api/automations/import", json=exported)).json()["items"]
    assert [one["ask_first"] for one in imported] == [True]
    assert (await get(client, f"/{made['id']}"))["ask_first"] is True


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("no plan", ([], [])),
        ('{"plan": "x", "effects": 3}', ([], [])),
        ('```json\n{"plan": ["Look", 5, " "]}\n```', (["Look"], [])),
        (
            '{"plan": [], "effects": [{"site": "https://www.Shop.example:8080/a", "kind": "pay", "count": 2},'
            ' {"site": "shop.example:8080", "kind": "pay"}, {"site": "a b", "kind": "pay"}, {"kind": "pay"},'
            ' {"site": "x.example", "kind": "credential"}, {"site": "x.example", "kind": "fun"}, 7]}',
            ([], [("shop.example:8080", "pay", 3), ("a b", "pay", 1)]),
        ),
        ('{"effects": [{"site": "x.example", "kind": "pay", "count": 900}]}', ([], [("x.example", "pay", 20)])),
    ],
)  # fmt: skip
def test_a_reply_is_read_and_what_does_not_fit_is_left_out(reply: str, expected: tuple[Any, Any]) -> None:
    start = read_plan(reply)
    assert (start.plan, [(one.site, one.kind, one.count) for one in start.effects]) == expected
