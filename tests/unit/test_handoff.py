"""Hand-off: a link that gives one session's browser to the first who opens it, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from server.auth import PUBLIC
from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD
from tests.unit.test_gate_http import HOST, WEBHOOK, filled, routes_of

OWNER = {"authorization": f"Bearer {PASSWORD}"}
OPEN, HELD = "/api/links/handoff/open", "/api/links/handoff"


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    return create_app(settings)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """Not logged in."""
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        for session_id in ("shop", "other"):
            client.post("/api/sessions", json={"id": session_id}, headers=OWNER).raise_for_status()
        yield client


def hand_off(client: TestClient, session_id: str = "shop", minutes: int = 10) -> str:
    """The secret of a new link."""
    path = f"/api/sessions/{session_id}/handoff"
    answer = client.post(path, json={"minutes": minutes}, headers=OWNER)
    assert answer.status_code == 201, answer.text
    page, _, secret = answer.json()["link"].partition("#")
    assert page == "http://127.0.0.1:8000/h"
    assert len(secret) >= 43  # 256 bits
    return str(secret)


def with_link(secret: str) -> dict[str, str]:
    return {"pilothouse-link": secret}


def opened(client: TestClient, secret: str) -> str:
    """The token of the device that opens it."""
    answer = client.post(OPEN, headers=with_link(secret))
    assert answer.status_code == 200, answer.text
    return str(answer.json()["token"])


def live(client: TestClient, token: str, session_id: str = "shop") -> WebSocketTestSession:
    return client.websocket_connect(
        f"/api/links/live/{session_id}", subprotocols=["pilothouse", token], headers=dict(HOST)
    )  # a copy, which the client adds to


def until(socket: WebSocketTestSession, **fields: Any) -> dict[str, Any]:
    """The next state with these fields."""
    while True:
        told = socket.receive_json()
        if told["type"] == "frame":
            socket.receive_bytes()
            socket.send_json({"type": "ack"})
        if told["type"] == "state" and fields.items() <= told.items():
            return dict(told)


def closing_code(socket: WebSocketTestSession) -> int:
    while (message := socket.receive())["type"] != "websocket.close":
        pass
    return int(message["code"])


def test_a_link_is_opened_once_and_drives_the_browser_until_it_is_handed_back(client: TestClient) -> None:
    secret = hand_off(client)
    token = opened(client, secret)
    assert client.post(OPEN, headers=with_link(secret)).status_code == 401
    assert client.get(HELD, headers=with_link(secret)).status_code == 401
    assert client.get(HELD, headers=with_link(token)).json()["session_id"] == "shop"
    with live(client, token) as socket:
        socket.send_json({"type": "take"})
        until(socket, holder="me")
        socket.send_json({"type": "release", "note": "done"})
        until(socket, held=False)
        assert closing_code(socket) == 4401
    assert client.get(HELD, headers=with_link(token)).status_code == 401
    assert client.get("/api/sessions/shop/handoff", headers=OWNER).json() == {"items": []}
    with live(client, token) as socket:
        assert closing_code(socket) == 4401
    (drove,) = client.get("/api/sessions/shop", headers=OWNER).json()["activities"]
    assert (drove["what"]["kind"], drove["what"]["was_handed_off"]) == ("drove", True)


def test_revoked_it_ends_at_once_and_the_browser_waits_for_its_owner(client: TestClient) -> None:
    token = opened(client, hand_off(client))
    (shown,) = client.get("/api/sessions/shop/handoff", headers=OWNER).json()["items"]
    assert shown["opened_at"] is not None
    with live(client, token) as socket:
        socket.send_json({"type": "take"})
        until(socket, holder="me")
        assert client.delete("/api/sessions/shop/handoff", headers=OWNER).status_code == 204
        assert closing_code(socket) == 4401
    with client.websocket_connect("/api/sessions/shop/live", headers=HOST | OWNER) as owner:
        until(owner, holder="none", held=True)
        owner.send_json({"type": "take"})
        until(owner, holder="me")
        owner.send_json({"type": "release"})
        until(owner, holder="none")


def test_it_ends_when_its_time_is_over(client: TestClient, settings: Settings) -> None:
    secret = hand_off(client)
    token = opened(client, hand_off(client, "other"))
    with live(client, token, "other") as socket:
        until(socket, holder="none")
        with closing(sqlite3.connect(settings.data_dir / "pilothouse.db", timeout=30)) as db:
            db.execute("UPDATE handoffs SET expires_at = '2026-01-01 00:00:00.000000'")
            db.commit()
        assert closing_code(socket) == 4401
    assert client.post(OPEN, headers=with_link(secret)).status_code == 401
    assert client.get(HELD, headers=with_link(token)).status_code == 401


def test_a_new_link_ends_the_former(client: TestClient) -> None:
    former = hand_off(client)
    token = opened(client, hand_off(client))
    assert client.post(OPEN, headers=with_link(former)).status_code == 401
    hand_off(client)
    assert client.get(HELD, headers=with_link(token)).status_code == 401


def test_fetchers_of_links_do_not_use_it_up(client: TestClient) -> None:
    secret = hand_off(client)
    for method in ("GET", "HEAD", "OPTIONS"):
        client.request(method, f"/h#{secret}")
        client.request(method, OPEN, headers=with_link(secret))
    opened(client, secret)


@pytest.mark.parametrize("minutes", [0, 241, "ten", None])
def test_its_time_is_limited(client: TestClient, minutes: object) -> None:
    answer = client.post("/api/sessions/shop/handoff", json={"minutes": minutes}, headers=OWNER)
    assert answer.status_code == 422
    assert client.post("/api/sessions/none/handoff", json={"minutes": 5}, headers=OWNER).status_code == 404


def test_the_holder_reaches_the_live_view_of_this_session_and_nothing_else(
    client: TestClient, app: FastAPI, settings: Settings
) -> None:
    secret = hand_off(client)
    token = opened(client, secret)
    walked = 0
    for value in (secret, token):
        logins = [
            with_link(value),
            {"authorization": f"Bearer {value}"},
            {"cookie": f"pilothouse-8000={value}"},
        ]
        for method, path in routes_of(app):
            if path in PUBLIC | {WEBHOOK} or (path == HELD and value == token):
                continue
            for place in ("shop", "other"):
                if path == "/api/links/live/{session_id}" and (place, value) == ("shop", token):
                    continue
                address = filled(path.replace("{session_id}", place))
                for login in logins:
                    assert refused(client, method, address, login, value), (method, path)
                    walked += 1
    assert walked > 400
    stored = b"".join(file.read_bytes() for file in settings.data_dir.glob("pilothouse.db*"))
    assert secret.encode() not in stored
    assert token.encode() not in stored
    with live(client, token) as socket:
        until(socket, holder="none")
        client.delete("/api/sessions/shop/handoff", headers=OWNER).raise_for_status()
        assert closing_code(socket) == 4401


def refused(client: TestClient, method: str, address: str, login: dict[str, str], value: str) -> bool:
    if method != "WS":
        return client.request(method, address, headers=login).status_code in (401, 403, 429)
    try:
        with client.websocket_connect(
            address, subprotocols=["pilothouse", value], headers=HOST | login
        ) as socket:
            return closing_code(socket) in (4401, 1008)
    except WebSocketDisconnect as closed:  # before it was accepted
        return closed.code in (4401, 1008)


@pytest.mark.parametrize("purge", [True, False])
def test_it_goes_with_its_session(client: TestClient, purge: bool) -> None:
    token = opened(client, hand_off(client))
    client.delete("/api/sessions/shop", params={"purge": purge}, headers=OWNER).raise_for_status()
    assert client.get(HELD, headers=with_link(token)).status_code == 401


def test_a_guest_cannot_take_the_browser_while_its_owner_has_it(client: TestClient) -> None:
    token = opened(client, hand_off(client))
    with client.websocket_connect("/api/sessions/shop/live", headers=HOST | OWNER) as owner:
        owner.send_json({"type": "take"})
        until(owner, holder="me")
        with live(client, token) as guest:
            guest.send_json({"type": "take"})
            while (told := guest.receive_json())["type"] != "error":
                if told["type"] == "frame":
                    guest.receive_bytes()
                    guest.send_json({"type": "ack"})
            assert told["code"] == "takeover_held"
            owner.send_json({"type": "release"})
            until(owner, holder="none")
            guest.send_json({"type": "take"})
            until(guest, holder="me")
