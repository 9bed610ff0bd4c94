"""The page state of browser-use's MCP server, for the pages that were captured already."""

import asyncio
import json
import os
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from bench.observation.capture import call, serve

PACKAGE = "browser-use[cli]==0.13.14"
QUIET = {
    "IN_DOCKER": "true",
    "BROWSER_USE_HEADLESS": "true",
    "BROWSER_USE_DISABLE_EXTENSIONS": "true",
    "BROWSER_USE_CLOUD_SYNC": "false",
    "BROWSER_USE_CLOUD_HINTS": "false",
    "BROWSER_USE_VERSION_CHECK": "false",
    "ANONYMIZED_TELEMETRY": "false",
}


async def add_states(pages: Path, names: list[str], shots: Path, uvx: str) -> None:
    """Write the text of `browser_get_state` into each page's file, under `state`."""
    with tempfile.TemporaryDirectory() as folder, serve(pages) as base:
        environment = {**os.environ, **QUIET, "BROWSER_USE_CONFIG_DIR": folder}
        arguments = ["--from", PACKAGE, "browser-use", "--mcp"]
        server = StdioServerParameters(command=uvx, args=arguments, env=environment)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            for name in names:
                _keep_state(
                    shots / f"{name.replace('/', '__')}.json", await _read_state(session, f"{base}/{name}")
                )


async def _read_state(session: ClientSession, url: str) -> str | None:
    try:
        async with asyncio.timeout(60):
            await call(session, "browser_navigate", url=url)
            return await call(session, "browser_get_state")
    except TimeoutError:
        return None


def _keep_state(path: Path, state: str | None) -> None:
    shot = json.loads(path.read_text())
    shot["state"] = state
    path.write_text(json.dumps(shot, ensure_ascii=False))
