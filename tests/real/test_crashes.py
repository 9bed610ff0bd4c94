"""The server process is killed, terminated, and has slow readers: nothing is lost or done twice."""

from __future__ import annotations

import asyncio
import signal
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.chat import follow
from tests.support.cluster import played_by
from tests.support.eventually import eventually_sync
from tests.support.held_player import ORDER, SAYS, PicturePlayer, PictureSite
from tests.support.model_reply import Asked, Reply, fail
from tests.support.model_server import providing
from tests.support.server import Server, serving

PING = "this is a ping test: do not think"


def talk(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.api, headers=server.headers, timeout=60, trust_env=False)


def new_session(client: httpx.Client, content: str, **body: Any) -> str:
    session_id = str(client.post("/sessions", json=body).json()["id"])
    assert client.post(f"/sessions/{session_id}/messages", json={"content": content}).status_code == 202
    return session_id


def wait_for(client: httpx.Client, session_id: str, *statuses: str) -> dict[str, Any]:
    return eventually_sync(
        lambda: dict(client.get(f"/sessions/{session_id}").json()),
        lambda it: it["run"]["status"] in statuses,
        message=f"the run is {' or '.join(statuses)}",
    )


def wait_for_tokens(client: httpx.Client, session_id: str, count: int) -> None:
    with client.stream("GET", f"/sessions/{session_id}/stream") as response:
        seen = 0
        for line in response.iter_lines():
            seen += line == "event: token"
            if seen >= count:
                return


def test_a_kill_in_the_middle_of_an_answer_interrupts_the_run_and_loses_no_message(
    tmp_path: Path, database_url: str
) -> None:
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        session_id = new_session(client, "endless story")
        wait_for_tokens(client, session_id, 9)
        server.kill()
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        session = wait_for(client, session_id, "interrupted")
        assert session["run"]["error_code"] == "server_restart"
        assert "Interrupted by a restart" in session["run"]["error"]
        assert [message["role"] for message in session["messages"]] == ["user"]
        stream = client.get(f"/sessions/{session_id}/stream").text
        assert stream.count("event: error") == 1
        assert client.post(f"/sessions/{session_id}/messages", json={"content": PING}).status_code == 202
        session = wait_for(client, session_id, "completed")
        assert [message["content"] for message in session["messages"]] == ["endless story", PING, "Harbour"]


def test_a_kill_while_a_question_is_open_keeps_the_question(tmp_path: Path, database_url: str) -> None:
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        session_id = new_session(client, "shop for a kettle")
        pending = wait_for(client, session_id, "waiting_user")["pending"]
        server.kill()
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        session = wait_for(client, session_id, "waiting_user")
        assert session["pending"]["reference"] == pending["reference"]
        with client.stream("GET", f"/sessions/{session_id}/stream") as response:
            assert "event: interrupt" in response.iter_lines()
        body = {"reference": pending["reference"], "confirmed": False}
        assert client.post(f"/sessions/{session_id}/decision", json=body).status_code == 202
        session = wait_for(client, session_id, "completed", "waiting_user")
        assert not [message for message in session["messages"] if "Place order" in message["content"]]


def test_a_kill_before_the_start_is_approved_keeps_plan_and_grants(tmp_path: Path, database_url: str) -> None:
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        session_id = new_session(client, "shop for a kettle", ask_first=True)
        pending = wait_for(client, session_id, "waiting_user")["pending"]
        server.kill()
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        again = wait_for(client, session_id, "waiting_user")["pending"]
        assert again == pending
        assert again["start"]["effects"] == [{"site": "shop.example", "kind": "order", "count": 1}]
        body = {"reference": pending["reference"], "confirmed": True, "effects": [0]}
        assert client.post(f"/sessions/{session_id}/decision", json=body).status_code == 202
        session = wait_for(client, session_id, "completed", "waiting_user")
        assert "is ordered" in session["messages"][-1]["content"]
        assert [asked["risk"] for asked in session["interrupts"]] == ["start"]


