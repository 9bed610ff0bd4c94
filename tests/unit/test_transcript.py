"""All rows of a session stand in one sequence: the same in the stream, when it is read, and in every export."""

from __future__ import annotations

import re
from typing import Any

import httpx
from fastapi import FastAPI

from server.browser.takeover.user_input import Go
from server.runtime import Runtime
from tests.support.chat import new_session, of_type, read, read_stream, send, wait_for_rest, wait_for_status
from tests.support.eventually import eventually

NOTE = "Too expensive, leave it."


async def denied_between_messages(client: httpx.AsyncClient) -> str:
    """A session in which an order was refused with a note; after that, a run failed, and one answered."""
    session_id = await new_session(client)
    await send(client, session_id, "shop for a kettle")
    asked = await wait_for_status(client, session_id, "waiting_user")
    decision = {"reference": asked["pending"]["reference"], "confirmed": False, "message": NOTE}
    await decide(client, session_id, decision)
    ended = await wait_for_rest(client, session_id)
    assert ended["run"]["status"] == "completed", ended
    await send(client, session_id, "error please")
    await wait_for_status(client, session_id, "failed")
    await send(client, session_id, "ping test")
    await wait_for_status(client, session_id, "completed")
    return session_id


async def test_a_denied_question_and_a_failed_run_stand_where_they_happened(
    client: httpx.AsyncClient,
) -> None:
    session = await read(client, await denied_between_messages(client))
    rows = [(message["seq"], message["role"]) for message in session["messages"]]
    rows += [(question["position"], "question") for question in session["interrupts"]]
    rows += [(failure["position"], "end") for failure in session["errors"]]
    assert len({number for number, _ in rows}) == len(rows)
    order = [kind for _, kind in sorted(rows) if kind != "tool"]
    assert order == ["user", "question", "assistant", "user", "end", "user", "assistant"]
    assert session["interrupts"][0]["message"] == NOTE


async def decide(client: httpx.AsyncClient, session_id: str, decision: dict[str, Any]) -> None:
    answer = await client.post(f"/api/sessions/{session_id}/decision", json=decision)
    assert answer.status_code == 202, answer.text


async def test_the_stream_tells_the_same_numbers(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "shop for a kettle")
    events = await asked_then_denied(client, session_id)
    session = await read(client, session_id)
    starts = [event["position"] for event in of_type(events, "tool_start")]
    assert starts == [message["seq"] for message in session["messages"] if message["role"] == "tool"]
    assert [event["position"] for event in of_type(events, "interrupt")] == [
        question["position"] for question in session["interrupts"]
    ]
    assert [event.get("message") for event in of_type(events, "decision")] == [NOTE]


async def asked_then_denied(client: httpx.AsyncClient, session_id: str) -> list[dict[str, Any]]:
    asked = await wait_for_status(client, session_id, "waiting_user")
    decision = {"reference": asked["pending"]["reference"], "confirmed": False, "message": NOTE}
    await decide(client, session_id, decision)
    return await read_stream(client, session_id)


async def test_every_export_has_the_note_and_the_order(client: httpx.AsyncClient) -> None:
    session_id = await denied_between_messages(client)
    path = f"/api/sessions/{session_id}/export?format="
    denied = f"Denied: click “Place order” (€43.90) — “{NOTE}”"
    failed = "Ended without an answer: The mock model failed, as it was asked to."
    in_order = ["shop for a kettle", denied, "The blue kettle stays", "error please", failed, "ping test"]
    for kind in ("md", "html"):
        text = (await client.get(path + kind)).text
        body = text.partition('<section class="steps">')[2] if kind == "html" else text.partition("UTC\n")[2]
        places = [body.index(words) for words in in_order]
        assert places == sorted(places), kind
    exported = (await client.get(path + "json")).json()
    (question,) = exported["questions"]
    assert (question["confirmed"], question["note"]) == (False, NOTE)
    rows = exported["messages"] + exported["questions"] + exported["failures"]
    numbers = [row["seq"] for row in rows]
    assert len(set(numbers)) == len(numbers)
    assert exported["messages"][-2]["seq"] > exported["failures"][0]["seq"] > question["seq"]


async def test_a_message_as_the_answer_is_not_a_note_too(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "shop for a kettle")
    await wait_for_status(client, session_id, "waiting_user")
    await send(client, session_id, "no, leave it")
    session = await wait_for_rest(client, session_id)
    assert session["interrupts"][0]["message"] is None
    text = (await client.get(f"/api/sessions/{session_id}/export?format=md")).text
    assert len(re.findall("^no, leave it$", text, re.MULTILINE)) == 1
    assert "— “no, leave it”" not in text


async def test_what_is_said_during_a_step_stands_after_that_step(world: Runtime) -> None:
    store = world.store
    session = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=10)
    begun = await store.begin_execution((await store.accept(session.id, "go")).run.id)
    assert begun
    position = await store.begin_call(begun.run, "click Next")
    await store.accept(session.id, "only red ones", mode="steer")
    await store.add_tool_message(begun.run, "Clicked Next", {"call_id": "c"}, position=position)
    contents = [message.content for message in await store.messages(session.id)]
    assert contents == ["go", "Clicked Next", "only red ones"]


