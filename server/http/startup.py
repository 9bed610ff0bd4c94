"""Serves health checks and the web UI while everything else is still being imported.

FastAPI, SQLAlchemy and LangChain take seconds to import. A thread imports them; other requests wait for it.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import secrets
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING

import orjson
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server import VERSION
from server.auth import Logins, RequestGate, guarded_prefixes, is_guarded
from server.errors import Unavailable
from server.http.problems import render
from server.http.spa import Spa
from server.settings import Settings
from wording.catalogue import sentence

if TYPE_CHECKING:
    from fastapi import FastAPI

logger = logging.getLogger(__name__)

HEALTH, READY = "/api/health", "/api/ready"
HEALTHY = orjson.dumps({"status": "ok", "version": VERSION})


def build_app(settings: Settings, logins: Logins, spa: Spa) -> FastAPI:
    app: FastAPI = importlib.import_module("server.main").create_app(settings, logins, spa)
    return app


def below(base_path: str, scope: Scope) -> Scope:
    """The scope with its path as the server's own routes have it. Proxies that remove the path themselves are fine, too."""
    path: str = scope["path"]
    if path != base_path and not path.startswith(f"{base_path}/"):
        return scope
    raw = scope.get("raw_path") or path.encode()
    return {**scope, "path": path[len(base_path) :] or "/", "raw_path": raw[len(base_path) :] or b"/"}


class StartupApp:
    """An ASGI app that wraps the real one, and starts and stops it in its own lifespan."""

    def __init__(
        self,
        settings: Settings,
        logins: Logins,
        build: Callable[[Settings, Logins, Spa], FastAPI] = build_app,
    ) -> None:
        self.app: FastAPI | None = None
        self._base_path = settings.base_path
        self._spa = Spa(base_path=self._base_path)
        self._build = partial(build, settings, logins, self._spa)
        self._early = RequestGate(self._answer_early, settings=settings, logins=logins, render=render)
        self._guarded = guarded_prefixes(settings)
        self._stack = AsyncExitStack()
        self._opening: asyncio.Task[FastAPI]

    @property
    def fatal(self) -> str | None:
        """Why the server must exit: it cannot start, and retrying does not help. None otherwise."""
        starting = getattr(self.app.state, "starting", None) if self.app else None
        return starting.fatal if starting else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if self._base_path:
            scope = below(self._base_path, scope)
        if self.app is None and is_early(scope["path"], self._guarded):
            await self._early(scope, receive, send)
        else:
            await (self.app or await self._wait())(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        self._opening = asyncio.create_task(self._open())
        self._opening.add_done_callback(self._log_failure)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._opening.cancel()
        await asyncio.wait({self._opening})
        await self._stack.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _open(self) -> FastAPI:
        app = await asyncio.to_thread(self._build)
        await self._stack.enter_async_context(app.router.lifespan_context(app))
        self.app = app
        return app

    def _log_failure(self, opening: asyncio.Task[FastAPI]) -> None:
        if not opening.cancelled() and (error := opening.exception()):
            logger.critical("the server cannot start", exc_info=error)

    async def _wait(self) -> ASGIApp:
        """The app, once it has started; an app that returns 503 if that failed."""
        await asyncio.wait({self._opening})
        if self._opening.cancelled() or self._opening.exception():
            refusal = Unavailable(sentence("server.start_failed"), code="not_ready")
            return render(refusal, secrets.token_hex(8))
        return self._opening.result()

    async def _answer_early(self, scope: Scope, receive: Receive, send: Send) -> None:
        answers: dict[str, ASGIApp] = {
            HEALTH: Response(HEALTHY, media_type="application/json"),
            READY: render(
                Unavailable(sentence("server.starting"), code="not_ready", retry_after=5),
                scope["state"]["request_id"],
            ),
        }
        await answers.get(scope["path"], self._spa)(scope, receive, send)


def is_early(path: str, guarded: tuple[str, ...]) -> bool:
    return path in (HEALTH, READY) or not is_guarded(path, guarded)
