"""What routes ask for by name, and the shapes they take and give."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from pydantic import AfterValidator, BaseModel, Field
from starlette.requests import HTTPConnection

from server.auth import Caller
from server.runtime import Runtime


async def get_runtime(connection: HTTPConnection) -> Runtime:
    """The world, as soon as it is built. Raises Unavailable when it could not be built."""
    runtime: Runtime = await connection.app.state.world.runtime()
    return runtime


async def get_caller(connection: HTTPConnection) -> Caller:
    caller: Caller = connection.state.caller
    return caller


World = Annotated[Runtime, Depends(get_runtime)]
CallerOf = Annotated[Caller, Depends(get_caller)]


def _storable(text: str) -> str:
    """PostgreSQL keeps no NUL, and a lone surrogate has no UTF-8 form."""
    if "\0" in text:
        raise ValueError("text must not contain NUL")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise ValueError("text must not contain lone surrogates")
    return text


Text = Annotated[str, AfterValidator(_storable)]
SessionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class Body(BaseModel):
    """A request body. Unknown fields are ignored, so that newer clients can talk to older servers."""


def request_id(request: Request) -> str:
    return str(request.state.request_id)
