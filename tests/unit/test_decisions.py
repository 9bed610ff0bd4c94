"""Questions to the person: asked once, answered once, in any way, kept over a restart."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.events import Answer, Stamped, StateChanged, now
from server.extras.mock.model import OTHER_PLAN
from server.main import create_app
from server.runtime import open_runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import new_session, of_type, read, read_stream, send, wait_for_rest, wait_for_status
from tests.support.eventually import eventually


async def asked(
    client: httpx.AsyncClient, content: str = "shop for a kettle", **body: Any
) -> tuple[str, dict[str, Any]]:
    """A session whose run waits for the person, and its question."""
    session_id = await new_session(client, **body)
    await send(client, session_id, content)
    session = await wait_for_status(client, session_id, "waiting_user")
    return session_id, session["pending"]


async def decide(client: httpx.AsyncClient, session_id: str, reference: str, **body: Any) -> httpx.Response:
    return await client.post(f"/api/sessions/{session_id}/decision", json={"reference": reference, **body})


def orders(session: dict[str, Any]) -> list[str]:
    tools = [message for message in session["messages"] if message["role"] == "tool"]
    return [tool["content"] for tool in tools if "Place order" in tool["content"] and tool["meta_json"]["ok"]]


async def clicks_on_order(app: FastAPI, session_id: str) -> int:
    """How often the order was placed in the session's browser."""
    browser = await (await app.state.starting.runtime()).browsers.get(session_id)
    return list(browser.log).count("click Place order")


@pytest.mark.parametrize("agent", ["operator", "assistant"])
async def test_an_order_waits_for_a_yes_and_is_then_done_once(
    app: FastAPI, client: httpx.AsyncClient, agent: str
) -> None:
    session_id, pending = await asked(client, agent=agent)
    assert pending["kind"] == "confirm"
    assert pending["target"]["name"] == "Place order"
    assert pending["expires_at"]
    assert await clicks_on_order(app, session_id) == 0
    assert (await decide(client, session_id, pending["reference"], confirmed=True)).status_code == 202
    session = await wait_for_status(client, session_id, "completed")
    assert session["pending"] is None
    assert "ordered" in session["messages"][-1]["content"]
    assert await clicks_on_order(app, session_id) == 1
    events = await read_stream(client, session_id)
    kinds = [event["type"] for event in events]
    assert kinds.index("interrupt") < kinds.index("decision") < kinds.index("done")
    assert [event["epoch"] for event in events] == sorted(event["epoch"] for event in events)
    assert "".join(event["text"] for event in of_type(events, "token")) == session["messages"][-1]["content"]


async def test_a_browser_that_was_given_back_unchanged_before_the_yes_needs_no_second_one(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    session_id, pending = await asked(client)
    commands = (await app.state.starting.runtime()).commands
    await commands.release(session_id, "The page is now at the checkout.", None)
    await decide(client, session_id, pending["reference"], confirmed=True)
    session = await wait_for_status(client, session_id, "completed")
    assert "ordered" in session["messages"][-1]["content"]
    assert len(of_type(await read_stream(client, session_id), "interrupt")) == 1


async def test_a_browser_given_back_after_a_yes_that_still_waits_for_its_turn_makes_it_ask_anew(
    settings: Settings,
) -> None:
    async with open_runtime(settings.model_copy(update={"max_runs": 1})) as world:
        for name in ("shop", "busy"):
            await world.store.create_session(
                id=name, title=None, agent="operator", model=world.models.default, max_tool_steps=10
            )

        async def question_other_than(known: str) -> str:
            asked = await eventually(
                lambda: world.store.pending("shop"),
                lambda it: it and it.reference != known,
                message="another question is open",
            )
            assert asked
            return asked.reference

        await world.commands.accept("shop", "shop for a kettle")
        first = await question_other_than("")
        await world.commands.accept("busy", "slow story")
        await world.commands.decide("shop", Answer(reference=first, confirmed=True))
        assert not await world.commands.executed.is_executing("shop")
        await world.commands.release("shop", "The page is now at the checkout.", None)
        await world.commands.cancel("busy")
        assert await question_other_than(first) != first


async def test_the_operators_question_is_named_by_its_action(client: httpx.AsyncClient) -> None:
    _, pending = await asked(client)
    assert pending["reference"] == pending["action"]["id"]


async def test_a_plain_no_ends_the_run_and_nothing_is_ordered(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client)
    await decide(client, session_id, pending["reference"], confirmed=False)
    session = await wait_for_status(client, session_id, "completed")
    assert not orders(session)


async def test_the_first_answer_wins(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client)
    answers = await asyncio.gather(
        *(decide(client, session_id, pending["reference"], confirmed=bool(number % 2)) for number in range(6))
    )
    assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409, 409, 409]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 409} == {"already_decided"}


async def test_an_unknown_or_foreign_reference_is_not_found(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client)
    other, _ = await asked(client)
    assert (await decide(client, session_id, "nope", confirmed=True)).status_code == 404
    assert (await decide(client, other, pending["reference"], confirmed=True)).status_code == 404


