"""Lists the tools of the browser's MCP server, once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from mcp.types import Tool

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.chromium.processes import Processes
from server.browser.mcp.client import Http, McpClient, Stdio, ToolServerLost
from server.browser.mcp.session_browser import ToolServer
from server.settings import Settings
from wording.catalogue import Wording

log = logging.getLogger(__name__)


class ToolFinder:
    """Discovers the tools. `scratch` is a folder for output of the browser's server during discovery."""

    def __init__(
        self,
        server: ToolServer,
        processes: Processes,
        scratch: Path,
    ) -> None:
        self._server = server
        self._processes = processes
        self._scratch = scratch.resolve()
        self._found: Sequence[Tool] | None = None
        """All tools of the server."""
        self._finding = asyncio.Lock()

    async def find(self, settings: Settings) -> tuple[ToolSpec, ...]:
        """Return the offered tools; the server is queried at the first call. Raises BrowserUnavailable."""
        async with self._finding:
            if self._found is None:
                self._found = await self._ask_browser(settings)
                if problem := settings.agent_tool_problem:
                    log.warning("%s", problem)
                log.info("tools found: %s", ", ".join(tool.name for tool in self._offered(settings)))
        return self._offered(settings)

    def _offered(self, settings: Settings) -> tuple[ToolSpec, ...]:
        """Filter at each call: the selection depends on API keys, which may be set after discovery."""
        return self._server.offered(settings, self._found or ())

    async def server(self, settings: Settings) -> Stdio | Http:
        """The browser's server, without a browser. Raises BrowserUnavailable if a program of it is missing."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        return await asyncio.to_thread(self._server.command, settings, None, self._scratch, self._scratch)

    async def _ask_browser(self, settings: Settings) -> Sequence[Tool]:
        """List the tools in a separate MCP session, which needs no browser."""
        client = McpClient("browser", await self.server(settings), self._processes)
        try:
            await client.open(deadline=self._server.start_deadline)
            return client.tools
        except ToolServerLost as error:
            raise BrowserUnavailable(Wording(str(error))) from None
        finally:
            await client.close()
