"""Routes for the MCP servers that the person adds: `/api/mcp-servers`."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.responses import Response

from server.api.deps import Body, CallerOf, RuntimeDep, Text
from server.auth import Caller
from server.browser.mcp.client import Http
from server.browser.mcp.tool_schema import safe_name
from server.extras.tools.listing import Claim, KnownTool, Mode
from server.extras.tools.other_mcp import SERVER_NAME
from server.extras.tools.tool_servers import KnownServer, ToolServers, shown_place
from server.ops.json_types import JsonObject
from server.runtime import Runtime

router = APIRouter(prefix="/api/mcp-servers")

Name = Annotated[Text, Field(pattern=SERVER_NAME)]
Address = Annotated[Text, Field(min_length=1, max_length=4000)]
HeaderName = Annotated[Text, Field(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$")]
HeaderValue = Annotated[
    Text, Field(min_length=1, max_length=4000, pattern=r"^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$")
]
Headers = Annotated[dict[HeaderName, HeaderValue], Field(max_length=20)]


class NewServer(Body):
    name: Name
    """Comes before the names of its tools."""
    address: Address
    """`https://host/mcp`, or `VARIABLE=value command arguments`."""
    headers: Headers = {}
    """Sent with each request to an address. Stored encrypted, never answered."""


class ToolDecision(Body):
    name: Text
    pin: Text
    """Of the tool as the person has seen it."""
    mode: Mode


class ServerChange(Body):
    name: Name | None = None
    address: Address | None = None
    headers: Headers | None = None
    """Replace all. With another address, left out means none."""
    enabled: bool | None = None
    tools: Annotated[list[ToolDecision], Field(max_length=64)] | None = None


class ToolServerLogin(Body):
    """What the authorization server has sent the person back with."""

    state: Annotated[Text, Field(max_length=2000)]
    code: Annotated[Text, Field(max_length=8000)]
    iss: Annotated[Text, Field(max_length=2000)] | None = None


class McpServer(BaseModel):
    id: str
    name: str
    kind: Literal["url", "command"]
    address: str
    """Without what may be a secret."""
    headers: list[str]
    """Their names."""
    source: Literal["settings", "environment"]
    enabled: bool
    login: Literal["none", "needed", "kept"]
    fault: str | None
    """Why it could not be used the last time."""
    reads: int
    asks: int
    off: int
    changed: int
    """How many tools may be used without a question, with one, not at all; how many are others than were decided about."""
    listed_at: datetime | None


class McpServers(BaseModel):
    items: list[McpServer]
    commands_allowed: bool
    """By MCP_COMMANDS."""


class McpTool(BaseModel):
    name: str
    offered_as: str
    """Its name for the agents."""
    description: str
    arguments: JsonObject
    """As a JSON schema."""
    claim: Claim
    mode: Mode
    has_changed: bool
    pin: str


class McpTools(BaseModel):
    items: list[McpTool]


class McpServerTested(BaseModel):
    ok: bool
    detail: str
    needs_login: bool
    milliseconds: int


class LoginAddress(BaseModel):
    url: str
    """Where the person logs in."""


@router.get("")
async def list_servers(runtime: RuntimeDep) -> McpServers:
    servers = _servers(runtime)
    return McpServers(
        items=[_to_response(servers, one) for one in await servers.all()],
        commands_allowed=runtime.current_settings.mcp_commands,
    )


@router.post("", status_code=201)
async def add_server(body: NewServer, runtime: RuntimeDep) -> McpServer:
    """It is not connected to before it is tested or used."""
    servers = _servers(runtime)
    return _to_response(servers, await servers.add(body.name, body.address, body.headers))


@router.post("/login")
async def finish_login(body: ToolServerLogin, runtime: RuntimeDep, caller: CallerOf) -> McpServers:
    """Refused with `login_unknown` unless the same login has begun it, within ten minutes, and once."""
    await _servers(runtime).finish_login(body.state, body.code, body.iss, _who(caller))
    return await list_servers(runtime)


@router.patch("/{server_id}")
async def change_server(server_id: Text, body: ServerChange, runtime: RuntimeDep) -> McpServer:
    servers = _servers(runtime)
    decided = {one.name: (one.pin, one.mode) for one in body.tools or ()}
    server = await servers.change(
        server_id, name=body.name, address=body.address, headers=body.headers, enabled=body.enabled, decided=decided
    )  # fmt: skip
    return _to_response(servers, server)


@router.delete("/{server_id}", status_code=204)
async def remove_server(server_id: Text, runtime: RuntimeDep) -> Response:
    await _servers(runtime).remove(server_id)
    return Response(status_code=204)


@router.post("/{server_id}/test")
async def test_server(server_id: Text, runtime: RuntimeDep) -> McpServerTested:
    """Connect and list the tools."""
    tested = await _servers(runtime).test(server_id)
    return McpServerTested(
        ok=tested.ok, detail=tested.detail, needs_login=tested.needs_login, milliseconds=tested.milliseconds
    )


@router.get("/{server_id}/tools")
async def list_tools(server_id: Text, runtime: RuntimeDep) -> McpTools:
    """As they were listed last."""
    server = await _servers(runtime).find(server_id)
    return McpTools(items=[_to_tool(server, tool) for tool in server.tools])


@router.post("/{server_id}/login")
async def begin_login(server_id: Text, runtime: RuntimeDep, caller: CallerOf) -> LoginAddress:
    return LoginAddress(url=await _servers(runtime).begin_login(server_id, _who(caller)))


@router.delete("/{server_id}/login")
async def log_out(server_id: Text, runtime: RuntimeDep) -> McpServer:
    """Forget what its authorization server has given."""
    servers = _servers(runtime)
    return _to_response(servers, await servers.log_out(server_id))


def _servers(runtime: Runtime) -> ToolServers:
    servers: ToolServers = runtime.tool_servers
    return servers


def _who(caller: Caller) -> str:
    return hashlib.sha256((caller.bearer or caller.cookie or "").encode()).hexdigest()


def _to_tool(server: KnownServer, tool: KnownTool) -> McpTool:
    return McpTool(
        name=tool.name, offered_as=safe_name(tool.name, server.name), description=tool.description,
        arguments=tool.schema_, claim=tool.claim, mode=tool.mode, has_changed=tool.has_changed, pin=tool.pin,
    )  # fmt: skip


def _to_response(servers: ToolServers, server: KnownServer) -> McpServer:
    row, modes = server.row, [tool.mode for tool in server.tools]
    login: Literal["none", "needed", "kept"] = "none"
    if row and (row.needs_login or row.login):
        login = "needed" if row.needs_login else "kept"
    return McpServer(
        id=server.id, name=server.name, kind="url" if isinstance(server.place, Http) else "command",
        address=row.shown if row else shown_place(server.place), headers=row.headers if row else [],
        source="settings" if row else "environment", enabled=row.enabled if row else True, login=login,
        fault=servers.fault_of(server), reads=modes.count("reads"), asks=modes.count("asks"), off=modes.count("off"),
        changed=sum(tool.has_changed for tool in server.tools), listed_at=row.listed_at if row else None,
    )  # fmt: skip
