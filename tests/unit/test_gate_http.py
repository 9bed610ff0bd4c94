"""The gate: nothing without a login but an explicit list, and nothing from elsewhere."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

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
from server.auth import PUBLIC, Logins, limit_body, load_password
from server.errors import TooMany, Unauthorized
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


async def test_a_login_survives_a_restart_but_not_another_password(tmp_path: Path) -> None:
    cookie = Logins("one", tmp_path).log_in("one", "peer")
    assert Logins("one", tmp_path).is_valid(cookie)
    assert not Logins("two", tmp_path).is_valid(cookie)
    assert not Logins("one", tmp_path).is_valid(cookie[:-1] + ("0" if cookie[-1] != "0" else "1"))
    for odd in ("", ".", "..", "9999999999.x.", "²34.a.b", f"{'9' * 5000}.a.b"):
        assert not Logins("one", tmp_path).is_valid(odd)


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


async def test_sixty_failures_of_many_peers_lock_the_login_for_a_minute(tmp_path: Path) -> None:
    logins = Logins("right", tmp_path)
    for number in range(60):
        with pytest.raises(Unauthorized):
            logins.log_in("wrong", f"10.0.0.{number}")
    for password in ("wrong", "right"):
        with pytest.raises(TooMany) as locked:
            logins.log_in(password, "10.0.1.1")
        assert 0 < (locked.value.retry_after or 0) <= 60
    logins.attempts.check("10.0.1.1", time.monotonic() + 61)


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


async def test_a_public_bind_needs_a_password(tmp_path: Path) -> None:
    public = Settings.model_validate({"host": "0.0.0.0", "data_dir": tmp_path})
    with pytest.raises(ValueError, match="AUTH_TOKEN"):
        load_password(public)


async def test_on_loopback_a_password_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    local = Settings.model_validate({"data_dir": tmp_path})
    password, is_new = load_password(local)
    assert is_new
    assert load_password(local) == (password, False)
    assert (tmp_path / "auth_token").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["auth_token", "cookie_secret"])
def test_an_empty_file_is_no_secret(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()  # as a disk that was full leaves it
    password, _ = load_password(Settings.model_validate({"data_dir": tmp_path}))
    assert password
    Logins(password, tmp_path)
    assert len((tmp_path / name).read_text().strip()) >= 16
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_a_login_ends_after_its_thirty_days(tmp_path: Path) -> None:
    moment = 1_000_000.0
    logins = Logins("right", tmp_path, lambda: moment)
    cookie = logins.log_in("right", "peer")
    for days, holds in ((0, True), (29, True), (31, False)):
        moment = 1_000_000.0 + days * 86_400
        assert logins.is_valid(cookie) == holds


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