def test_sigterm_ends_runs_and_streams_and_exits_with_zero(tmp_path: Path, database_url: str) -> None:
    with (
        serving(tmp_path / "data", database_url=database_url, drain_timeout="0.2") as server,
        talk(server) as client,
    ):
        sessions = [new_session(client, "endless story") for _ in range(3)]
        streams = [client.stream("GET", f"/sessions/{name}/stream?follow=true") for name in sessions]
        responses = [stream.__enter__() for stream in streams]
        sessions.append(new_session(client, "slow"))  # in the usual time to end in it would end by itself
        server.process.send_signal(signal.SIGTERM)
        texts = ["".join(response.iter_text()) for response in responses]
        assert server.process.wait(60) == 0
        assert all('"code":"interrupted"' in text for text in texts)
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        for session_id in sessions:
            assert client.get(f"/sessions/{session_id}").json()["run"]["status"] == "interrupted"


def test_while_it_goes_down_it_takes_no_new_message(tmp_path: Path) -> None:
    with serving(tmp_path / "data", drain_timeout="5") as server, talk(server) as client:
        session_id = new_session(client, "endless story")
        wait_for_tokens(client, session_id, 1)
        server.process.send_signal(signal.SIGTERM)

        def send() -> httpx.Response:
            made = client.post("/sessions", json={})
            assert made.status_code == 201
            return client.post(f"/sessions/{made.json()['id']}/messages", json={"content": PING})

        refused = eventually_sync(
            send,
            lambda it: it.status_code == 503,
            message="a message is refused",
            interval=0,
        )
        assert refused.json()["code"] == "draining"
        assert refused.headers["retry-after"]
        assert client.get("/ready").status_code == 503
        assert server.process.wait(60) == 0
    with serving(tmp_path / "data") as server, talk(server) as client:
        assert wait_for(client, session_id, "interrupted")


