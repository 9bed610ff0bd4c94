"""The live view's screen of a session's Chromium, over DevTools and independent of the agent's MCP server."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic

from server.browser.browser import Tab
from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.chromium import VIEWPORT
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.site_icon import read_site_icon
from server.browser.chromium.watched_page import WatchedPage
from server.browser.takeover.browser_view import (
    BrowserSnapshot,
    FocusedField,
    InputRefused,
    Listing,
    LiveFrame,
    OpenDialog,
    TakeFrame,
    security_of,
)
from server.browser.takeover.foreground_tab import ForegroundTab, Held, quietly
from server.browser.takeover.sent_logins import SentLogin
from server.browser.takeover.user_actions import Refuse, UserActions
from server.browser.takeover.user_activity import UserActivity
from server.browser.takeover.user_input import AnswerDialog, Choose, Command, Resize, Stroke
from server.ops.background_tasks import BackgroundTasks
from wording.catalogue import sentence

log = logging.getLogger(__name__)

BEGIN_SECONDS = 3.0
"""Timeout for `_begun`; longer than a responsive page needs to be captured once."""
RESIZE_SECONDS = 1.0
"""Time for the first frame of a new size; then the screencast is started again."""
PICTURES_PER_SECOND = 12
VIEW_QUALITY = 60
WIDEST = 1280
"""Pixels."""


class CdpScreen:
    """Implements `Screen`. `find` returns the session's browser or None, `get` creates it if needed.

    `refuse` returns why a host may not be opened, or None; `reads_logins` whether to read what the user logs in with.
    """

    def __init__(
        self, find: Callable[[], Held | None], get: Callable[[], Awaitable[Held]], refuse: Refuse,
        reads_logins: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self.on_copied: Callable[[str], None] = lambda text: None
        self.on_focused: Callable[[FocusedField], None] = lambda field: None
        self.on_login_sent: Callable[[SentLogin], None] = lambda sent: None
        self._get = get
        self._front = ForegroundTab(find)
        self._acts = UserActions(self._front, refuse)
        self._size = VIEWPORT
        self._resized: set[str] = set()
        self._shown_size: tuple[int, int] | None = None
        self._awaited_size: tuple[int, int] | None = None
        """The size that a page was given, until a frame has it."""
        self._cast: Screencast | None = None
        self._changes = UserActivity(
            lambda text: self.on_copied(text), lambda field: self.on_focused(field),
            lambda sent: self.on_login_sent(sent), reads_logins,
        )  # fmt: skip
        self._beginning: asyncio.Task[None] | None = None

    # State and frames

    @property
    def start(self) -> int:
        return self._front.start

    def sight(self) -> BrowserSnapshot | None:
        watch, page = self._front.watch, self._front.page()
        if watch is None or page is None:
            return None
        tabs = tuple(
            Tab(index, one.title, one.url, one is page) for index, one in enumerate(watch.pages.values())
        )
        dialog = OpenDialog(page.dialog.kind, page.dialog.message) if page.dialog else None
        size = self._shown_size or self._size
        return BrowserSnapshot(page.url, page.title, size, tabs, dialog, security_of(page.document))

    async def open(self) -> None:
        browser = await self._get()
        await browser.open()

    async def capture(self, take: TakeFrame | None) -> None:
        watch = self._front.watch
        if watch is not None and take is not None:
            await quietly(_read_titles(watch))
        page = self._front.page()
        if watch is not None and page is not None and self._front.is_held:
            await quietly(self._prepare(watch, page))
        cast, session = self._cast, page.session if page and take else ""
        if cast is not None and cast.session == session and not self._misses_resize(cast):
            return
        self._cast = None
        if cast is not None:
            await cast.stop()
        if watch is not None and take is not None and session:
            await quietly(self._cast_from(watch, session, take))

    async def _cast_from(self, watch: PageMonitor, session: str, take: TakeFrame) -> None:
        def take_frame(frame: LiveFrame) -> None:
            self._shown_size = (frame.width, frame.height)
            if self._shown_size == self._awaited_size:
                self._awaited_size = None
            take(frame)

        cast = Screencast(watch.cdp, session, take_frame)
        try:
            await cast.start()
        except CdpError:
            await cast.stop()
            raise
        self._cast = cast

    def _misses_resize(self, cast: Screencast) -> bool:
        """A cast that starts during a resize may begin with a frame of the old size; a static page sends no other."""
        return self._awaited_size is not None and monotonic() - cast.began > RESIZE_SECONDS

    # Takeover

    def hold(self) -> None:
        page = self._front.page()
        self._front.is_held = True
        if browser := self._front.browser:
            browser.hold()
        if page is not None and (watch := self._front.watch):
            watch.dialogs.is_hands_off = True
            self._beginning = asyncio.create_task(quietly(self._begin(watch, page)), name="takeover begins")

    async def _begin(self, watch: PageMonitor, page: WatchedPage) -> None:
        await self._changes.begin(watch, page)
        await self._front.send("Page.bringToFront")

    async def _begun(self) -> None:
        """Wait for `_begin`: input before its end would be captured as part of the initial state."""
        if self._beginning is not None and not self._beginning.done():
            await asyncio.wait([self._beginning], timeout=BEGIN_SECONDS)

    async def hand_back(self) -> str:
        watch, page, browser = self._front.watch, self._front.page(), self._front.browser
        if self._beginning is not None:
            await self._beginning
        changes = await self._changes.end(watch, page)
        if watch is not None:
            watch.dialogs.is_hands_off = False
            for target in self._resized & set(watch.pages):
                await quietly(self._resize(watch, watch.pages[target], VIEWPORT))
        self._front.is_held, self._size = False, VIEWPORT
        self._resized.clear()
        self._acts.forget_elements()
        if browser is not None:
            browser.hand_back()
            if watch is not None and page is not None and len(watch.pages) > 1:
                await _lead_to(browser, page)
        return changes

    async def icon(self) -> bytes | None:
        watch, page = self._front.watch, self._front.page()
        if watch is None or page is None:
            return None
        try:
            return await read_site_icon(watch, page)
        except CdpError as error:
            log.debug("site icon: %s", error)
            return None

    async def _prepare(self, watch: PageMonitor, page: WatchedPage) -> None:
        """Track a page that came to the foreground during a takeover; give it the user's viewport size."""
        watch.dialogs.is_hands_off = True
        await self._changes.follow(watch, page)
        if self._size != VIEWPORT and page.target not in self._resized:
            await self._resize(watch, page, self._size)

    # User input

    async def press(self, stroke: Stroke) -> None:
        await self._begun()
        await self._acts.press(stroke)

    async def lift(self) -> None:
        await self._acts.lift()

    async def do(self, command: Command) -> None:
        if not isinstance(command, AnswerDialog):  # while a dialog is open, `_begin` cannot read the page
            await self._begun()
        page = self._front.page()
        if page is None:
            raise InputRefused(sentence("browser.closed"))
        try:
            if isinstance(command, Resize):
                self._size = command.width, command.height
                self._resized.clear()
                if watch := self._front.watch:
                    await self._prepare(watch, page)
            elif isinstance(command, Choose):
                if not await self._changes.choose(command.value):
                    raise InputRefused(sentence("option.unknown"))
            else:
                await self._acts.do(command, page)
        except CdpError as error:
            log.debug("%s: %s", command.type, error)  # the page still loads, or shows the error itself

    async def elements(self) -> Listing:
        return await self._acts.elements()

    async def _resize(self, watch: PageMonitor, page: WatchedPage, size: tuple[int, int]) -> None:
        self._resized.add(page.target)
        self._awaited_size = size
        params = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        await watch.cdp.send("Emulation.setDeviceMetricsOverride", params, session=page.session)
        # The next `capture` starts a new screencast, which always begins with a frame: a static page may send
        # none after a resize.
        cast, self._cast, self._shown_size = self._cast, None, None
        if cast is not None:
            await cast.stop()


