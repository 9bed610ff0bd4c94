"""The transport gives SDKs what arrived: joined where it may, as it is where not, with errors they know."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx2
import pytest
from aiohttp import web

from server.agent.models.transport import LARGEST_EVENT, model_http_client, proxy_for
from server.errors import RunFailed
from tests.support.loop_gaps import loop_gaps
from tests.support.model_formats import stream
from tests.support.model_reply import Reply

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
BODY = b"".join(stream("chat", Reply(text=["tok "] * 200), {"model": "m"}))


@asynccontextmanager
async def site(handler: Handler) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


def sends(body: bytes, **headers: str) -> Handler:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(body=body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    return handler


async def test_what_waits_at_the_socket_is_joined() -> None:
    async with site(sends(BODY, content_type="text/event-stream")) as url:
        got = (await model_http_client().get(url)).content
    assert got.count(b"data:") < 20
    assert got.count(b"tok ") == 200


async def test_a_compressed_stream_says_the_same() -> None:
    packed = gzip.compress(BODY)
    async with site(sends(packed, content_type="text/event-stream", content_encoding="gzip")) as url:
        assert (await model_http_client().get(url)).content.count(b"tok ") == 200


@pytest.mark.parametrize(
    "body",
    [b"data: " + b"x" * 10_000_000, b"x" * 10_000_000 + b"\n", gzip.compress(b"x" * 10_000_000)],
    ids=["event", "line", "compressed"],
)
@pytest.mark.parametrize(
    "kind", ["text/event-stream", "application/x-ndjson", "application/json", "text/html"]
)
async def test_what_is_too_large_for_one_event_is_not_read_to_its_end(body: bytes, kind: str) -> None:
    packed = {"content_encoding": "gzip"} if body.startswith(b"\x1f\x8b") else {}
    async with site(sends(body, content_type=kind, **packed)) as url, loop_gaps() as gaps:
        with pytest.raises(RunFailed, match="more than 1 MB") as failed:
            await model_http_client().get(url)
    assert failed.value.code == "output_limit"
    assert gaps.longest < 0.1


async def test_of_a_large_refusal_only_the_beginning_is_read() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        return web.Response(status=502, body=b"no" * 5_000_000, content_type="text/html")

    async with site(handler) as url:
        refused = await model_http_client().get(url)
    assert (refused.status_code, refused.content[:2]) == (502, b"no")
    assert len(refused.content) <= LARGEST_EVENT


async def test_other_content_is_left_alone() -> None:
    async with site(sends(BODY, content_type="application/json")) as url:
        assert (await model_http_client().get(url)).content == BODY


async def test_a_connection_is_used_again_when_it_was_read_out() -> None:
    peers = set()

    async def handler(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        peers.add(request.transport.get_extra_info("peername"))
        return web.Response(body=BODY, headers={"content-type": "text/event-stream"})

    async with site(handler) as url:
        for _ in range(3):
            await model_http_client().get(url)
    assert len(peers) == 1


async def test_the_request_arrives_as_it_was_made() -> None:
    seen: dict[str, object] = {}

    async def handler(request: web.Request) -> web.StreamResponse:
        seen.update(
            method=request.method,
            body=await request.json(),
            key=request.headers["x-key"],
            q=request.query["q"],
        )
        return web.Response(text="ok", status=418, headers={"x-answer": "yes"})

    async with site(handler) as url:
        answer = await model_http_client().post(
            url, params={"q": "a b"}, json={"name": "ü"}, headers={"x-key": "1"}
        )
    assert seen == {"method": "POST", "body": {"name": "ü"}, "key": "1", "q": "a b"}
    assert (answer.status_code, answer.text, answer.headers["x-answer"]) == (418, "ok", "yes")


async def test_nobody_listening_is_a_connect_error() -> None:
    with pytest.raises(httpx2.ConnectError):
        await model_http_client().get("http://127.0.0.1:9/")


async def test_a_connection_broken_while_reading_is_a_read_error() -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        await response.write(BODY[:5000])
        await asyncio.sleep(0.05)
        assert request.transport is not None
        sock = request.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
        return response

    async with site(handler) as url:
        with pytest.raises(httpx2.ReadError):
            await model_http_client().get(url)


def test_every_event_loop_has_and_closes_its_own_connections() -> None:
    async def once() -> None:
        async with site(sends(b"hi", content_type="text/plain")) as url:
            assert (await model_http_client().get(url)).text == "hi"

    for _ in range(2):
        asyncio.run(once())


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, None),
        ({"https_proxy": "http://me:secret@proxy:3128"}, "http://me:secret@proxy:3128"),
        ({"https_proxy": "http://proxy:3128", "no_proxy": "model.example"}, None),
    ],
)
def test_the_proxy_of_the_environment_is_used(
    environment: dict[str, str], expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("https_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    proxy_for.cache_clear()
    assert proxy_for("https", "model.example") == expected
    proxy_for.cache_clear()
