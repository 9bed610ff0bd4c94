"""Waits until a page is quiet after an act: its requests are answered, and nothing loads, moves, changes or is due.

The timers of a page cannot be read. Chromium reports how long its main thread has nothing to do, at most 50 ms ahead
(`IdleDeadline`), which shows a timer that is due soon.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Self

from server.browser.chromium.cdp import CdpError, Params
from server.browser.chromium.page_messages import PageMessages
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage
from server.browser.scripts import script

log = logging.getLogger(__name__)

SETTLE_SECONDS, MAX_SETTLE_SECONDS = 1.5, 3.0
"""Seconds from the act's end, after which a page is looked at as it is; and where the machine is slow."""
_READ_SECONDS = 0.3
"""Seconds after the head of an answer, or a part of it, in which more of it is waited for: Chromium reports no end of an
answer that no script reads, such as of a request that only counts what people do."""
_PROMPT_SECONDS, _SLOWER = 0.05, 10
"""Seconds in which a page answers a script; how many times what it takes longer is added to the patience."""
MAX_ROUNDS = 4
_COUNTED_TYPES = frozenset({"Document", "Stylesheet", "Script", "XHR", "Fetch"})
"""Kinds of requests after which a page looks different."""

QUIET_SCRIPT = script("quiet")
"""Ends when the page is quiet, or each reason was waited for long enough. `typed`: the act was typing, so that a list may
follow. `knowsLoading`: what says that it loads was there before and stays."""


class QuietWatch:
    """Follows a tab, its frames included, from before an act until it is quiet."""

    def __init__(self, monitor: PageMonitor, page: WatchedPage) -> None:
        self._monitor = monitor
        self._cdp = monitor.cdp
        self._page = page
        self._sessions = [page.session, *page.inner]
        self._enabled: list[str] = []
        self._open: dict[tuple[str | None, str], str] = {}
        """By session and request id, the document that a request is for (its loader's id)."""
        self._reading: dict[tuple[str | None, str], asyncio.TimerHandle] = {}
        self._begun = 0
        self._news = asyncio.Event()
        self._dialog = asyncio.Event()
        self._stops: list[Callable[[], None]] = []
        self._patience = SETTLE_SECONDS
        self.messages = PageMessages(monitor, page)

    async def __aenter__(self) -> Self:
        for event, listener in (
            ("Network.requestWillBeSent", self._on_request),
            ("Network.responseReceived", self._on_answer),
            ("Network.dataReceived", self._on_answer),
            ("Network.loadingFinished", self._on_end),
            ("Network.loadingFailed", self._on_end),
            ("Page.frameNavigated", self._on_document),
            ("Page.javascriptDialogOpening", self._on_dialog),
        ):
            self._stops.append(self._cdp.on(event, listener))
        # What a request log listens to already must keep its options, and stay.
        self._enabled = [one for one in self._sessions if one not in self._monitor.logged]
        began = monotonic()
        await asyncio.gather(self._switch("Network.enable"), self.messages.listen())
        late = max(0.0, monotonic() - began - _PROMPT_SECONDS)
        self._patience = min(MAX_SETTLE_SECONDS, SETTLE_SECONDS + _SLOWER * late)
        return self

    async def __aexit__(self, *_: object) -> None:
        for stop in self._stops:
            stop()
        for timer in self._reading.values():
            timer.cancel()
        self._enabled = [one for one in self._enabled if one not in self._monitor.logged]
        await asyncio.shield(self._switch("Network.disable"))

    async def _switch(self, method: str) -> None:
        works = (self._cdp.send(method, session=one, deadline=3) for one in self._enabled)
        await asyncio.gather(*works, return_exceptions=True)

    async def settled(self, *, typed: bool = False) -> None:
        """Wait until the page is quiet, SETTLE_SECONDS seconds or a little longer; not while a dialog holds it up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._rounds(typed=typed)

    async def _rounds(self, *, typed: bool) -> None:
        """Wait for requests, then for the page, until the page has begun no further request."""
        for _ in range(MAX_ROUNDS):
            await self._answered()
            begun = self._begun
            if not await self._still(typed=typed) or (begun == self._begun and not self._open):
                return

    async def _answered(self) -> None:
        while self._open and not self._dialog.is_set():
            self._news.clear()
            await self._news.wait()

    async def _still(self, *, typed: bool) -> bool:
        """Run the script; False if the page cannot be waited for any longer."""
        page, document = self._page, self._page.document
        if page.dialog or page.is_crashed or page.gone.is_set() or self._dialog.is_set():
            return False
        arguments = json.dumps([typed, page.loads_on == document])
        script = f"() => ({QUIET_SCRIPT})(...{arguments})"
        running = asyncio.create_task(self._monitor.evaluate(script, page, deadline=MAX_SETTLE_SECONDS))
        opening = asyncio.create_task(self._dialog.wait())
        try:
            await asyncio.wait((running, opening), return_when=asyncio.FIRST_COMPLETED)
        finally:
            opening.cancel()
            if not running.done():
                running.cancel()
        if not running.done():
            return False
        try:
            found = running.result()
        except CdpError as error:
            # The page has gone on to another document, which is waited for in the next round.
            log.debug("waiting for a quiet page: %s", error)
            self._begun += page.document != document
            return True
        page.loads_on = document if isinstance(found, dict) and found.get("loads") else page.loads_on
        return True

    def _on_request(self, params: Params, session: str | None) -> None:
        if session not in self._sessions or params.get("type") not in _COUNTED_TYPES:
            return
        url, key = params["request"]["url"], (session, params["requestId"])
        if url.startswith(("http:", "https:")):
            self._begun += 1
            self._open[key] = params.get("loaderId", "")

    def _on_answer(self, params: Params, session: str | None) -> None:
        key = session, params["requestId"]
        if key in self._open:
            if before := self._reading.pop(key, None):
                before.cancel()
            self._reading[key] = asyncio.get_running_loop().call_later(_READ_SECONDS, self._end, key)

    def _on_end(self, params: Params, session: str | None) -> None:
        self._end((session, params["requestId"]))

    def _end(self, key: tuple[str | None, str]) -> None:
        self._open.pop(key, None)
        self._news.set()

    def _on_document(self, params: Params, session: str | None) -> None:
        """What the document before it asked for ends with it, sometimes without an event."""
        frame = params["frame"]
        if "parentId" not in frame:
            self._open = {
                key: loader
                for key, loader in self._open.items()
                if key[0] != session or loader == frame["loaderId"]
            }
            self._news.set()

    def _on_dialog(self, _: Params, session: str | None) -> None:
        if session in self._sessions:
            self._dialog.set()
            self._news.set()
