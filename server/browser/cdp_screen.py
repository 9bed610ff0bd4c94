"""A session's Chromium as a person sees it and acts on it: DevTools beside the agent's MCP server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol
from urllib.parse import urlsplit

from server.browser.addresses import AddressRefused, host_of, normal_url
from server.browser.browser import LiveFrame, Tab
from server.browser.cdp import CdpError, Params
from server.browser.chromium import VIEWPORT
from server.browser.element_list import ElementList
from server.browser.hands import Command as CdpCommand
from server.browser.hands import Hands
from server.browser.person_input import (
    AnswerDialog,
    Back,
    ClickElement,
    Command,
    Go,
    Mouse,
    Reload,
    Resize,
    Stroke,
    SwitchTab,
    TypeInto,
)
from server.browser.person_watch import PersonWatch
from server.browser.screen import InputRefused, Listing, OpenDialog, Sight, TakeFrame
from server.browser.screencast import Screencast
from server.browser.supervisor import Supervisor
from server.browser.watched_page import WatchedPage

log = logging.getLogger(__name__)

STROKE_DEADLINE = 1.0
"""Seconds; a page that is stuck in a dialog takes no strokes."""
BEGIN_SECONDS = 3.0
"""Longer than a page that answers needs to be seen once."""


class Held(Protocol):
    """What is asked of a session's browser beside its DevTools connection."""

    @property
    def supervisor(self) -> Supervisor | None: ...

    @property
    def url(self) -> str | None:
        """The page that the agent's tools are at."""
        ...

    def hold(self) -> None: ...
    def hand_back(self) -> None: ...
    def touch(self) -> None:
        """It is in use."""
        ...

    async def open(self) -> None: ...
    async def tabs(self) -> Sequence[Tab]: ...
    async def switch_tab(self, index: int) -> object: ...