async def test_an_edited_message_takes_its_later_questions_away(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    sent = await send(client, session_id, "shop for a kettle")
    await asked_then_denied(client, session_id)
    path = f"/api/sessions/{session_id}/messages/{sent['message']['id']}"
    (await client.put(path, json={"content": "ping test"})).raise_for_status()
    session = await wait_for_status(client, session_id, "completed")
    assert session["interrupts"] == []


async def session_with_activities(client: httpx.AsyncClient, app: FastAPI) -> str:
    """An answer, then: the plan edited twice, the browser driven, another answer, a run paused and resumed."""
    world: Runtime = await app.state.starting.runtime()
    session_id = await new_session(client)
    await send(client, session_id, "ping test")
    await wait_for_status(client, session_id, "completed")
    for plan in (["Look"], ["Look", "Buy the kettle"]):
        (await client.put(f"/api/sessions/{session_id}/plan", json={"plan": plan})).raise_for_status()
    view = world.browsers.live(session_id)
    viewer = view.join()
    await view.take(viewer)
    await eventually(lambda: viewer.first_start, message="the browser is open")
    view.act(viewer, Go(type="go", url="https://shop.example/?q=secret"))
    await world.commands.release(session_id, await view.hand_back(viewer), None)
    view.leave(viewer)
    await send(client, session_id, "slow story")
    await wait_for_status(client, session_id, "running")
    await eventually(lambda: world.commands.is_acting(session_id), message="it works")
    await world.commands.executed.pause(session_id)
    await world.commands.executed.resume(session_id)
    await world.commands.cancel(session_id)
    await wait_for_rest(client, session_id)
    return session_id


async def test_what_a_person_did_is_a_row_in_the_one_order_and_in_every_export(
    client: httpx.AsyncClient, app: FastAPI
) -> None:
    session_id = await session_with_activities(client, app)
    session = await read(client, session_id)
    activities = session["activities"]
    assert [activity["what"]["kind"] for activity in activities] == ["plan_edited", "drove", "resumed"]
    edited, drove, resumed = (activity["what"] for activity in activities)
    assert (edited["before"], edited["plan"]) == ([], ["Look", "Buy the kettle"])
    assert drove["pages"] == ["https://shop.example/"]
    assert resumed["seconds"] == 0
    numbers = [message["seq"] for message in session["messages"]]
    numbers += [activity["position"] for activity in activities]
    assert len(set(numbers)) == len(numbers)
    path = f"/api/sessions/{session_id}/export?format="
    in_order = [
        "ping test",
        "You changed the plan: added “Look”, “Buy the kettle”",
        "You drove the browser for",
    ]
    in_order += ["slow story", "You resumed it after"]
    for kind in ("md", "html"):
        text = (await client.get(path + kind)).text
        body = text.partition('<section class="steps">')[2] if kind == "html" else text.partition("UTC\n")[2]
        places = [body.index(words) for words in in_order]
        assert places == sorted(places), kind
    exported = (await client.get(path + "json")).json()
    assert [row["what"]["kind"] for row in exported["activities"]] == ["plan_edited", "drove", "resumed"]


async def test_the_stream_tells_an_activity_with_its_number(client: httpx.AsyncClient, app: FastAPI) -> None:
    session_id = await session_with_activities(client, app)
    told = of_type(await read_stream(client, session_id), "activity")
    (resumed,) = (event["activity"] for event in told if event["activity"]["what"]["kind"] == "resumed")
    assert resumed == (await read(client, session_id))["activities"][-1]


async def test_a_branch_says_where_it_comes_from(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client, title="Kettles")
    await send(client, session_id, "ping test")
    session = await wait_for_status(client, session_id, "completed")
    message = session["messages"][-1]["id"]
    made = await client.post(f"/api/sessions/{session_id}/branch", json={"message_id": message})
    branch = await read(client, made.json()["id"])
    (activity,) = branch["activities"]
    assert activity["what"] == {"kind": "branched", "session_id": session_id, "title": "Kettles"}
    assert activity["position"] == branch["messages"][-1]["seq"] + 1
    text = (await client.get(f"/api/sessions/{branch['id']}/export?format=md")).text
    assert "Branched from “Kettles”" in text


async def test_an_edited_message_takes_its_later_activities_away(
    client: httpx.AsyncClient,
) -> None:
    session_id = await new_session(client)
    sent = await send(client, session_id, "ping test")
    await wait_for_status(client, session_id, "completed")
    (await client.put(f"/api/sessions/{session_id}/plan", json={"plan": ["Look"]})).raise_for_status()
    path = f"/api/sessions/{session_id}/messages/{sent['message']['id']}"
    (await client.put(path, json={"content": "ping again"})).raise_for_status()
    assert (await read(client, session_id))["activities"] == []
