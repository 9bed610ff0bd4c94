"""The HTTP client of a tool server: it reaches the address that the person typed, and from there no private one.

A server names further addresses: where it redirects to, and its authorization server. These are checked when they are
connected to, with the address that the name leads to then.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import httpcore
import httpx

from server.browser.addresses import Address
from server.browser.chromium.reach import Reach, is_public
from wording.catalogue import Wording, sentence

MAX_ANSWER = 8 * 1024 * 1024
"""Bytes of one answer."""
HTTP_TIMEOUT = httpx.Timeout(30, read=300)


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to the typed host and port wherever it is, except for parts of this product; elsewhere as `reach` allows.

    Private addresses are reached from a typed one that is private itself, never from a public one.
    """

    def __init__(self, url: httpx.URL, reach: Reach) -> None:
        self._typed = (url.host, url.port or (443 if url.scheme == "https" else 80))
        self._reach = replace(reach, allowed_hosts=())
        self._is_near = False
        self._plain = httpcore.AnyIOBackend()

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        """Raises httpcore.ConnectError."""
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from None
        address = ipaddress.ip_address(str(found[0][4][0]).partition("%")[0])
        if why := self._refuse(host, address, port):
            raise httpcore.ConnectError(sentence("tool_server.forbidden", host=f"{host}:{port}", why=why))
        return await self._plain.connect_tcp(str(address), port, timeout, local_address, socket_options)

    def _refuse(self, host: str, address: Address, port: int) -> Wording | None:
        reach = self._reach
        if (host, port) == self._typed:
            self._is_near = not is_public(address)
            reach = replace(reach, private_network="always", blocked_hosts=())
        elif not self._is_near:
            reach = replace(reach, private_network="never")
        return reach.refuse_name(host, port) or reach.refuse_address(host, address, port)


class CheckedTransport(httpx.AsyncHTTPTransport):
    """Limits the size of answers, and notes whether the server wants a login."""

    def __init__(self, network: CheckedNetwork, note_status: Callable[[int], None]) -> None:
        super().__init__(trust_env=False)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=httpx.create_ssl_context(trust_env=False), network_backend=network
        )
        self._note_status = note_status

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        self._note_status(response.status_code)
        if request.method == "POST":
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _Limited(response.stream)
        return response


class _Limited(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MAX_ANSWER:
                raise httpx.ReadError(f"it answered with more than {MAX_ANSWER // 2**20} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def http_client(
    url: str, headers: Mapping[str, str], auth: httpx.Auth | None, reach: Reach, note_status: Callable[[int], None]
) -> httpx.AsyncClient:  # fmt: skip
    """`headers` go to the server's own origin only: an authorization server elsewhere gets none of them."""
    typed = httpx.URL(url)

    async def add(request: httpx.Request) -> None:
        if (request.url.scheme, request.url.netloc) == (typed.scheme, typed.netloc):
            for name, value in headers.items():
                request.headers.setdefault(name, value)

    transport = CheckedTransport(CheckedNetwork(typed, reach), note_status)
    return httpx.AsyncClient(
        transport=transport, auth=auth, timeout=HTTP_TIMEOUT, follow_redirects=False, trust_env=False,
        event_hooks={"request": [add]},
    )  # fmt: skip
