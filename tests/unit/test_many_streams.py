"""Many open streams: how many there may be, and that they are no weight for those who ask for something else."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack

import httpx
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient, WebSocketDenialResponse

from server.main import create_app
from server.settings import MAX_OPEN_FILES, Settings, file_limit
from tests.conftest import PASSWORD, open_client
from tests.support.chat import new_session
from tests.support.eventually import eventually
from tests.support.streams import Stream, open_stream

HEADERS = {"authorization": f"Bearer {PASSWORD}", "host": "127.0.0.1:8000"}
PATHS = ("/api/stream", "/api/events/s", "/events/s", "/api/sessions/s/stream")
SOCKETS = ("/ws/s", "/api/ws/s", "/api/sessions/s/live")


async def one_more(app: FastAPI) -> Stream:
    """How another stream is answered. A client would wait for the end of one that is not refused."""
    async with open_stream(app, "/api/stream", HEADERS) as stream:
        await stream.until()
    return stream


async def test_a_thousand_idle_streams_hold_nobody_up(app: FastAPI, client: httpx.AsyncClient) -> None:
    await new_session(client, id="s")
    app.state.streams.limit = 1_000
    async with AsyncExitStack() as stack:
        streams = []
        for number in range(1_000):
            query = b"sessions=s" if number % 2 else b""
            path = PATHS[number % 3]
            streams.append(await stack.enter_async_context(open_stream(app, path, HEADERS, query)))
        await asyncio.gather(*(stream.until() for stream in streams))
        assert (await client.get("/api/sessions/s")).status_code == 200
        assert "pilothouse_streams_open 1000.0" in (await client.get("/api/metrics")).text
        refused = await one_more(app)
        assert refused.status == 503
        assert json.loads(refused.text)["code"] == "too_many_streams"
        assert int(refused.headers[b"retry-after"]) > 0
        await client.patch("/api/sessions/s", json={"title": "Told to all"})
        watching = [stream for number, stream in enumerate(streams) if PATHS[number % 3] == "/api/stream"]
        await asyncio.gather(*(stream.until(b"Told to all") for stream in watching))
    assert app.state.streams.open == 0


@pytest.mark.parametrize("path", PATHS)
async def test_every_kind_of_stream_counts_and_gives_its_place_back(settings: Settings, path: str) -> None:
    app = create_app(settings.model_copy(update={"max_streams": 1}))
    async with app.router.lifespan_context(app), open_client(app, HEADERS) as client:
        await new_session(client, id="s")
        for _ in range(2):
            async with open_stream(app, path, HEADERS, b"follow=true") as stream:
                await stream.until() if "sessions" not in path else await asyncio.sleep(0)
                await eventually(lambda: app.state.streams.open, message="the stream counts", interval=0.001)
                assert (await one_more(app)).status == 503
            assert app.state.streams.open == 0
        assert (await client.get("/api/sessions/nope/stream")).status_code == 404
        assert (await client.get("/api/sessions/s/stream?follow=odd")).status_code == 422
        assert app.state.streams.open == 0


@pytest.mark.parametrize("path", SOCKETS)
def test_sockets_count_too_and_are_refused_with_503(settings: Settings, path: str) -> None:
    app = create_app(settings.model_copy(update={"max_streams": 1}))
    with TestClient(app, "http://127.0.0.1:8000", headers=HEADERS) as client:
        client.post("/api/sessions", json={"id": "s"})
        for _ in range(2):
            with client.websocket_connect(path) as socket:
                socket.receive()
                with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect("/ws/s"):
                    pass
                assert (refused.value.status_code, refused.value.headers["retry-after"]) == (503, "5")
                socket.send_text("x" * 70_000)  # too large: the server closes
                while socket.receive()["type"] != "websocket.close":
                    pass


def test_the_limit_follows_that_of_open_files() -> None:
    assert Settings.model_validate({}).stream_limit == file_limit() // 2 <= MAX_OPEN_FILES // 2
    assert Settings.model_validate({"max_streams": 7}).stream_limit == 7
