"""The tool servers that can act in place of Playwright's."""

from __future__ import annotations

from server.browser.mcp.session_browser import ToolServer
from server.extras.tools.browser_use import BROWSER_USE
from server.extras.tools.other_browser import OTHER
from server.settings import Settings


def server_of(settings: Settings) -> ToolServer | None:
    """The browser's tool server that `BROWSER_MCP` names; None for Playwright's, which is the default."""
    if settings.browser_mcp == "playwright":
        return None
    return BROWSER_USE if settings.browser_mcp == "browser-use" else OTHER
