"""Routes for health, configuration, tools and metrics."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from server import VERSION
from server.api.deps import RuntimeDep
from server.api.messages import MESSAGE_BYTES, MESSAGE_CHARS
from server.api.schemas import (
    AgentChoice,
    Config,
    Defaults,
    Health,
    Limits,
    Notice,
    Tool,
    Tools,
)
from server.files.session_files import FILE_BYTES, MAX_SESSION_FILES
from server.http.problems import problem
from server.runtime import Runtime
from wording.catalogue import parts_of, sentence

router = APIRouter(prefix="/api")

AGENTS = [AgentChoice(id="operator", label="Operator"), AgentChoice(id="assistant", label="Assistant")]


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
        models=runtime.models.offered(),
        defaults=Defaults(
            agent=settings.default_agent, model=runtime.models.default, max_tool_steps=settings.max_tool_steps
        ),
        limits=Limits(
            message_bytes=MESSAGE_BYTES,
            message_chars=MESSAGE_CHARS,
            file_bytes=FILE_BYTES,
            files=MAX_SESSION_FILES,
            max_browsers=settings.max_browsers,
            token_budget=settings.token_budget,
            cost_budget=settings.cost_budget,
        ),
        notices=notices(runtime),
        headless=settings.headless,
        has_display=settings.has_display,
        time_zone=settings.time_zone,
        sample_site=settings.sample_site_state,
        tells_presence=any(row.mode == "away" for row in await runtime.store.channels()),
    )


def notices(runtime: Runtime) -> list[Notice]:
    """For the user: mock mode, a missing model key, a missing agent tool, lost keys."""
    if runtime.settings.is_mock:
        return [_notice("mock", sentence("notice.mock"))]
    problems = {
        "no_model_key": runtime.models.why_not_configured,
        "no_agent_tool": runtime.current_settings.agent_tool_problem,
        "keys_lost": runtime.preferences.lost_keys,
    }
    return [_notice(code, problem) for code, problem in problems.items() if problem]


def _notice(code: str, text: str) -> Notice:
    return Notice(code=code, text=text, text_parts=parts_of(text))


@router.get("/tools")
async def tools(runtime: RuntimeDep) -> Tools:
    """The tools of the MCP servers, discovered at run time, without dangerous ones."""
    return Tools(items=[Tool.model_validate(spec) for spec in await runtime.browsers.tools()])


@router.get("/metrics", response_class=Response)
async def metrics(runtime: RuntimeDep, request: Request) -> Response:
    from server.api.metrics import METRICS_TYPE, read_metrics  # brings prometheus_client

    return Response(await read_metrics(runtime, request.app.state.streams), media_type=METRICS_TYPE)
