"""The product in this process on one data folder: opened, closed, killed and opened again."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import httpx
from fastapi import FastAPI

from server.extras.mock.browser import MockBrowser
from server.extras.mock.pool import MockBrowsers
from server.main import create_app
from server.runtime import Runtime
from server.settings import Settings
from tests.support.chat import Event

T = TypeVar("T")

PASSWORD = "correct horse"
HEADERS = {"authorization": f"Bearer {PASSWORD}", "host": "127.0.0.1:8000"}
PATIENCE = 60.0


class Service:
    """Runs on an event loop of its own, which stands still between two calls of `do`."""

    def __init__(self, folder: Path) -> None:
        self._settings = Settings.model_validate(
            {"agent_mode": "mock", "data_dir": folder, "auth_token": PASSWORD, "drain_timeout": 0.0}
        )
        self._browsers: dict[str, list[MockBrowser]] = {}
        self.file = folder / "pilothouse.db"
        self.open()

    def open(self) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self.do(self._open())

    async def _open(self) -> None:
        self.app: FastAPI = create_app(self._settings)
        await self._stack.enter_async_context(self.app.router.lifespan_context(self.app))
        self.world: Runtime = await self.app.state.starting.runtime()
        transport = httpx.ASGITransport(app=self.app)
        self.client = await self._stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", headers=HEADERS)
        )

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def close(self) -> None:
        """As SIGTERM does it."""
        self.do(self._close())
        self._runner.close()

    async def _close(self) -> None:
        await self.app.state.starting.drain()
        await self._stack.aclose()
        # One task of sse-starlette looks for a server's shutdown as long as the loop runs.
        left = {task for task in asyncio.all_tasks() if task.get_coro().__name__ != "_shutdown_watcher"}  # type: ignore[union-attr]
        left.discard(asyncio.current_task())  # type: ignore[arg-type]
        if left:
            await asyncio.wait(left, timeout=PATIENCE)
        assert all(task.done() for task in left), left

    def kill(self) -> None:
        """Nothing that is going on now gets to the database any more."""
        asyncio.run(self.world.database.aclose())
        self.close()

    async def call(self, method: str, path: str, **body: Any) -> httpx.Response:
        """Any answer but one that blames the server."""
        response = await self.client.request(method, f"/api/sessions{path}", json=body or None)
        assert response.status_code < 500, f"{method} {path} {body}: {response.text}"
        return response

    async def read(self, session_id: str) -> Event:
        response = await self.call("GET", f"/{session_id}")
        return dict(response.json()) if response.status_code == 200 else {}

    async def effects(self, session_id: str) -> int:
        """Orders that were placed in the session, in all browsers that it ever had."""
        browsers, seen = self.world.browsers, self._browsers.setdefault(session_id, [])
        assert isinstance(browsers, MockBrowsers)
        if browsers.peek(session_id):
            browser = await browsers.get(session_id)
            seen += [] if any(browser is known for known in seen) else [browser]
        return sum(browser.log.count("click Place order") for browser in seen)
