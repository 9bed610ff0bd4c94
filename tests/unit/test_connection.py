"""Connections of clients that mean no good: their heads end, or they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from server.http.connection import Connection, connections_up_to
from tests.support.eventually import eventually

WELL = PlainTextResponse("well")
HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"


class Hasty(connections_up_to(100)):  # type: ignore[misc]
    HEAD_SECONDS = 0.3


@asynccontextmanager
async def served(kind: type[Connection], app: Callable[..., Any] = WELL) -> AsyncIterator[int]:
    config = uvicorn.Config(app, log_config=None, access_log=False, timeout_keep_alive=600)
    state = ServerState()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: kind(config, state, {}), "127.0.0.1", 0)
    yield int(server.sockets[0].getsockname()[1])
    server.close()


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with served(Hasty) as port:
        yield port


async def answer_to(port: int, *parts: bytes, pause: float = 0) -> bytes:
    """All that comes until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        async with asyncio.timeout(60):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def send_until_refused(port: int, parts: list[bytes]) -> int:
    """How many bytes went out before the server closed."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    sent = 0
    try:
        for part in parts:
            writer.write(part)
            sent += len(part)
            await writer.drain()
            await asyncio.sleep(0)
    except ConnectionError:
        return sent
    finally:
        writer.close()
    raise AssertionError("it took everything")


@pytest.mark.parametrize(
    "parts", [[b"x: " + b"a" * 1000 + b"\r\n"] * 20_000, [b"x: ", *[b"a" * 10_000] * 2_000]]
)
async def test_headers_without_end_are_refused_soon(parts: list[bytes]) -> None:
    async with served(connections_up_to(100)) as port:
        assert await send_until_refused(port, [HEAD, *parts]) < 10_000_000


OVERSIZED = {
    "one line": HEAD + b"x: " + b"a" * 80_000 + b"\r\n\r\n",
    "many lines": HEAD + b"x: 0123456789\r\n" * 6_000 + b"\r\n",
    "address": b"GET /" + b"a" * 80_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "address and line": b"GET /"
    + b"a" * 40_000
    + b" HTTP/1.1\r\nHost: a\r\nx: "
    + b"a" * 40_000
    + b"\r\n\r\n",
    "after a body": b"POST / HTTP/1.1\r\nHost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n"
    + b"x: 0123456789\r\n" * 6_000
    + b"\r\n",
    "two hosts": HEAD + b"Host: b\r\n\r\n",
    "two equal hosts": HEAD + b"host: a\r\n\r\n",
}


@pytest.mark.parametrize("size", [200_000, 40_000, 997])
@pytest.mark.parametrize("kind", OVERSIZED)
async def test_a_head_is_refused_in_one_read_as_in_many(kind: str, size: int) -> None:
    head = OVERSIZED[kind]
    parts = [head[at : at + size] for at in range(0, len(head), size)]
    async with served(connections_up_to(100)) as port:
        answer = await answer_to(port, *parts)
        assert b"well" not in answer.partition(b"400 Bad Request")[0] or kind == "after a body"
        assert answer == b"" or b"400 Bad Request" in answer


async def test_a_head_below_the_limit_is_served_in_one_read() -> None:
    head = HEAD + b"x: " + b"a" * 60_000 + b"\r\nConnection: close\r\n\r\n"
    async with served(connections_up_to(100)) as port:
        assert b"well" in await answer_to(port, head)


@pytest.mark.parametrize("said", [b"", b"GE", HEAD, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" + HEAD])
async def test_a_head_that_does_not_end_ends_the_connection(port: int, said: bytes) -> None:
    assert (await answer_to(port, said)).count(b"well") == said.count(b"\r\n\r\n")


async def test_a_large_body_and_a_kept_connection_are_left_alone(port: int) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        for size in (500_000, 0, 500_000):
            response = await client.post("/", content=b"x" * size, headers={"y": "a" * 30_000})
            assert response.text == "well"
            await asyncio.sleep(2 * Hasty.HEAD_SECONDS / 3)


async def wait_and_answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers `/` at once; everything else begins a stream that stays open."""
    if scope["path"] == "/":
        await PlainTextResponse("well")(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"open", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass


@asynccontextmanager
async def opened(port: int, said: bytes = b"") -> AsyncIterator[asyncio.StreamReader]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)
    try:
        yield reader
    finally:
        writer.close()


