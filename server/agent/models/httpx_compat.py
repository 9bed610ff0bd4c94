"""Adapter of our transport for SDKs that use the older httpx."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import cast

import httpx
import httpx2

from server.agent.models.transport import ModelTransport


class OlderTransport(httpx.AsyncBaseTransport):
    """Uses the connections of `ModelTransport`, with httpx's types and errors."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        newer = httpx2.Request(
            request.method, str(request.url), headers=request.headers.raw, content=await request.aread()
        )
        with _as_older():
            answer = await ModelTransport().handle_async_request(newer)
        body = _CompatBody(cast("httpx2.AsyncByteStream", answer.stream))
        return httpx.Response(answer.status_code, headers=answer.headers.raw, stream=body)


class _CompatBody(httpx.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_older():
            async for data in self._stream:
                yield data

    async def aclose(self) -> None:
        await self._stream.aclose()


@contextmanager
def _as_older() -> Iterator[None]:
    try:
        yield
    except httpx2.TransportError as error:
        kind: type[httpx.TransportError] = getattr(httpx, type(error).__name__)
        raise kind(str(error)) from error
