"""Which tools there are: asked of the MCP servers themselves, once."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.mcp_client import McpClient, ToolServerLost
from server.browser.other_mcp import OtherServer, read_server
from server.browser.processes import Processes
from server.browser.session_browser import SessionBrowser
from server.settings import Settings

log = logging.getLogger(__name__)


class ToolFinder:
    """`scratch` is a folder for what the browser's server writes while it is asked."""

    def __init__(self, kind: type[SessionBrowser], processes: Processes, scratch: Path) -> None:
        self._kind = kind
        self._processes = processes
        self._scratch = scratch.resolve()
        self._tools: tuple[ToolSpec, ...] | None = None
        self._finding = asyncio.Lock()

    async def find(self, settings: Settings) -> tuple[ToolSpec, ...]:
        """Raises BrowserUnavailable."""
        async with self._finding:
            if self._tools is None:
                self._tools = (*await self._ask_browser(settings), *await self._ask_others(settings))
                log.info("tools found: %s", ", ".join(tool.name for tool in self._tools))
        return self._tools

    async def _ask_browser(self, settings: Settings) -> tuple[ToolSpec, ...]:
        """On a session of its own; no browser is needed for that."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        server = self._kind.server(settings, None, self._scratch, self._scratch)
        client = McpClient("browser", server, self._processes)
        try:
            await client.open(deadline=self._kind.start_deadline)
            return self._kind.offered(settings, client.tools)
        except ToolServerLost as error:
            raise BrowserUnavailable(str(error)) from None
        finally:
            await client.close()

    async def _ask_others(self, settings: Settings) -> list[ToolSpec]:
        """A further server that cannot be used costs its tools, not the browser."""
        found: list[ToolSpec] = []
        for other in others_of(settings, self._processes):
            try:
                found += await other.discover()
            except ToolServerLost as error:
                log.warning("%s", error)
            finally:
                await other.close()
        return found


def others_of(settings: Settings, processes: Processes) -> list[OtherServer]:
    """The MCP servers beside the browser's."""
    deadline = settings.tool_timeout
    return [OtherServer(*read_server(text), processes, deadline=deadline) for text in settings.extra_mcp]