async def test_a_reader_that_comes_back_misses_nothing_and_sees_nothing_twice(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        async with httpx.AsyncClient(
            base_url=server.api, headers=server.headers, timeout=60, trust_env=False
        ) as client:
            session_id = (await client.post("/sessions", json={})).json()["id"]
            await client.post(f"/sessions/{session_id}/messages", json={"content": "slow story"})
            path = f"/sessions/{session_id}/stream"
            whole = asyncio.create_task(_collect(client, path))
            pieces = await _collect_in_pieces(client, path)
            assert pieces == await whole
            assert pieces[-1][1] == "done"


async def _collect(client: httpx.AsyncClient, path: str) -> list[tuple[str, str]]:
    return [(event["id"], event["type"]) async for event in follow(client, path)]


async def _collect_in_pieces(client: httpx.AsyncClient, path: str) -> list[tuple[str, str]]:
    """Three events a connection, then away, then back with Last-Event-ID."""
    seen: list[tuple[str, str]] = []
    while not seen or seen[-1][1] not in ("done", "error"):
        headers = {"Last-Event-ID": seen[-1][0]} if seen else {}
        stream = follow(client, path, headers)
        for _ in range(3):
            event = await anext(stream, None)
            if event is None:
                break
            seen.append((event["id"], event["type"]))
        await stream.aclose()
    return seen


async def test_a_reader_that_does_not_read_slows_nobody(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        async with httpx.AsyncClient(
            base_url=server.api, headers=server.headers, timeout=60, trust_env=False
        ) as client:
            session_id = (await client.post("/sessions", json={})).json()["id"]
            frozen = socket.create_connection(("127.0.0.1", server.port))
            frozen.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            request = (
                f"GET /api/sessions/{session_id}/stream?follow=true HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                f"Authorization: Bearer {server.token}\r\n\r\n"
            )
            frozen.sendall(request.encode())
            for _ in range(3):
                await client.post(f"/sessions/{session_id}/messages", json={"content": "hello"})
                events = await _collect(client, f"/sessions/{session_id}/stream")
                assert events[-1][1] == "done"
            frozen.close()


def test_a_second_message_works_right_after_a_cancel(tmp_path: Path, database_url: str) -> None:
    with serving(tmp_path / "data", database_url=database_url) as server, talk(server) as client:
        session_id = new_session(client, "endless story")
        wait_for_tokens(client, session_id, 1)
        assert client.post(f"/sessions/{session_id}/cancel").status_code == 202
        run = client.get(f"/sessions/{session_id}").json()["run"]
        assert (run["status"], run["error"]) == ("cancelled", "Task cancelled")
        assert client.post(f"/sessions/{session_id}/messages", json={"content": PING}).status_code == 202
        assert wait_for(client, session_id, "completed")["messages"][-1]["content"] == "Harbour"


def test_nothing_that_was_held_leaves_at_a_kill_and_the_yes_asks_again(tmp_path: Path) -> None:
    player = PicturePlayer()
    with PictureSite() as site, providing(player) as provider:
        player.start = site.url("/picture")
        settings = played_by(provider)
        with serving(tmp_path, **settings) as server, talk(server) as client:
            session_id = new_session(client, "zoom in", agent="operator")
            pending = wait_for(client, session_id, "waiting_user")["pending"]
            assert pending["would_send"] == SAYS
            server.kill()
        with serving(tmp_path, **settings) as server, talk(server) as client:
            again = wait_for(client, session_id, "waiting_user")["pending"]
            assert again == pending
            session = answer(client, session_id, again, "waiting_user")
            assert f"so this was not sent: {SAYS}" in player.seen[-1]
            assert site.effects == []
            session = answer(client, session_id, session["pending"], "completed")
        assert session["messages"][-1]["content"] == "It was sent."
        assert site.effects == [ORDER]


@pytest.mark.parametrize("agent", ["operator", "assistant"])
def test_a_run_goes_on_with_its_second_model_after_a_kill(tmp_path: Path, agent: str) -> None:
    """The first model fails before the question and after the restart: what the second one said is still valid."""
    player = PicturePlayer(has_tools=agent == "assistant")

    def answers(asked: Asked) -> Reply:
        return fail(401) if asked.wire == "anthropic" else player(asked)

    with PictureSite() as site, providing(answers) as provider:
        player.start = site.url("/picture")
        settings = played_by(provider, fallback_model="openai:some-model")
        with serving(tmp_path, **settings) as server, talk(server) as client:
            session_id = new_session(client, "zoom in", agent=agent)
            wait_for(client, session_id, "waiting_user")
            server.kill()
        with serving(tmp_path, **settings) as server, talk(server) as client:
            session = wait_for(client, session_id, "waiting_user")
            while session["run"]["status"] == "waiting_user":
                session = answer(
                    client, session_id, session["pending"], "waiting_user", "completed", "failed"
                )
    assert (session["run"]["status"], session["messages"][-1]["content"]) == ("completed", "It was sent.")
    assert site.effects == [ORDER]
    wires = [asked.wire for asked in provider.requests]
    assert wires.count("anthropic") == 2, "once in each process"
    used = session["run"]["usage"]["models"]
    assert used["openai:some-model"]["model_calls"] == len(wires) - 2
    told = [row["meta_json"] for row in session["messages"] if row["role"] == "tool"]
    assert len([row for row in told if row["name"] == "second_model"]) >= 2, "said in each process"


def answer(client: httpx.Client, session_id: str, pending: dict[str, Any], *statuses: str) -> dict[str, Any]:
    """Say yes; returns the session once its run has another question, or has ended."""
    body = {"reference": pending["reference"], "confirmed": True}
    assert client.post(f"/sessions/{session_id}/decision", json=body).status_code == 202
    return eventually_sync(
        lambda: dict(client.get(f"/sessions/{session_id}").json()),
        lambda it: it["run"]["status"] in statuses and it["pending"] != pending,
        message=f"the run is {' or '.join(statuses)}",
    )
