"""Watches over the pages of one session through DevTools: what a page does that no tool call tells.

It answers alerts, keeps the number of tabs small, sees crashes, stops and replaces pages that hang, and
runs the read-only page script. It never acts for the agent.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from server.browser import frames
from server.browser.addresses import without_login
from server.browser.cdp import Cdp, CdpError, Params
from server.browser.chromium import VIEWPORT
from server.browser.questions import Questions

log = logging.getLogger(__name__)

MAX_TABS = 5
ENDLESS_ALERTS = 8
"""So many alerts of one page within five seconds, and its tab is closed."""


_CLOSE_TRIES = 5


@dataclass(slots=True)
class Dialog:
    """A question of the page that waits for an answer; the page stands still until then."""

    kind: str
    message: str


@dataclass(slots=True)
class WatchedPage:
    """A tab, as DevTools knows it."""

    target: str
    url: str
    title: str = ""
    session: str = ""
    opener: str | None = None
    dialog: Dialog | None = None
    is_crashed: bool = False
    inner: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Sessions of the frames of other sites in it: (session around it, frame id), outer ones first."""
    gone: asyncio.Event = field(default_factory=asyncio.Event)


class Supervisor:
    """The watch over the pages of one browser context (None: the default one).

    `note` takes one line for the model at each thing worth telling.
    """

    def __init__(
        self,
        cdp: Cdp,
        note: Callable[[str], None],
        *,
        context: str | None = None,
        emulates_viewport: bool = True,
        dismisses_questions: bool = False,
    ) -> None:
        self.cdp = cdp
        self.pages: dict[str, WatchedPage] = {}
        self._is_hands_off = False
        self._note = note
        self._context = context
        self._emulates_viewport = emulates_viewport
        self._questions = Questions(cdp, self._tell_dismissed) if dismisses_questions else None
        self._alerts: deque[float] = deque(maxlen=ENDLESS_ALERTS)
        self._tasks: set[asyncio.Task[None]] = set()
        self._stops: list[Callable[[], None]] = []

    async def start(self) -> None:
        """Raises CdpError."""
        for event, listener in (
            ("Target.targetCreated", self._on_created),
            ("Target.targetInfoChanged", self._on_changed),
            ("Target.targetDestroyed", self._on_destroyed),
            ("Target.targetCrashed", self._on_crashed),
            ("Target.attachedToTarget", self._on_attached),
            ("Target.detachedFromTarget", self._on_detached),
            ("Page.javascriptDialogOpening", self._on_dialog),
            ("Page.javascriptDialogClosed", self._on_dialog_closed),
        ):
            self._stops.append(self.cdp.on(event, listener))
        if self._questions:
            self._stops.append(self._questions.listen())
        context = {"browserContextId": self._context} if self._context else {}
        # An empty list of permissions denies them all.
        await self.cdp.send("Browser.grantPermissions", {"permissions": [], **context})
        await self.cdp.send("Target.setDiscoverTargets", {"discover": True})

    async def close(self) -> None:
        for stop in self._stops:
            stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def settle(self, *, deadline: float = 1) -> None:
        """Wait until what has been seen has also been dealt with."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=deadline)

    @property
    def is_hands_off(self) -> bool:
        """While a person holds the browser: dialogs are theirs."""
        return self._is_hands_off

    @is_hands_off.setter
    def is_hands_off(self, is_held: bool) -> None:
        if self._questions and is_held != self._is_hands_off:
            self._spawn(self._questions.leave() if is_held else self._dismiss_questions())
        self._is_hands_off = is_held

    @property
    def dialog(self) -> Dialog | None:
        return next((page.dialog for page in self.pages.values() if page.dialog), None)

    def page_at(self, url: str | None, title: str | None = None) -> WatchedPage | None:
        """The page that a tool server calls by this address; the newest one without an address."""
        pages = list(self.pages.values())
        same = [page for page in pages if page.url == url]
        named = [page for page in same if page.title == title] if len(same) > 1 else []
        found = named or same or pages
        return found[-1] if found else None

    async def answer(self, accept: bool, text: str | None = None) -> bool:
        """Answer the open dialog past the tool server; False when there is none."""
        page = next((page for page in self.pages.values() if page.dialog), None)
        if page is None:
            return False
        params: Params = {"accept": accept} | ({"promptText": text} if text is not None else {})
        await self.cdp.send("Page.handleJavaScriptDialog", params, session=page.session)
        return True

    async def evaluate(self, script: str, page: WatchedPage, *, deadline: float = 3) -> Any:
        """The JSON value of a function's source, run beside the page's scripts (see frames.py). Raises CdpError."""
        return await frames.evaluate(self.cdp, page.session, script, deadline=deadline)

    async def evaluate_inside(
        self, script: str, page: WatchedPage, *, deadline: float = 1.5
    ) -> list[tuple[Any, frames.Place]]:
        """The same in each frame inside the page, and where that frame is."""
        return await frames.evaluate_inside(self.cdp, page.session, page.inner, script, deadline=deadline)

    async def is_responsive(self, page: WatchedPage, *, deadline: float = 3) -> bool:
        """Does the page's thread answer?"""
        try:
            await self._document(page, deadline)
        except CdpError:
            return False
        return True

    async def is_steady(self, page: WatchedPage, *, deadline: float = 1.5) -> bool:
        """Does the page's thread answer, and is the page still the same a moment later?"""
        try:
            first = await self._document(page, deadline)
            await asyncio.sleep(0.2)
            return bool(first == await self._document(page, deadline))
        except CdpError:
            return False

    async def _document(self, page: WatchedPage, deadline: float) -> Any:
        done = await self.cdp.send(
            "Runtime.evaluate",
            {"expression": "performance.timeOrigin", "returnByValue": True},
            session=page.session,
            deadline=deadline,
        )
        return done["result"].get("value")

    async def stop_loading(self, page: WatchedPage) -> None:
        with suppress(CdpError):
            await self.cdp.send("Page.stopLoading", session=page.session, deadline=1)

    async def replace(self, page: WatchedPage) -> None:
        """A new empty tab in place of one that hangs. Raises CdpError."""
        context = {"browserContextId": self._context} if self._context else {}
        await self.cdp.send("Target.createTarget", {"url": "about:blank", **context})
        await self.close_page(page)

    async def close_page(self, page: WatchedPage) -> None:
        """Close a tab, whatever its page is at: one that keeps navigating loses the first requests to close."""
        for _ in range(_CLOSE_TRIES):
            if await self._try_to_close(page):
                return
            await self.stop_loading(page)
        with suppress(CdpError):  # it will not go: end its process, and then close what is left of it
            await self.cdp.send("Page.crash", session=page.session, deadline=0.5)
        await self._try_to_close(page)

    async def _try_to_close(self, page: WatchedPage) -> bool:
        with suppress(CdpError):
            await self.cdp.send("Target.closeTarget", {"targetId": page.target}, deadline=1)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.4):
                await page.gone.wait()
        return page.gone.is_set()

    def _on_created(self, params: Params, _: str | None) -> None:
        info = params["targetInfo"]
        is_ours = self._context is None or info.get("browserContextId") == self._context
        if info["type"] != "page" or not is_ours or info["url"].startswith("devtools://"):
            return
        url, title = without_login(info["url"]), info.get("title", "")
        page = WatchedPage(info["targetId"], url, title, opener=info.get("openerId"))
        self.pages[page.target] = page
        self._spawn(self._adopt(page))

    def _on_changed(self, params: Params, _: str | None) -> None:
        info = params["targetInfo"]
        if page := self.pages.get(info["targetId"]):
            page.url, page.title = without_login(info["url"]), info.get("title", "")

    def _on_destroyed(self, params: Params, _: str | None) -> None:
        if page := self.pages.pop(params["targetId"], None):
            page.gone.set()

    def _on_crashed(self, params: Params, _: str | None) -> None:
        if page := self.pages.get(params["targetId"]):
            page.is_crashed = True
            self._note(f"The page {_short(page.url)} crashed: what was on it is lost.")

    async def _adopt(self, page: WatchedPage) -> None:
        if len(self.pages) > MAX_TABS:
            self._note(f"A page tried to open more than {MAX_TABS} tabs; the new one was closed.")
            await self.cdp.send("Target.closeTarget", {"targetId": page.target})
            return
        attached = await self.cdp.send("Target.attachToTarget", {"targetId": page.target, "flatten": True})
        page.session = attached["sessionId"]
        await self.cdp.send("Page.enable", session=page.session)
        await self._dismiss_in(page.session)
        await frames.watch_frames(self.cdp, page.session)
        if self._emulates_viewport:
            await self.cdp.send(
                "Emulation.setDeviceMetricsOverride",
                {"width": VIEWPORT[0], "height": VIEWPORT[1], "deviceScaleFactor": 1, "mobile": False},
                session=page.session,
            )

    def _on_attached(self, params: Params, session: str | None) -> None:
        around = next((page for page in self.pages.values() if session in (page.session, *page.inner)), None)
        if around is not None and session and params["targetInfo"]["type"] == "iframe":
            around.inner[params["sessionId"]] = (session, params["targetInfo"]["targetId"])
            self._spawn(frames.watch_frames(self.cdp, params["sessionId"]))
            self._spawn(self._dismiss_in(params["sessionId"]))

    def _on_detached(self, params: Params, _: str | None) -> None:
        for page in self.pages.values():
            page.inner.pop(params["sessionId"], None)

    def _on_dialog(self, params: Params, session: str | None) -> None:
        page = next((page for page in self.pages.values() if page.session == session), None)
        if page is None:
            return
        page.dialog = Dialog(params["type"], params.get("message", ""))
        if not self.is_hands_off:
            self._spawn(self._answer_dialog(page, page.dialog))

    def _on_dialog_closed(self, params: Params, session: str | None) -> None:
        for page in self.pages.values():
            if page.session == session:
                page.dialog = None

    async def _answer_dialog(self, page: WatchedPage, dialog: Dialog) -> None:
        """An alert has one answer, and leaving was asked for; every other question is left open."""
        is_question = dialog.kind not in ("alert", "beforeunload")
        if dialog.kind == "beforeunload":
            self._note("The page asked whether to leave it; it was left.")
        elif dialog.kind == "alert":
            self._note(f"The page showed an alert: {quote(dialog.message)}")
        elif self._questions:
            self._tell_dismissed(dialog.kind, dialog.message)
        else:
            self._note(
                f"The page asks ({dialog.kind}): {quote(dialog.message)}. "
                "It is dismissed at the next action unless it is answered."
            )
            return
        if self._is_endless():
            self._note("The page showed alerts without end; its tab was closed.")
            await self.replace(page)
            return
        await self.cdp.send("Page.handleJavaScriptDialog", {"accept": not is_question}, session=page.session)

    def _tell_dismissed(self, kind: str, message: str) -> None:
        self._note(f"The page asked ({kind}): {quote(message)}. It was dismissed.")

    async def _dismiss_questions(self) -> None:
        for page in list(self.pages.values()):
            for session in (page.session, *page.inner):
                await self._dismiss_in(session)

    async def _dismiss_in(self, session: str) -> None:
        if self._questions and not self._is_hands_off:
            with suppress(CdpError):  # the frame may be gone
                await self._questions.dismiss(session)

    def _is_endless(self) -> bool:
        now = monotonic()
        self._alerts.append(now)
        return len(self._alerts) == ENDLESS_ALERTS and now - self._alerts[0] < 5

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        async def quietly() -> None:
            try:
                await work
            except CdpError as error:
                log.debug("watch over a page: %s", error)

        task = asyncio.create_task(quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _short(url: str) -> str:
    return url if len(url) <= 120 else url[:119] + "…"


def quote(message: str) -> str:
    text = " ".join(message.split())
    return f'"{text[:200]}"'
