"""The current page of a session's tools: its URL and title, and the results of our own scripts in it."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from server.browser.browser import Tab
from server.browser.chromium import hangs, page_world
from server.browser.chromium.cdp import CdpError
from server.browser.chromium.frames import Place, call_on, give_files
from server.browser.chromium.page_messages import PageMessages
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.quiet import QuietWatch
from server.browser.chromium.resources import load_resource
from server.browser.chromium.snapshots import Snapshots
from server.browser.chromium.watched_page import Dialog, WatchedPage, origin_of
from server.browser.masking import mask_text
from server.browser.observation.document_script import DOCUMENTS_IN
from server.browser.observation.page_script import (
    FRAME_SCRIPT,
    MOMENT_SCRIPT,
    PAGE_SCRIPT,
    Extra,
    SecretField,
)
from server.browser.observation.point_script import DRAWN_SCRIPT, point_script
from server.browser.observation.points import Layers
from server.browser.observation.secret_fields import is_short
from server.browser.reading.content_script import CONTENT_SCRIPT, PageContent
from server.browser.reading.reader import MAX_READ_BYTES
from server.browser.scripts import script
from server.ops.json_types import Json, JsonObject

log = logging.getLogger(__name__)


# Smooth scrolling lasts for some frames, in which scroll events come.
SCROLLED_SCRIPT = script("scrolled")

# A text that has no element of its own is in view only where nothing that scrolls leaves it out.
_FEED_END = script("feed_end")
_SHOW_TEXT = script("show_text")

# A file that scripts have made is known in its page only.
_MADE_FILE = """async (url, most) => {
  const made = await (await fetch(url)).blob();
  if (made.size > most) return '';
  const reader = new FileReader();
  await new Promise(done => { reader.onload = reader.onerror = done; reader.readAsDataURL(made); });
  return String(reader.result || '').split(',')[1] || '';
}"""

SCREENSHOT_FORMAT: JsonObject = {"format": "jpeg", "quality": 80, "optimizeForSpeed": True}
"""Parameters of `Page.captureScreenshot`: the window in device pixels."""

_FRAMES_DEEP = 5
"""How many nested frames of other sites a point is followed into."""

Moment = tuple[str, int | None]
"""Tab id and `WatchedPage.moves`: equal moments mean documents of the same origin."""


class Drawn(BaseModel, frozen=True):
    """The result of `DRAWN_SCRIPT`."""

    share: float = 0
    width: float = 0
    height: float = 0


MAX_TOLD = 40
OUTSIDE_VIEW = (-10_000.0, -10_000.0, 0.0, 0.0)
"""The box of a field that is not on the page any more."""


_T = TypeVar("_T")


def narrowed(found: list[_T], fits: Callable[[_T], bool]) -> list[_T]:
    """Those that fit; all of them if none does."""
    return [one for one in found if fits(one)] or found


class CurrentPage:
    """The current page of the tools. `watch` returns the page monitor, or None if there is none.

    With a page monitor, URL and title come from DevTools; the tool server's text only selects the tab.
    Without one (the server brings its own browser) they are the values that the server reported last.
    """

    def __init__(self, watch: Callable[[], PageMonitor | None]) -> None:
        self._watch = watch
        self._target: str | None = None
        self._url: str | None = None
        self._title: str | None = None
        self._snapshots = Snapshots()
        self._told: dict[str, None] = {}
        self._filled: dict[str, None] = {}
        self._passed: tuple[str, ...] = ()
        self._messages: PageMessages | None = None
        self.login_in: tuple[str, Place | None] = "", None
        """Token of the login form that was looked at last, and the frame of another site that it is in."""
        self.held_in: dict[int, Place] = {}
        """Of the fields that an act holds: which are in frames of other sites, and where."""

    @property
    def url(self) -> str | None:
        """While the browser is closed, the last known URL."""
        self._recall()
        return self._url

    @property
    def title(self) -> str | None:
        self._recall()
        return self._title

    def hide(self, secrets: Iterable[str]) -> None:
        """Mask these texts in what pages show and in their addresses from now on: a page may put a password there.

        Short ones, which look like other words and numbers, are masked by `look` only while a secret
        field holds them.
        """
        self._told |= dict.fromkeys(text for text in secrets if not is_short(text))
        for oldest in list(self._told)[:-MAX_TOLD]:
            del self._told[oldest]

    def hide_for_good(self, values: Iterable[str]) -> None:
        """Mask the values of stored logins for as long as this browser lives, however many there are."""
        self._filled |= dict.fromkeys(value for value in values if not is_short(value))

    @property
    def filled(self) -> list[Json]:
        """The values of `hide_for_good`."""
        return list(self._filled)

    def masked(self, text: str | None) -> str | None:
        """The text without secrets that were typed or seen before."""
        return text and mask_text(text, self._secrets_told())

    def _secrets_told(self) -> tuple[SecretField, ...]:
        return tuple(SecretField(box=OUTSIDE_VIEW, value=value) for value in (*self._filled, *self._told))

    @property
    def page(self) -> WatchedPage | None:
        watch = self._watch()
        if watch is None or not watch.pages:
            return None
        return watch.pages.get(self._target or "") or list(watch.pages.values())[-1]

    @property
    def target(self) -> str | None:
        """The target id of the tab that the tool server reported as current."""
        return self._target

    def choose(self, target: str) -> None:
        """Select the tab with this target id, if there is one."""
        self._target = target

    @property
    def moment(self) -> Moment | None:
        """None if there is no page monitor."""
        page = self.page
        return (page.target, page.moves) if page else None

    @property
    def tabs_open(self) -> int:
        """How many there are; 0 if there is no page monitor."""
        watch = self._watch()
        return len(watch.pages) if watch else 0

    @property
    def has_several(self) -> bool:
        return self.tabs_open > 1

    def follow(self, url: str, title: str | None = None) -> bool:
        """Select the tab that the tool server reports as current. Returns False if no tab has that origin.

        A single tab is always selected, regardless of its reported URL.
        """
        watch = self._watch()
        if watch is None or not watch.pages:
            self._url, self._title = url, title
            return True
        pages = list(watch.pages.values())
        found = [page for page in pages if page.document == url]
        found = found or [page for page in pages if origin_of(page.document) == origin_of(url)]
        best = narrowed(found, lambda page: page.title == title)
        best = narrowed(best, lambda page: page.target == self._target)
        if page := next(reversed(best or (pages if len(pages) == 1 else [])), None):
            self._target = page.target
        return bool(found)

    def recognise(self, tab: Tab) -> Tab:
        """Return a tab of the tool server's list with the URL and title from DevTools.

        A line of that list is `[title](address)`, and a page controls both. If it matches no tab, or several
        with different URLs, the result has neither URL nor title.
        """
        watch = self._watch()
        if watch is None or not watch.pages:
            return tab
        line = f"[{tab.title}]({tab.url})"
        found = [page for page in watch.pages.values() if line.endswith(f"]({page.document})")]
        exact = [page for page in found if line == f"[{page.title}]({page.document})"]
        found = exact or found
        if len({page.document for page in found}) != 1:
            return replace(tab, title="", url="")
        return replace(tab, title=found[-1].title, url=found[-1].document)

    def _recall(self) -> None:
        if page := self.page:
            self._url, self._title = page.document, page.title

    async def read_title(self) -> None:
        watch, page = self._watch(), self.page
        if watch is not None and page is not None:
            with suppress(CdpError):  # the tab may be closing
                await watch.read_title(page)

    @property
    def dialog(self) -> Dialog | None:
        watch = self._watch()
        return watch.dialogs.open if watch else None

    def holds_input(self, is_it: Callable[[WatchedPage], bool]) -> bool:
        """Whether a person entered something in such a tab."""
        watch = self._watch()
        return watch is not None and any(page.holds_input and is_it(page) for page in watch.pages.values())

    async def settle(self) -> None:
        """Wait until the page monitor has processed all page events."""
        if watch := self._watch():
            await watch.settle()

    @asynccontextmanager
    async def until_quiet(self, *, typed: bool) -> AsyncIterator[None]:
        """Wraps an act: at exit, wait until the page of the act is quiet."""
        reachable = self._reachable()
        if reachable is None:
            yield
            return
        async with QuietWatch(*reachable) as watch:
            yield
            await watch.settled(typed=typed)
        self._messages = watch.messages
        self._passed += await watch.messages.read_gone()

    async def take_passed(self) -> tuple[str, ...]:
        """What the page said after acts, and shows no more."""
        if self._messages and self._messages.are_shown:
            self._passed += await self._messages.read_gone()
        taken, self._passed = self._passed, ()
        return tuple(dict.fromkeys(self.masked(text) or "" for text in taken))

    async def answers(self) -> bool:
        """Whether its main thread responds; True if that cannot be checked (dialog, crash, no monitor)."""
        if reachable := self._reachable():
            watch, page = reachable
            return await hangs.is_responsive(watch.cdp, page)
        return True

    async def look(self, *, brief: bool = False) -> Extra:
        """Return the page script's result; only `unknown` is set if it cannot be read.

        Includes the fields of frames of other sites, and what secret fields held before (`hide`). `brief`: only secrets
        and moment.
        """
        reachable = self._reachable()
        if reachable is None:
            return Extra()
        watch, page = reachable
        try:
            found, inside = await asyncio.gather(
                watch.evaluate(MOMENT_SCRIPT, page)
                if brief
                else watch.evaluate_with_listeners(PAGE_SCRIPT, page),
                watch.evaluate_inside(lambda _: MOMENT_SCRIPT if brief else FRAME_SCRIPT, page),
            )
            extra = Extra.model_validate(found)
            for value, place in inside:
                if value is not None:  # a picture shows borders, too
                    dx, dy = (place.x, place.y) if brief else place.in_snapshot
                    extra = extra.with_frame(Extra.model_validate(value), dx, dy)
        except (ValidationError, CdpError) as error:
            log.debug("page script: %.500s", error)
            return Extra(unknown=True)
        values = {secret.value for secret in extra.secrets}
        self.hide(values)
        gone = (secret for secret in self._secrets_told() if secret.value not in values)
        return extra.model_copy(update={"secrets": (*extra.secrets, *gone)})

    async def picture(self, *, deadline: float) -> bytes | None:
        """Take a JPEG of the window; None if DevTools cannot, such as of a tab in the background."""
        reachable = self._reachable()
        if reachable is None:
            return None
        watch, page = reachable
        try:
            taken = await watch.cdp.send(
                "Page.captureScreenshot", SCREENSHOT_FORMAT, session=page.session, deadline=deadline
            )
            return base64.b64decode(taken["data"], validate=True)
        except (CdpError, KeyError, binascii.Error) as error:
            log.debug("picture of the page: %s", error)
            return None

    async def drawn(self) -> Drawn:
        """Return the window's size and the share that is drawn, such as on a canvas; zeros if that cannot be read."""
        try:
            return Drawn.model_validate(await self.run(DRAWN_SCRIPT) or {})
        except ValidationError:
            return Drawn()

    async def show_text(self, query: str) -> bool | None:
        """Scroll what scrolls so that a text with these words is in view; whether it is, None if that is not known."""
        found = await self.run(f"() => ({_SHOW_TEXT})({json.dumps(query)})")
        await self.wait_scrolled()
        return found if isinstance(found, bool) else None

    async def wait_scrolled(self) -> None:
        """Wait until scrolling has ended: a wheel event is acknowledged before the page moves."""
        await self.run(SCROLLED_SCRIPT, deadline=1)

    async def layers_at(self, x: float, y: float) -> Layers | None:
        """Return the elements at a point of the window, those of frames included; None if they cannot be read."""
        reachable = self._reachable()
        if reachable is None:
            return None
        watch, page = reachable
        try:
            found = Layers.model_validate(await watch.evaluate(point_script(x, y), page))
            if not found.beyond:
                return found
            inside = await watch.evaluate_inside(lambda place: point_script(x - place[0], y - place[1]), page)
            for _ in range(_FRAMES_DEEP):
                at = found.beyond
                inner = [
                    one for one in inside if at and max(abs(at[0] - one[1][0]), abs(at[1] - one[1][1])) < 2
                ]
                if not inner:
                    break
                found = found.with_frame(Layers.model_validate(inner[0][0]))
        except (ValidationError, CdpError) as error:
            log.debug("what is at a point: %s", error)
            return None
        return found

    async def snapshot(self) -> str:
        """Return the page's accessibility snapshot as Playwright's server makes it. Raises CdpError, TimeoutError."""
        reachable = self._reachable()
        return await self._snapshots.read(reachable[0].cdp, reachable[1]) if reachable else ""

    async def nodes(self, targets: Sequence[str]) -> dict[str, int]:
        """Return DevTools' ids of elements in the last snapshot, by their targets; without those that are gone."""
        if (reachable := self._reachable()) is None or not targets:
            return {}
        try:
            return await self._snapshots.nodes(reachable[0].cdp, targets)
        except (CdpError, KeyError) as error:
            log.debug("elements of the page: %s", error)
            return {}

    async def point_of(self, target: str) -> tuple[int, int] | None:
        """Scroll an element of the page itself into view; its middle in the window, None if something covers it."""
        found = await self._ask(target, f"point({json.dumps(target)})")
        return (int(found["x"]), int(found["y"])) if found and not target.startswith("f") else None

    async def select(self, target: str, options: Sequence[str]) -> bool:
        """Choose options of a select by value or label, as Playwright does; whether they were chosen."""
        given = f"{json.dumps(target)}, {json.dumps(list(options))}"
        return (await self._ask(target, f"select({given})")).get("isChosen") is True

    async def _ask(self, target: str, call: str) -> JsonObject:
        if (reachable := self._reachable()) is None:
            return {}
        try:
            return await self._snapshots.ask(reachable[0].cdp, target, call)
        except CdpError as error:
            log.debug("an element of the page: %s", error)
            return {}

    async def send(self, method: str, params: JsonObject) -> bool:
        """Send a command to the page; whether it was carried out."""
        if (reachable := self._reachable()) is None:
            return False
        watch, page = reachable
        try:
            await watch.cdp.send(method, params, session=page.session)
        except CdpError as error:
            log.debug("%s: %s", method, error)
            return False
        return True

    async def take_asked(self) -> list[str]:
        """What the page has asked of a person since the last call (`page_world.take_asked`)."""
        if (reachable := self._reachable()) is None:
            return []
        with suppress(CdpError):
            return await page_world.take_asked(reachable[0].cdp, reachable[1].session)
        return []

    async def print_out(self) -> bytes | None:
        """The page as a PDF; None if it cannot be made."""
        if (reachable := self._reachable()) is None:
            return None
        watch, page = reachable
        try:
            made = await watch.cdp.send(
                "Page.printToPDF", {"printBackground": True}, session=page.session, deadline=5
            )
            return base64.b64decode(made["data"], validate=True)
        except (CdpError, KeyError, binascii.Error) as error:
            log.debug("page as a PDF: %s", error)
            return None

    async def give_files(self, field: str, paths: Sequence[str]) -> bool:
        """Set the files of the field that this expression of our scripts' world names; whether they were taken."""
        if (reachable := self._reachable()) is None:
            return False
        watch, page = reachable
        try:
            await give_files(watch.cdp, page.session, page.target, field, paths, deadline=3)
        except CdpError as error:
            log.debug("files for a field: %s", error)
            return False
        return True

    async def call_on(
        self, element: str, function: str, arguments: Sequence[Json], *, place: Place | None = None
    ) -> Json:
        """Call one of our functions on the element that this expression of our scripts' world names; None if it cannot."""
        if (reachable := self._reachable()) is None:
            return None
        watch, page = reachable
        session, frame = (place.session, place.frame) if place else (page.session, page.target)
        try:
            return await call_on(watch.cdp, session, frame, element, function, arguments, deadline=3)
        except CdpError as error:
            log.debug("a function on an element: %s", error)
            return None

    async def come_to_front(self) -> None:
        """Show the page before its other tabs: one behind another draws no frames, for which acts wait."""
        if self.has_several:
            await self.send("Page.bringToFront", {})

    async def content(self) -> PageContent | None:
        """Return the page's content as HTML; None if it cannot be read, or navigates to another site."""
        before = self.moment
        try:
            content = PageContent.model_validate(await self.run(CONTENT_SCRIPT, deadline=8))
        except ValidationError:
            return None
        return content if self.moment == before else None

    async def loads_more(self) -> bool:
        """Whether the page loads more at its end, as a feed does: it is scrolled there, waited for, and scrolled back."""
        async with self.until_quiet(typed=False):
            before = await self.run(f"() => ({_FEED_END})(null)")
        if not isinstance(before, dict):
            return False
        return await self.run(f"() => ({_FEED_END})({json.dumps(before)})") is True

    async def documents(self) -> list[tuple[str, str]]:
        """Name and address of each PDF file of the page's own site that is shown in a part of it."""
        found = await self.run(f"() => {DOCUMENTS_IN}")
        known = (
            [one for one in found if isinstance(one, dict) and one.get("own")]
            if isinstance(found, list)
            else []
        )
        return [(str(one.get("name")), str(one.get("url"))) for one in known]

    async def file(self, url: str) -> bytes | None:
        """Return the file at `url` that the tab shows; None if it cannot be loaded."""
        reachable = self._reachable()
        if reachable is None:
            return None
        if url.startswith("blob:"):
            try:
                made = str(
                    await self.run(f"() => ({_MADE_FILE})({json.dumps(url)}, {MAX_READ_BYTES})", deadline=8)
                    or ""
                )
                return base64.b64decode(made, validate=True) or None
            except binascii.Error:
                return None
        watch, page = reachable
        try:
            return await load_resource(watch.cdp, page.session, page.target, url, most_bytes=MAX_READ_BYTES)
        except CdpError as error:
            log.debug("file of the page: %s", error)
            return None

    async def run(self, script: str, *, deadline: float = 3, place: Place | None = None) -> Json:
        """Run one of our scripts, in a frame if it has a place, and return its value; None if it cannot run."""
        reachable = self._reachable()
        if reachable is None:
            return None
        watch, page = reachable
        try:
            return await watch.evaluate(script, page, deadline=deadline, place=place)
        except CdpError as error:
            log.debug("script in the page: %s", error)
            return None

    async def run_with_listeners(self, script: str, kinds: Collection[str]) -> Json:
        """As `run`; the function gets the elements that listen to such events, or null if that is not known."""
        if (reachable := self._reachable()) is None:
            return None
        watch, page = reachable
        try:
            return await watch.evaluate_with_listeners(script, page, kinds=kinds)
        except CdpError as error:
            log.debug("script in the page: %s", error)
            return None

    async def run_inside(self, script: Callable[[Place], str]) -> list[tuple[Json, Place]]:
        """Run the script for a frame's place in each frame; values and places of those in which it can run."""
        reachable = self._reachable()
        try:
            return await reachable[0].evaluate_inside(script, reachable[1]) if reachable else []
        except CdpError as error:
            log.debug("script in frames: %s", error)
            return []

    def _reachable(self) -> tuple[PageMonitor, WatchedPage] | None:
        """None also while a dialog or a crash prevents scripts in the page."""
        watch, page = self._watch(), self.page
        return None if watch is None or page is None or page.dialog or page.is_crashed else (watch, page)
