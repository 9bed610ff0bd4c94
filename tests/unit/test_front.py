"""Health and the page are there at once; what needs the rest waits for it."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.types import Message

from server.__main__ import Server
from server.auth import Logins
from server.http.spa import Spa
from server.http.startup import StartupApp, build_app
from server.main import create_app
from server.settings import Settings
from tests.conftest import PASSWORD

Build = Callable[[Settings, Logins, Spa], FastAPI]


class SlowBuild:
    """Builds the real app when the test allows it, as with imports on a slow disk."""

    def __init__(self) -> None:
        self.may_end = threading.Event()

    def __call__(self, settings: Settings, logins: Logins, spa: Spa) -> FastAPI:
        self.may_end.wait()
        return create_app(settings, logins, spa)


def broken_build(settings: Settings, logins: Logins, spa: Spa) -> FastAPI:
    raise ImportError("a package is missing")


@asynccontextmanager
async def served(settings: Settings, build: Build) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a front whose lifespan is run as a server runs it."""
    front = StartupApp(settings, Logins(PASSWORD, settings.data_dir), build)
    to_app: asyncio.Queue[Message] = asyncio.Queue()
    from_app: asyncio.Queue[Message] = asyncio.Queue()
    life = asyncio.create_task(front({"type": "lifespan"}, to_app.get, from_app.put))
    await to_app.put({"type": "lifespan.startup"})
    assert (await from_app.get())["type"] == "lifespan.startup.complete"
    transport = httpx.ASGITransport(app=front)
    headers = {"authorization": f"Bearer {PASSWORD}"}
    async with httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1:8000", headers=headers
    ) as client:
        yield client
    await to_app.put({"type": "lifespan.shutdown"})
    assert (await from_app.get())["type"] == "lifespan.shutdown.complete"
    await life


async def test_health_and_the_page_do_not_wait_for_the_app(settings: Settings) -> None:
    build = SlowBuild()
    async with served(settings, build) as client:
        early = await client.get("/api/health")
        page = await client.get("/", headers={"accept": "text/html"})
        ready = await client.get("/api/ready")
        build.may_end.set()
        late = await client.get("/api/sessions")
        assert late.is_success
        assert early.json() == (await client.get("/api/health")).json()
        assert page.content == (await client.get("/", headers={"accept": "text/html"})).content
        assert (ready.status_code, ready.json()["code"]) == (503, "not_ready")


async def test_a_request_that_needs_the_app_waits_and_is_answered(settings: Settings) -> None:
    build = SlowBuild()
    async with served(settings, build) as client:
        asked = asyncio.create_task(client.get("/api/sessions"))
        assert (await client.get("/api/health")).is_success
        assert not asked.done()
        build.may_end.set()
        assert (await asked).json()["items"] == []


async def test_a_foreign_host_is_refused_from_the_first_moment(settings: Settings) -> None:
    build = SlowBuild()
    async with served(settings, build) as client:
        refused = await client.get("/", headers={"host": "evil.example"})
        assert (refused.status_code, refused.json()["code"]) == (403, "host")
        build.may_end.set()


async def test_an_app_that_cannot_be_built_is_told_and_not_waited_for(settings: Settings) -> None:
    async with served(settings, broken_build) as client:
        told = await client.get("/api/sessions")
        assert (told.status_code, told.json()["code"]) == (503, "not_ready")
        assert "log" in told.json()["detail"]
        assert (await client.get("/api/health")).is_success


async def test_a_server_that_is_stopped_while_it_starts_opens_nothing(settings: Settings) -> None:
    (settings.data_dir / "pilothouse.db").unlink()  # as before a first start
    build = SlowBuild()
    async with served(settings, build):
        pass
    build.may_end.set()
    assert not (settings.data_dir / "pilothouse.db").exists()


async def test_the_first_signal_lets_runs_end_and_the_second_waits_for_nothing(settings: Settings) -> None:
    front = StartupApp(settings, Logins(PASSWORD, settings.data_dir))
    server = Server(uvicorn.Config(front, log_config=None), front)
    server.handle_exit(signal.SIGTERM, None)
    assert not server.should_exit
    server.handle_exit(signal.SIGTERM, None)
    assert server.should_exit
    assert server.force_exit


@pytest.mark.parametrize("path", ["/pilot/api/sessions", "/api/sessions"])
async def test_below_a_path_of_its_host_the_same_is_served_with_and_without_it(
    settings: Settings, path: str
) -> None:
    settings = Settings.model_validate(settings.model_dump() | {"public_url": "https://host.example/pilot"})
    async with served(settings, build_app) as client:
        assert (await client.get(path)).status_code == 200
        assert (await client.get(path, headers={"authorization": ""})).status_code == 401
        assert (
            await client.get(path.replace("/pilot", "/pilots", 1).replace("/api", "/apis", 1))
        ).status_code == 404
