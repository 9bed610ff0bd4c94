"""The chat over a WebSocket, and the event streams, on a server of its own."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.support.chat import parse_sse
from tests.support.server import Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.api, headers=server.headers, timeout=60, trust_env=False) as client:
        yield client


@pytest.fixture
def session_id(api: httpx.Client) -> str:
    return str(api.post("/sessions", json={}).json()["id"])


@contextmanager
def chat(server: Server, session_id: str, **headers: str) -> Iterator[ClientConnection]:
    address = f"ws://127.0.0.1:{server.port}/ws/{session_id}"
    with connect(address, additional_headers=server.headers | headers, proxy=None) as socket:
        yield socket


@contextmanager
def connect_raw(server: Server, session_id: str) -> Iterator[socket.socket]:
    """A connection after its handshake, which ends without a close frame."""
    head = "".join(f"{name}: {value}\r\n" for name, value in {
        "Host": f"127.0.0.1:{server.port}", "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", **server.headers,
    }.items())  # fmt: skip
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as raw:
        raw.sendall(f"GET /ws/{session_id} HTTP/1.1\r\n{head}\r\n".encode())
        assert raw.recv(12) == b"HTTP/1.1 101"
        yield raw


def frame(text: bytes) -> bytes:
    """A masked text frame."""
    return bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text


def until(socket: ClientConnection, kind: str, **fields: object) -> dict[str, Any]:
    while True:
        frame = json.loads(socket.recv(timeout=60))
        if frame["type"] == kind and all(frame.get(name) == value for name, value in fields.items()):
            return dict(frame)


def until_all(socket: ClientConnection, kinds: set[str]) -> None:
    """For frames whose order is open."""
    while kinds:
        kinds = kinds - {json.loads(socket.recv(timeout=60))["type"]}


def close_code(socket: ClientConnection) -> int | None:
    try:
        while True:
            socket.recv(timeout=60)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def say(socket: ClientConnection, **frame: object) -> None:
    socket.send(json.dumps(frame))


def test_a_message_is_answered_and_the_status_told(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        assert until(socket, "status")["status"] == "idle"
        say(socket, type="user_message", text="this is a ping test")
        until(socket, "status", status="running")
        assert until(socket, "agent_message")["text"] == "Harbour"
        until(socket, "status", status="idle")


def test_frames_have_the_common_form_of_events_beside_their_own(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", payload={"text": "this is a ping test"})
        answer = until(socket, "agent_message")
    head = ("type", "session_id", "ts", "payload")
    assert answer["payload"] == {name: value for name, value in answer.items() if name not in head}
    assert answer["session_id"] == session_id
    assert answer["ts"]
    assert answer["text"] == "Harbour"


def test_who_connects_anew_is_told_what_is_open_and_not_what_is_over(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="this is a ping test")
        until(socket, "agent_message")
        until(socket, "status", status="idle")
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="shop for a kettle")
        assert until(socket, "agent_question")["kind"] == "confirm"
    with chat(server, session_id) as socket:
        question = until(socket, "agent_question")
        say(socket, type="user_confirm", payload={"reference": question["reference"], "confirmed": True})
        assert "ordered" in until(socket, "agent_message")["text"]


def test_a_question_is_asked_and_confirmed(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="shop for a kettle")
        question = until(socket, "agent_question")
        assert (question["kind"], question["target"]["name"]) == ("confirm", "Place order")
        say(socket, type="user_confirm", reference=question["reference"], confirmed=True)
        assert "ordered" in until(socket, "agent_message")["text"]


def test_a_frame_with_an_id_is_acknowledged_and_carried_out_once(
    server: Server, api: httpx.Client, session_id: str
) -> None:
    acks = []
    for _ in range(2):  # as after a connection that broke before the acknowledgement
        with chat(server, session_id) as socket:
            say(socket, type="user_message", text="shop for a kettle", client_id="m-1")
            acks.append(until(socket, "ack", client_id="m-1"))
    assert acks[0]["message_id"] == acks[1]["message_id"]
    assert acks[0]["run_id"] == acks[1]["run_id"]
    with chat(server, session_id) as socket:
        reference = until(socket, "agent_question")["reference"]
        say(socket, type="user_confirm", reference=reference, confirmed=True, client_id="c-1")
        until(socket, "ack", client_id="c-1")
        say(socket, type="user_confirm", reference=reference, confirmed=True, client_id="c-1")
        until_all(socket, {"ack", "agent_message"})
        say(socket, type="user_confirm", reference=reference, confirmed=False, client_id="c-2")
        refused = until(socket, "error", client_id="c-2")
    assert (refused["code"], refused["status"]) == ("already_decided", 409)
    session = api.get(f"/sessions/{session_id}").json()
    assert [message["role"] for message in session["messages"]].count("user") == 1


def test_a_cancel_that_is_sent_again_spares_the_next_run(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="slow story")
        until(socket, "status", status="running")
        say(socket, type="control", action="cancel", client_id="x-1")
        until(socket, "ack", client_id="x-1")
        say(socket, type="user_message", text="shop for a kettle", client_id="m-2")
        until(socket, "agent_question")
        say(socket, type="control", action="cancel", client_id="x-1")
        until(socket, "ack", client_id="x-1")
        say(socket, type="control", action="cancel", client_id="x-2")  # the run is there to be cancelled
        until(socket, "ack", client_id="x-2")


def test_a_refused_frame_can_be_sent_again_in_another_way(
    server: Server, api: httpx.Client, session_id: str
) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="slow story")
        until(socket, "status", status="running")
        say(socket, type="user_message", text="hurry", client_id="m-1")
        assert until(socket, "error", client_id="m-1")["code"] == "run_in_progress"
        say(socket, type="user_message", text="hurry", client_id="m-1", mode="steer")
        assert until(socket, "ack", client_id="m-1")["run_id"]
        say(socket, type="control", action="cancel", client_id="x")
        until(socket, "ack", client_id="x")
        say(socket, type="user_message", client_id="m-2")
        assert until(socket, "error", client_id="m-2")["code"] == "invalid"


def test_what_the_agent_says_has_its_place_in_the_event_stream(
    server: Server, api: httpx.Client, session_id: str
) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="this is a ping test")
        told = until(socket, "agent_message")
    events = parse_sse(api.get(f"/sessions/{session_id}/stream").text.splitlines())
    (done,) = [event for event in events if event["type"] == "done"]
    assert (told["event_id"], told["run_id"]) == (done["id"], done["run_id"])
    assert told["message_id"] == done["message"]["id"]


def test_pause_resume_and_cancel(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="slow story")
        until(socket, "status", status="running")
        say(socket, type="control", action="pause")
        until(socket, "status", status="paused")
        say(socket, type="control", action="resume")
        until(socket, "status", status="running")
        say(socket, type="control", action="cancel")
        assert until(socket, "status", status="idle")["message"] == "Task cancelled"


def test_what_is_not_understood_gets_an_error_and_the_socket_stays(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        for text in (
            "{",
            "[]",
            '{"type": "dance"}',
            '{"type": "control", "action": "fly"}',
            "null",
            '"\\ud800"',
        ):
            socket.send(text)
            until(socket, "error", code="invalid")
        say(socket, type="control", action="cancel")
        until(socket, "error", code="run_finished")


def test_a_frame_over_64_kilobytes_closes_the_socket(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        say(socket, type="user_message", text="x" * 66_000)
        assert close_code(socket) == 1009


def test_a_flood_of_frames_closes_the_socket(server: Server, session_id: str) -> None:
    with chat(server, session_id) as socket:
        with suppress(ConnectionClosed):  # it may be closed before the last one is out
            for _ in range(300):
                socket.send("{")
        assert close_code(socket) == 1008


def test_an_unknown_session_or_a_missing_login_is_told_by_the_close_code(
    server: Server, session_id: str
) -> None:
    with chat(server, "nobody") as socket:
        assert close_code(socket) == 4404
    with chat(server, session_id, Authorization="Bearer wrong") as socket:
        assert close_code(socket) == 4401


def test_a_foreign_origin_gets_no_socket(server: Server, session_id: str) -> None:
    with pytest.raises(InvalidStatus) as refused, chat(server, session_id, Origin="http://evil.example"):
        pass
    assert refused.value.response.status_code == 403


def test_a_client_that_leaves_at_once_or_sends_no_text_is_no_error(server: Server, session_id: str) -> None:
    """What the clients of one session do must not hide real errors in the log."""
    length = len(server.log.read_text())
    for path in (session_id, "unknown"):
        for _ in range(10):
            with connect_raw(server, path):
                pass  # left right after its handshake
    with connect_raw(server, session_id) as left:
        left.sendall(frame(b"\xff\xfe"))
        while heard := left.recv(4096):
            if heard[-4:-2] == b"\x88\x02":  # its close frame
                break
        assert int.from_bytes(heard[-2:]) == 1007
    with chat(server, session_id) as socket:  # the server has had its turn, and works
        assert until(socket, "status")["status"] == "idle"
    logged = server.log.read_text()[length:]
    assert "Traceback" not in logged, logged


def test_observers_see_what_happens_in_the_common_form(
    server: Server, api: httpx.Client, session_id: str
) -> None:
    seen: list[dict[str, Any]] = []
    with httpx.stream(
        "GET", f"{server.url}/events/{session_id}", headers=server.headers, timeout=60
    ) as stream:
        lines = stream.iter_lines()
        next(lines)
        api.post(f"/sessions/{session_id}/messages", json={"content": "shop for a kettle"})
        while not seen or seen[-1]["type"] != "policy_request":
            line = next(lines)
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
    types = {event["type"] for event in seen}
    assert types == {"observation", "tool_call", "tool_result", "policy_result", "policy_request"}
    assert all(set(event) == {"type", "session_id", "ts", "payload"} for event in seen)


def test_an_observer_that_was_cut_off_continues_where_it_was(
    server: Server, api: httpx.Client, session_id: str
) -> None:
    api.post(f"/sessions/{session_id}/messages", json={"content": "shop for a kettle"})
    seen = observed(server, session_id, last="policy_request")
    cut = next(place for place, event in enumerate(seen) if event["type"] == "tool_result")
    again = observed(server, session_id, last="policy_request", after=str(seen[cut]["id"]))
    assert again == seen[cut + 1 :]
    missed = observed(server, session_id, last="resync", after="99-1")
    assert [event["type"] for event in missed] == ["resync"]


def observed(server: Server, session_id: str, *, last: str, after: str = "") -> list[dict[str, str]]:
    """Type, id and data of each event up to the one of type `last`."""
    seen: list[dict[str, str]] = []
    headers = server.headers | ({"Last-Event-ID": after} if after else {})
    with httpx.stream("GET", f"{server.url}/events/{session_id}", headers=headers, timeout=60) as stream:
        fields: dict[str, str] = {}
        for line in stream.iter_lines():
            name, colon, value = line.partition(": ")
            if line and name:
                fields[{"event": "type"}.get(name, name)] = value
            elif colon == "" and "data" in fields:
                seen.append({name: fields[name] for name in ("type", "id", "data")})
                if fields["type"] == last:
                    break
                fields = {}
    return seen


def test_observers_and_the_socket_see_every_decision_and_the_end(
    server: Server, api: httpx.Client, session_id: str
) -> None:
    seen: list[dict[str, Any]] = []
    with (
        chat(server, session_id) as socket,
        httpx.stream(
            "GET", f"{server.url}/events/{session_id}", headers=server.headers, timeout=60
        ) as stream,
    ):
        lines = stream.iter_lines()
        next(lines)
        say(socket, type="user_message", text="shop for a kettle")
        allowed = until(socket, "policy_result", by="policy", verdict="allow")
        stopped = until(socket, "policy_result", by="policy", verdict="ask")
        question = until(socket, "agent_question")
        say(socket, type="user_confirm", reference=question["reference"], confirmed=True)
        decided = until(socket, "policy_result", by="person")
        answer = until(socket, "agent_message")
        while not seen or seen[-1]["type"] != "final":
            line = next(lines)
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
    results = [event["payload"] for event in seen if event["type"] == "policy_result"]
    assert {result["by"] for result in results} == {"policy", "person"}
    for told in (allowed, stopped, decided):
        shown = {name: value for name, value in told["payload"].items() if name != "event_id"}
        assert shown in results
    assert (decided["reference"], decided["confirmed"]) == (question["reference"], True)
    assert seen[-1]["payload"]["message"]["content"] == answer["text"]


def test_observers_are_told_at_which_stage_it_went_wrong(
    server: Server, api: httpx.Client, session_id: str
) -> None:
    api.post(f"/sessions/{session_id}/messages", json={"content": "error"})
    with httpx.stream(
        "GET", f"{server.url}/events/{session_id}", headers=server.headers, timeout=60
    ) as stream:
        told = next(json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
    assert (told["type"], told["payload"]["code"], told["payload"]["stage"]) == (
        "error",
        "llm_unavailable",
        "model",
    )


def test_one_stream_serves_a_whole_browser(server: Server, api: httpx.Client) -> None:
    named, other = (str(api.post("/sessions", json={}).json()["id"]) for _ in range(2))
    lines: list[str] = []
    with httpx.stream(
        "GET", f"{server.api}/stream?sessions={named}", headers=server.headers, timeout=60
    ) as stream:
        source = stream.iter_lines()
        next(source)
        for session_id in (other, named):
            api.post(f"/sessions/{session_id}/messages", json={"content": "this is a ping test"})
        while not any("event: done" in line for line in lines) or not any(other in line for line in lines):
            lines.append(next(source))
    events = parse_sse(lines)
    full = [event for event in events if "seq" in event]
    assert {event["session_id"] for event in full} == {named}
    assert [event["id"] for event in full] == [f"{named}/{event['epoch']}-{event['seq']}" for event in full]
    assert {event["session_id"] for event in events if "seq" not in event} >= {other}
    later = f"{server.api}/stream?sessions={named}&after={full[2]['id']}"
    with httpx.stream("GET", later, headers=server.headers, timeout=60) as stream:
        source = stream.iter_lines()
        while not (line := next(source)).startswith("id: "):
            pass
        assert line == f"id: {full[3]['id']}"
