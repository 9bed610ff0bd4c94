"""Links that need no login: what their holder reaches, and that one question gets one answer."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.auth import PUBLIC
from server.runtime import Runtime
from server.settings import Settings
from tests.support.chat import ask, new_session, send, wait_for_status
from tests.support.eventually import eventually
from tests.support.receivers import Receiver, receiving
from tests.unit.test_gate_http import WEBHOOK, filled, routes_of

QUESTION = "/api/links/question"
DECISION = f"{QUESTION}/decision"
YES, NO = {"confirmed": True}, {"confirmed": False}


@pytest.fixture
async def receiver(client: httpx.AsyncClient) -> AsyncIterator[Receiver]:
    """A webhook whose messages have links that need no login."""
    async with receiving() as receiver:
        body = {"kind": "webhook", "address": f"{receiver.url}/hook", "links": True}
        assert (await client.post("/api/channels", json=body)).json()["links"]
        yield receiver


async def told(receiver: Receiver, count: int = 1) -> dict[str, Any]:
    found = await eventually(
        lambda: receiver.received, lambda it: len(it) >= count, message="the message has come"
    )
    return dict(json.loads(found[count - 1].body))


async def asked(
    client: httpx.AsyncClient, receiver: Receiver, text: str = "shop for a kettle"
) -> tuple[str, dict[str, str]]:
    """A session with an open question, and the header of the link to it."""
    session_id = await new_session(client, title="Kettle")
    count = len(receiver.received) + 1
    await send(client, session_id, text)
    await wait_for_status(client, session_id, "waiting_user")
    return session_id, holder_of((await told(receiver, count))["link"])


def holder_of(link: str) -> dict[str, str]:
    page, _, secret = link.partition("#")
    assert page == "http://127.0.0.1:8000/q"
    assert len(secret) >= 43  # 256 bits
    return {"pilothouse-link": secret}


async def run_of(client: httpx.AsyncClient, session_id: str) -> dict[str, Any]:
    return dict((await client.get(f"/api/sessions/{session_id}")).json()["run"])


async def test_a_link_shows_its_question_and_answers_it_once(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, receiver: Receiver
) -> None:
    session_id, holder = await asked(client, receiver)
    shown = (await stranger.get(QUESTION, headers=holder)).json()
    assert (shown["session_title"], shown["amount"], shown["status"]) == ("Kettle", "€43.90", "open")
    picture = await stranger.get(f"{QUESTION}/picture", headers=holder)
    assert picture.headers["content-type"].startswith("image/")
    answer = await stranger.post(DECISION, json=YES, headers=holder)
    assert answer.json() == {"reference": shown["reference"], "confirmed": True}
    await wait_for_status(client, session_id, "completed")
    for method, path in (("GET", QUESTION), ("GET", f"{QUESTION}/picture"), ("POST", DECISION)):
        body = NO if method == "POST" else None
        assert (await stranger.request(method, path, json=body, headers=holder)).status_code == 401


async def test_the_start_of_a_run_is_decided_by_a_link_effect_by_effect(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, receiver: Receiver
) -> None:
    session_id = await new_session(client, title="Kettle", ask_first=True)
    await send(client, session_id, "shop for a kettle")
    message = await told(receiver)
    assert (message["kind"], message["action"], message["site"]) == ("start", "Start", "shop.example")
    holder = holder_of(message["link"])
    shown = (await stranger.get(QUESTION, headers=holder)).json()
    assert shown["start"]["effects"] == [{"site": "shop.example", "kind": "order", "count": 1}]
    assert (await stranger.get(f"{QUESTION}/picture", headers=holder)).status_code == 404
    answer = await stranger.post(DECISION, json={"confirmed": True, "effects": []}, headers=holder)
    assert answer.status_code == 202
    later = holder_of((await told(receiver, 2))["link"])  # the order was left out, so it is asked about
    assert (await stranger.get(QUESTION, headers=later)).json()["risk"] == "order"
    assert (await stranger.get(QUESTION, headers=holder)).status_code == 401
    await stranger.post(DECISION, json=YES, headers=later)
    await wait_for_status(client, session_id, "completed")


async def test_fetchers_of_links_decide_nothing_and_do_not_use_it_up(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, receiver: Receiver
) -> None:
    session_id, holder = await asked(client, receiver)
    link = (await told(receiver))["link"]
    for method in ("GET", "HEAD", "OPTIONS"):
        await stranger.request(method, link)  # the client leaves out what is behind #, as every one does
    for _ in range(3):
        assert (await stranger.get(QUESTION, headers=holder)).status_code == 200
    for method in ("GET", "HEAD", "PUT", "DELETE"):
        refused = await stranger.request(method, DECISION, headers=holder)
        assert refused.status_code == 405
    assert (await run_of(client, session_id))["status"] == "waiting_user"
    assert (await stranger.post(DECISION, json=NO, headers=holder)).status_code == 202
    await wait_for_status(client, session_id, "completed")


async def test_double_taps_and_two_devices_at_once_are_one_decision(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, receiver: Receiver
) -> None:
    async with receiving() as second:
        body = {"kind": "webhook", "address": second.url, "links": True}
        await client.post("/api/channels", json=body)
        session_id, holder = await asked(client, receiver)
        other = holder_of((await told(second))["link"])
    assert holder != other
    reference = (await told(receiver))["reference"]
    decision = f"/api/sessions/{session_id}/decision"
    answers = await asyncio.gather(
        stranger.post(DECISION, json=YES, headers=holder), stranger.post(DECISION, json=YES, headers=holder),
        stranger.post(DECISION, json=NO, headers=other),
        client.post(decision, json={"reference": reference, "confirmed": False}),
    )  # fmt: skip
    codes = sorted(answer.status_code for answer in answers)
    assert codes[0] == 202
    assert set(codes[1:]) <= {401, 409}
    await wait_for_status(client, session_id, "completed")
    session = (await client.get(f"/api/sessions/{session_id}")).json()
    (taken,) = [answer for answer in answers if answer.status_code == 202]
    assert session["interrupts"][0]["confirmed"] is taken.json()["confirmed"]


async def test_the_holder_of_a_link_reaches_its_question_and_nothing_else(
    app: FastAPI, client: httpx.AsyncClient, stranger: httpx.AsyncClient, receiver: Receiver
) -> None:
    session_id, holder = await asked(client, receiver)
    other = await new_session(client, title="Another")
    secret = holder["pilothouse-link"]
    logins = [holder, {"authorization": f"Bearer {secret}"}, {"cookie": f"pilothouse-8000={secret}"}]
    open_paths = PUBLIC | {WEBHOOK, QUESTION, f"{QUESTION}/picture", DECISION}
    walked = 0
    for method, path in routes_of(app):
        if method == "WS" or path in open_paths:
            continue
        for place in (session_id, other):
            address = filled(path.replace("{session_id}", place))
            for login in logins:
                answer = await stranger.request(method, address, headers=login)
                assert answer.status_code in (401, 403, 429), (method, path, answer.status_code)
                walked += 1
    assert walked > 180
    assert (await stranger.get(QUESTION, headers=holder)).status_code == 200
    await client.post(f"/api/sessions/{session_id}/cancel")


async def test_the_secret_is_stored_hashed_and_in_no_log(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient, receiver: Receiver, settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    with caplog.at_level(logging.DEBUG):
        _, holder = await asked(client, receiver)
        await stranger.get((await told(receiver))["link"])
        await stranger.get(QUESTION, headers=holder)
        await stranger.post(DECISION, json=NO, headers=holder)
    secret = holder["pilothouse-link"]
    own = [record.getMessage() for record in caplog.records if record.name != "httpx"]  # the client's own log
    assert own
    assert not [line for line in own if secret in line]
    stored = b"".join(file.read_bytes() for file in settings.data_dir.glob("pilothouse.db*"))
    assert secret.encode() not in stored


async def test_only_questions_of_such_a_channel_have_links_and_they_go_with_the_question(
    app: FastAPI, client: httpx.AsyncClient, stranger: httpx.AsyncClient, receiver: Receiver
) -> None:
    world: Runtime = await app.state.starting.runtime()
    session_id, _ = await ask(client, "ping test")
    assert (await told(receiver))["link"] == f"http://127.0.0.1:8000/s/{session_id}"
    manual, holder = await asked(client, receiver, "log in to my mail")
    assert (await stranger.post(DECISION, json={}, headers=holder)).status_code == 422
    assert (
        await stranger.post(DECISION, json={"done": True, "remember": True}, headers=holder)
    ).status_code == 422
    await client.delete(f"/api/sessions/{manual}", params={"purge": True})
    assert (await stranger.get(QUESTION, headers=holder)).status_code == 401
    await world.store.forget_links()
    assert (await stranger.get(QUESTION)).status_code == 401
