"""What a page's messages (toasts, statuses, alerts) say after an act, kept though they are shown for a moment only."""

from __future__ import annotations

import logging

from server.browser.chromium.cdp import CdpError
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.watched_page import WatchedPage
from server.browser.scripts import script
from server.ops.json_types import Json

log = logging.getLogger(__name__)

MAX_PAGE_MESSAGES, PAGE_MESSAGE_CHARS = 5, 200

_LISTEN_SCRIPT = script("said")
_SAID_SCRIPT = "() => (globalThis.pilothouseSaid?.end(), globalThis.pilothouseSaid?.said())"
"""Stops listening, which costs a page that moves much of its time."""


class PageMessages:
    """Those of one page since `listen`."""

    def __init__(self, monitor: PageMonitor, page: WatchedPage) -> None:
        self._monitor = monitor
        self._page = page
        self._shown: tuple[str, ...] = ()

    @property
    def are_shown(self) -> bool:
        """Whether one that came after the act was shown when they were read last."""
        return bool(self._shown)

    async def listen(self) -> None:
        await self._evaluate(_LISTEN_SCRIPT)

    async def read_gone(self) -> tuple[str, ...]:
        """The texts that came and are shown no more; with the document, its messages are gone, too."""
        found = await self._evaluate(_SAID_SCRIPT)
        if not isinstance(found, dict):
            gone, self._shown = self._shown, ()
            return gone
        self._shown = _texts(found.get("shown"))
        return _texts(found.get("gone"))

    async def _evaluate(self, script: str) -> Json:
        page = self._page
        if page.dialog or page.is_crashed or page.gone.is_set():
            return None
        try:
            return await self._monitor.evaluate(script, page, deadline=1)
        except CdpError as error:
            log.debug("what a page says: %s", error)
            return None


def _texts(found: Json) -> tuple[str, ...]:
    texts = found if isinstance(found, list) else []
    return tuple(str(text)[:PAGE_MESSAGE_CHARS] for text in texts[:MAX_PAGE_MESSAGES])
