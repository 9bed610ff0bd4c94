"""The page that a session's tools are at: where it is, and what our own scripts see there."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from server.browser import hangs
from server.browser.cdp import CdpError
from server.browser.page_script import PAGE_SCRIPT, Extra, SecretField
from server.browser.supervisor import Supervisor
from server.browser.watched_page import Dialog, WatchedPage

log = logging.getLogger(__name__)


class PageAtHand:
    """`url` and `title` are what the tool server told last; `watch` gives the watch over the pages if there is one."""

    def __init__(self, watch: Callable[[], Supervisor | None]) -> None:
        self.url: str | None = None
        self.title: str | None = None
        self._watch = watch

    @property
    def page(self) -> WatchedPage | None:
        watch = self._watch()
        return watch.page_at(self.url, self.title) if watch else None

    @property
    def dialog(self) -> Dialog | None:
        watch = self._watch()
        return watch.dialogs.open if watch else None

    async def settle(self) -> None:
        """Wait until what happened in the pages has been dealt with."""
        if watch := self._watch():
            await watch.settle()

    async def answers(self) -> bool:
        """Is its thread alive? A page that stands still for another reason counts as answering."""
        if reachable := self._reachable():
            watch, page = reachable
            return await hangs.is_responsive(watch.cdp, page)
        return True

    async def look(self) -> Extra:
        """What the page script sees; empty when it cannot run there.

        Of frames of other sites only the secret fields count, so that they are masked like the page's own.
        """
        reachable = self._reachable()
        try:
            extra = Extra.model_validate(await self.run(PAGE_SCRIPT) or {})
            if reachable is None:
                return extra
            watch, page = reachable
            for value, (x, y) in await watch.evaluate_inside(PAGE_SCRIPT, page):
                inside = (_moved(secret, x, y) for secret in Extra.model_validate(value).secrets)
                extra = extra.model_copy(update={"secrets": (*extra.secrets, *inside)})
        except ValidationError as error:
            log.debug("page script: %s", error)
            return Extra()
        return extra

    async def run(self, script: str, *, deadline: float = 3) -> Any:
        """The value of a read-only script of ours; None when it cannot run there."""
        reachable = self._reachable()
        if reachable is None:
            return None
        watch, page = reachable
        try:
            return await watch.evaluate(script, page, deadline=deadline)
        except CdpError as error:
            log.debug("script in the page: %s", error)
            return None

    def _reachable(self) -> tuple[Supervisor, WatchedPage] | None:
        """None also while a dialog or a crash keeps the page from running scripts."""
        watch, page = self._watch(), self.page
        return None if watch is None or page is None or page.dialog or page.is_crashed else (watch, page)


def _moved(secret: SecretField, x: float, y: float) -> SecretField:
    left, top, width, height = secret.box
    return secret.model_copy(update={"box": (left + x, top + y, width, height)})