async def test_cancel_while_waiting_closes_the_question(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client)
    assert (await client.post(f"/api/sessions/{session_id}/cancel")).status_code == 202
    late = await decide(client, session_id, pending["reference"], confirmed=True)
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    session = await read(client, session_id)
    assert session["run"]["status"] == "cancelled"
    assert not orders(session)


async def test_an_answer_that_comes_too_late_is_asked_anew(settings: Settings) -> None:
    hasty = settings.model_copy(update={"decision_timeout": 0.01})
    app = create_app(hasty)
    async with (
        app.router.lifespan_context(app),
        open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as client,
    ):
        session_id, pending = await asked(client)
        expired = datetime.fromisoformat(pending["expires_at"]) + timedelta(milliseconds=5)
        await eventually(now, lambda it: it >= expired, message="the question expires", interval=0.005)
        late = await decide(client, session_id, pending["reference"], confirmed=True)
        assert (late.status_code, late.json()["code"]) == (409, "approval_expired")
        session = await eventually(
            lambda: read(client, session_id),
            lambda it: it.get("pending") not in (None, pending),
            message="the question is asked anew",
        )
        assert session["pending"]["reference"] != pending["reference"]
        assert not orders(session)


@pytest.mark.parametrize(
    ("words", "ordered"), [("да", True), ("yes, please", True), ("no", False), ("hm, maybe", False)]
)
async def test_a_message_while_a_question_is_open_answers_it(
    client: httpx.AsyncClient, words: str, ordered: bool
) -> None:
    session_id, _ = await asked(client)
    run_id = (await read(client, session_id))["run"]["id"]
    assert (await send(client, session_id, words))["run"]["id"] == run_id
    session = await wait_for_rest(client, session_id)
    assert bool(orders(session)) == ordered


async def test_a_manual_step_goes_on_when_the_person_says_done(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client, "log in to my mail")
    assert pending["kind"] == "manual"
    await decide(client, session_id, pending["reference"], done=True, message="I am in")
    session = await wait_for_status(client, session_id, "completed")
    assert "logged in" in session["messages"][-1]["content"]


