"""What is refused without being read, and what a failure of the server says."""

from __future__ import annotations

import httpx
import pytest
from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.types import Message

from server.api.exception_handlers import install
from server.auth.body import JSON_LIMIT, limit_body
from server.errors import TooLarge


async def never_read() -> Message:
    raise AssertionError("the body is read")


def test_a_body_of_a_declared_size_is_refused_without_being_read() -> None:
    scope = {"type": "http", "path": "/api/sessions"}
    limit_body(scope, Headers({"content-length": str(JSON_LIMIT)}), never_read)
    with pytest.raises(TooLarge):
        limit_body(scope, Headers({"content-length": str(JSON_LIMIT + 1)}), never_read)


async def test_an_unexpected_failure_is_told_without_its_words() -> None:
    app = FastAPI()
    install(app)

    @app.get("/broken")
    async def broken() -> None:
        raise ValueError("hunter2 is the password")

    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/broken")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "hunter2" not in answer.text
    assert "ValueError" not in answer.text