class CdpScreen:
    """`find` gives the session's browser if there is one, `get` makes it; `refuse` says why a host is not opened."""

    def __init__(
        self, find: Callable[[], Held | None], get: Callable[[], Awaitable[Held]], refuse: Callable[[str, int], str | None],
    ) -> None:  # fmt: skip
        self._find = find
        self._get = get
        self._refuse = refuse
        self._starts = 0
        self._last_watch: Supervisor | None = None
        self._is_held = False
        self._front: str | None = None
        """While held: the tab that the person looks at."""
        self._known_tabs: set[str] = set()
        self._size = VIEWPORT
        self._resized: set[str] = set()
        self._shown_size: tuple[int, int] | None = None
        self._cast: Screencast | None = None
        self._hands = Hands()
        self._list: ElementList | None = None
        self._changes = PersonWatch()
        self._beginning: asyncio.Task[None] | None = None

    # Seeing

    @property
    def start(self) -> int:
        watch = self._watch
        if watch is not None and watch is not self._last_watch:
            self._last_watch = watch
            self._starts += 1
        return self._starts if watch else 0

    def sight(self) -> Sight | None:
        watch, page = self._watch, self._page()
        if watch is None or page is None:
            return None
        tabs = tuple(
            Tab(index, one.title, one.url, one is page) for index, one in enumerate(watch.pages.values())
        )
        dialog = OpenDialog(page.dialog.kind, page.dialog.message) if page.dialog else None
        return Sight(page.url, page.title, self._shown_size or self._size, tabs, dialog)

    async def open(self) -> None:
        browser = await self._get()
        await browser.open()

    async def capture(self, take: TakeFrame | None) -> None:
        watch = self._watch
        if watch is not None and take is not None:
            await self._quietly(_read_titles(watch))
        page = self._page()
        if watch is not None and page is not None and self._is_held:
            await self._quietly(self._prepare(watch, page))
        cast, session = self._cast, page.session if page and take else ""
        if cast is not None and cast.session == session:
            return
        self._cast = None
        if cast is not None:
            await cast.stop()
        if watch is not None and take is not None and session:
            await self._quietly(self._cast_from(watch, session, take))

    async def _cast_from(self, watch: Supervisor, session: str, take: TakeFrame) -> None:
        def take_frame(frame: LiveFrame) -> None:
            self._shown_size = (frame.width, frame.height)
            take(frame)

        cast = Screencast(watch.cdp, session, take_frame)
        try:
            await cast.start()
        except CdpError:
            await cast.stop()
            raise
        self._cast = cast

    @property
    def _watch(self) -> Supervisor | None:
        browser = self._find()
        watch = browser.supervisor if browser else None
        return watch if watch and watch.pages and not watch.cdp.closed.is_set() else None

    def _page(self) -> WatchedPage | None:
        """The page in front: the agent's, or while held the one that the person chose or that a page opened."""
        watch, browser = self._watch, self._find()
        if watch is None or browser is None:
            return None
        page = watch.pages.get(self._front or "") if self._is_held else None
        if page is not None:
            opened = [
                one
                for one in watch.pages.values()
                if one.target not in self._known_tabs and one.opener == page.target
            ]
            page = opened[-1] if opened else page
        page = page or watch.page_at(browser.url)
        self._front = page.target if page else None
        self._known_tabs = set(watch.pages)
        return page

    # Holding

    def hold(self) -> None:
        page = self._page()
        self._is_held = True
        if browser := self._find():
            browser.hold()
        if page is not None and (watch := self._watch):
            watch.dialogs.is_hands_off = True
            self._beginning = asyncio.create_task(
                self._quietly(self._begin(watch, page)), name="takeover begins"
            )

    async def _begin(self, watch: Supervisor, page: WatchedPage) -> None:
        await self._changes.begin(watch, page)
        await self._send("Page.bringToFront")

    async def _begun(self) -> None:
        """What a person does at once must not count as what was there before."""
        if self._beginning is not None and not self._beginning.done():
            await asyncio.wait([self._beginning], timeout=BEGIN_SECONDS)

    async def hand_back(self) -> str:
        watch, page, browser = self._watch, self._page(), self._find()
        if self._beginning is not None:
            await self._beginning
        changes = await self._changes.end(watch, page)
        if watch is not None:
            watch.dialogs.is_hands_off = False
            for target in self._resized & set(watch.pages):
                await self._quietly(self._resize(watch, watch.pages[target], VIEWPORT))
        self._is_held, self._size, self._list = False, VIEWPORT, None
        self._resized.clear()
        if browser is not None:
            browser.hand_back()
            if watch is not None and page is not None and len(watch.pages) > 1:
                await _lead_to(browser, page)
        return changes

    async def _prepare(self, watch: Supervisor, page: WatchedPage) -> None:
        """A page that came to the front while the browser is held: watched, and of the person's size."""
        watch.dialogs.is_hands_off = True
        await self._changes.follow(watch, page)
        if self._size != VIEWPORT and page.target not in self._resized:
            await self._resize(watch, page, self._size)

    # Acting

    async def press(self, stroke: Stroke) -> None:
        await self._begun()
        if browser := self._find():
            browser.touch()
        await self._run(self._hands.commands(stroke))

    async def lift(self) -> None:
        await self._run(self._hands.lift())

    async def _run(self, commands: Iterable[CdpCommand]) -> None:
        for method, params in commands:
            await self._quietly(self._send(method, params, deadline=STROKE_DEADLINE))

    async def do(self, command: Command) -> None:
        if not isinstance(command, AnswerDialog):  # an open dialog keeps the page from being seen
            await self._begun()
        page = self._page()
        if page is None:
            raise InputRefused("The browser is closed.")
        try:
            await self._do(command, page)
        except CdpError as error:
            log.debug("%s: %s", command.type, error)  # it goes on loading, or tells of it in the page itself

    async def _do(self, command: Command, page: WatchedPage) -> None:
        match command:
            case Go():
                await self._send(
                    "Page.navigate", {"url": self._allowed(command.url)}, deadline=STROKE_DEADLINE
                )
            case Back():
                await self._go_back()
            case Reload():
                await self._send("Page.reload", deadline=STROKE_DEADLINE)
            case SwitchTab():
                await self._switch_tab(command.index)
            case Resize():
                self._size = (command.width, command.height)
                self._resized.clear()
                if watch := self._watch:
                    await self._prepare(watch, page)
            case AnswerDialog():
                await self._answer(command, page)
            case ClickElement():
                x, y = await self._elements.place(command.eid)
                await self.press(Mouse(type="mouse", kind="move", x=x, y=y))
                await self.press(Mouse(type="mouse", kind="down", x=x, y=y))
                await self.press(Mouse(type="mouse", kind="up", x=x, y=y))
            case TypeInto():
                await self._elements.fill(command.eid, command.text)

    async def elements(self) -> Listing:
        page, watch = self._page(), self._watch
        if page is None or watch is None:
            return Listing()
        if page.dialog:
            raise InputRefused("The page asks something: answer that first.")
        elements = ElementList(watch.cdp, page.session)
        try:
            listing = await elements.read()
        except CdpError:  # on its way to another document, or busy with this one
            return Listing(is_loading=True)
        self._list = elements
        return listing

    @property
    def _elements(self) -> ElementList:
        page = self._page()
        if self._list is None or page is None or self._list.session != page.session:
            raise InputRefused("List the elements first.")
        return self._list

    def _allowed(self, text: str) -> str:
        """The same walls as for the agent."""
        try:
            url = normal_url(text)
            port = urlsplit(url).port or (80 if url.startswith("http:") else 443)
        except (AddressRefused, ValueError) as error:
            raise InputRefused(f"Not opened: {error}.") from None
        if why := self._refuse(host_of(url), port):
            raise InputRefused(f"Not opened: {why}.")
        return url

    async def _go_back(self) -> None:
        history = await self._send("Page.getNavigationHistory")
        if history["currentIndex"] <= 0:
            raise InputRefused("There is no page before this one.")
        entry = history["entries"][history["currentIndex"] - 1]
        await self._send("Page.navigateToHistoryEntry", {"entryId": entry["id"]}, deadline=STROKE_DEADLINE)

    async def _switch_tab(self, index: int) -> None:
        pages = list(self._watch.pages.values()) if self._watch else []
        if index >= len(pages):
            raise InputRefused("There is no such tab.")
        self._front = pages[index].target
        await self._send("Page.bringToFront")

    async def _answer(self, command: AnswerDialog, page: WatchedPage) -> None:
        if page.dialog is None:
            raise InputRefused("No dialog is open.")
        params: Params = {"accept": command.accept} | (
            {"promptText": command.text} if command.text is not None else {}
        )
        await self._send("Page.handleJavaScriptDialog", params)

    async def _resize(self, watch: Supervisor, page: WatchedPage, size: tuple[int, int]) -> None:
        self._resized.add(page.target)
        params = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        await watch.cdp.send("Emulation.setDeviceMetricsOverride", params, session=page.session)
        await self._cast_anew()

    async def _cast_anew(self) -> None:
        """A page at rest may show its new size in no frame; a screencast begins with one. The follower starts it."""
        cast, self._cast, self._shown_size = self._cast, None, None
        if cast is not None:
            await cast.stop()

    async def _send(self, method: str, params: Params | None = None, *, deadline: float = 3) -> Params:
        """To the page in front. Raises CdpError."""
        page = self._page()
        if page is None or self._watch is None:
            raise CdpError("the browser is closed")
        return await self._watch.cdp.send(method, params, session=page.session, deadline=deadline)

    async def _quietly(self, work: Awaitable[object]) -> None:
        """For what may fail because the page or the browser is just going."""
        try:
            await work
        except CdpError as error:
            log.debug("live view: %s", error)


async def _read_titles(watch: Supervisor) -> None:
    """Chromium tells of new addresses by itself, of new titles only when asked."""
    found = await watch.cdp.send("Target.getTargets", {"filter": [{"type": "page"}]}, deadline=1)
    for info in found["targetInfos"]:
        if page := watch.pages.get(info["targetId"]):
            page.url, page.title = info["url"], info["title"]


async def _lead_to(browser: Held, page: WatchedPage) -> None:
    """Have the agent's tools go on in the tab where the person left off."""
    tabs = await browser.tabs()
    wanted = [tab for tab in tabs if (tab.url, tab.title) == (page.url, page.title)]
    if wanted and not any(tab.active for tab in wanted):
        await browser.switch_tab(wanted[-1].index)
