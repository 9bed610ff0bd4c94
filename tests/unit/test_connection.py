"""Connections of clients that mean no good: their heads end, or they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from uvicorn.server import ServerState

from server.connection import Connection

HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"


class Hasty(Connection):
    HEAD_SECONDS = 0.3


@asynccontextmanager
async def served(kind: type[Connection]) -> AsyncIterator[int]:
    config = uvicorn.Config(PlainTextResponse("well"), log_config=None, access_log=False)
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
        async with asyncio.timeout(10):
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
    async with served(Connection) as port:
        assert await send_until_refused(port, [HEAD, *parts]) < 10_000_000


@pytest.mark.parametrize("said", [b"", b"GE", HEAD, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" + HEAD])
async def test_a_head_that_does_not_end_ends_the_connection(port: int, said: bytes) -> None:
    assert (await answer_to(port, said)).count(b"well") == said.count(b"\r\n\r\n")


async def test_a_large_body_and_a_kept_connection_are_left_alone(port: int) -> None:
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
        for size in (500_000, 0, 500_000):
            response = await client.post("/", content=b"x" * size, headers={"y": "a" * 30_000})
            assert response.text == "well"
            await asyncio.sleep(2 * Hasty.HEAD_SECONDS / 3)
