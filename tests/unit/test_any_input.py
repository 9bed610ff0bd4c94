"""Whatever a client sends is answered, and what is refused is refused with a problem."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD
from tests.support.streams import open_stream

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
    """All but the streams, which do not end: see `stream_queries`."""
    return [
        (method.upper(), path, operation)
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if not is_stream(operation)
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
        told[name] = f"pilothouse-8000={odd}" if name == "cookie" else odd
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


@pytest.mark.sweep
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_request_breaks_the_server_and_every_refusal_is_a_problem(
    client: TestClient, described: Description, data: st.DataObject
) -> None:
    asked = data.draw(requests(described))
    client.post("/api/sessions", json={"id": SESSION})
    response = client.request(**asked)
    assert response.status_code < 500
    if response.is_error:
        assert response.headers["content-type"] == "application/problem+json"
        assert response.json().keys() - {"detail_parts"} == {
            "title",
            "status",
            "code",
            "detail",
            "request_id",
        }


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/sessions", "GET, POST"),
        ("GET", "/api/auth/login", "POST"),
        ("HEAD", "/api/config", "GET"),
        ("PUT", "/api/automations/some", "GET, PATCH, DELETE"),
        ("PUT", "/api/automations/export", "GET"),
        ("PUT", "/api/automations/preview", "POST"),
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


def is_stream(operation: dict[str, Any] | None) -> bool:
    return operation is not None and "text/event-stream" in operation["responses"].get("200", {}).get(
        "content", {}
    )


NUMBERS = ("1", "2", "²", "٣", "-1", "+1", "1_0", "", "9" * 15, "9" * 5000)
places = st.builds("{}-{}".format, st.sampled_from(NUMBERS), st.sampled_from(NUMBERS))
"""Where a reader claims to be: good ones, and what only looks like one."""
ids = st.one_of(places, places.map(f"{SESSION}/{{}},other/1-1".format), words)
GOOD = {
    "sessions": st.just(SESSION),
    "after": places.map(f"{SESSION}/{{}}".format),
    "follow": st.just("true"),
}


@st.composite
def stream_queries(draw: st.DrawFn, names: list[str]) -> bytes:
    """Mostly what is let in, so that it is the stream that reads what is odd."""
    known = {name: st.one_of(GOOD[name], GOOD[name], words) for name in names if name in GOOD}
    query = {name: draw(told) for name, told in known.items()}
    if "run_id" in names and draw(st.integers(0, 4)) == 0:
        query["run_id"] = draw(words)
    return urlencode({name: told.encode("utf-8", "replace") for name, told in query.items()}).encode()


@pytest.fixture(scope="module")
def finished(client: TestClient) -> str:
    """A session with a run that has ended, whose events are kept."""
    client.post("/api/sessions", json={"id": SESSION})
    client.post(f"/api/sessions/{SESSION}/messages", json={"content": "this is a ping test"})
    assert "event: done" in client.get(f"/api/sessions/{SESSION}/stream").text
    return SESSION


@pytest.mark.parametrize(
    ("path", "names"),
    [
        (f"/api/sessions/{SESSION}/stream", ["run_id", "follow"]), ("/api/stream", ["sessions", "after"]),
        (f"/events/{SESSION}", []), (f"/api/events/{SESSION}", []), ("/api/sessions/²/stream", []),
    ],
)  # fmt: skip
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_place_that_a_reader_claims_breaks_its_stream(
    client: TestClient, finished: str, path: str, names: list[str], data: st.DataObject
) -> None:
    """The app raises nothing while the stream is read, and what is refused is refused before it begins."""
    sent = {"host": b"127.0.0.1:8000", "authorization": f"Bearer {PASSWORD}".encode()}
    sent["last-event-id"] = data.draw(ids).replace("\n", "").encode("latin-1", "replace")
    query = data.draw(stream_queries(names))

    async def read() -> tuple[int, dict[bytes, bytes]]:
        async with open_stream(client.app, path, sent, query) as stream:
            await stream.until()
            for _ in range(20):  # the sources of a merged stream get their turns
                await asyncio.sleep(0)
        return stream.status, stream.headers

    assert client.portal
    status, answered = client.portal.call(read)
    assert status < 500
    kind = b"application/problem+json" if status >= 400 else b"text/event-stream"
    assert answered[b"content-type"].startswith(kind)


def test_every_stream_and_all_that_it_is_asked_by_is_part_of_that(described: Description) -> None:
    streams = {path: one["get"] for path, one in described["paths"].items() if is_stream(one.get("get"))}
    asked = {
        path: {item["name"] for item in operation["parameters"] if item["in"] in ("query", "header")}
        for path, operation in streams.items()
    }
    assert asked == {
        "/api/sessions/{session_id}/stream": {"run_id", "follow", "Last-Event-ID"},
        "/api/stream": {"sessions", "after", "Last-Event-ID"},
        "/events/{session_id}": {"Last-Event-ID"},
        "/api/events/{session_id}": {"Last-Event-ID"},
    }


@pytest.mark.parametrize("after", ["s1/²-1", f"s1/{'9' * 5000}-1", "s1/-1-1", "s1/1-²", "s1/"])
def test_a_place_that_is_none_is_as_if_none_was_given(client: TestClient, finished: str, after: str) -> None:
    async def read() -> bytes:
        query = urlencode({"sessions": finished, "after": after}).encode()
        sent = {"host": "127.0.0.1:8000", "authorization": f"Bearer {PASSWORD}"}
        async with open_stream(client.app, "/api/stream", sent, query) as stream:
            await stream.until(b"event: done")
        return stream.text

    assert client.portal
    assert b"id: s1/1-1\n" in client.portal.call(read)


def test_a_session_that_is_gone_is_reported_as_deleted_and_does_not_end_the_stream_of_others(
    client: TestClient, finished: str
) -> None:
    async def read() -> tuple[int, bytes]:
        query = urlencode({"sessions": f"gone,{finished}"}).encode()
        sent = {"host": "127.0.0.1:8000", "authorization": f"Bearer {PASSWORD}"}
        async with open_stream(client.app, "/api/stream", sent, query) as stream:
            await stream.until(b"event: done")
        return stream.status, stream.text

    assert client.portal
    status, text = client.portal.call(read)
    assert status == 200
    (told,) = [
        json.loads(block.partition(b"data: ")[2])
        for block in text.split(b"\n\n")
        if b"event: session\n" in block
    ]
    assert (told["session_id"], told["deleted"]) == ("gone", True)


@pytest.mark.parametrize("path", ["/ws/{}", "/api/ws/{}", "/api/sessions/{}/live"])
@pytest.mark.parametrize("session_id", ["nope", "a.b", "²", "x" * 500, "%00", "%ff"])
def test_a_socket_of_no_session_is_closed(client: TestClient, path: str, session_id: str) -> None:
    address = path.format(session_id)
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        client.websocket_connect(address, headers={"host": "127.0.0.1:8000"}) as socket,
    ):
        socket.receive_text()
    assert closed.value.code in (1008, 4404)


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
