"""A scripted MCP server for tests, over stdio (`python -m tests.support.scripted_mcp`) or HTTP (`serve_http`).

Its tools do what can go wrong: `echo {text}`, `slow {seconds}`, `leave` (exit 1), `tell` (says why on stderr, after the end
of stdout), `die` (SIGKILL), `garbage`
(noise on stdout, then an answer), `huge {megabytes}`, `silent` (never answers), `fail`, `count` (calls so far:
its state), `unsafe` (a schema with `oneOf` at its root and a `$ref`). At start: `--exit`, `--garbage`, `--mute`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.support.eventually import eventually

COMMAND = (sys.executable, "-m", "tests.support.scripted_mcp")

_FREE = {"type": "object"}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "echo": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    "slow": {"type": "object", "properties": {"seconds": {"type": "number"}}},
    "leave": _FREE,
    "tell": _FREE,
    "die": _FREE,
    "garbage": _FREE,
    "silent": _FREE,
    "fail": _FREE,
    "count": _FREE,
    "huge": {"type": "object", "properties": {"megabytes": {"type": "integer"}}},
    "unsafe": {
        "type": "object",
        "oneOf": [{"required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}}, {"required": ["b"]}],
        "properties": {"b": {"type": "string"}},
        "$defs": {"A": {"type": "integer"}},
    },
}


def make_server() -> Server[Any, Any]:
    server: Server[Any, Any] = Server("scripted")
    calls = 0

    @server.list_tools()
    async def list_tools() -> list[types.Tool]:
        return [
            types.Tool(
                name=name,
                description=f"Does {name}.",
                inputSchema=schema,
                annotations=types.ToolAnnotations(readOnlyHint=name in ("echo", "count")),
            )
            for name, schema in _SCHEMAS.items()
        ]

    @server.call_tool(validate_input=False)
    async def call_tool(name: str, args: dict[str, Any]) -> list[types.TextContent]:
        nonlocal calls
        calls += 1
        return [types.TextContent(type="text", text=await act(name, args, calls))]

    return server


async def act(name: str, args: dict[str, Any], calls: int) -> str:
    if name == "leave":
        os._exit(1)
    if name == "tell":
        os.close(1)
        await asyncio.sleep(0.1)  # as a program does that ends in the order in which it was built
        os.write(2, b"out of memory\n")
        os._exit(1)
    if name == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if name == "fail":
        raise RuntimeError("it went wrong")
    if name == "garbage":
        os.write(1, b'\x00\xff not json at all\n{"jsonrpc": "2.0"}\n\n')
    if name in ("slow", "silent"):
        await asyncio.sleep(3600 if name == "silent" else float(args.get("seconds", 1)))
    if name == "huge":
        return "x" * (int(args.get("megabytes", 50)) * 1_000_000)
    return str(calls) if name == "count" else str(args.get("text", name))


@asynccontextmanager
async def serve_http() -> AsyncIterator[str]:
    """The same over streamable HTTP; yields the URL."""
    manager = StreamableHTTPSessionManager(make_server())
    app = Starlette(routes=[Mount("/mcp", app=manager.handle_request)])
    async with serve_app(app, manager.run()) as port:
        yield f"http://127.0.0.1:{port}/mcp/"


@asynccontextmanager
async def serve_app(
    app: Starlette, running: AbstractAsyncContextManager[None] | None = None, port: int = 0
) -> AsyncIterator[int]:
    """Serve on loopback while `running` is entered; yields the port."""
    http = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical", timeout_graceful_shutdown=1))

    async def serve() -> None:
        async with running or nullcontext():
            await http.serve()

    serving = asyncio.create_task(serve())
    await eventually(lambda: http.started, message="the server listens")
    try:
        yield http.servers[0].sockets[0].getsockname()[1]
    finally:
        http.should_exit = True
        await serving


async def main() -> None:
    if "--exit" in sys.argv:
        sys.exit("no thank you")
    if "--garbage" in sys.argv:
        print("Welcome to my server!", flush=True)
    if "--mute" in sys.argv:
        await asyncio.sleep(3600)
    server = make_server()
    async with stdio_server() as (received, sending):
        await server.run(received, sending, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
