"""All browsers of this server: slots, the queue for them, resource limits and shutdown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Literal

from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.browsers import BrowserState, Known
from server.browser.chromium.cdp import CdpError
from server.browser.chromium.egress import InnerSites, Resolve
from server.browser.chromium.processes import Processes
from server.browser.chromium.profiles import Profiles
from server.browser.chromium.reach import Reach
from server.browser.chromium.running import Chromiums, RunningChromium
from server.browser.mcp.lifecycle import SessionResources
from server.browser.mcp.playwright import playwright
from server.browser.mcp.session_browser import SessionBrowser, ToolServer
from server.browser.mcp.tool_discovery import ToolFinder
from server.browser.own_chromiums import OwnChromiums
from server.browser.site_cookies import Prepare, no_preparation, read_cookies_of
from server.browser.slots import QueueListener, Slots
from server.browser.surroundings import FindSurroundings, OwnSurroundings, no_surroundings
from server.browser.takeover.chromium_view import CdpScreen
from server.browser.takeover.live_view import LiveView
from server.ops.json_types import JsonObject
from server.settings import Settings
from wording.catalogue import sentence

log = logging.getLogger(__name__)

IDLE_POLL_SECONDS = 5.0
CROWDED_IDLE = 120.0
"""Seconds. While sessions wait for a slot, a browser unused for this long is parked; at once after `mark_idle`."""


class BrowserPool:
    """Implements the `Browsers` protocol.

    `chromiums` is where they run; unset: on this machine, where they reach `inner_sites`. `server` is the browser's tool server; unset: Playwright's.
    `tools` knows its tools; `surroundings` finds what a session's browser has of its own; `prepare` is called with each
    browser that has started, before its first page.
    """

    def __init__(
        self,
        settings: Settings,
        resolve: Resolve | None = None,
        *,
        chromiums: Chromiums | None = None,
        inner_sites: InnerSites | None = None,
        server: ToolServer | None = None,
        tools: ToolFinder | None = None,
        surroundings: FindSurroundings = no_surroundings,
        prepare: Prepare = no_preparation,
    ) -> None:
        self._settings = settings
        self._find_surroundings = surroundings
        self._prepare = prepare
        self._surroundings: dict[str, OwnSurroundings] = {}
        """By session with a browser object."""
        self._server = server or playwright()
        self._processes = Processes(settings.browsers_dir / "processes")
        self._profiles = Profiles(settings)
        self._chromiums = chromiums or OwnChromiums(
            settings, self._processes, self._profiles, resolve, inner_sites
        )
        self._places = Slots(settings.max_browsers, self._on_queue_change)
        self.place_listeners: list[QueueListener] = []
        self.drive_listeners: list[Callable[[str, str], None]] = []
        self.reach = Reach.of(settings, self.own_ports)
        """The current network rules of its browsers."""
        self._open: dict[str, SessionBrowser] = {}
        self._views: dict[str, LiveView] = {}
        self._status: dict[str, Literal["starting", "parked"]] = {}
        scratch = self._profiles.scratch("-tools")
        self._tools = tools or ToolFinder(self._server, self._processes, scratch)
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
        self._chromiums.configure(settings)
        self._places.resize(settings.max_browsers)
        self.reach = Reach.of(settings, self.own_ports)
        for session_id in self._open:
            self._apply(session_id)

    def _apply(self, session_id: str) -> None:
        browser = self._open[session_id]
        browser.configure(self._surroundings[session_id].settings(self._settings))
        if browser.chromium is not None:
            browser.chromium.egress.use(self._reach_of(session_id))

    def _reach_of(self, session_id: str) -> Reach:
        return self._surroundings[session_id].reach(self.reach)

    async def renew_surroundings(self, session_id: str) -> None:
        if session_id in self._open:
            found = await self._find_surroundings(session_id)
            if session_id in self._open:
                self._surroundings[session_id] = found
                self._apply(session_id)

    async def get(self, session_id: str) -> SessionBrowser:
        if self._maintenance is None:
            self._maintenance = asyncio.create_task(self._maintain(), name="browser maintenance")
        tools = await self._tools.find(self._settings)
        own = None if session_id in self._open else await self._find_surroundings(session_id)
        if own is not None and session_id not in self._open:
            self._surroundings[session_id] = own
            self._open[session_id] = SessionBrowser(self._resources(session_id, tools), self._server)
            if self.live(session_id).is_held:
                self._open[session_id].hold()
        self._resting.discard(session_id)
        browser = self._open[session_id]
        if browser.has_chromium and not self._places.has_room(session_id):
            await browser.open()
        return browser

    def mark_idle(self, session_id: str) -> None:
        self._resting.add(session_id)
        if self._places.is_crowded:
            self._wakeup.set()

    def _on_queue_change(self, session_id: str, place: int | None) -> None:
        self._wakeup.set()
        for listener in self.place_listeners:
            listener(session_id, place)

    def _on_drive(self, session_id: str, address: str) -> None:
        for listener in self.drive_listeners:
            listener(session_id, address)

    def live(self, session_id: str) -> LiveView:
        if session_id not in self._views:
            self._views[session_id] = LiveView(CdpScreen(
                lambda: self._open.get(session_id), lambda: self.get(session_id),
                lambda host, port: self.reach.refuse_name(host, port),
                lambda: self._settings.vault and self._settings.vault_offer_save,
            ), place=lambda: self._places.place_of(session_id),
                drove=lambda address: self._on_drive(session_id, address))  # fmt: skip
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
        if self._server.needs_chromium(self._settings) and (program := self._chromiums.missing()):
            missing.append(program)
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
        return await self._chromiums.ready() if self._server.needs_chromium(self._settings) else None

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
        self._forget(session_id)
        if purge:
            self._surroundings.pop(session_id, None)
            await self._profiles.purge(session_id)
            await self._chromiums.purge(session_id)

    async def leave(self, session_id: str) -> None:
        browser = self._open.pop(session_id, None)
        if browser is not None:
            await browser.leave()
        await self._free(session_id)
        self._forget(session_id)

    def _forget(self, session_id: str) -> None:
        self._status.pop(session_id, None)
        self._resting.discard(session_id)
        if (view := self._views.get(session_id)) and not view.is_watched and not view.is_held:
            del self._views[session_id]

    async def has_outlived(self, session_id: str) -> bool:
        return await self._chromiums.is_open(session_id)

    async def sweep(self, known: Known) -> None:
        await self._chromiums.purge_unknown(known)

    def opened(self) -> Sequence[str]:
        return [name for name, browser in self._open.items() if browser.chromium is not None]

    async def renew_profile(self, session_id: str) -> None:
        await self._chromiums.renew(session_id)

    async def aclose(self) -> None:
        self._is_closing = True
        self._wakeup.set()
        if self._maintenance is not None:
            await self._maintenance
        await asyncio.gather(*(view.aclose() for view in self._views.values()))
        await asyncio.gather(*(self.leave(session_id) for session_id in list(self._open)))
        await self._chromiums.aclose()
        await self._processes.aclose()

    async def _free(self, session_id: str, *, purge: bool = False) -> None:
        """Release the profile and the slot of a session whose browser has ended."""
        await self._chromiums.finish(session_id, purge=purge)
        self._places.leave(session_id)

    def _resources(self, session_id: str, tools: tuple[ToolSpec, ...]) -> SessionResources:
        async def launch() -> RunningChromium:
            return await self._launch(session_id)

        return SessionResources(
            session_id,
            self._surroundings[session_id].settings(self._settings),
            self._processes,
            launch,
            self._profiles.scratch(session_id),
            self._profiles.files(session_id),
            tools,
        )

    async def _launch(self, session_id: str) -> RunningChromium:
        await self._places.enter(session_id)
        if (browser := self._open.get(session_id)) is not None:
            browser.touch()  # it has waited for its slot until now, which is no idle time
        restore = self._status.get(session_id) == "parked"
        self._status[session_id] = "starting"
        try:
            return await self._start(session_id, restore=restore)
        except BaseException:
            self._places.leave(session_id)
            raise
        finally:
            self._status.pop(session_id, None)

    async def _start(self, session_id: str, *, restore: bool = False) -> RunningChromium:
        def note(line: str) -> None:
            if (browser := self._open.get(session_id)) is not None:
                browser.note(line)

        chromium = await self._chromiums.start(
            session_id, lambda: self._reach_of(session_id), note, restore=restore
        )
        if not chromium.was_kept:
            await self._prepare(session_id, chromium)
        return chromium

    async def site_cookies(self, session_id: str, site: str) -> Sequence[JsonObject]:
        browser = self._open.get(session_id)
        if browser is None or browser.chromium is None:
            raise BrowserUnavailable(sentence("kept_site.no_page"))
        try:
            return await read_cookies_of(browser.chromium.cdp, site)
        except CdpError:
            raise BrowserUnavailable(sentence("kept_site.no_page")) from None

    async def _maintain(self) -> None:
        """Background task: parks unused browsers, and keeps memory and disk within their limits."""
        while not self._is_closing:
            self._wakeup.clear()
            await self._park_unused()
            await self._chromiums.keep_within_limits(list(self._open.values()))
            with suppress(TimeoutError):
                async with asyncio.timeout(IDLE_POLL_SECONDS):
                    await self._wakeup.wait()

    async def _park_unused(self) -> None:
        """Park idle browsers, longest unused first: one freed slot may be enough for the queue."""
        for session_id, browser in sorted(self._open.items(), key=lambda item: item[1].last_used):
            unused = monotonic() - browser.last_used
            view = self._views.get(session_id)
            is_used = browser.is_busy or (view is not None and view.has_holder)
            limit = self._settings.session_idle_timeout
            if self._places.is_crowded or self._chromiums.is_crowded:
                limit = 0 if session_id in self._resting else min(limit, CROWDED_IDLE)
            if browser.chromium and not is_used and unused > limit:
                log.info("session %s: browser parked after %.0f s", session_id, unused)
                await self.park(session_id)

    def own_ports(self) -> set[int]:
        """Local ports of the browsers and of what belongs to them."""
        running = [browser.chromium for browser in self._open.values() if browser.chromium]
        return {port for chromium in running for port in chromium.ports}
