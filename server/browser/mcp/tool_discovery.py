"""Which tools there are: asked of the MCP servers themselves, once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from mcp.types import Tool

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.chromium.processes import Processes
from server.browser.mcp.client import McpClient, ToolServerLost
from server.browser.mcp.other_mcp import OtherServer, read_server
from server.browser.mcp.session_browser import SessionBrowser
from server.settings import Settings

log = logging.getLogger(__name__)


class ToolFinder:
    """`scratch` is a folder for what the browser's server writes while it is asked."""

    def __init__(self, kind: type[SessionBrowser], processes: Processes, scratch: Path) -> None:
        self._kind = kind
        self._processes = processes
        self._scratch = scratch.resolve()
        self._found: tuple[Sequence[Tool], Sequence[ToolSpec]] | None = None
        """All that the browser's server has, and what the others offer."""
        self._finding = asyncio.Lock()

    async def find(self, settings: Settings) -> tuple[ToolSpec, ...]:
        """Raises BrowserUnavailable."""
        async with self._finding:
            if self._found is None:
                self._found = await self._ask_browser(settings), await self._ask_others(settings)
                if problem := settings.agent_tool_problem:
                    log.warning("%s", problem)
                log.info("tools found: %s", ", ".join(tool.name for tool in self._offered(settings)))
        return self._offered(settings)

    def _offered(self, settings: Settings) -> tuple[ToolSpec, ...]:
        """What is offered depends on keys, which may come later than the first question."""
        own, others = self._found or ((), ())
        return (*self._kind.offered(settings, own), *others)

    async def _ask_browser(self, settings: Settings) -> Sequence[Tool]:
        """On a session of its own; no browser is needed for that."""
        self._scratch.mkdir(parents=True, exist_ok=True)
        server = await asyncio.to_thread(self._kind.server, settings, None, self._scratch, self._scratch)
        client = McpClient("browser", server, self._processes)
        try:
            await client.open(deadline=self._kind.start_deadline)
            return client.tools
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
    deadline, allowed = settings.tool_timeout, settings.extra_mcp_allow
    return [
        OtherServer(*read_server(text), processes, deadline=deadline, allowed=allowed)
        for text in settings.extra_mcp
    ]
