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
from starlette.types import Message, Receive
from starlette.websockets import WebSocketDisconnect

from server.api.sse import RETRY, EventStream
from server.auth import PUBLIC, limit_body
from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD

ORIGIN = {"origin": "http://127.0.0.1:8000"}
HOST = {"host": "127.0.0.1:8000"}
WEBHOOK = "/api/hooks/{secret}"
"""The secret in its address is the login: it answers 404 for any other."""


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
    return path.replace("{name:picture}", "a" * 40 + ".jpg").replace("{", "").replace("}", "")


async def test_every_route_but_the_public_ones_asks_for_a_login(
    app: FastAPI, stranger: httpx.AsyncClient
) -> None:
    paths = {(method, path) for method, path in routes_of(app) if method != "WS"}
    assert len(paths) > 30
    for method, path in paths:
        response = await stranger.request(method, filled(path))
        expected = path not in PUBLIC | {WEBHOOK}
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


@pytest.mark.parametrize(
    "before",
    [
        'prefs={"w":1}; ',
        "a=b=c;; ;=; é=1; ",
        'x="un;closed; ',
        "pilothouse=old; pilothouse-8000=; ",
        "\x01=\x02,; ",
    ],
)
async def test_odd_cookies_of_other_programs_do_not_hide_the_login(
    stranger: httpx.AsyncClient, before: str
) -> None:
    answer = await stranger.post("/api/auth/login", json={"password": PASSWORD}, headers=ORIGIN)
    ours = answer.headers["set-cookie"].partition(";")[0]
    stranger.cookies.clear()
    for cookie in (before + ours, f"{ours}; {before}"):
        me = await stranger.get("/api/auth/me", headers={"cookie": cookie.encode("latin-1")})
        assert (me.status_code, me.json()) == (200, {"by": "cookie"})


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("127.0.0.1:8000", "pilothouse-8000"), ("localhost:8001", "pilothouse-8001"), ("[::1]:8000", "pilothouse-8000"),
        ("localhost", "pilothouse"), ("[::1]", "pilothouse"), ("localhost:x", "pilothouse"),
    ],
)  # fmt: skip
async def test_each_port_of_a_host_has_a_login_of_its_own(
    stranger: httpx.AsyncClient, host: str, name: str
) -> None:
    answer = await stranger.post("/api/auth/login", json={"password": PASSWORD}, headers={"host": host})
    cookie, _, rest = answer.headers["set-cookie"].partition("=")
    assert cookie == name
    value = rest.partition(";")[0]
    stranger.cookies.clear()
    for sent in (name, "pilothouse"):
        headers = {"host": host, "cookie": f"pilothouse-9999=0.0.0; {sent}={value}"}
        assert (await stranger.get("/api/auth/me", headers=headers)).status_code == 200
    gone = await stranger.post("/api/auth/logout", headers=headers | {"origin": f"http://{host}"})
    assert gone.headers["set-cookie"].startswith(f'{name}="";')


async def test_answers_are_not_sniffed_and_not_cached_unless_they_say_so(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
) -> None:
    for answer in (
        await client.get("/api/sessions"), await client.post("/api/sessions", json={}), await client.get("/api/metrics"),
        await client.get("/openapi.json"), await stranger.get("/api/health"), await stranger.get("/api/sessions"),
        await client.get("/api/nothing"), await client.delete("/api/sessions/nope"),
    ):  # fmt: skip
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
    page = await stranger.get("/", headers={"accept": "text/html"})
    assert page.headers["cache-control"] != "no-store"


@pytest.mark.parametrize(
    "path", ["/api/sessions", "/api/files/screenshots/s/0.jpg", "/api/export", "/openapi.json"]
)
async def test_a_page_elsewhere_cannot_load_anything_with_the_persons_cookie(
    stranger: httpx.AsyncClient, path: str
) -> None:
    await stranger.post("/api/auth/login", json={"password": PASSWORD}, headers=ORIGIN)
    for site, is_foreign in (
        ("cross-site", True),
        ("same-site", True),
        ("same-origin", False),
        ("none", False),
    ):
        answer = await stranger.get(path, headers={"sec-fetch-site": site})
        assert (answer.status_code == 403) == is_foreign
        assert not is_foreign or answer.json()["code"] == "origin"


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
    assert (await client.get("/api/auth/me")).status_code == 200
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
        assert (await client.get("/")).content == RETRY + b"before"


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


async def test_a_body_that_trickles_is_not_waited_for_either() -> None:
    parts = iter(range(40, -1, -1))

    async def trickle() -> Message:
        await asyncio.sleep(0.05)
        return {"type": "http.request", "body": b"x", "more_body": next(parts) > 0}

    receive = limit_body({"type": "http", "path": "/api/auth/login"}, Headers(), trickle, patience=1.0)
    with pytest.raises(HTTPException) as caught:
        await read_all(receive)
    assert caught.value.status_code == 408


async def read_all(receive: Receive) -> None:
    while (await receive()).get("more_body"):
        pass


CANARY = "zx81canary"
WRONG_INPUT: list[tuple[str, str, str]] = [
    ("POST", "/api/sessions", '{"title": NaN, "CANARY": 1}'),
    ("POST", "/api/sessions", '{"CANARY'),
    ("POST", "/api/sessions", '{"title": {"CANARY": "CANARY"}}'),
    ("POST", "/api/sessions", '{"agent": "CANARY"}'),
    ("POST", "/api/sessions", '{"model": "CANARY:\\ud800"}'),
    ("POST", "/api/sessions", '{"CANARY": 1}'),
    ("POST", "/api/sessions", '["CANARY"]'),
    ("POST", "/api/sessions", '"' + "CANARY" * 20_000 + '"'),
    ("POST", "/api/sessions", "[" * 100_000 + "CANARY"),
    ("PATCH", "/api/settings", '{"CANARY": 1}'),
    ("PATCH", "/api/settings", '{"CANARY\\ud800": "CANARY", "\\u0000": 1}'),
    ("POST", "/api/presence", '{"visible": "CANARY"}'),
    ("POST", "/api/automations", '{"rule": "CANARY", "task": ["CANARY"], "zone": "CANARY"}'),
    ("POST", "/api/automations/preview", '{"rule": "FREQ=CANARY", "zone": "CANARY/CANARY"}'),
    ("POST", "/api/sessions/CANARY/messages", '{"content": {"CANARY": 1}}'),
    ("GET", "/api/sessions?limit=CANARY&CANARY=1", ""),
    ("GET", "/api/sessions/CANARY", ""),
    ("GET", "/api/CANARY", ""),
    ("CANARY", "/api/sessions", ""),
    ("POST", "/api/login", '{"password": ["CANARY"]}'),
]
"""Method, path and body of requests, each with words that only the client knows."""


@pytest.mark.parametrize(("method", "path", "body"), WRONG_INPUT)
async def test_errors_are_problems_that_echo_nothing(
    client: httpx.AsyncClient, method: str, path: str, body: str
) -> None:
    response = await client.request(
        method.replace("CANARY", CANARY.upper()), path.replace("CANARY", CANARY),
        content=body.replace("CANARY", CANARY), headers={"content-type": "application/json"},
    )  # fmt: skip
    assert 400 <= response.status_code < 500
    assert response.headers["content-type"] == "application/problem+json"
    assert CANARY not in str(response.headers).lower() + response.text.lower()
