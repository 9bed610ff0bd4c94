"""Routes for login, health, configuration, tools and metrics."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from pydantic import Field
from starlette.responses import Response

from server import VERSION
from server.api.deps import Body, CallerOf, RuntimeDep, Streams, Text
from server.api.messages import MESSAGE_BYTES, MESSAGE_CHARS
from server.api.schemas import (
    AgentChoice,
    Config,
    Defaults,
    Health,
    Limits,
    Me,
    ModelChoice,
    Notice,
    Tool,
    Tools,
)
from server.auth import COOKIE_SECONDS, cookie_name, peer_of
from server.errors import Unauthorized, Unavailable
from server.files.session_files import FILE_BYTES, FILES
from server.http.problems import problem
from server.runtime import Runtime

router = APIRouter(prefix="/api")

AGENTS = [AgentChoice(id="operator", label="Operator"), AgentChoice(id="assistant", label="Assistant")]


class Login(Body):
    password: Annotated[Text, Field(max_length=1000)]


@router.post("/auth/login", status_code=204)
async def log_in(body: Login, request: Request) -> Response:
    logins = request.app.state.logins
    value = logins.log_in(body.password, peer_of(request.scope))
    response = Response(status_code=204)
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie_name(request.headers, secure=secure), value, max_age=COOKIE_SECONDS, path="/", httponly=True,
        samesite="strict", secure=secure,
    )  # fmt: skip
    return response


@router.post("/auth/logout", status_code=204)
async def log_out(request: Request, caller: CallerOf) -> Response:
    if caller.cookie:
        request.app.state.logins.log_out(caller.cookie)
    response = Response(status_code=204)
    secure = request.url.scheme == "https"
    name = cookie_name(request.headers, secure=secure)
    response.delete_cookie(name, path="/", httponly=True, samesite="strict", secure=secure)
    return response


@router.get("/auth/me")
async def me(caller: CallerOf) -> Me:
    if not caller.is_logged_in:
        raise Unauthorized("Log in first.")
    return Me(by="token" if caller.bearer else "cookie")


@router.get("/health")
async def health() -> Health:
    return Health(version=VERSION)


@router.get("/ready")
async def ready(request: Request) -> Response:
    """200 if messages can be accepted: database at head, browser startable, enough disk, no shutdown."""
    reason = await request.app.state.starting.problem()
    if reason:
        return problem(503, "not_ready", reason, request.state.request_id, {"retry-after": "5"})
    return Response(b'{"status":"ready"}', media_type="application/json")


@router.get("/config")
async def config(runtime: RuntimeDep) -> Config:
    settings = runtime.current_settings
    return Config(
        version=VERSION,
        mode=settings.agent_mode,
        agents=AGENTS,
        models=[ModelChoice(**choice) for choice in runtime.models()],
        defaults=Defaults(
            agent=settings.default_agent, model=runtime.default_model, max_tool_steps=settings.max_tool_steps
        ),
        limits=Limits(
            message_bytes=MESSAGE_BYTES,
            message_chars=MESSAGE_CHARS,
            file_bytes=FILE_BYTES,
            files=FILES,
            max_browsers=settings.max_browsers,
            token_budget=settings.token_budget,
            cost_budget=settings.cost_budget,
        ),
        notices=[Notice(**notice) for notice in runtime.notices()],
        headless=settings.headless,
        has_display=settings.has_display,
        tells_presence=any(row.mode == "away" for row in await runtime.store.channels()),
    )


@router.get("/tools")
async def tools(runtime: RuntimeDep) -> Tools:
    """The tools of the MCP servers, discovered at run time, without dangerous ones."""
    return Tools(items=[Tool.model_validate(spec) for spec in await runtime.browsers.tools()])


@router.get("/metrics", response_class=Response)
async def metrics(runtime: RuntimeDep, request: Request) -> Response:
    registry = CollectorRegistry()
    registry.register(_Readings(runtime, request.app.state.streams))
    if runtime.shared:
        registry.register(await _SharedReadings.take(runtime))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _SharedReadings:
    """What all processes share. What does not answer is left out."""

    def __init__(self, gauges: list[GaugeMetricFamily]) -> None:
        self._gauges = gauges

    @classmethod
    async def take(cls, runtime: Runtime) -> _SharedReadings:
        gauges = [
            GaugeMetricFamily(
                "pilothouse_browsers_open", "Browsers of this process", len(runtime.browsers.opened())
            ),
            *cls._of_role(runtime),
        ]
        with suppress(Unavailable):
            stats = await runtime.runner.queue.stats()
            gauges += [
                GaugeMetricFamily("pilothouse_queue_jobs", "Runs that wait for a worker", stats.queued),
                GaugeMetricFamily("pilothouse_queue_running", "Runs that workers execute", stats.running),
                GaugeMetricFamily(
                    "pilothouse_queue_oldest_seconds",
                    "How long the first waiting run has waited",
                    stats.oldest_seconds,
                ),
            ]
        with suppress(Unavailable):
            workers = [one for one in await runtime.store.live_processes() if one.role != "web"]
            gauges.append(GaugeMetricFamily("pilothouse_workers", "Live workers", len(workers)))
        return cls(gauges)

    @staticmethod
    def _of_role(runtime: Runtime) -> list[GaugeMetricFamily]:
        """The limits of this process, and how far its events are behind."""
        is_worker = runtime.settings.role != "web"
        runs, browsers = runtime.settings.max_runs, runtime.current_settings.max_browsers
        lag = runtime.shared.bus.lag if runtime.shared else 0.0
        return [
            GaugeMetricFamily("pilothouse_run_slots", "Runs that this process may execute", is_worker * runs),
            GaugeMetricFamily("pilothouse_browser_slots", "Browsers that it may open", is_worker * browsers),
            GaugeMetricFamily(
                "pilothouse_bus_lag_seconds", "How long its oldest event has waited for Redis", lag
            ),
        ]

    def collect(self) -> list[GaugeMetricFamily]:
        return self._gauges


class _Readings:
    def __init__(self, runtime: Runtime, streams: Streams) -> None:
        self._world = runtime
        self._streams = streams

    def collect(self) -> list[GaugeMetricFamily]:
        return [
            GaugeMetricFamily(
                "pilothouse_runs_active", "Runs in progress", len(self._world.runner.executions)
            ),
            GaugeMetricFamily("pilothouse_streams_open", "Open connections of streams", self._streams.open),
            GaugeMetricFamily("pilothouse_stream_readers", "Open streams", self._world.bus.reader_count),
            GaugeMetricFamily(
                "pilothouse_topics", "Sessions with buffered events", self._world.bus.topic_count
            ),
        ]
