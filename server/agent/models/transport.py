"""The HTTP transport of the model SDKs: aiohttp, which returns all received data at once, not in chunks."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2

from server.agent.models.delta_joiner import DeltaJoiner
from server.agent.models.pacing import Pace

CONNECT_TIMEOUT = 10.0
T = TypeVar("T")


class ModelTransport(httpx2.AsyncBaseTransport):
    """One connection pool per event loop. Reads have no timeout here: the model guard has deadlines."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        pool = await _pool()
        headers = [
            (k, v)
            for k, v in request.headers.multi_items()
            if k not in ("transfer-encoding", "content-length")
        ]
        with _as_httpx(started=False):
            response = await pool.session.request(
                request.method,
                str(request.url),
                headers=headers,
                data=await request.aread() or None,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT),
                proxy=proxy_for(request.url.scheme, request.url.host),
            )
        body = _Body(response, pool.pace)
        if (opened := _opened.get()) is not None:
            opened.append(body)
        return httpx2.Response(
            response.status,
            headers=response.raw_headers,
            stream=body,
            extensions={"http_version": b"HTTP/1.1"},
        )


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: aiohttp.ClientResponse, pace: Pace) -> None:
        self._response = response
        self._pace = pace
        self._counted = ExitStack()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        headers, content = self._response.headers, self._response.content
        is_events = headers.get("content-type", "").startswith("text/event-stream")
        is_plain = headers.get("content-encoding", "identity").lower() == "identity"
        joiner = DeltaJoiner() if is_events and is_plain else None
        with self._counted, _as_httpx(started=True):
            self._counted.enter_context(self._pace.stream())
            while data := await content.readany():
                if joiner:
                    data = joiner.feed(data)
                if data:
                    yield data
                if joiner and self._pace.rest:
                    await asyncio.sleep(self._pace.rest)
            if joiner and (rest := joiner.flush()):
                yield rest

    async def aclose(self) -> None:
        self._counted.close()
        if self._response.content.at_eof():
            self._response.release()
        else:
            self._response.close()


_opened: ContextVar[list[_Body] | None] = ContextVar("opened", default=None)


async def closing(chunks: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """Yield the chunks of a stream. On exit, closes the responses that its first step opened.

    For SDKs that close their streams only at the next garbage collection.
    """
    opened: list[_Body] = []
    try:
        _opened.set(opened)
        try:
            chunk = await anext(chunks, None)
        finally:
            _opened.set(None)
        while chunk is not None:
            yield chunk
            chunk = await anext(chunks, None)
    finally:
        for body in opened:
            await body.aclose()


@contextmanager
def _as_httpx(*, started: bool) -> Iterator[None]:
    """Convert aiohttp's errors to httpx2's, which the SDKs handle."""
    try:
        yield
    except aiohttp.ConnectionTimeoutError as error:
        raise httpx2.ConnectTimeout(type(error).__name__) from error
    except aiohttp.ClientConnectorError as error:
        raise httpx2.ConnectError(type(error).__name__) from error
    except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
        raise httpx2.UnsupportedProtocol(type(error).__name__) from error
    except (aiohttp.ClientError, OSError) as error:
        if started:
            raise httpx2.ReadError(type(error).__name__) from error
        raise httpx2.RemoteProtocolError(type(error).__name__) from error


@dataclass
class _Pool:
    session: aiohttp.ClientSession
    pace: Pace
    lifetime: AsyncGenerator[aiohttp.ClientSession, None]


_pools: dict[asyncio.AbstractEventLoop, _Pool] = {}


async def _pool() -> _Pool:
    loop = asyncio.get_running_loop()
    if loop not in _pools:
        lifetime = _open_session(loop)
        _pools[loop] = _Pool(await anext(lifetime), Pace(loop), lifetime)
    return _pools[loop]


async def _open_session(loop: asyncio.AbstractEventLoop) -> AsyncGenerator[aiohttp.ClientSession, None]:
    """A session as an async generator, since the event loop closes started generators when it shuts down."""
    connector = aiohttp.TCPConnector(limit=0, ssl=ssl_context(), keepalive_timeout=60)
    try:
        async with aiohttp.ClientSession(connector=connector, auto_decompress=False) as session:
            yield session
    finally:
        _pools.pop(loop, None)


@lru_cache
def proxy_for(scheme: str, host: str) -> str | None:
    """The proxy from the environment, cached: aiohttp would look it up in a thread before each request."""
    return None if proxy_bypass(host) else getproxies().get(scheme)


@lru_cache
def ssl_context() -> ssl.SSLContext:
    """One for all: loading the certificates takes 20 ms of CPU time."""
    return httpx2.create_ssl_context()


@lru_cache
def sync_http_client() -> httpx2.Client:
    """For SDKs that make a client for synchronous calls, too, which are not made here: each of their own would load
    all certificates once more."""
    return httpx2.Client(verify=ssl_context())


@lru_cache
def model_http_client() -> httpx2.AsyncClient:
    """The HTTP client shared by all models of this process. It holds no connections itself."""
    return httpx2.AsyncClient(transport=ModelTransport(), timeout=None, follow_redirects=True)
