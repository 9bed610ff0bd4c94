"""Creates the app: gate, routes, errors, web UI. Importing it starts nothing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from fastapi import APIRouter, FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from server import VERSION
from server.api import (
    auth,
    automations,
    browser,
    channels,
    exception_handlers,
    export,
    files,
    grants,
    handoff,
    kept_sites,
    knowledge,
    links,
    live,
    messages,
    pointing,
    questions,
    replays,
    results,
    sessions,
    stream,
    system,
    ws,
)
from server.api import settings as settings_api
from server.api.deps import Streams
from server.api.description import DescribedAPI
from server.auth import (
    Logins,
    OpenIdLogin,
    RequestGate,
    TrustedHeader,
    guarded_prefixes,
    load_password,
    password_file,
)
from server.browser.browsers import Browsers
from server.database.migrate import NotReady
from server.errors import NotFound, Unavailable
from server.http.problems import render
from server.http.spa import Spa
from server.runtime import Runtime, open_runtime
from server.settings import Settings
from wording.catalogue import Wording, sentence

logger = logging.getLogger(__name__)

RETRY_SECONDS = 3.0
ROUTERS = (
    auth, automations, channels, handoff, kept_sites, knowledge, replays, links, messages, questions, stream, system, sessions, files, export, grants, results, browser, pointing, settings_api, ws, live,
)  # fmt: skip
WORKER_PARTS = (system, browser, pointing, live)
"""What other processes and the operator ask a worker for."""
TRIED_FIRST = ("/api/sessions/{session_id}/messages", "/api/sessions/{session_id}/stream")
"""A turn's requests: each route that is tried before costs as much as ten lines of code."""


class StartingRuntime:
    """Builds the runtime in the background: routes wait for it, health checks do not."""

    def __init__(self, settings: Settings, logins: Logins) -> None:
        self._settings = settings
        self._logins = logins
        self._stack = AsyncExitStack()
        self._runtime: Runtime | None = None
        self._reason: str | None = None
        self.fatal: str | None = None
        """Why the server cannot start and must exit; None while retrying may help."""
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._task = asyncio.create_task(self._build())
        self._task.add_done_callback(self._log_failure)

    def _log_failure(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            logger.critical("the server cannot start", exc_info=error)
            self._reason = f"The server could not start ({type(error).__name__}); see its log."
        self._changed.set()

    async def _build(self) -> None:
        """Build the runtime; retry every RETRY_SECONDS while the database is unavailable or not migrated."""
        while self._runtime is None and not self._closing.is_set():
            try:
                runtime = await self._stack.enter_async_context(open_runtime(self._settings))
                # Not at a worker: failures of clients with a web process's address must not keep that from its workers.
                if self._settings.role != "worker":
                    runtime.cluster.share("logins", self._logins.share)
                self._runtime = runtime
            except NotReady as error:
                if error.is_final:
                    self._reason = self.fatal = str(error)
                    return
                if str(error) != self._reason:
                    logger.error("not ready: %s", error)
                self._reason = str(error)
                self._changed.set()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._closing.wait(), RETRY_SECONDS)
        self._changed.set()
        logger.info("ready")

    async def runtime(self) -> Runtime:
        """Wait for the runtime. Raises Unavailable if it cannot be built now."""
        if self._runtime:
            return self._runtime
        await self._changed.wait()
        if self._runtime is None:
            raise Unavailable(
                Wording(self._reason or sentence("server.start_failed")), code="not_ready", retry_after=5
            )
        return self._runtime

    async def problem(self) -> str | None:
        if self._runtime is None:
            return self._reason or "starting"
        return await self._runtime.problem()

    async def drain(self) -> None:
        """End all runs, then all streams. Called at the first signal, while requests are still served."""
        if self._runtime is None:
            self._reason = self._reason or sentence("server.going_down")
            self._task.cancel()
            self._changed.set()
        else:
            await self._runtime.drain(self._settings.drain_timeout)

    async def aclose(self) -> None:
        self._closing.set()
        if self._runtime is None:
            self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        await self._stack.aclose()


def outside_api(pages: ASGIApp, guarded: tuple[str, ...]) -> ASGIApp:
    """Serve `pages` for every path without a route. Raises NotFound for paths below a guarded prefix."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith(guarded):
            raise NotFound(sentence("address.nothing_here"))
        await pages(scope, receive, send)

    return answer


def routers_of_extras(settings: Settings) -> list[APIRouter]:
    from server.extras.tools import routes

    if not settings.vault:
        return [routes.router]
    from server.extras.vault.routes import router

    return [routes.router, router]


def create_app(
    settings: Settings, logins: Logins | None = None, spa: Spa | None = None, *,
    further: Callable[[Settings], list[APIRouter]] = routers_of_extras,
) -> FastAPI:  # fmt: skip
    """`further`: the routes of what is built on the core."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        app.state.starting = StartingRuntime(settings, app.state.logins)
        try:
            yield
        finally:
            await app.state.starting.aclose()

    logins = logins or Logins(
        load_password(settings)[0],
        settings.data_dir,
        base_path=settings.base_path,
        password_file=password_file(settings),
    )
    app = DescribedAPI(
        title="Pilothouse", version=VERSION, lifespan=lifespan, docs_url=None, redoc_url=None,
        redirect_slashes=False,
    )  # fmt: skip
    app.state.logins = logins
    app.state.trusted_header, app.state.openid = TrustedHeader(settings), OpenIdLogin(settings)
    app.state.base_path = settings.base_path
    app.state.streams = Streams(settings.stream_limit)
    routers = [kept_sites.of_session]
    routers += [part.router for part in (WORKER_PARTS if settings.role == "worker" else ROUTERS)]
    if settings.role != "worker":
        routers += [files.pictures, *further(settings)]
    # Not `include_router`, which would build every route again for the first request of each app.
    app.described_routes = [route for router in routers for route in router.routes]
    app.router.routes.extend(
        sorted(app.described_routes, key=lambda route: getattr(route, "path", "") not in TRIED_FIRST)
    )
    # Not a mount, which would also receive requests for API paths with a wrong method.
    app.router.default = outside_api(spa or Spa(), guarded_prefixes(settings))
    exception_handlers.install(app)
    if settings.is_shared and settings.role != "worker":
        from server.extras.cluster.forwarding import Forwarding

        async def browsers() -> Browsers:
            runtime: Runtime = await app.state.starting.runtime()
            return runtime.browsers

        app.add_middleware(Forwarding, browsers=browsers)
    app.add_middleware(RequestGate, settings=settings, logins=logins, render=render)
    return app
