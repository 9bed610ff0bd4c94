"""What routes ask for by name, and the shapes they take and give."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import AfterValidator, BaseModel, Field
from starlette.requests import HTTPConnection

from server.auth import Caller
from server.runtime import Runtime


async def get_runtime(connection: HTTPConnection) -> Runtime:
    """The world, as soon as it is built. Raises Unavailable when it could not be built."""
    runtime: Runtime = await connection.app.state.world.runtime()
    return runtime


def get_caller(connection: HTTPConnection) -> Caller:
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


def session_json(row: Any, **more: Any) -> dict[str, Any]:
    """A session as clients see it."""
    return {
        "id": row.id,
        "title": row.title,
        "pinned": row.pinned,
        "agent": row.agent,
        "model": row.model,
        "max_tool_steps": row.max_tool_steps,
        "status": row.status,
        "unread": row.unread,
        "usage": row.usage,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "archived_at": row.archived_at,
        **more,
    }


def run_json(row: Any) -> dict[str, Any] | None:
    if row is None:
        return None
    names = ("id", "session_id", "message_id", "agent", "model", "status", "error_code", "error", "usage",
             "attempt", "epoch", "created_at", "started_at", "finished_at")  # fmt: skip
    return {name: getattr(row, name) for name in names}
