"""Executes the user's input on the foreground page: strokes, commands and actions on listed elements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from server.browser.addresses import AddressRefused, has_scheme, host_of, is_near, normal_url
from server.browser.chromium.cdp import CdpError, Params
from server.browser.chromium.watched_page import WatchedPage
from server.browser.takeover.browser_view import InputRefused, Listing
from server.browser.takeover.element_list import ElementList
from server.browser.takeover.foreground_tab import ForegroundTab, quietly
from server.browser.takeover.input_dispatcher import Command as CdpCommand
from server.browser.takeover.input_dispatcher import InputDispatcher
from server.browser.takeover.user_input import (
    AnswerDialog,
    Back,
    ClickElement,
    Command,
    Go,
    Mouse,
    Reload,
    Stroke,
    SwitchTab,
    TypeInto,
)
from wording.catalogue import sentence

STROKE_DEADLINE = 1.0
"""Seconds; a page that is blocked by a dialog accepts no strokes."""

HTTPS_DEADLINE = 3.0
"""Seconds for a local host to answer over https, before http is tried."""

Refuse = Callable[[str, int], str | None]
"""Returns why a host and port may not be opened; None if they may."""


class UserActions:
    def __init__(self, front: ForegroundTab, refuse: Refuse) -> None:
        self._front = front
        self._refuse = refuse
        self._dispatcher = InputDispatcher()
        self._list: ElementList | None = None

    async def press(self, stroke: Stroke) -> None:
        if browser := self._front.browser:
            browser.touch()
        await self._run(self._dispatcher.commands(stroke))

    async def lift(self) -> None:
        await self._run(self._dispatcher.lift())

    async def _run(self, commands: Iterable[CdpCommand]) -> None:
        for method, params in commands:
            await quietly(self._front.send(method, params, deadline=STROKE_DEADLINE))

    async def do(self, command: Command, page: WatchedPage) -> None:
        """Raises InputRefused and CdpError."""
        match command:
            case Go():
                await self._open(command.url.strip())
            case Back():
                await self._go_back()
            case Reload():
                await self._front.send("Page.reload", deadline=STROKE_DEADLINE)
            case SwitchTab():
                await self._switch_tab(command.index)
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
        """Raises InputRefused."""
        page, watch = self._front.page(), self._front.watch
        if page is None or watch is None:
            return Listing()
        if page.dialog:
            raise InputRefused(sentence("page.asks"))
        elements = ElementList(watch.cdp, page.session)
        try:
            listing = await elements.read()
        except CdpError:  # the page is navigating, or too busy to answer
            return Listing(is_loading=True)
        self._list = elements
        return listing

    def forget_elements(self) -> None:
        self._list = None

    @property
    def _elements(self) -> ElementList:
        page = self._front.page()
        if self._list is None or page is None or self._list.session != page.session:
            raise InputRefused(sentence("elements.list_first"))
        return self._list

    async def _open(self, address: str) -> None:
        """Open an address as typed. Without a scheme, a local host is tried over https, then over http."""
        url = self._allowed(address)
        if has_scheme(address) or not is_near(host_of(url)):
            await self._front.send("Page.navigate", {"url": url}, deadline=STROKE_DEADLINE)
            return
        bare = url.partition("://")[2]
        went = await self._front.send(
            "Page.navigate", {"url": self._allowed(f"https://{bare}")}, deadline=HTTPS_DEADLINE
        )
        if went.get("errorText"):
            # In place of the error page: Back must not lead there.
            where = json.dumps(self._allowed(f"http://{bare}"))
            params: Params = {"expression": f"location.replace({where})"}
            await self._front.send("Runtime.evaluate", params, deadline=STROKE_DEADLINE)

    def _allowed(self, text: str) -> str:
        """Return the normalised URL, checked by the same rules as for the agent. Raises InputRefused."""
        try:
            url = normal_url(text)
            port = urlsplit(url).port or (80 if url.startswith("http:") else 443)
        except (AddressRefused, ValueError) as error:
            raise InputRefused(sentence("not_opened", why=str(error))) from None
        if why := self._refuse(host_of(url), port):
            raise InputRefused(sentence("not_opened", why=why))
        return url

    async def _go_back(self) -> None:
        history = await self._front.send("Page.getNavigationHistory")
        if history["currentIndex"] <= 0:
            raise InputRefused(sentence("page.no_earlier"))
        entry = {"entryId": history["entries"][history["currentIndex"] - 1]["id"]}
        await self._front.send("Page.navigateToHistoryEntry", entry, deadline=STROKE_DEADLINE)

    async def _switch_tab(self, index: int) -> None:
        watch = self._front.watch
        pages = list(watch.pages.values()) if watch else []
        if index >= len(pages):
            raise InputRefused(sentence("tab.unknown"))
        await self._front.show(pages[index])

    async def _answer(self, command: AnswerDialog, page: WatchedPage) -> None:
        if page.dialog is None:
            raise InputRefused(sentence("dialog.none"))
        params: Params = {"accept": command.accept} | (
            {"promptText": command.text} if command.text is not None else {}
        )
        await self._front.send("Page.handleJavaScriptDialog", params)
