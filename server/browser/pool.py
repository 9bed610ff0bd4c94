"""All browsers of this server: slots, the queue for them, resource limits and shutdown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Literal

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.browsers import BrowserState
from server.browser.chromium import executables as parts
from server.browser.chromium.chromium import Chromium
from server.browser.chromium.egress import Egress, Resolve
from server.browser.chromium.processes import Processes
from server.browser.chromium.profiles import SHARED, Profiles
from server.browser.chromium.reach import Reach
from server.browser.mcp.browser_use import BROWSER_USE
from server.browser.mcp.lifecycle import SessionResources
from server.browser.mcp.other_browser import OTHER
from server.browser.mcp.playwright import PLAYWRIGHT
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.mcp.shared_chromium import SharedChromium
from server.browser.mcp.tool_discovery import ToolFinder, others_of
from server.browser.memory import end_heavy_pages
from server.browser.slots import QueueListener, Slots
from server.browser.takeover.chromium_view import CdpScreen
from server.browser.takeover.live_view import LiveView
from server.fs.disk import MEGABYTE, shortage, size_of
from server.settings import Settings

log = logging.getLogger(__name__)

LOOK_EVERY = 5.0
CROWDED_IDLE = 120.0
"""Seconds. While sessions wait for a slot, a browser unused for this long is parked; at once after `rest`."""

SMALL_PROFILE = 200
"""MB. Limit of a profile while free disk space is below MIN_FREE_DISK (unless BROWSER_DISK is lower)."""

_SERVERS = {"playwright": PLAYWRIGHT, "browser-use": BROWSER_USE}


class BrowserPool:
    """Implements the `Browsers` protocol."""

    def __init__(self, settings: Settings, resolve: Resolve | None = None) -> None:
        self._settings = settings
        self._resolve = resolve
        self._server = _SERVERS.get(settings.browser_mcp, OTHER)
        self._processes = Processes(settings.browsers_dir / "processes")
        self._profiles = Profiles(settings)
        self._places = Slots(settings.max_browsers, self._on_queue_change)
        self.place_listeners: list[QueueListener] = []
        self.reach = Reach.of(settings, self.own_ports)
        """The current network rules of its browsers."""
        self._open: dict[str, SessionBrowser] = {}
        self._views: dict[str, LiveView] = {}
        self._shared = SharedChromium(lambda: self._start(SHARED))
        self._status: dict[str, Literal["starting", "parked"]] = {}
        self._tools = ToolFinder(self._server, self._processes, self._profiles.scratch("-tools"))
        self._maintenance: asyncio.Task[None] | None = None
        self._resting: set[str] = set()
        self._wakeup = asyncio.Event()
        self._is_closing = False
        self._profiles.sweep()
        if not settings.has_display and not settings.browser_headless:
            log.info(
                "no display (DISPLAY, WAYLAND_DISPLAY): browsers run headless and are seen in the live view"
            )
        if swept := self._processes.sweep():
            log.info("%d browser processes of an earlier server were ended", swept)

    def configure(self, settings: Settings) -> None:
        """Apply changed settings: host rules and slot limit at once, the rest at the next browser start."""
        self._settings = settings
        self._profiles.mode = settings.browser_profile
        self._places.resize(settings.max_browsers)
        self.reach = Reach.of(settings, self.own_ports)
        for browser in self._open.values():
            if browser.chromium is not None:
                browser.chromium.egress.use(self.reach)

    async def get(self, session_id: str) -> SessionBrowser:
        if self._maintenance is None:
            self._maintenance = asyncio.create_task(self._maintain(), name="browser maintenance")
        tools = await self._tools.find(self._settings)
        if session_id not in self._open:
            self._open[session_id] = SessionBrowser(self._resources(session_id, tools), self._server)
            if self.live(session_id).is_held:
                self._open[session_id].hold()
        self._resting.discard(session_id)
        browser = self._open[session_id]
        if browser.has_chromium and not self._places.has_room(session_id):
            await browser.open()
        return browser

    def rest(self, session_id: str) -> None:
        self._resting.add(session_id)
        if self._places.is_crowded:
            self._wakeup.set()

    def _on_queue_change(self, session_id: str, place: int | None) -> None:
        self._wakeup.set()
        for listener in self.place_listeners:
            listener(session_id, place)

    def live(self, session_id: str) -> LiveView:
        if session_id not in self._views:
            self._views[session_id] = LiveView(CdpScreen(
                lambda: self._open.get(session_id), lambda: self.get(session_id),
                lambda host, port: self.reach.refuse_name(host, port),
            ), place=lambda: self._places.place_of(session_id))  # fmt: skip
        return self._views[session_id]

    def peek(self, session_id: str) -> BrowserState | None:
        if place := self._places.place_of(session_id):
            return BrowserState(session_id, "queued", place=place)
        browser = self._open.get(session_id)
        if browser is None or browser.chromium is None:
            status = self._status.get(session_id)
            return BrowserState(session_id, status) if status else None
        return BrowserState(session_id, "open" if browser.chromium.is_running else "lost", browser.url)

    async def tools(self) -> Sequence[ToolSpec]:
        return await self._tools.find(self._settings)

    async def missing_programs(self) -> list[str]:
        missing = []
        if self._server.needs_chromium(self._settings) and not parts.find_chromium(
            self._settings.browser_executable
        ):
            missing.append(parts.NO_CHROMIUM)
        try:
            await self._tools.server(self._settings)
        except BrowserUnavailable as error:
            missing.append(error.detail)
        return missing

    async def ready(self) -> str | None:
        if missing := await self.missing_programs():
            return " ".join(missing)
        try:
            await self._tools.find(self._settings)
        except BrowserUnavailable as error:
            return error.detail
        return None

    async def park(self, session_id: str) -> None:
        browser = self._open.get(session_id)
        if browser is None or browser.chromium is None:
            return
        self._status[session_id] = "parked"
        await browser.park()
        await self._free(session_id)

    async def close(self, session_id: str, *, purge: bool = False) -> None:
        browser = self._open.pop(session_id, None)
        if browser is not None:
            await browser.close()
        await self._free(session_id, purge=purge)
        self._status.pop(session_id, None)
        self._resting.discard(session_id)
        if (view := self._views.get(session_id)) and not view.is_watched and not view.is_held:
            del self._views[session_id]
        if purge:
            await self._profiles.purge(session_id)

    def opened(self) -> Sequence[str]:
        return [name for name, browser in self._open.items() if browser.chromium is not None]

    async def renew_profile(self, session_id: str) -> None:
        await self._profiles.renew(session_id)

    async def aclose(self) -> None:
        self._is_closing = True
        self._wakeup.set()
        if self._maintenance is not None:
            await self._maintenance
        await asyncio.gather(*(view.aclose() for view in self._views.values()))
        await asyncio.gather(*(self.close(session_id) for session_id in list(self._open)))
        await self._processes.aclose()

    async def _free(self, session_id: str, *, purge: bool = False) -> None:
        """Release the profile and the slot of a session whose browser has ended."""
        await self._profiles.close(session_id, purge=purge)
        self._places.leave(session_id)

    def _resources(self, session_id: str, tools: tuple[ToolSpec, ...]) -> SessionResources:
        async def launch() -> Chromium:
            return await self._launch(session_id)

        return SessionResources(
            session_id,
            self._settings,
            self._processes,
            launch,
            self._profiles.scratch(session_id),
            self._profiles.files(session_id),
            tools,
            tuple(others_of(self._settings, self._processes)),
        )

    async def _launch(self, session_id: str) -> Chromium:
        await self._places.enter(session_id)
        restore = self._status.get(session_id) == "parked"
        self._status[session_id] = "starting"
        try:
            if self._server.shares_chromium(self._settings):
                return await self._shared.lease()
            return await self._start(session_id, restore=restore)
        except BaseException:
            self._places.leave(session_id)
            raise
        finally:
            self._status.pop(session_id, None)

    async def _start(self, session_id: str, *, restore: bool = False) -> Chromium:
        executable = parts.find_chromium(self._settings.browser_executable)
        if executable is None:
            raise BrowserUnavailable(parts.NO_CHROMIUM)
        profile = await self._profiles.open(session_id)
        if removed := await self._profiles.trim(session_id, self._profile_limit()):
            users = [self._open[name] for name in self._open if session_id in (name, SHARED)]
            for browser in users:
                browser.note(f"The browser's profile was too large for the disk: {removed}.")
        if short := shortage(self._settings.data_dir, self._settings.min_free_disk):
            raise BrowserUnavailable(f"No browser is started: {short}.")
        chromium = await Chromium.start(
            executable, profile, self._processes, Egress(self.reach, self._resolve),
            headless=self._settings.headless, sandbox=self._settings.browser_sandbox, restore=restore,
        )  # fmt: skip
        chromium.egress.use(self.reach)  # the rules may have changed during the start
        return chromium

    async def _maintain(self) -> None:
        """Background task: parks unused browsers, and keeps memory and disk within their limits."""
        while not self._is_closing:
            self._wakeup.clear()
            await self._park_unused()
            sharing = max(1, len(self._open)) if self._server.shares_chromium(self._settings) else 1
            await self._end_large_profiles()
            await end_heavy_pages(list(self._open.values()), self._settings.browser_memory * sharing)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):
                    await self._wakeup.wait()

    def _profile_limit(self) -> int:
        """In MB."""
        limit = self._settings.browser_disk
        is_short = shortage(self._settings.data_dir, self._settings.min_free_disk)
        return min(limit, SMALL_PROFILE) if is_short else limit

    async def _end_large_profiles(self) -> None:
        """Quit each browser whose profile is too large; the profile is trimmed at the next start."""
        limit = self._profile_limit()
        for browser in list(self._open.values()):
            chromium = browser.chromium
            if chromium is None or not chromium.is_running:
                continue
            size = await asyncio.to_thread(size_of, chromium.profile) // MEGABYTE
            if size > limit:
                log.warning("a browser's profile has %d MB; the browser is ended", size)
                browser.note(
                    f"What sites stored on disk grew to {size} MB, more than the {limit} MB of a browser: it was ended."
                )
                await chromium.quit()

    async def _park_unused(self) -> None:
        """Park idle browsers, longest unused first: one freed slot may be enough for the queue."""
        for session_id, browser in sorted(self._open.items(), key=lambda item: item[1].last_used):
            unused = monotonic() - browser.last_used
            view = self._views.get(session_id)
            is_used = browser.is_busy or (view is not None and view.has_holder)
            limit = self._settings.session_idle_timeout
            if self._places.is_crowded:
                limit = 0 if session_id in self._resting else min(limit, CROWDED_IDLE)
            if browser.chromium and not is_used and unused > limit:
                log.info("session %s: browser parked after %.0f s", session_id, unused)
                await self.park(session_id)

    def own_ports(self) -> set[int]:
        """Local ports of the browsers and of what belongs to them."""
        running = [browser.chromium for browser in self._open.values() if browser.chromium]
        return {port for chromium in running for port in chromium.ports}
