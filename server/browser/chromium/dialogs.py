"""Handles the dialogs of a session's pages: closes alerts, leaves questions open or dismisses them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from time import monotonic

from server.browser.chromium import hangs
from server.browser.chromium.cdp import Cdp, CdpError, Params
from server.browser.chromium.dismissals import Dismissals
from server.browser.chromium.watched_page import Dialog, WatchedPage
from wording.catalogue import sentence

DIALOG_CHARS = 2000
ENDLESS_ALERTS = 8
"""This many automatically answered dialogs within five seconds, and the tab of the last one is closed."""


class Dialogs:
    """The dialogs of the `pages` of a browser. `note` is called with one line for the model per
    event, `spawn` with coroutines to run in the background."""

    def __init__(
        self,
        cdp: Cdp,
        pages: Mapping[str, WatchedPage],
        note: Callable[[str], None],
        spawn: Callable[[Awaitable[None]], None],
        *,
        dismisses_questions: bool,
    ) -> None:
        self._cdp = cdp
        self._pages = pages
        self._note = note
        self._spawn = spawn
        self._dismissals = Dismissals(cdp, self._note_dismissed) if dismisses_questions else None
        self._alerts: deque[float] = deque(maxlen=ENDLESS_ALERTS)
        self._is_hands_off = False
        self.kept = asyncio.Event()
        """Set whenever a page was not left because of what the user entered there."""

    def listen(self) -> list[Callable[[], None]]:
        """Subscribe to dialog events; returns the functions that unsubscribe."""
        return [
            self._cdp.on("Page.javascriptDialogOpening", self._on_opened),
            self._cdp.on("Page.javascriptDialogClosed", self._on_closed),
            *([self._dismissals.listen()] if self._dismissals else []),
        ]

    @property
    def is_hands_off(self) -> bool:
        """True during a takeover: the user answers the dialogs."""
        return self._is_hands_off

    @is_hands_off.setter
    def is_hands_off(self, is_held: bool) -> None:
        if self._dismissals and is_held != self._is_hands_off:
            self._spawn(self._dismissals.leave() if is_held else self._dismiss_questions())
        self._is_hands_off = is_held

    @property
    def open(self) -> Dialog | None:
        return next((page.dialog for page in self._pages.values() if page.dialog), None)

    async def answer(self, accept: bool, text: str | None = None) -> bool:
        """Answer the open dialog over DevTools; returns False if there is none. Raises CdpError."""
        page = next((page for page in self._pages.values() if page.dialog), None)
        if page is None:
            return False
        params: Params = {"accept": accept} | ({"promptText": text} if text is not None else {})
        await self._cdp.send("Page.handleJavaScriptDialog", params, session=page.session)
        return True

    async def dismiss_in(self, session: str) -> None:
        """Install the dismissal of questions in a new page or frame."""
        if self._dismissals and not self._is_hands_off:
            with suppress(CdpError):  # the frame may be gone
                await self._dismissals.dismiss(session)

    async def _dismiss_questions(self) -> None:
        for page in list(self._pages.values()):
            for session in (page.session, *page.inner):
                await self.dismiss_in(session)

    def _on_opened(self, params: Params, session: str | None) -> None:
        page = next((page for page in self._pages.values() if page.session == session), None)
        if page is None:
            return
        page.dialog = Dialog(params["type"], params.get("message", "")[:DIALOG_CHARS])
        if not self.is_hands_off:
            self._spawn(self._handle(page, page.dialog))

    def _on_closed(self, params: Params, session: str | None) -> None:
        for page in self._pages.values():
            if page.session == session:
                page.dialog = None

    async def _handle(self, page: WatchedPage, dialog: Dialog) -> None:
        """Close alerts and accept `beforeunload` (a navigation was requested), unless it would lose what the user
        entered; leave other questions open.

        With `dismisses_questions` those are dismissed, too.
        """
        is_leaving = dialog.kind == "beforeunload"
        is_question = page.holds_input if is_leaving else dialog.kind != "alert"
        if is_leaving and not page.holds_input:
            self._note(sentence("note.left_page"))
        elif is_leaving:
            self.kept.set()
            self._note(sentence("note.not_left") if self._dismissals else sentence("note.leave_question"))
            if not self._dismissals:
                return
        elif dialog.kind == "alert":
            self._note(sentence("note.alert", text=quote(dialog.message)))
        elif self._dismissals:
            self._note_dismissed(dialog.kind, dialog.message)
        else:
            self._note(sentence("note.question", kind=dialog.kind, text=quote(dialog.message)))
            return
        now = monotonic()
        self._alerts.append(now)
        if len(self._alerts) == ENDLESS_ALERTS and now - self._alerts[0] < 5:
            self._note(sentence("note.endless_alerts"))
            await hangs.replace(self._cdp, page)
            return
        answer = {"accept": not is_question}
        await self._cdp.send("Page.handleJavaScriptDialog", answer, session=page.session)

    def _note_dismissed(self, kind: str, message: str) -> None:
        self._note(sentence("note.question_dismissed", kind=kind, text=quote(message)))


def quote(message: str) -> str:
    text = " ".join(message[:1000].split())
    return f'"{text[:200]}"'
