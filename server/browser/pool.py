"""All browsers of this server: a place for each, a queue for those who wait, an end for all."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Literal

from server.browser import parts
from server.browser.browser import BrowserState, BrowserUnavailable, ToolSpec
from server.browser.chromium import Chromium
from server.browser.egress import Egress
from server.browser.mcp_client import McpClient, Stdio, ToolServerLost
from server.browser.places import Places
from server.browser.playwright_mcp import PlaywrightBrowser, offered_tools, server_command
from server.browser.processes import Processes
from server.browser.reach import Reach
from server.browser.session_browser import Outfit, SessionBrowser
from server.settings import Settings

log = logging.getLogger(__name__)

LOOK_EVERY = 5.0
CROWDED_IDLE = 120.0
"""While someone waits for a place, a browser unused for so many seconds gives up its own."""


class BrowserPool:
    """Implements the `Browsers` door."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.folder = settings.data_dir / "browsers"
        self._processes = Processes(self.folder / "processes")
        self._places = Places(settings.max_browsers)
        self._reach = Reach.of(settings, self._own_ports)
        self._open: dict[str, SessionBrowser] = {}
        self._status: dict[str, Literal["starting", "parked"]] = {}
        self._tools: tuple[ToolSpec, ...] | None = None
        self._finding_tools = asyncio.Lock()
        self._gardener: asyncio.Task[None] | None = None
        swept = self._processes.sweep()
        if swept:
            log.info("%d browser processes of an earlier server were ended", swept)
        shutil.rmtree(self.folder / "scratch", ignore_errors=True)

    async def get(self, session_id: str) -> PlaywrightBrowser:
        if self._gardener is None:
            self._gardener = asyncio.create_task(self._tend(), name="browser gardener")
        browser = self._open.get(session_id)
        if browser is None:
            browser = PlaywrightBrowser(self._outfit(session_id, await self.tools_tuple()))
            self._open[session_id] = browser
        assert isinstance(browser, PlaywrightBrowser)
        return browser

    def peek(self, session_id: str) -> BrowserState | None:
        if place := self._places.place_of(session_id):
            return BrowserState(session_id, "queued", place=place)
        browser = self._open.get(session_id)
        if browser is None or browser.chromium is None:
            status = self._status.get(session_id)
            return BrowserState(session_id, status) if status else None
        return BrowserState(session_id, "open" if browser.chromium.is_running else "lost", browser.url)

    async def tools(self) -> Sequence[ToolSpec]:
        return await self.tools_tuple()

    async def tools_tuple(self) -> tuple[ToolSpec, ...]:
        async with self._finding_tools:
            if self._tools is None:
                self._tools = await self._find_tools()
                log.info("browser tools: %s", ", ".join(tool.name for tool in self._tools))
        return self._tools

    async def ready(self) -> str | None:
        if parts.find_chromium(self._settings.browser_executable) is None:
            return parts.NO_CHROMIUM
        try:
            await self.tools_tuple()
        except BrowserUnavailable as error:
            return error.detail
        return None

    async def park(self, session_id: str) -> None:
        browser = self._open.get(session_id)
        if browser is None or browser.chromium is None:
            return
        self._status[session_id] = "parked"
        browser.was_parked = True
        await browser.end()
        self._places.leave(session_id)

    async def close(self, session_id: str, *, purge: bool = False) -> None:
        browser = self._open.pop(session_id, None)
        if browser is not None:
            await browser.end()
        self._places.leave(session_id)
        self._status.pop(session_id, None)
        if purge:
            for folder in (self._profile(session_id), self._files(session_id)):
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def aclose(self) -> None:
        if self._gardener is not None:
            self._gardener.cancel()
            await asyncio.wait((self._gardener,))
        await asyncio.gather(*(self.close(session_id) for session_id in list(self._open)))
        await self._processes.aclose()

    def _outfit(self, session_id: str, tools: tuple[ToolSpec, ...]) -> Outfit:
        async def launch() -> Chromium:
            return await self._launch(session_id)

        return Outfit(session_id, self._settings, self._processes, launch,
                      self.folder / "scratch" / folder_name(session_id), self._files(session_id), tools)

    async def _launch(self, session_id: str) -> Chromium:
        executable = parts.find_chromium(self._settings.browser_executable)
        if executable is None:
            raise BrowserUnavailable(parts.NO_CHROMIUM)
        await self._places.enter(session_id)
        was_parked = self._status.get(session_id) == "parked"
        self._status[session_id] = "starting"
        try:
            return await Chromium.start(
                executable, self._profile(session_id).resolve(), self._processes, Egress(self._reach),
                headless=self._settings.headless, restore=was_parked,
            )
        except BaseException:
            self._places.leave(session_id)
            raise
        finally:
            self._status.pop(session_id, None)

    async def _find_tools(self) -> tuple[ToolSpec, ...]:
        """Ask the server itself, on a session of its own; no browser is needed for that."""
        scratch = self.folder / "scratch" / "tools"
        scratch.mkdir(parents=True, exist_ok=True)
        client = McpClient("browser", Stdio(server_command(None, scratch), cwd=scratch), self._processes)
        try:
            await client.open()
            return offered_tools(client.tools)
        except ToolServerLost as error:
            raise BrowserUnavailable(str(error)) from None
        finally:
            await client.close()

    async def _tend(self) -> None:
        """Park what nobody uses."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            limit = self._settings.session_idle_timeout
            if self._places.is_crowded:
                limit = min(limit, CROWDED_IDLE)
            for session_id, browser in list(self._open.items()):
                idle = monotonic() - browser.last_used
                if browser.chromium and not browser.is_busy and not browser.is_held and idle > limit:
                    log.info("session %s: browser parked after %.0f s", session_id, idle)
                    await self.park(session_id)

    def _own_ports(self) -> set[int]:
        running = [browser.chromium for browser in self._open.values() if browser.chromium]
        return {port for chromium in running for port in (chromium.port, chromium.egress.port)}

    def _profile(self, session_id: str) -> Path:
        return self._settings.profiles / folder_name(session_id)

    def _files(self, session_id: str) -> Path:
        return self._settings.downloads_dir / folder_name(session_id)


def folder_name(session_id: str) -> str:
    """A session's folder: its id where that is a plain name, else a digest of it."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", session_id):
        return session_id
    return "x" + hashlib.sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
