"""The HTTP transport of the model SDKs: aiohttp, which returns all received data at once, not in chunks."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2
from aiohttp.abc import ResolveResult

from server.agent.models.deadlines import note_life
from server.agent.models.delta_joiner import DeltaJoiner, joins_deltas
from server.agent.models.errors import OUTPUT_LIMIT, ModelFailure
from server.agent.models.pacing import Pace
from server.agent.models.unstreamed import as_stream, is_unstreamed
from server.browser.addresses import refuse_everywhere
from wording.catalogue import sentence

CONNECT_TIMEOUT = 10.0
MAX_REDIRECTS = 5
LARGEST_EVENT = 1_000_000
"""Bytes of one event or line of a stream, and of a body that is no stream."""
_OF_THE_LINE = (b"content-encoding", b"content-length", b"transfer-encoding")
"""Headers of a response that say nothing of its decoded body."""
_SLICE = 65_536
"""Bytes of a read that are worked on before other tasks have their turn."""
_TOO_LARGE = ModelFailure(OUTPUT_LIMIT.code, sentence("model.huge_piece"))
T = TypeVar("T")


class ModelTransport(httpx2.AsyncBaseTransport):
    """One connection pool per event loop. Reads have no timeout here: the model guard has deadlines."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        pool = await _pool()
        with _as_httpx(started=False):
            response = await _response_of(pool.session, request)
        note_life()
        body = _Body(response, pool.pace)
        if (opened := _opened.get()) is not None:
            opened.append(body)
        return httpx2.Response(
            response.status,
            headers=[one for one in response.raw_headers if one[0].lower() not in _OF_THE_LINE],
            stream=body,
            extensions={"http_version": b"HTTP/1.1"},
        )


async def _response_of(session: aiohttp.ClientSession, request: httpx2.Request) -> aiohttp.ClientResponse:
    """The response's head. A redirect that repeats the request at the same server is followed, no other one."""
    left_out = ("transfer-encoding", "content-length", "accept-encoding")
    headers = [(k, v) for k, v in request.headers.multi_items() if k not in left_out]
    headers.append(("accept-encoding", "identity"))
    data, url = await request.aread() or None, request.url
    for _ in range(MAX_REDIRECTS):
        _check_literal(url.host)
        response = await session.request(
            request.method,
            str(url),
            headers=headers,
            data=data,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT),
            proxy=proxy_for(url.scheme, url.host),
        )
        if not 300 <= response.status < 400:
            return response
        response.close()
        target = url.join(response.headers.get("location", ""))
        if response.status not in (307, 308) or _origin(target) != _origin(url):
            break
        url = target
    raise LedAway(f"{response.status} of {request.url.host}")


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _check_literal(host: str) -> None:
    """A literal is not resolved, so `NoMetadataResolver` does not see it."""
    with suppress(ValueError):
        _check(host)


def _check(host: str) -> None:
    """Raises ForbiddenAddress for an address that is used for nothing; ValueError for a name."""
    if why := refuse_everywhere(ipaddress.ip_address(host.strip("[]").partition("%")[0])):
        raise ForbiddenAddress(why)


class NoMetadataResolver(aiohttp.ThreadedResolver):
    """The connection goes to what was checked, whatever the name leads to a moment later."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await super().resolve(host, port, family)
        for place in found:
            _check(place["host"])
        return found


class LedAway(Exception):
    """The server answered by a redirect that is not followed: the request would leave for another server."""


class ForbiddenAddress(Exception):
    """The address is none of a model server; the message is the reason."""


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: aiohttp.ClientResponse, pace: Pace) -> None:
        self._response = response
        self._pace = pace
        self._counted = ExitStack()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises RunFailed for an event, a line or a whole body that is too large."""
        content, is_refused = self._response.content, self._response.status >= 400
        kind = self._response.headers.get("content-type", "")
        is_joined = joins_deltas.get() and kind.startswith("text/event-stream") and not is_refused
        joiner = DeltaJoiner() if is_joined else None
        whole: list[bytes] | None = None
        size, is_first = 0, True
        with self._counted, _as_httpx(started=True):
            self._counted.enter_context(self._pace.stream())
            while read := await content.readany():
                note_life()
                if is_first:
                    whole, is_first = [] if is_unstreamed(read) and not is_refused else None, False
                for data in _slices(read):
                    is_line = whole is None and not is_refused
                    size = _size_of_open_line(size, data) if is_line else size + len(data)
                    if size > LARGEST_EVENT and is_refused:
                        return  # what it says is in its beginning
                    if size > LARGEST_EVENT:
                        raise _TOO_LARGE.as_error()
                    if whole is not None:
                        whole.append(data)
                    elif data := joiner.feed(data) if joiner else data:
                        yield data
                    if len(read) > _SLICE:
                        await asyncio.sleep(0)
                if joiner and self._pace.rest:
                    await asyncio.sleep(self._pace.rest)
            if rest := as_stream(b"".join(whole)) if whole else joiner.flush() if joiner else b"":
                yield rest

    async def aclose(self) -> None:
        self._counted.close()
        if self._response.content.at_eof():
            self._response.release()
        else:
            self._response.close()


def _slices(read: bytes) -> Iterator[bytes]:
    return (read[at : at + _SLICE] for at in range(0, len(read), _SLICE))


def _size_of_open_line(size: int, data: bytes) -> int:
    """Bytes since the last line's end, after `data`."""
    end = max(data.rfind(b"\n"), data.rfind(b"\r"))
    return size + len(data) if end < 0 else len(data) - end - 1


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
    connector = aiohttp.TCPConnector(
        limit=0, ssl=ssl_context(), keepalive_timeout=60, resolver=NoMetadataResolver()
    )
    try:
        async with aiohttp.ClientSession(connector=connector) as session:
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
    return httpx2.AsyncClient(transport=ModelTransport(), timeout=None, follow_redirects=False)
