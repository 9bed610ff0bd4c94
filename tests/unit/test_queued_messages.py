"""A queued message can be changed, taken back and passed to the run in progress, until its run begins."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from server.runtime import Runtime
from tests.support.chat import new_session, read, send, wait_for_status
from tests.support.eventually import eventually


async def queued(client: httpx.AsyncClient, **more: Any) -> tuple[str, dict[str, Any]]:
    """A session with an endless run and a message behind it."""
    session_id = await new_session(client)
    await send(client, session_id, "endless story")
    await wait_for_status(client, session_id, "running")
    message = (await send(client, session_id, "ping test", mode="queue", **more))["message"]
    assert message["meta_json"]["mode"] == "queue"
    return session_id, message


def path_of(session_id: str, message: dict[str, Any]) -> str:
    return f"/api/sessions/{session_id}/messages/{message['id']}"


async def test_a_queued_message_is_changed_where_it_is(client: httpx.AsyncClient) -> None:
    session_id, message = await queued(client)
    answer = await client.put(path_of(session_id, message), json={"content": "think about boats"})
    assert (answer.status_code, answer.json()["message"]["seq"]) == (202, message["seq"])
    await client.post(f"/api/sessions/{session_id}/cancel")
    session = await wait_for_status(client, session_id, "completed")
    assert "Boats float" in session["messages"][-1]["content"]
    assert session["messages"][-2]["meta_json"] is None


async def test_a_message_that_is_taken_back_is_never_done(client: httpx.AsyncClient) -> None:
    session_id, message = await queued(client)
    assert (await client.delete(path_of(session_id, message))).status_code == 204
    await client.post(f"/api/sessions/{session_id}/cancel")
    session = await wait_for_status(client, session_id, "cancelled")
    assert [one["content"] for one in session["messages"]] == ["endless story"]
    again = await client.delete(path_of(session_id, message))
    assert (again.status_code, again.json()["code"]) == (409, "not_queued")


async def test_a_queued_message_becomes_a_word_to_the_run(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "slow steps")
    await wait_for_status(client, session_id, "running")
    message = (await send(client, session_id, "only red ones", mode="queue"))["message"]
    answer = await client.post(path_of(session_id, message) + "/steer")
    assert answer.status_code == 202
    session = await eventually(
        lambda: read(client, session_id),
        lambda it: next(m for m in it["messages"] if m["id"] == message["id"])["meta_json"].get("heard"),
        message="the agent has read it",
    )
    steered = next(one for one in session["messages"] if one["id"] == message["id"])
    assert steered["run_id"] == session["run"]["id"]
    await client.post(f"/api/sessions/{session_id}/cancel")
    session = await wait_for_status(client, session_id, "cancelled")
    assert len({one["run_id"] for one in session["messages"]}) == 1


@pytest.mark.parametrize("call", [("DELETE", ""), ("POST", "/steer")])
async def test_what_has_begun_is_not_queued_any_more(
    client: httpx.AsyncClient, call: tuple[str, str]
) -> None:
    session_id = await new_session(client)
    message = (await send(client, session_id, "endless story"))["message"]
    method, end = call
    answer = await client.request(method, path_of(session_id, message) + end)
    assert (answer.status_code, answer.json()["code"]) == (409, "not_queued")
    foreign = await client.request(method, path_of(await new_session(client), message) + end)
    assert (foreign.status_code, foreign.json()["code"]) == (409, "not_queued")
    await client.post(f"/api/sessions/{session_id}/cancel")


async def test_what_asks_for_a_table_stays_a_task_of_its_own(client: httpx.AsyncClient) -> None:
    schema = {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}
    session_id, message = await queued(client, result_schema=schema)
    answer = await client.post(path_of(session_id, message) + "/steer")
    assert (answer.status_code, answer.json()["code"]) == (422, "result_schema_misplaced")
    await client.delete(path_of(session_id, message))
    await client.post(f"/api/sessions/{session_id}/cancel")


async def test_the_agent_of_an_earlier_run_does_not_get_queued_messages(world: Runtime) -> None:
    store = world.store
    session = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=10)
    first = await store.accept(session.id, "one")
    await store.accept(session.id, "two", mode="queue")
    begun = await store.begin_execution(first.run.id)
    assert begun
    assert [message.content for message in begun.messages] == ["one"]


async def test_a_branch_has_no_queued_messages(client: httpx.AsyncClient) -> None:
    session_id, message = await queued(client)
    branch = await client.post(f"/api/sessions/{session_id}/branch", json={"message_id": message["id"]})
    copied = await read(client, branch.json()["id"])
    assert [one["content"] for one in copied["messages"]] == ["endless story"]
    await client.delete(path_of(session_id, message))
    await client.post(f"/api/sessions/{session_id}/cancel")
