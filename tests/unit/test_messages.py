"""One message from acceptance to its terminal event, over the API, in mock mode."""

from __future__ import annotations

import asyncio
import json
import logging

import httpx
import pytest
from fastapi import FastAPI

from server.api.sessions import mark_read
from server.main import create_app
from server.runtime import Runtime
from server.settings import Settings
from tests.conftest import PASSWORD, open_client
from tests.support.chat import ask, new_session, of_type, read, read_stream, send, wait_for_status
from tests.support.eventually import eventually
from tests.support.invariants import check_gone

AGENTS = ("operator", "assistant")
TERMINAL = ("done", "error")
PING = "this is a ping test: do not think, respond as quickly as possible with any noun"


async def wait_for_text(client: httpx.AsyncClient, session_id: str, length: int) -> str:
    """What is streamed of the answer, when it has this many characters."""

    async def streamed() -> str:
        live = (await read(client, session_id))["live"]
        return live["text"] if live else ""

    return await eventually(
        streamed, lambda it: len(it) >= length, message=f"{length} characters are streamed"
    )


@pytest.mark.parametrize("agent", AGENTS)
async def test_a_ping_is_answered_with_a_stored_message(client: httpx.AsyncClient, agent: str) -> None:
    session_id, events = await ask(client, PING, agent=agent)
    done = events[-1]
    assert done["type"] == "done"
    assert done["message"]["content"] == "Harbour"
    session = await read(client, session_id)
    assert [message["role"] for message in session["messages"]] == ["user", "assistant"]
    assert session["messages"][1] == done["message"]
    assert session["run"]["status"] == "completed"


@pytest.mark.parametrize("agent", AGENTS)
async def test_joined_tokens_are_the_stored_text_byte_for_byte(client: httpx.AsyncClient, agent: str) -> None:
    session_id, events = await ask(client, "hello", agent=agent)
    message = events[-1]["message"]
    tokens = of_type(events, "token")
    assert "".join(token["text"] for token in tokens) == message["content"]
    assert {token["message_id"] for token in tokens} == {message["id"]}
    assert (await read(client, session_id))["messages"][-1]["content"] == message["content"]


@pytest.mark.parametrize("agent", AGENTS)
async def test_events_are_numbered_without_gaps_and_end_once(client: httpx.AsyncClient, agent: str) -> None:
    _, events = await ask(client, "think about boats", agent=agent)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["epoch"] for event in events} == {1}
    assert [event["id"] for event in events] == [f"1-{event['seq']}" for event in events]
    assert [event["type"] for event in events if event["type"] in TERMINAL] == ["done"]
    assert events[-1]["type"] == "done"


@pytest.mark.parametrize("agent", AGENTS)
async def test_thinking_comes_before_the_answer_and_is_kept_with_it(
    client: httpx.AsyncClient, agent: str
) -> None:
    session_id, events = await ask(client, "think about boats", agent=agent)
    kinds = [event["type"] for event in events]
    assert kinds.index("thinking") < kinds.index("token")
    answer = (await read(client, session_id))["messages"][-1]
    assert "Archimedes" in answer["meta_json"]["thinking"]
    assert answer["meta_json"]["thinking_ms"] >= 0


async def test_an_answer_at_the_step_limit_says_that_it_is_one(client: httpx.AsyncClient) -> None:
    _, events = await ask(client, "steps please", agent="operator", max_tool_steps=2)
    assert events[-1]["message"]["meta_json"]["outcome"] == "limit"


async def test_after_ten_steps_it_sums_up_asks_and_goes_on_when_told_to(client: httpx.AsyncClient) -> None:
    session_id, first = await ask(client, "steps please", agent="operator")
    await send(client, session_id, "continue")
    for events in (first, await read_stream(client, session_id)):
        assert len(of_type(events, "tool_end")) == 10
        assert events[-1]["message"]["content"].endswith("Shall I go on?")


async def test_a_failure_ends_with_one_error_and_leaves_no_answer(client: httpx.AsyncClient) -> None:
    session_id, events = await ask(client, "error please")
    assert (events[-1]["type"], events[-1]["code"]) == ("error", "llm_unavailable")
    session = await read(client, session_id)
    assert [message["role"] for message in session["messages"]] == ["user"]
    assert (session["run"]["status"], session["run"]["error_code"]) == ("failed", "llm_unavailable")


