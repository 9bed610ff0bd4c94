"""The `shared` layout: one Chromium for all sessions, each in its own context that ends with its tools.

Measured with a heavy page, each further session took 157 to 231 MiB, its tool server included, instead of the
347 to 362 MiB with a Chromium of its own. A context stores nothing: logins end with it. A crash affects all
sessions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from server.browser.browser import BrowserUnavailable
from server.browser.chromium.cdp import Cdp, CdpError
from server.browser.chromium.chromium import Chromium
from server.browser.chromium.hold import ChromiumHold
from server.browser.mcp.client import McpClient, ToolRefused, ToolServerLost, ToolTimeout
from server.browser.mcp.lifecycle import Lifecycle

CONTEXT_SECONDS = 20.0
"""Timeout for the first call of a tool server, which creates its context and page."""
CONTEXT_LOST = "The browser tools were restarted: open pages, what was typed and logins are lost."


class SharedChromium:
    """Starts Chromium for the first session and ends it after the last one."""

    def __init__(self, start: Callable[[], Awaitable[Chromium]]) -> None:
        self._start = start
        self._chromium: Chromium | None = None
        self._leases = 0
        self._changing = asyncio.Lock()
        self.arranging = asyncio.Lock()
        """Held while a session identifies its own context."""

    async def lease(self) -> Lease:
        """Start Chromium if necessary and return a lease. Raises BrowserUnavailable."""
        async with self._changing:
            if self._chromium is None or not self._chromium.is_running:
                if self._chromium is not None:
                    await self._chromium.close()
                self._chromium, self._leases = await self._start(), 0
            try:
                cdp = await Cdp.connect(self._chromium.devtools)
                lease = Lease(self._chromium, cdp, self)
                await lease.outgoing.start()
            except CdpError as error:
                raise BrowserUnavailable(str(error)) from None
            self._leases += 1
            return lease

    async def give_back(self, chromium: Chromium) -> None:
        async with self._changing:
            if chromium is not self._chromium:
                return
            self._leases -= 1
            if self._leases == 0:
                self._chromium = None
                await chromium.close()


class Lease(Chromium):
    """One session's lease of a shared Chromium, with its own DevTools connection."""

    def __init__(self, whole: Chromium, cdp: Cdp, shared: SharedChromium) -> None:
        super().__init__(
            whole.process,
            whole.processes,
            whole.devtools,
            whole.relay,
            cdp,
            whole.egress,
            profile=whole.profile,
            headless=whole.headless,
            outgoing=ChromiumHold(cdp, is_shared=True),
        )
        self.shared = shared
        self._whole = whole

    async def close(self) -> None:
        await self.outgoing.fail()
        self.cdp.close()
        await self.shared.give_back(self._whole)


class SharedLifecycle(Lifecycle):
    """The page monitor starts once the MCP server has created its context, and ends with it."""

    async def open(self) -> None:
        await self.make_ready()

    async def _make_browser_ready(self) -> None:
        if self.chromium is not None and not self.chromium.is_running:
            await self._lose_browser()
        if self.chromium is None:
            self.chromium = await self._resources.launch()
            if self.was_parked:
                self.was_parked = False
                self._notes.add(CONTEXT_LOST)

    async def _on_mcp_opened(self, mcp: McpClient) -> None:
        lease = self.chromium
        assert isinstance(lease, Lease)
        try:
            async with lease.shared.arranging:
                before = await _contexts(lease.cdp)
                await self._driver.locate(mcp, deadline=CONTEXT_SECONDS)
                mine = await _contexts(lease.cdp) - before
        except (CdpError, ToolTimeout, ToolServerLost, ToolRefused) as error:
            raise BrowserUnavailable(
                f"No page of its own could be opened for this session: {error}"
            ) from None
        if len(mine) != 1:
            raise BrowserUnavailable("The MCP server opened no context of its own.")
        await self._watch_over(lease, mine.pop())

    async def _drop_mcp(self) -> None:
        mcp, watch, downloads = self._mcp, self.watch, self._downloads
        self._mcp = self.watch = self._downloads = None
        for part in (mcp, watch, downloads):
            if part is not None:
                await part.close()
        self._notes.add(CONTEXT_LOST)


async def _contexts(cdp: Cdp) -> set[str]:
    return set((await cdp.send("Target.getBrowserContexts"))["browserContextIds"])
