"""Monitors the pages of one session through DevTools.

It is the source of a page's URL and title, limits the number of tabs, detects crashes and dialogs, and runs
the read-only scripts. It never clicks or types: the agent's actions go through MCP. It answers dialogs,
closes tabs that hang or are too many, and denies permissions (see docs/decisions/0010).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress

from server.browser.chromium import frames, hangs, page_world
from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.chromium import VIEWPORT
from server.browser.chromium.dialogs import Dialogs
from server.browser.chromium.locality import UNKNOWN_LOCALITY, Locality
from server.browser.chromium.watched_page import MAX_URL_CHARS, TITLE_CHARS, WatchedPage
from server.ops.background_tasks import BackgroundTasks
from server.ops.json_types import Json
from server.text import cut
from wording.catalogue import sentence

log = logging.getLogger(__name__)

MAX_OPEN_TABS = 5
BLANK_PAGE = "about:blank"

ADDRESS_SCRIPT = f"() => location.href.slice(0, {MAX_URL_CHARS})"
# By the prototype: an element named "title" hides the document's own property.
TITLE_SCRIPT = f"""() => Object.getOwnPropertyDescriptor(Document.prototype, "title")
  .get.call(document).slice(0, {TITLE_CHARS})"""


class PageMonitor:
    """Monitors the pages of a browser.

    `note` is called with one line for the model for each notable event.
    """

    def __init__(
        self,
        cdp: Cdp,
        note: Callable[[str], None],
        *,
        emulates_viewport: bool = True,
        locality: Locality = UNKNOWN_LOCALITY,
        dismisses_questions: bool = False,
    ) -> None:
        self.cdp = cdp
        self.pages: dict[str, WatchedPage] = {}
        self.logged: set[str] = set()
        """The sessions whose requests are recorded now (`ChromiumRequestLog`)."""
        self._tasks = BackgroundTasks(CdpError)
        self.dialogs = Dialogs(
            cdp, self.pages, note, self._tasks.start, dismisses_questions=dismisses_questions
        )
        self._note = note
        self._emulates_viewport = emulates_viewport
        self._locality = locality
        self._stops: list[Callable[[], None]] = []

    async def start(self) -> None:
        """Subscribe to page events and deny all permissions. Raises CdpError."""
        for event, listener in (
            ("Target.targetCreated", self._on_created),
            ("Target.targetInfoChanged", self._on_changed),
            ("Target.targetDestroyed", self._on_destroyed),
            ("Target.targetCrashed", self._on_crashed),
            ("Target.attachedToTarget", self._on_attached),
            ("Target.detachedFromTarget", self._on_detached),
            ("Page.frameNavigated", self._on_committed),
            ("Page.navigatedWithinDocument", self._on_renamed),
        ):
            self._stops.append(self.cdp.on(event, listener))
        self._stops += self.dialogs.listen()
        # An empty list of permissions denies them all.
        await self.cdp.send("Browser.grantPermissions", {"permissions": []})
        await self.cdp.send("Target.setDiscoverTargets", {"discover": True})

    def use(self, locality: Locality) -> None:
        """Show another zone and language to all pages, also to those that are open."""
        if locality != self._locality:
            self._locality = locality
            self._tasks.start(self._show_everywhere())

    async def _show_everywhere(self) -> None:
        sessions = [
            session for page in self.pages.values() for session in (page.session, *page.inner) if session
        ]
        # A process shows one zone: the page that has set it has to take it back first.
        for shown in (UNKNOWN_LOCALITY, self._locality):
            await asyncio.gather(*(shown.emulate(self.cdp, session) for session in sessions))
        for session in sessions:
            if session not in self.logged:
                await frames.watch_frames(self.cdp, session, workers=self.holds_inner)

    @property
    def holds_inner(self) -> bool:
        """Whether new frames and workers wait until they have the zone and the language."""
        return self._locality != UNKNOWN_LOCALITY

    async def close(self) -> None:
        for stop in self._stops:
            stop()
        self._tasks.cancel()
        await self._tasks.wait()

    async def settle(self, *, deadline: float = 1) -> None:
        """Wait until all pending reactions to events have finished, at most `deadline` seconds."""
        await self._tasks.wait(deadline)

    def page_at(self, url: str | None, title: str | None = None) -> WatchedPage | None:
        """Return the page with this URL, and title if several have it; else the newest page."""
        pages = list(self.pages.values())
        same = [page for page in pages if url in (page.document, page.url)]
        named = [page for page in same if page.title == title] if len(same) > 1 else []
        found = named or same or pages
        return found[-1] if found else None

    async def read_title(self, page: WatchedPage) -> None:
        """Query the page's title: Chromium sends events for new URLs only. Raises CdpError.

        The browser process gets a new title later than the document has it; if it knows none, the page is asked.
        """
        found = await self.cdp.send("Target.getTargetInfo", {"targetId": page.target}, deadline=1)
        page.show(found["targetInfo"]["url"], found["targetInfo"]["title"])
        if not page.title and page.session and not page.dialog and not page.is_crashed:
            title = str(await self.evaluate(TITLE_SCRIPT, page, deadline=1))
            page.title = page.title or title  # an event may have brought it while the page was asked

    async def collect_garbage(self, *, deadline: float = 2) -> None:
        """Ask each page to free what it no longer uses. Waits at most `deadline` seconds: a page may hang."""

        async def collect(page: WatchedPage) -> None:
            with suppress(CdpError):
                await self.cdp.send("HeapProfiler.collectGarbage", session=page.session, deadline=deadline)

        await asyncio.gather(*(collect(page) for page in self.pages.values() if page.session))

    async def evaluate(
        self, script: str, page: WatchedPage, *, deadline: float = 3, place: frames.Place | None = None
    ) -> Json:
        """Call a function in an isolated world, of a frame if it has a place; its JSON value (see frames.py). Raises
        CdpError."""
        session, frame = (place.session, place.frame) if place else (page.session, page.target)
        return await frames.evaluate(self.cdp, session, script, frame=frame, deadline=deadline)

    async def evaluate_with_listeners(
        self, script: str, page: WatchedPage, *, deadline: float = 3, kinds: Collection[str] = frames.CLICKS
    ) -> Json:
        """As `evaluate`; the function gets the elements that listen to such events. Raises CdpError."""
        return await frames.evaluate_with_listeners(
            self.cdp, page.session, script, frame=page.target, deadline=deadline, kinds=kinds
        )

    async def evaluate_inside(
        self, script: Callable[[frames.Place], str], page: WatchedPage, *, deadline: float = 1.5
    ) -> list[tuple[Json, frames.Place]]:
        """Like `evaluate` in each frame inside the page, with the `script` for its position; returns values and
        positions."""
        return await frames.evaluate_inside(self.cdp, page.session, page.inner, script, deadline=deadline)

    def _on_created(self, params: Params, _: str | None) -> None:
        info = params["targetInfo"]
        if info["type"] != "page" or info["url"].startswith("devtools://"):
            return
        page = WatchedPage(info["targetId"], "", opener=info.get("openerId"))
        page.show(info["url"], info.get("title", ""))
        if page.opener is None:
            self._close_unused_stand_ins()
        self.pages[page.target] = page
        self._tasks.start(self._adopt(page))

    def _close_unused_stand_ins(self) -> None:
        """The tool server opens a tab of its own if its last one was closed before it knew of the replacement."""
        for page in list(self.pages.values()):
            if page.is_stand_in and page.document == page.url == BLANK_PAGE:
                self._tasks.start(hangs.close(self.cdp, page))

    def _on_changed(self, params: Params, _: str | None) -> None:
        info = params["targetInfo"]
        if page := self.pages.get(info["targetId"]):
            page.show(info["url"], info.get("title", ""))

    def _on_committed(self, params: Params, session: str | None) -> None:
        frame = params["frame"]
        if "parentId" not in frame and (page := self._page_of(session)):
            page.arrive(frame["url"] + frame.get("urlFragment", ""))
            page.holds_input = False

    def _on_renamed(self, params: Params, session: str | None) -> None:
        page = self._page_of(session)
        if page is not None and params["frameId"] == page.target:
            page.arrive(params["url"])

    def page_around(self, session: str | None) -> WatchedPage | None:
        """The page with this DevTools session, its own or that of a frame."""
        return next((page for page in self.pages.values() if session in (page.session, *page.inner)), None)

    def _page_of(self, session: str | None) -> WatchedPage | None:
        return next((page for page in self.pages.values() if session and page.session == session), None)

    def _on_destroyed(self, params: Params, _: str | None) -> None:
        if page := self.pages.pop(params["targetId"], None):
            page.gone.set()
            if stand_in := self.pages.get(page.replacement):
                stand_in.is_stand_in = True

    def _on_crashed(self, params: Params, _: str | None) -> None:
        if page := self.pages.get(params["targetId"]):
            page.is_crashed = True
            self._note(sentence("note.crashed", address=cut(page.url, 120)))

    async def _adopt(self, page: WatchedPage) -> None:
        if len(self.pages) > MAX_OPEN_TABS:
            self._note(sentence("note.too_many_tabs", n=MAX_OPEN_TABS))
            await self.cdp.send("Target.closeTarget", {"targetId": page.target})
            return
        attached = await self.cdp.send("Target.attachToTarget", {"targetId": page.target, "flatten": True})
        page.session = attached["sessionId"]
        if self._locality != UNKNOWN_LOCALITY:
            await self._locality.emulate(self.cdp, page.session)
        await self.cdp.send("Page.enable", session=page.session)
        address = await self.evaluate(ADDRESS_SCRIPT, page)
        if page.moves is None:  # nothing has committed since the events were enabled
            page.arrive(str(address))
        await page_world.prepare(self.cdp, page.session)
        await self.dialogs.dismiss_in(page.session)
        await frames.watch_frames(self.cdp, page.session, workers=self.holds_inner)
        if self._emulates_viewport:
            await self.cdp.send(
                "Emulation.setDeviceMetricsOverride",
                {"width": VIEWPORT[0], "height": VIEWPORT[1], "deviceScaleFactor": 1, "mobile": False},
                session=page.session,
            )

    def _on_attached(self, params: Params, session: str | None) -> None:
        around = self.page_around(session)
        if around is None or not session:
            return
        resumes = params["waitingForDebugger"] and session not in self.logged
        if resumes or self.holds_inner:
            self._tasks.start(self._locality.emulate(self.cdp, params["sessionId"], resumes=resumes))
        if params["targetInfo"]["type"] == "iframe":
            around.inner[params["sessionId"]] = (session, params["targetInfo"]["targetId"])
            self._tasks.start(frames.watch_frames(self.cdp, params["sessionId"], workers=self.holds_inner))
            self._tasks.start(self.dialogs.dismiss_in(params["sessionId"]))

    def _on_detached(self, params: Params, _: str | None) -> None:
        for page in self.pages.values():
            page.inner.pop(params["sessionId"], None)