async def test_every_tool_call_has_an_end_a_picture_and_a_stored_message(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "shop for a kettle")
    session = await wait_for_status(client, session_id, "waiting_user")
    tools = [message for message in session["messages"] if message["role"] == "tool"]
    assert [tool["meta_json"]["name"] for tool in tools] == ["navigate", "click", "click"]
    assert all(None not in tool["meta_json"].values() for tool in tools), "what is not known is left out"
    picture = await client.get(tools[-1]["meta_json"]["screenshot"])
    assert picture.status_code == 200
    assert picture.headers["content-type"] == "image/jpeg"


async def test_the_same_client_id_gives_the_same_answer_and_one_run(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    answers = await asyncio.gather(*(send(client, session_id, PING, client_id="k1") for _ in range(10)))
    assert len({answer["run"]["id"] for answer in answers}) == 1
    await read_stream(client, session_id)
    assert len((await read(client, session_id))["messages"]) == 2
    other = await client.post(
        f"/api/sessions/{session_id}/messages", json={"content": "else", "client_id": "k1"}
    )
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")


async def test_of_two_messages_at_once_one_is_accepted(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    path = f"/api/sessions/{session_id}/messages"
    responses = await asyncio.gather(*(client.post(path, json={"content": "slow story"}) for _ in range(5)))
    assert sorted(response.status_code for response in responses) == [202, 409, 409, 409, 409]
    refused = next(response for response in responses if response.status_code == 409)
    assert refused.json()["code"] == "run_in_progress"
    assert refused.headers["content-type"] == "application/problem+json"


async def test_cancel_ends_with_task_cancelled_and_the_next_message_works(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "slow story")
    await wait_for_status(client, session_id, "running")
    assert (await client.post(f"/api/sessions/{session_id}/cancel")).status_code == 202
    events = await read_stream(client, session_id)
    assert (events[-1]["code"], events[-1]["message"]) == ("cancelled", "Task cancelled")
    session = await read(client, session_id)
    assert (session["run"]["status"], session["run"]["error"]) == ("cancelled", "Task cancelled")
    assert [message["role"] for message in session["messages"]] == ["user"]
    again = await client.post(f"/api/sessions/{session_id}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "run_finished")
    await send(client, session_id, PING)
    assert (await read_stream(client, session_id))[-1]["type"] == "done"


@pytest.mark.parametrize("agent", AGENTS)
async def test_words_that_come_while_the_answer_is_written_are_answered_after_it(
    client: httpx.AsyncClient, agent: str
) -> None:
    session_id = await new_session(client, agent=agent)
    await send(client, session_id, "slow story")
    await wait_for_text(client, session_id, 1)
    await send(client, session_id, PING, mode="steer")
    session = await eventually(
        lambda: read(client, session_id), lambda it: len(it["messages"]) >= 4, message="both are answered"
    )
    story, told, ping, answered = session["messages"]
    assert [said["role"] for said in (story, told, ping, answered)] == ["user", "assistant"] * 2
    assert (ping["content"], answered["content"]) == (PING, "Harbour")
    assert told["run_id"] != answered["run_id"] == ping["run_id"]
    assert (await read_stream(client, session_id))[-1]["message"]["id"] == answered["id"]


async def test_a_queued_message_runs_next_and_comes_last(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    await send(client, session_id, "slow story")
    queued = await send(client, session_id, PING, mode="queue")
    await client.post(f"/api/sessions/{session_id}/cancel")
    session = await eventually(
        lambda: read(client, session_id),
        lambda it: it["messages"][-1]["role"] == "assistant",
        message="the queued message is answered",
    )
    assert session["run"]["id"] == queued["run"]["id"]
    assert [message["content"] for message in session["messages"]] == ["slow story", PING, "Harbour"]


async def test_each_run_has_a_stream_of_its_own_also_while_it_waits(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    first = await send(client, session_id, "slow story")
    queued = await send(client, session_id, PING, mode="queue")
    runs = [run["run"]["id"] for run in (first, queued)]
    streams = [asyncio.create_task(read_stream(client, session_id, run_id=run_id)) for run_id in runs]
    await client.post(f"/api/sessions/{session_id}/cancel")
    ended = await asyncio.gather(*streams)
    ended.append(await read_stream(client, session_id, run_id=runs[0]))
    assert [{event["run_id"] for event in told} for told in ended] == [
        {run_id} for run_id in (*runs, runs[0])
    ]
    assert [told[-1]["type"] for told in ended] == ["error", "done", "error"]


async def test_the_last_message_can_be_changed_and_a_failed_run_tried_again(
    client: httpx.AsyncClient,
) -> None:
    session_id, _ = await ask(client, "error please")
    assert (await client.post(f"/api/sessions/{session_id}/retry")).status_code == 202
    assert (await read_stream(client, session_id))[-1]["type"] == "error"
    message_id = (await read(client, session_id))["messages"][0]["id"]
    edited = await client.put(f"/api/sessions/{session_id}/messages/{message_id}", json={"content": PING})
    assert edited.status_code == 202
    assert (await read_stream(client, session_id))[-1]["type"] == "done"
    assert [message["content"] for message in (await read(client, session_id))["messages"]] == [
        PING,
        "Harbour",
    ]


async def test_a_branch_has_the_messages_up_to_the_chosen_one(client: httpx.AsyncClient) -> None:
    session_id, _ = await ask(client, PING)
    message_id = (await read(client, session_id))["messages"][0]["id"]
    branch = (await client.post(f"/api/sessions/{session_id}/branch", json={"message_id": message_id})).json()
    assert branch["id"] != session_id
    assert [m["content"] for m in (await read(client, branch["id"]))["messages"]] == [PING]


@pytest.mark.parametrize("content", ["", "   ", "a\0b", "\ud800"])
async def test_bad_text_is_refused_with_a_problem(client: httpx.AsyncClient, content: str) -> None:
    session_id = await new_session(client)
    body = (
        b'{"content": "\\ud800"}'
        if content == "\ud800"
        else httpx.Request("POST", "http://x", json={"content": content}).content
    )
    response = await client.post(
        f"/api/sessions/{session_id}/messages", content=body, headers={"content-type": "application/json"}
    )
    assert response.status_code == 422
    body = response.json()
    assert body.keys() - {"detail_parts"} == {"title", "status", "code", "detail", "request_id"}


async def test_a_message_over_64_kilobytes_is_too_large(client: httpx.AsyncClient) -> None:
    session_id = await new_session(client)
    response = await client.post(f"/api/sessions/{session_id}/messages", json={"content": "x" * 65_537})
    assert (response.status_code, response.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize(("letter", "size"), [("x", 1), ("ж", 2), ("語", 3), ("🧭", 4)])
async def test_a_message_is_measured_in_bytes_and_the_limit_is_told(
    client: httpx.AsyncClient, letter: str, size: int
) -> None:
    limit = (await client.get("/api/config")).json()["limits"]["message_bytes"]
    session_id = await new_session(client)
    for letters, status in ((limit // size, 202), (limit // size + 1, 413)):
        sent = await client.post(f"/api/sessions/{session_id}/messages", json={"content": letter * letters})
        assert sent.status_code == status
        await client.post(f"/api/sessions/{session_id}/cancel")


@pytest.mark.parametrize("letter", ["x", "ж", "語", "🧭"])
async def test_a_message_of_the_characters_that_config_names_always_fits(
    client: httpx.AsyncClient, letter: str
) -> None:
    limit = (await client.get("/api/config")).json()["limits"]["message_chars"]
    session_id = await new_session(client)
    sent = await client.post(f"/api/sessions/{session_id}/messages", json={"content": letter * limit})
    assert sent.status_code == 202


async def test_odd_text_is_stored_and_returned_byte_equal(client: httpx.AsyncClient) -> None:
    odd = "ping test \u202e bidi 👩‍👩‍👧 \x07 " + "line\r\n" * 3
    session_id, _ = await ask(client, odd)
    assert (await read(client, session_id))["messages"][0]["content"] == odd


async def test_delete_ends_the_run_archives_and_purge_leaves_nothing(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    session_id = await new_session(client)
    given = {"file": ("letter.txt", b"canary")}
    assert (await client.post(f"/api/sessions/{session_id}/files", files=given)).status_code == 201
    await send(client, session_id, "shop for a kettle, Canary")
    await wait_for_status(client, session_id, "waiting_user")
    assert (await client.delete(f"/api/sessions/{session_id}")).status_code == 204
    session = await read(client, session_id)
    assert session["archived_at"]
    assert session["run"]["error"] == "Task cancelled"
    assert session_id not in [item["id"] for item in (await client.get("/api/sessions")).json()["items"]]
    assert (await client.delete(f"/api/sessions/{session_id}?purge=true")).status_code == 204
    assert (await client.get(f"/api/sessions/{session_id}")).status_code == 404
    assert (await client.delete(f"/api/sessions/{session_id}?purge=true")).status_code == 404
    check_gone(settings.data_dir / "pilothouse.db", session_id)
    left = [path for path in settings.data_dir.rglob("*") if session_id in path.parts]
    files = [path for path in settings.data_dir.rglob("*") if path.is_file()]
    assert not left + [path for path in files if b"canary" in path.read_bytes().lower()]


async def test_one_element_can_be_looked_at_closer_by_hand(client: httpx.AsyncClient) -> None:
    address = f"/api/sessions/{await new_session(client)}/browser"
    await client.post(f"{address}/launch", json={"url": "https://shop.example/"})
    seen = (await client.post(f"{address}/observe")).json()
    looks = [{"target": seen["interactive"][0]["eid"]}, {"target": "e99"}, {}]
    closer = [await client.post(f"{address}/observe", json={"mode": "focused", **look}) for look in looks]
    assert [answer.status_code for answer in closer] == [200, 404, 422]
    assert (seen["mode"], closer[0].json()["mode"]) == ("main", "focused")


async def test_a_new_session_of_a_purged_ones_id_knows_nothing_of_it(client: httpx.AsyncClient) -> None:
    address = f"/api/sessions/{await new_session(client, id='again')}"
    await client.post(f"{address}/browser/launch", json={"url": "https://shop.example/"})
    seen = (await client.post(f"{address}/browser/observe")).json()["interactive"][0]["eid"]
    await client.delete(f"{address}?purge=true")
    await new_session(client, id="again")
    clicked = await client.post(f"{address}/browser/click", json={"eid": seen})
    assert (clicked.status_code, clicked.json()["code"]) == (404, "eid_unknown")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "", {"titel": "Kettle"}), ("PATCH", "/s", {"pin": True}), ("PUT", "/s/plan", {"plan": [], "x": 1}),
        ("POST", "/s/messages", {"content": "hi", "clientId": "a"}), ("POST", "/s/decision", {"ref": "r", "done": True}),
        ("POST", "/s/branch", {"message_id": "m", "x": 1}), ("POST", "/s/browser/click", {"eid": "e1", "sure": True}),
        ("POST", "/s/browser/launch", {"address": "https://a.example"}), ("POST", "/s/browser/wait", {"seconds": 1}),
    ],
)  # fmt: skip
async def test_a_field_that_is_not_known_is_refused(
    client: httpx.AsyncClient, method: str, path: str, body: dict[str, object]
) -> None:
    await new_session(client, id="s")
    refused = await client.request(method, f"/api/sessions{path}", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid")


def test_every_body_of_a_request_refuses_what_it_does_not_know(app: FastAPI) -> None:
    schemas = app.openapi()["components"]["schemas"]
    operations = [one for path in app.openapi()["paths"].values() for one in path.values()]
    bodies = {
        name for name in schemas for one in operations if f'/{name}"' in json.dumps(one.get("requestBody"))
    }
    assert len(bodies) > 14
    is_open = {name for name in bodies if schemas[name].get("additionalProperties") is not False}
    assert {name for name in is_open if not name.startswith("Body_upload")} == set()


async def test_stored_events_are_empty_on_purpose(client: httpx.AsyncClient) -> None:
    session_id, _ = await ask(client, PING)
    assert (await client.get(f"/api/sessions/{session_id}/events")).json() == []


@pytest.mark.parametrize("agent", AGENTS)
async def test_an_answer_in_the_making_is_nowhere_in_the_database(
    settings: Settings, client: httpx.AsyncClient, agent: str
) -> None:
    """What is streamed is in memory only; what is complete is a row."""
    session_id = await new_session(client, agent=agent)
    await send(client, session_id, "slow story")
    text = await wait_for_text(client, session_id, 100)
    phrase = " ".join(text.split()[:3])
    kept = b"".join(path.read_bytes() for path in settings.data_dir.glob("pilothouse.db*"))
    assert b"slow story" in kept
    assert phrase.encode() not in kept
    assert (await client.post(f"/api/sessions/{session_id}/cancel")).status_code == 202


async def test_search_finds_titles_and_message_text(client: httpx.AsyncClient) -> None:
    first, _ = await ask(client, PING)
    second = await new_session(client, title="Выбор чайника")
    for query, expected in (("harb", first), ("чайн", second), ('ping "test', first)):
        items = (await client.get("/api/sessions", params={"q": query})).json()["items"]
        assert [item["id"] for item in items] == [expected]
    assert (await client.get("/api/sessions", params={"q": '"*('})).json()["items"] == []


async def test_search_shows_the_newest_message_that_says_it_cut_to_where_it_does(
    client: httpx.AsyncClient,
) -> None:
    said = "a " * 2000 + "ping the harbour " + "b " * 2000
    session_id, _ = await ask(client, said)
    titled = await new_session(client, title="Pingpong")
    items = (await client.get("/api/sessions", params={"q": "ping"})).json()["items"]
    matches = {item["id"]: item["match"] for item in items}
    assert matches[titled] is None
    assert "ping the harbour" in matches[session_id]["content"]
    assert len(matches[session_id]["content"]) <= 400
    assert (await client.get("/api/sessions")).json()["items"][0]["match"] is None


async def test_how_earlier_runs_failed_can_still_be_read(client: httpx.AsyncClient) -> None:
    session_id, events = await ask(client, "error please")
    failed = (await read(client, session_id))["run"]
    expected = {
        "run_id": failed["id"], "status": "failed", "code": events[-1]["code"],
        "message": events[-1]["message"], "message_parts": events[-1]["message_parts"], "finished_at": failed["finished_at"], "position": 2,
    }  # fmt: skip
    await send(client, session_id, PING)
    await read_stream(client, session_id)
    session = await read(client, session_id)
    assert session["run"]["status"] == "completed"
    assert session["errors"] == [expected]


async def test_a_run_that_was_tried_again_leaves_no_error_behind(client: httpx.AsyncClient) -> None:
    session_id, _ = await ask(client, "error please")
    message_id = (await read(client, session_id))["messages"][0]["id"]
    await client.put(f"/api/sessions/{session_id}/messages/{message_id}", json={"content": PING})
    await read_stream(client, session_id)
    assert (await read(client, session_id))["errors"] == []


async def test_that_a_session_was_read_is_told_to_all_who_watch_the_list(world: Runtime) -> None:
    session = await world.store.create_session(
        id="s", title="", agent="operator", model="m", max_tool_steps=10
    )
    await world.store.change_session(session.id, unread=True)
    watcher = world.bus.watch()
    change = asyncio.ensure_future(anext(watcher))
    await asyncio.sleep(0)
    await mark_read(session.id, world)
    async with asyncio.timeout(60):
        assert [(told.session_id, told.unread) for told in await change] == [("s", False)]
    await watcher.aclose()


@pytest.mark.parametrize("agent", ["operator", "assistant"])
@pytest.mark.parametrize("wanted", [True, False])
async def test_thoughts_are_logged_for_both_agents_only_when_wanted(
    settings: Settings, caplog: pytest.LogCaptureFixture, agent: str, wanted: bool
) -> None:
    app = create_app(settings.model_copy(update={"log_thoughts": wanted}))
    headers = {"authorization": f"Bearer {PASSWORD}"}
    with caplog.at_level(logging.INFO, "server"):
        async with app.router.lifespan_context(app), open_client(app, headers) as client:
            await ask(client, "think about boats", agent=agent)
    assert ("thinks: The person asks about boats. Archimedes helps." in caplog.text) == wanted