async def _read_titles(watch: PageMonitor) -> None:
    """Update all tabs: Chromium sends events for new URLs, but not for new titles."""
    found = await watch.cdp.send("Target.getTargets", {"filter": [{"type": "page"}]}, deadline=1)
    for info in found["targetInfos"]:
        if page := watch.pages.get(info["targetId"]):
            page.show(info["url"], info["title"])


async def _lead_to(browser: Held, page: WatchedPage) -> None:
    """Switch the agent's tools to the tab that the user had open last."""
    tabs = await browser.tabs()
    wanted = [tab for tab in tabs if (tab.url, tab.title) == (page.document, page.title)]
    if wanted and not any(tab.active for tab in wanted):
        await browser.switch_tab(wanted[-1].index)


class Screencast:
    """The screencast of one page. Calls `take` with each new frame. A page that does not change yields a single frame.

    Chromium sends the next frame once the previous one is acknowledged; late acknowledgement limits the rate.
    """

    def __init__(self, cdp: Cdp, session: str, take: TakeFrame) -> None:
        self.session = session
        self.began = monotonic()
        self._cdp = cdp
        self._take = take
        self._last_ack = 0.0
        self._acks = BackgroundTasks()
        self._stop_listening = cdp.on("Page.screencastFrame", self._on_frame)

    async def start(self) -> None:
        """Raises CdpError."""
        await self._cdp.send("Page.startScreencast", {
            "format": "jpeg", "quality": VIEW_QUALITY, "maxWidth": WIDEST, "maxHeight": 2 * WIDEST, "everyNthFrame": 1,
        }, session=self.session)  # fmt: skip

    async def stop(self) -> None:
        self._stop_listening()
        self._acks.cancel()
        with suppress(CdpError):
            await self._cdp.send("Page.stopScreencast", session=self.session, deadline=1)

    def _on_frame(self, params: Params, session: str | None) -> None:
        if session != self.session:
            return
        self._acks.start(self._ack(params["sessionId"]))
        seen = params["metadata"]
        self._take(LiveFrame(
            base64.b64decode(params["data"]), round(seen["deviceWidth"]), round(seen["deviceHeight"]),
            (seen["scrollOffsetX"], seen["scrollOffsetY"]),
        ))  # fmt: skip

    async def _ack(self, number: int) -> None:
        now = monotonic()
        self._last_ack = max(now, self._last_ack + 1 / PICTURES_PER_SECOND)
        await asyncio.sleep(self._last_ack - now)
        with suppress(CdpError):
            await self._cdp.send("Page.screencastFrameAck", {"sessionId": number}, session=self.session)