async def test_what_changed_in_the_browser_is_for_the_agent_and_not_among_the_persons_words(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    session_id, _ = await asked(client, "log in to my mail")
    world = await app.state.starting.runtime()
    await world.commands.release(session_id, "The page is now the inbox.", 'I am "in"')
    session = await wait_for_status(client, session_id, "completed")
    (closed,) = session["interrupts"]
    assert closed["confirmed"] is True
    assert closed["message"] == 'I am "in"'


async def test_a_grant_allows_the_same_kind_on_the_same_site_until_it_is_taken_back(
    client: httpx.AsyncClient,
) -> None:
    session_id, pending = await asked(client)
    await decide(client, session_id, pending["reference"], confirmed=True, remember=True)
    await wait_for_status(client, session_id, "completed")
    (grant,) = (await client.get(f"/api/sessions/{session_id}/grants")).json()["items"]
    assert grant["site"] == "shop.example"
    assert (await client.delete(f"/api/sessions/{session_id}/grants/{grant['id']}")).status_code == 204
    assert (await client.get(f"/api/sessions/{session_id}/grants")).json()["items"] == []


@pytest.mark.parametrize("agent", ["operator", "assistant"])
async def test_a_question_survives_a_restart_of_the_service(settings: Settings, agent: str) -> None:
    headers = {"authorization": f"Bearer {PASSWORD}"}
    first = create_app(settings)
    async with first.router.lifespan_context(first), open_client(first, headers) as client:
        session_id, pending = await asked(client, agent=agent)
    second = create_app(settings)
    async with second.router.lifespan_context(second), open_client(second, headers) as client:
        session = await read(client, session_id)
        assert session["run"]["status"] == "waiting_user"
        assert session["pending"]["reference"] == pending["reference"]
        assert (await decide(client, session_id, pending["reference"], confirmed=True)).status_code == 202
        session = await wait_for_rest(client, session_id)
        # The mock's page is gone with the process: the approval is void, so it is not acted on.
        assert not orders(session)
        assert session["run"]["status"] in ("waiting_user", "completed")


async def test_the_plan_can_be_edited_while_a_question_is_open(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client)
    plan = ["Check the price", "Order", "Tell the result"]
    assert (await client.put(f"/api/sessions/{session_id}/plan", json={"plan": plan})).json()["plan"] == plan
    assert (await read(client, session_id))["state"]["plan"] == plan
    await decide(client, session_id, pending["reference"], confirmed=True)
    session = await wait_for_rest(client, session_id)
    assert session["state"]["plan"] == plan


async def proposed(client: httpx.AsyncClient) -> str:
    """A session with an edited plan, an open question and the agent's proposal of another plan."""
    session_id, _ = await asked(client)
    await client.put(f"/api/sessions/{session_id}/plan", json={"plan": MINE})
    await send(client, session_id, "What would it cost?")
    await eventually(
        lambda: read(client, session_id),
        lambda it: it["state"]["proposed_plan"] == OTHER_PLAN,
        message="another plan is proposed",
    )
    await wait_for_status(client, session_id, "waiting_user")
    return session_id


MINE = ["Check the price", "Order", "Tell the result"]


async def test_a_new_plan_beside_an_edited_one_is_proposed_and_can_be_accepted(
    client: httpx.AsyncClient,
) -> None:
    session_id = await proposed(client)
    assert (await read(client, session_id))["state"]["plan"] == MINE
    exported = (await client.get(f"/api/sessions/{session_id}/export?format=json")).json()
    assert exported["state"]["proposed_plan"] == OTHER_PLAN
    response = await client.put(f"/api/sessions/{session_id}/plan", json={"plan": OTHER_PLAN})
    assert (response.json()["plan"], response.json()["proposed_plan"]) == (OTHER_PLAN, [])
    state = (await read(client, session_id))["state"]
    assert (state["plan"], state["proposed_plan"]) == (OTHER_PLAN, [])
    await decide(client, session_id, (await read(client, session_id))["pending"]["reference"], confirmed=True)
    session = await wait_for_rest(client, session_id)
    assert (session["state"]["plan"], session["state"]["proposed_plan"]) == (OTHER_PLAN, [])


async def test_a_plan_that_is_edited_after_the_run_is_published(
    app: FastAPI, client: httpx.AsyncClient
) -> None:
    """Other tabs follow it; this tab may have read the session just before."""
    world = await app.state.starting.runtime()
    session_id, pending = await asked(client)
    await decide(client, session_id, pending["reference"], confirmed=False)
    await wait_for_rest(client, session_id)
    published: list[Stamped] = []
    world.bus.listeners.append(published.append)
    await client.put(f"/api/sessions/{session_id}/plan", json={"plan": MINE})
    assert [one.event.plan for one in published if isinstance(one.event, StateChanged)] == [MINE]


async def test_a_proposed_plan_can_be_dismissed_and_is_not_proposed_again(client: httpx.AsyncClient) -> None:
    session_id = await proposed(client)
    response = await client.delete(f"/api/sessions/{session_id}/plan/proposal")
    assert (response.status_code, response.json()["plan"], response.json()["proposed_plan"]) == (
        200,
        MINE,
        [],
    )
    again = await client.delete(f"/api/sessions/{session_id}/plan/proposal")
    assert (again.status_code, again.json()["code"]) == (404, "no_proposal")
    reference = (await read(client, session_id))["pending"]["reference"]
    await send(client, session_id, "And what with delivery?")
    session = await eventually(
        lambda: read(client, session_id),
        lambda it: it["pending"] and it["pending"]["reference"] != reference,
        message="another question is open",
    )
    state = session["state"]
    assert (state["plan"], state["proposed_plan"]) == (MINE, [])


async def test_a_proposed_plan_survives_a_restart_of_the_service(settings: Settings) -> None:
    headers = {"authorization": f"Bearer {PASSWORD}"}
    first = create_app(settings)
    async with first.router.lifespan_context(first), open_client(first, headers) as client:
        session_id = await proposed(client)
    second = create_app(settings)
    async with second.router.lifespan_context(second), open_client(second, headers) as client:
        state = (await read(client, session_id))["state"]
        assert (state["plan"], state["proposed_plan"]) == (MINE, OTHER_PLAN)
        await client.delete(f"/api/sessions/{session_id}/plan/proposal")
    third = create_app(settings)
    async with third.router.lifespan_context(third), open_client(third, headers) as client:
        state = (await read(client, session_id))["state"]
        assert (state["plan"], state["proposed_plan"]) == (MINE, [])


async def test_a_closed_question_can_still_be_read_with_its_answer(client: httpx.AsyncClient) -> None:
    session_id, pending = await asked(client)
    (question,) = (await read(client, session_id))["interrupts"]
    assert {name: question[name] for name in pending} == pending
    assert (question["status"], question["confirmed"], question["decided_at"]) == ("open", None, None)
    await decide(client, session_id, pending["reference"], confirmed=False)
    session = await wait_for_status(client, session_id, "completed")
    (question,) = session["interrupts"]
    assert question["reference"] == pending["reference"]
    assert question["run_id"] == session["run"]["id"]
    assert (question["status"], question["confirmed"]) == ("decided", False)
    assert question["created_at"] < question["decided_at"]


async def test_at_a_question_the_assistants_checkpoint_holds_the_current_page_only(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    session_id, _ = await asked(client, agent="assistant")
    thread = (f"assistant:{session_id}",)
    with closing(sqlite3.connect(settings.data_dir / "pilothouse.db")) as database:
        saved = database.execute("SELECT checkpoint FROM checkpoints WHERE thread_id = ?", thread).fetchall()
        written = database.execute("SELECT value FROM writes WHERE thread_id = ?", thread).fetchall()
    kept = b"".join(bytes(row[0]) for row in (*saved, *written))
    assert len(saved) == 1
    assert b'] button "Place order"' in kept  # a line of a page; results of steps name buttons without an eid
    assert kept.count(b"</untrusted-page>") == 1
    assert kept.count(b"(an earlier page of ") == 2
    for gone in (b"Red kettle", b'] button "Add to basket"'):
        assert gone not in kept, "words of pages that were left"