STREAM = b"GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
ASKED = HEAD + b"Connection: close\r\n\r\n"


class Patient(connections_up_to(20)):  # type: ignore[misc]
    """Closes nothing by time: what is closed makes room."""

    HEAD_SECONDS = 600.0


async def test_connections_that_ask_for_nothing_make_room_and_streams_stay_open() -> None:
    is_over = asyncio.Event()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/":
            await PlainTextResponse("well")(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"open", "more_body": True})
        await is_over.wait()
        await send({"type": "http.response.body", "body": b"over"})

    async with served(Patient, app) as port, AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(opened(port, STREAM)) for _ in range(5)]
        for stream in streams:
            await stream.readuntil(b"open")
        kept = await stack.enter_async_context(opened(port, HEAD + b"\r\n"))
        await kept.readuntil(b"well")
        idle = [await stack.enter_async_context(opened(port, said)) for said in (b"", b"GE") * 100]
        for _ in range(3):
            assert b"well" in await answer_to(port, ASKED)
        async with asyncio.timeout(60):
            assert await kept.read() == b""  # it was idle for the longest time
            for connection in idle[:180]:
                assert await connection.read() == b""
            is_over.set()
            for stream in streams:
                await stream.readuntil(b"over")


async def test_a_connection_too_many_is_refused_when_none_is_idle() -> None:
    async with served(connections_up_to(5), wait_and_answer) as port:
        async with AsyncExitStack() as stack:
            for _ in range(5):
                stream = await stack.enter_async_context(opened(port, STREAM))
                await stream.readuntil(b"open")
            refused = await answer_to(port, b"")
            assert refused.startswith(b"HTTP/1.1 503 ")
            head, _, body = refused.partition(b"\r\n\r\n")
            assert b"retry-after: 5" in head
            assert f"content-length: {len(body)}".encode() in head
        await eventually(
            lambda: answer_to(port, ASKED),
            lambda it: b"well" in it,
            message="the server sees them close",
        )


CHUNKED = b"Transfer-Encoding: chunked\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\n"


async def tell_path(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads the body, as routes do, and answers with the path and the body's size."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await PlainTextResponse(f"asked {scope['path']} {size}")(scope, receive, send)


@pytest.mark.parametrize(
    "request_",
    [
        POST + b"Content-Length: 6\r\n" + CHUNKED + b"\r\n0\r\n\r\n" + SMUGGLED,
        POST + CHUNKED + b"Content-Length: 6\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: 0\r\nContent-Length: 43\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: 0, 43\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: +0\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: 0x0\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: -1\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length: 99999999999999999999999\r\n\r\n" + SMUGGLED,
        POST + b"Content-Length : 0\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
        POST + CHUNKED + b"\r\nzz\r\n\r\n" + SMUGGLED,
        POST + CHUNKED + b"\r\n-1\r\n\r\n" + SMUGGLED,
        POST + CHUNKED + b"\r\n1\r\nab\r\n0\r\n\r\n" + SMUGGLED,
        POST + CHUNKED + b"\r\nffffffffffffffffff\r\nab\r\n0\r\n\r\n" + SMUGGLED,
        POST + b"X: a\r\n b: c\r\n\tContent-Length: 43\r\n\r\n" + SMUGGLED,
        POST + b"X: a\rContent-Length: 43\r\n\r\n" + SMUGGLED,
        POST + b"X\0: a\r\n\r\n" + SMUGGLED,
        b"GET / HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n" + SMUGGLED,
        b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n" + SMUGGLED,
    ],
)
async def test_a_request_whose_end_can_be_read_in_two_ways_ends_the_connection(request_: bytes) -> None:
    async with served(connections_up_to(20), tell_path) as port:
        answered = await answer_to(port, request_)
        assert b"/smuggled" not in answered
        assert b" 400 " in answered.partition(b"\r\n")[0]


async def test_bodies_of_both_forms_are_read_to_their_end_and_no_further() -> None:
    two = POST + CHUNKED + b"\r\n3\r\nabc\r\n0\r\n\r\n" + POST + b"Content-Length: 4\r\n\r\nabcd" + ASKED
    async with served(connections_up_to(20), tell_path) as port:
        answered = await answer_to(port, two)
    assert [answered.count(said) for said in (b"asked / 3", b"asked / 4", b"asked / 0")] == [1, 1, 1]
