"""The gate: nothing without a login but an explicit list, and nothing from elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient
from starlette.types import Message
from starlette.websockets import WebSocketDisconnect

from server.api.sse import EventStream
from server.auth import PUBLIC, limit_body
from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD

ORIGIN = {"origin": "http://127.0.0.1:8000"}
HOST = {"host": "127.0.0.1:8000"}


def routes_of(app: FastAPI) -> list[tuple[str, str]]:
    """Every (method, path) of the app, included routers and all."""
    found: list[tuple[str, str]] = []

    def collect(routes: list[object]) -> None:
        for route in routes:
            if isinstance(route, APIRoute):
                found.extend((method, route.path) for method in route.methods)
            elif isinstance(route, APIWebSocketRoute):
                found.append(("WS", route.path))
            else:
                collect(list(getattr(getattr(route, "original_router", None), "routes", [])))

    collect(list(app.routes))
    return found


def filled(path: str) -> str:
    return path.replace("{", "").replace("}", "")


async def test_every_route_but_the_public_ones_asks_for_a_login(
    app: FastAPI, stranger: httpx.AsyncClient
) -> None:
    paths = {(method, path) for method, path in routes_of(app) if method != "WS"}
    assert len(paths) > 30
    for method, path in paths:
        response = await stranger.request(method, filled(path))
        expected = path not in PUBLIC
        assert (response.status_code == 401) == expected, (method, path, response.status_code)


async def test_every_socket_is_closed_with_4401_without_a_login(app: FastAPI, settings: Settings) -> None:
    sockets = [path for method, path in routes_of(app) if method == "WS"]
    assert sockets
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as client:
        for path in sockets:
            with (
                pytest.raises(WebSocketDisconnect) as closed,
                client.websocket_connect(filled(path), headers=HOST) as socket,
            ):
                socket.receive_text()
            assert closed.value.code == 4401


async def test_openapi_is_not_open_to_the_world(stranger: httpx.AsyncClient) -> None:
    assert (await stranger.get("/openapi.json")).status_code == 401


async def test_login_gives_a_strict_cookie_that_logout_ends(stranger: httpx.AsyncClient) -> None:
    response = await stranger.post("/api/auth/login", json={"password": PASSWORD}, headers=ORIGIN)
    assert response.status_code == 204
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert (await stranger.get("/api/auth/me")).status_code == 200
    kept = dict(stranger.cookies)
    assert (await stranger.post("/api/auth/logout", headers=ORIGIN)).status_code == 204
    stranger.cookies.update(kept)
    assert (await stranger.get("/api/auth/me")).status_code == 401


async def test_five_wrong_passwords_lock_the_peer_out_but_nobody_who_is_in(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    for number in range(5):
        headers = ORIGIN | {"x-forwarded-for": f"10.0.0.{number}"}
        assert (
            await stranger.post("/api/auth/login", json={"password": "x"}, headers=headers)
        ).status_code == 401
    locked = await stranger.post("/api/auth/login", json={"password": PASSWORD}, headers=ORIGIN)
    assert locked.status_code == 429
    assert int(locked.headers["retry-after"]) > 0
    assert (await client.get("/api/auth/me")).status_code == 200


async def test_a_wrong_token_is_refused_and_counted(stranger: httpx.AsyncClient) -> None:
    statuses = []
    for _ in range(7):
        response = await stranger.get("/api/sessions", headers={"authorization": "Bearer nope"})
        statuses.append(response.status_code)
    assert statuses == [401] * 5 + [429] * 2


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1.evil.example", "http://["],
)
async def test_a_foreign_origin_may_change_nothing(client: httpx.AsyncClient, origin: str) -> None:
    response = await client.post("/api/sessions", json={}, headers={"origin": origin})
    assert (response.status_code, response.json()["code"]) == (403, "origin")


async def test_a_cookie_without_an_origin_may_change_nothing(stranger: httpx.AsyncClient) -> None:
    await stranger.post("/api/auth/login", json={"password": PASSWORD}, headers=ORIGIN)
    assert (await stranger.post("/api/sessions", json={})).status_code == 403
    assert (await stranger.post("/api/sessions", json={}, headers=ORIGIN)).status_code == 201


async def test_a_program_that_still_has_a_cookie_can_log_in_anew(stranger: httpx.AsyncClient) -> None:
    for password, status in ((PASSWORD, 204), (PASSWORD, 204), ("x", 401)):
        assert (await stranger.post("/api/auth/login", json={"password": password})).status_code == status
    foreign = {"origin": "http://evil.example"}
    refused = await stranger.post("/api/auth/login", json={"password": PASSWORD}, headers=foreign)
    assert refused.status_code == 403


async def test_a_foreign_origin_gets_no_socket(settings: Settings) -> None:
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000") as client:
        headers = HOST | {"authorization": f"Bearer {PASSWORD}", "origin": "http://evil.example"}
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/ws/any", headers=headers):
            pass


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.nip.io", ""])
async def test_an_unknown_host_name_is_refused(client: httpx.AsyncClient, host: str) -> None:
    response = await client.get("/api/sessions", headers={"host": host})
    assert (response.status_code, response.json()["code"]) == (403, "host")


async def test_a_socket_with_a_cookie_must_tell_its_origin(settings: Settings) -> None:
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000", headers=HOST) as client:
        client.post("/api/auth/login", json={"password": PASSWORD}, headers=ORIGIN)
        with (
            pytest.raises(WebSocketDisconnect) as refused,
            client.websocket_connect("ws://127.0.0.1:8000/ws/any"),
        ):
            pass
        assert refused.value.code == 1008


@pytest.mark.parametrize("path", ["/ws/s", "/api/sessions/s/live"])
@pytest.mark.parametrize("frame", ['{"type": "take"}', None])
async def test_a_logout_ends_open_sockets_and_what_they_still_ask_for(
    settings: Settings, path: str, frame: str | None
) -> None:
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8000", headers=HOST | ORIGIN) as client:
        client.post("/api/auth/login", json={"password": PASSWORD})
        client.post("/api/sessions", json={"id": "s"})
        with client.websocket_connect(f"ws://127.0.0.1:8000{path}") as socket:
            assert socket.receive()["type"] == "websocket.send"
            client.post("/api/auth/logout")
            if frame:
                socket.send_text(frame)
            while (told := socket.receive())["type"] == "websocket.send":
                assert frame is None or '"me"' not in told["text"]
            assert told["code"] == 4401


async def test_a_logout_ends_open_streams() -> None:
    async def source() -> AsyncIterator[bytes]:
        yield b"before"
        logins.clear()
        yield b"after"

    logins = ["cookie"]
    stream = EventStream(source(), is_allowed=lambda: bool(logins))
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=stream), base_url="http://127.0.0.1:8000"
    ) as client:
        assert (await client.get("/")).text == "before"


async def test_there_are_no_cors_headers(client: httpx.AsyncClient) -> None:
    response = await client.get("/api/sessions", headers={"origin": "http://evil.example"})
    assert not [name for name in response.headers if name.startswith("access-control")]


async def test_a_body_that_is_too_large_is_refused_before_it_is_read(client: httpx.AsyncClient) -> None:
    response = await client.post("/api/sessions", content=b"x" * 1_000_001)
    assert response.status_code == 413

    async def endless():  # type: ignore[no-untyped-def]
        for _ in range(30):
            yield b"x" * 100_000

    assert (await client.post("/api/sessions", content=endless())).status_code == 413


async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    parts: asyncio.Queue[Message] = asyncio.Queue()
    scope = {"type": "http", "path": "/api/auth/login"}
    receive = limit_body(scope, Headers(), parts.get, patience=0.05)
    parts.put_nowait({"type": "http.request", "body": b"{", "more_body": True})
    assert (await receive())["body"] == b"{"
    with pytest.raises(HTTPException) as caught:
        await receive()
    assert caught.value.status_code == 408
    parts.put_nowait({"type": "http.request", "body": b"}"})
    assert (await receive())["body"] == b"}"
    leaving = asyncio.create_task(
        receive()
    )  # the body is there: what is waited for now is the client's leaving
    assert not (await asyncio.wait({leaving}, timeout=0.2))[0]
    leaving.cancel()


async def test_errors_are_problems_that_echo_nothing(client: httpx.AsyncClient) -> None:
    for content in (b'{"title": NaN}', b"{", b'{"title": "\\ud800"}', b"[" * 100_000):
        response = await client.post(
            "/api/sessions", content=content, headers={"content-type": "application/json"}
        )
        assert 400 <= response.status_code < 500, content[:20]
        assert response.headers["content-type"] == "application/problem+json"
    odd_name = await client.patch("/api/settings", content=b'{"\\ud800": 1, "\\u0000": 1}')
    assert odd_name.status_code == 422
