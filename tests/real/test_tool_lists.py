"""The tools of the pinned MCP servers are those of docs/tools.md, no more and no fewer."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.browser.chromium.processes import Processes
from server.browser.mcp import playwright_server
from server.browser.mcp.client import McpClient, Stdio
from server.extras.tools import browser_use_server
from server.settings import Settings
from tests.unit.test_tool_docs import rows


def server_of(name: str, folder: Path) -> Stdio:
    if name == "Playwright MCP":
        return playwright_server.server_at(None, folder, folder)
    return browser_use_server.server_at(Settings.model_validate({}), None, folder)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("name", ["Playwright MCP", "browser-use MCP"])
async def test_the_server_has_exactly_the_tools_of_the_document(tmp_path: Path, name: str) -> None:
    processes = Processes(tmp_path)
    client = McpClient("tools", server_of(name, tmp_path), processes)
    try:
        await client.open(deadline=120)
        assert {tool.name for tool in client.tools} == rows(name).keys()
    finally:
        await client.close()
        await processes.aclose()
