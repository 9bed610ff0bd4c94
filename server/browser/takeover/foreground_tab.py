"""The page of a session's browser that the live view shows and the user's input goes to."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from server.browser.browser import Tab
from server.browser.chromium.cdp import CdpError, Params
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage

log = logging.getLogger(__name__)


class Held(Protocol):
    """A session's browser, as far as the live view uses it."""

    @property
    def monitor(self) -> PageMonitor | None: ...

    @property
    def url(self) -> str | None:
        """URL of the agent's current page."""
        ...

    def hold(self) -> None: ...
    def hand_back(self) -> None: ...
    def touch(self) -> None:
        """Mark the browser as in use."""
        ...

    async def open(self) -> None: ...
    async def tabs(self) -> Sequence[Tab]: ...
    async def switch_tab(self, index: int) -> object: ...


class ForegroundTab:
    """The agent's page, or during a takeover the tab that the user chose or that the shown page opened.

    `find` returns the session's browser or None.
    """

    def __init__(self, find: Callable[[], Held | None]) -> None:
        self._find = find
        self.is_held = False
        self._starts = 0
        self._last_watch: PageMonitor | None = None
        self._shown: str | None = None
        """Target id of the tab shown last; it stays in front while `is_held`."""
        self._known_tabs: set[str] = set()

    @property
    def browser(self) -> Held | None:
        return self._find()

    @property
    def watch(self) -> PageMonitor | None:
        """None while the browser is closed."""
        browser = self.browser
        watch = browser.monitor if browser else None
        return watch if watch and watch.pages and not watch.cdp.closed.is_set() else None

    @property
    def start(self) -> int:
        """Grows with every browser start; 0 while the browser is closed."""
        watch = self.watch
        if watch is not None and watch is not self._last_watch:
            self._last_watch = watch
            self._starts += 1
        return self._starts if watch else 0

    def page(self) -> WatchedPage | None:
        watch, browser = self.watch, self.browser
        if watch is None or browser is None:
            return None
        page = watch.pages.get(self._shown or "") if self.is_held else None
        if page is not None:
            tabs = (one for one in watch.pages.values() if one.target not in self._known_tabs)
            opened = [one for one in tabs if one.opener == page.target]
            page = opened[-1] if opened else page
        page = page or watch.page_at(browser.url)
        self._shown = page.target if page else None
        self._known_tabs = set(watch.pages)
        return page

    async def show(self, page: WatchedPage) -> None:
        """Raises CdpError."""
        self._shown = page.target
        await self.send("Page.bringToFront")

    async def send(self, method: str, params: Params | None = None, *, deadline: float = 3) -> Params:
        """Raises CdpError."""
        page, watch = self.page(), self.watch
        if page is None or watch is None:
            raise CdpError("the browser is closed")
        return await watch.cdp.send(method, params, session=page.session, deadline=deadline)


async def quietly(work: Awaitable[object]) -> None:
    """Await `work` and only log a CdpError: the page or the browser may be closing."""
    try:
        await work
    except CdpError as error:
        log.debug("live view: %s", error)
