"""Dependencies and shared parameter types of the routes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Request
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from starlette.requests import HTTPConnection

from server.auth import Caller
from server.errors import Unavailable
from server.runtime import Runtime
from wording.catalogue import sentence

STREAM_RETRY_SECONDS = 5.0


async def get_runtime(connection: HTTPConnection) -> Runtime:
    """Wait for the runtime. Raises Unavailable if it could not be built."""
    runtime: Runtime = await connection.app.state.starting.runtime()
    return runtime


async def get_caller(connection: HTTPConnection) -> Caller:
    caller: Caller = connection.state.caller
    return caller


async def take_stream(connection: HTTPConnection) -> AsyncIterator[None]:
    """Count an open stream until it has ended. Raises Unavailable if the limit is reached."""
    streams: Streams = connection.app.state.streams
    with streams.one():
        yield


class Streams:
    """Limits the open streams, so that they cannot use up the process's file descriptors."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.open = 0

    @contextmanager
    def one(self) -> Iterator[None]:
        if self.open >= self.limit:
            raise Unavailable(
                sentence("server.too_many_streams", n=self.limit),
                code="too_many_streams",
                retry_after=STREAM_RETRY_SECONDS,
            )
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1


STREAM = Depends(take_stream)
"""For `dependencies` of a route that returns a stream or is a WebSocket."""
RuntimeDep = Annotated[Runtime, Depends(get_runtime)]
CallerOf = Annotated[Caller, Depends(get_caller)]


def _storable(text: str) -> str:
    """Reject NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 cannot encode."""
    if "\0" in text:
        raise ValueError(sentence("fault.nul"))
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError(sentence("fault.surrogates"))
    return text


Text = Annotated[str, AfterValidator(_storable)]
SessionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


def _as_text(value: object) -> object:
    if not isinstance(value, str | datetime):
        raise ValueError(sentence("fault.moment_as_text"))
    return value


Moment = Annotated[AwareDatetime, Field(strict=False), BeforeValidator(_as_text)]


class Body(BaseModel):
    """A request body. Unknown fields are rejected with 422: a misspelt name must not select the default.

    So are values of another type than described: 0 is no boolean, "5" no number.
    """

    model_config = ConfigDict(extra="forbid", strict=True)


class SocketFrame(BaseModel):
    """A WebSocket frame. Unknown fields are ignored: frames also have `session_id`, `ts` and `payload`."""

    model_config = ConfigDict(strict=True)


def request_id(request: Request) -> str:
    return str(request.state.request_id)
