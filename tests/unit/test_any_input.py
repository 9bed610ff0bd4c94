"""Whatever a client sends is answered, and what is refused is refused with a problem."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient, WebSocketTestSession

from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD

BASE = "http://127.0.0.1:8000"
SESSION = "s1"
ODD = (
    "", "\0", "\ud800", "\u202e", "..", "a/b", "%00", "x" * 5000, "9" * 5000, "-1", "null", "1-1", "a,b/1-2",
    "1|2026-01-01T00:00:00|x", "e1", "NaN", "1e400",
)  # fmt: skip
ORIGINS = ("null", "http://[", "http://[::1", BASE, f"{BASE}/", "://", "é")
HEADERS = ("origin", "cookie", "range", "last-event-id", "content-type", "authorization", "if-none-match")
words = st.one_of(st.sampled_from(ODD), st.sampled_from((SESSION, "https://a.example")), st.text(max_size=40))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=6,
)

Operation = tuple[str, str, dict[str, Any]]
Description = dict[str, Any]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One world for all examples: what one of them does, the next ones find."""
    chosen = {"agent_mode": "mock", "data_dir": tmp_path_factory.mktemp("data"), "auth_token": PASSWORD}
    app = create_app(Settings.model_validate(chosen | {"drain_timeout": 0.0}))
    headers = {"authorization": f"Bearer {PASSWORD}"}
    with TestClient(app, BASE, headers=headers, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def described(client: TestClient) -> Description:
    return dict(client.get("/openapi.json").json())


def operations_of(described: Description) -> list[Operation]:
    """All but the streams, which do not end."""
    return [
        (method.upper(), path, operation)
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if "text/event-stream" not in operation["responses"].get("200", {}).get("content", {})
    ]


def fields_of(operation: Description, described: Description) -> list[str]:
    """The names in a body that this operation knows."""
    told = json.dumps(operation.get("requestBody", {}))
    schemas = described["components"]["schemas"]
    return [field for name in schemas if f'/{name}"' in told for field in schemas[name].get("properties", ())]


@st.composite
def headers(draw: st.DrawFn) -> dict[str, bytes]:
    """Those of a client that is logged in, often one of them odd."""
    told = {"content-type": "application/json"}
    if draw(st.booleans()):
        name = draw(st.sampled_from(HEADERS))
        odd = draw(st.one_of(st.sampled_from(ORIGINS), words))
        told[name] = f"pilothouse={odd}" if name == "cookie" else odd
    sent = {name: "".join(char for char in odd if char >= " ") for name, odd in told.items()}
    return {name: odd.encode("latin-1", "replace") for name, odd in sent.items()}


@st.composite
def requests(draw: st.DrawFn, described: Description) -> dict[str, Any]:
    method, path, operation = draw(st.sampled_from(operations_of(described)))
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            known = st.just(SESSION if parameter["name"] == "session_id" else "0")
            word = draw(st.one_of(known, known, words)).encode("utf-8", "replace")
            path = path.replace(f"{{{parameter['name']}}}", quote(word, safe="") or "%20")
    asked = [item["name"] for item in operation.get("parameters", ()) if item["in"] == "query"]
    query = {name: draw(words).encode("utf-8", "replace") for name in asked if draw(st.booleans())}
    fields = fields_of(operation, described)
    shaped = st.dictionaries(st.sampled_from(fields), values) if fields else values
    body = st.one_of(shaped, shaped, values).map(json.dumps).map(str.encode)
    content = draw(st.one_of(body, body, st.binary(max_size=60))) if method != "GET" else None
    return {"method": method, "url": path, "params": query, "content": content, "headers": draw(headers())}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_request_breaks_the_server_and_every_refusal_is_a_problem(
    client: TestClient, described: Description, data: st.DataObject
) -> None:
    client.post("/api/sessions", json={"id": SESSION})
    response = client.request(**data.draw(requests(described)))
    assert response.status_code < 500
    if response.is_error:
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json().keys() == {"title", "status", "code", "detail", "request_id"}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/sessions", "GET, POST"),
        ("GET", "/api/auth/login", "POST"),
        ("HEAD", "/api/config", "GET"),
    ],
)
def test_a_wrong_method_is_told_with_the_right_ones(
    client: TestClient, method: str, path: str, allowed: str
) -> None:
    response = client.request(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, allowed)
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/api/nothing", "/api/sessions/", "/openapi.json/x"])
def test_an_address_that_is_none_of_the_apis_is_a_problem_and_no_page(client: TestClient, path: str) -> None:
    response = client.get(path, headers={"accept": "text/html"})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


def test_the_stream_of_a_run_that_is_not_the_sessions_is_not_begun(client: TestClient) -> None:
    for session_id in ("mine", "other"):
        client.post("/api/sessions", json={"id": session_id})
    message = {"content": "this is a ping test"}
    run = client.post("/api/sessions/other/messages", json=message).json()["run"]["id"]
    for unknown in ("nope", run):
        response = client.get(f"/api/sessions/mine/stream?run_id={unknown}")
        assert (response.status_code, response.json()["code"]) == (404, "run_unknown")


frames = st.one_of(
    st.binary(max_size=40),
    words.map(lambda word: word.encode("utf-8", "replace").decode()),
    st.builds(
        lambda fields, kind: json.dumps({**fields, "type": kind}),
        st.dictionaries(
            st.sampled_from(("text", "reference", "confirmed", "action", "x", "y", "key", "url")), values
        ),
        st.sampled_from(
            ("user_message", "user_confirm", "control", "ack", "mouse", "key", "type", "go", "release")
        ),
    ),
)


@pytest.mark.parametrize("path", ["/ws/socket", "/api/sessions/socket/live"])
@settings(max_examples=25, deadline=None)
@given(sent=st.lists(frames, max_size=8))
def test_no_frame_breaks_a_socket(client: TestClient, path: str, sent: list[str | bytes]) -> None:
    client.post("/api/sessions", json={"id": "socket"})
    with client.websocket_connect(path, headers={"host": "127.0.0.1:8000"}) as socket:
        for frame in sent:
            socket.send_bytes(frame) if isinstance(frame, bytes) else socket.send_text(frame)
        socket.send_text("x" * 70_000)  # it still lives when it can say that this is too large
        assert close_code(socket) == 1009


def close_code(socket: WebSocketTestSession) -> int:
    while (told := socket.receive())["type"] == "websocket.send":
        pass
    return int(told["code"])
