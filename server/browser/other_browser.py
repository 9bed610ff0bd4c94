"""Another MCP server in the browser's place: `BROWSER_MCP` is its command or URL.

`{endpoint}` in the command stands for the DevTools address of a Chromium that we start; without it the server
brings its own browser, and what needs DevTools (live view, download limits, recovery of pages) is not there.
The server should speak as Playwright's does; tools of other names are offered to a model as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mcp.types import Tool

from server.browser.browser import ToolSpec
from server.browser.mcp_client import Http, Stdio
from server.browser.other_mcp import read_server
from server.browser.playwright_mcp import PlaywrightBrowser
from server.browser.playwright_server import OFFERED
from server.browser.tool_schema import make_safe
from server.settings import Settings

_REACHES_TOO_FAR = re.compile(
    r"eval|run_code|script|exec|shell|install|upload|download|file|drop|cookie|storage|network|console|resize|config"
)
"""Names of tools that go past the page; they are never offered."""


class OtherBrowser(PlaywrightBrowser):
    """A browser server that we only know by its configuration."""

    @classmethod
    def server(cls, settings: Settings, endpoint: str | None, scratch: Path, files: Path) -> Stdio | Http:
        _, server = read_server(settings.browser_mcp)
        if isinstance(server, Http):
            return server
        return replace(
            server,
            cwd=files,
            command=tuple(
                word.replace("{endpoint}", endpoint or "http://127.0.0.1:9").replace("{output}", str(scratch))
                for word in server.command
            ),
        )

    @classmethod
    def offered(cls, settings: Settings, tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
        known = super().offered(settings, tools)
        return known + tuple(
            ToolSpec(
                tool.name,
                tool.description or tool.name,
                make_safe(tool.inputSchema, tool=tool.name),
                acts=not (tool.annotations and tool.annotations.readOnlyHint),
            )
            for tool in tools
            if tool.name not in OFFERED and not _REACHES_TOO_FAR.search(tool.name)
        )

    @classmethod
    def shares_chromium(cls, settings: Settings) -> bool:
        return False

    @classmethod
    def needs_chromium(cls, settings: Settings) -> bool:
        return "{endpoint}" in settings.browser_mcp
