"""Shared fixtures: a world in mock mode on a database of its own, and clients for it."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import hypothesis
import pytest

from server.settings import Settings
from tests.support.migrated import create_migrated

if TYPE_CHECKING:
    from fastapi import FastAPI

    from server.runtime import Runtime

PASSWORD = "correct horse"

# The same examples in every run; how long one takes on a busy machine says nothing.
hypothesis.settings.register_profile("same", derandomize=True, deadline=None)
hypothesis.settings.load_profile("same")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected lives to the end: no garbage collection looks at it, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Mock mode on a migrated database, nothing from this machine's environment or `.env`."""
    create_migrated(tmp_path / "data/pilothouse.db")
    return Settings.model_validate(
        {"agent_mode": "mock", "data_dir": tmp_path / "data", "auth_token": PASSWORD, "drain_timeout": 0.0}
    )


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[Runtime]:
    # Not above: the server is 2 s of CPU time, and not every process that runs or hands out tests needs it.
    from server.runtime import open_runtime

    async with open_runtime(settings) as runtime:
        yield runtime


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[FastAPI]:
    from server.main import create_app

    app = create_app(settings)
    async with app.router.lifespan_context(app):
        yield app


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Logged in by bearer token. The policy's data is loaded before: next to a run it takes many times as long."""
    from server.agent import policy

    policy.warm_up()  # once in a process
    async with open_client(app, {"authorization": f"Bearer {PASSWORD}"}) as client:
        yield client


@pytest.fixture
async def stranger(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Not logged in."""
    async with open_client(app, {}) as client:
        yield client


def open_client(app: FastAPI, headers: dict[str, str]) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=app)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=headers)
