"""A custom MCP server as the browser: `BROWSER_MCP` is its command or URL.

`NAME={endpoint}` before the command sets a variable to the DevTools URL (`ws://`) of a Chromium that we
start; without it the server brings its own browser, and features that need DevTools (live view, download
limits, page recovery) are missing. The URL is a secret, so it is not put on the command line, which every
user of the machine can read. The server should be compatible with Playwright's; further tools are offered to
the model under their own names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mcp.types import Tool

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.mcp.client import Http, Stdio
from server.browser.mcp.playwright import PlaywrightAdapter
from server.browser.mcp.playwright_server import OFFERED_TOOLS, REPEATABLE, offered_of
from server.browser.mcp.session_browser import ToolServer
from server.browser.mcp.tool_schema import make_safe
from server.extras.tools.other_mcp import read_server
from server.settings import Settings
from wording.catalogue import sentence

ENDPOINT_ON_COMMAND_LINE = sentence("browser.endpoint_shown", endpoint="{endpoint}")

_REACHES_TOO_FAR = re.compile(
    r"eval|run_code|script|exec|shell|install|upload|download|file|drop|cookie|storage|network|console|resize|config"
)
"""Matches names of tools that reach beyond the page; they are never offered."""


UNKNOWN_SERVER = "browser-mcp"
"""`ToolSpec.server` of unknown tools: each needs the user's approval, unless EXTRA_MCP_ALLOW names it."""


def _command(settings: Settings, endpoint: str | None, scratch: Path, files: Path) -> Stdio | Http:
    _, server = read_server(settings.browser_mcp)
    if isinstance(server, Http):
        return server
    if any("{endpoint}" in word for word in server.command):
        raise BrowserUnavailable(ENDPOINT_ON_COMMAND_LINE)
    return replace(
        server,
        cwd=files,
        command=tuple(word.replace("{output}", str(scratch)) for word in server.command),
        env={
            name: value.replace("{endpoint}", endpoint or "ws://127.0.0.1:9")
            for name, value in server.env.items()
        },
    )


def _offered(settings: Settings, tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
    return offered_of(tools) + tuple(
        ToolSpec(
            tool.name,
            tool.description or tool.name,
            make_safe(tool.inputSchema, tool=tool.name),
            server=UNKNOWN_SERVER,
            acts=tool.name not in settings.extra_mcp_allow,
        )
        for tool in tools
        if tool.name not in OFFERED_TOOLS and not _REACHES_TOO_FAR.search(tool.name)
    )


OTHER = ToolServer(
    command=_command,
    offered=_offered,
    adapter=PlaywrightAdapter,
    repeatable=REPEATABLE,
    needs_chromium=lambda settings: "{endpoint}" in settings.browser_mcp,
)
"""A browser server that is known only from its configuration."""
