"""The live view's screen of a mock browser: clicks by position, keys into the focused field."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from server.browser.addresses import AddressRefused, normal_url
from server.browser.browser import Tab
from server.browser.takeover.browser_view import (
    BrowserSnapshot,
    FocusedField,
    InputRefused,
    ListedElement,
    Listing,
    LiveFrame,
    OpenDialog,
    TakeFrame,
    security_of,
)
from server.browser.takeover.handover import PageMoment, describe_changes
from server.browser.takeover.sent_logins import SentLogin
from server.browser.takeover.user_input import (
    AnswerDialog,
    Back,
    ClickElement,
    Command,
    Go,
    KeyPress,
    Mouse,
    Resize,
    Stroke,
    SwitchTab,
    Text,
    TypeInto,
)
from server.extras.mock.browser import MockBrowser
from server.extras.mock.site import VIEWPORT, PageControl, draw, draw_icon
from wording.catalogue import sentence


class MockScreen:
    """Implements `Screen`. `find` returns the session's browser or None, `get` creates it if needed."""

    def __init__(
        self, find: Callable[[], MockBrowser | None], get: Callable[[], Awaitable[MockBrowser]]
    ) -> None:
        self.on_copied: Callable[[str], None] = lambda text: None
        self.on_focused: Callable[[FocusedField], None] = lambda field: None
        self.on_login_sent: Callable[[SentLogin], None] = lambda sent: None
        self._find = find
        self._get = get
        self._focused: str | None = None
        self._size = VIEWPORT
        self._drawn: object = None
        self._before: PageMoment | None = None
        self._fields: list[str] = []

    @property
    def start(self) -> int:
        return 1 if self._find() else 0

    def sight(self) -> BrowserSnapshot | None:
        browser = self._find()
        if browser is None:
            return None
        url, title = browser.url, browser.page.title
        dialog = OpenDialog("confirm", browser.dialog) if browser.dialog else None
        return BrowserSnapshot(url, title, self._size, (Tab(0, title, url, True),), dialog, security_of(url))

    async def open(self) -> None:
        await self._get()

    async def capture(self, take: TakeFrame | None) -> None:
        """Send a frame if the page has changed since the last one."""
        browser = self._find()
        look = (browser.url, dict(browser.typed), self._size, self._focused) if browser and take else None
        if look == self._drawn:
            return
        self._drawn = look
        if take and browser:
            data = await asyncio.to_thread(
                draw, browser.page, dict(browser.typed), self._size, focused=self._focused
            )
            take(LiveFrame(data, *self._size))

    def hold(self) -> None:
        self._before, self._fields = self._scene(), []
        if browser := self._find():
            browser.is_free.clear()

    async def hand_back(self) -> str:
        self._size, self._focused = VIEWPORT, None
        if browser := self._find():
            browser.is_free.set()
        return describe_changes(self._before, self._scene(), self._fields)

    def _scene(self) -> PageMoment | None:
        browser = self._find()
        if browser is None:
            return None
        return PageMoment(url=browser.url, title=browser.page.title, headings=(browser.page.heading,))

    async def icon(self) -> bytes | None:
        return await asyncio.to_thread(draw_icon) if self._find() else None

    async def press(self, stroke: Stroke) -> None:
        browser = self._find()
        if browser is None or browser.dialog:
            return
        match stroke:
            case Mouse(kind="up"):
                self._click(browser, browser.control_at(stroke.x, stroke.y))
            case KeyPress(kind="down"):
                self._key(browser, stroke)
            case Text():
                self._write(browser, stroke.text)

    async def lift(self) -> None:
        return

    def _click(self, browser: MockBrowser, control: PageControl | None) -> None:
        self._focused = control.name if control else None
        if control and not control.is_field:
            browser.use(control.name)
            self._focused = None

    def _key(self, browser: MockBrowser, key: KeyPress) -> None:
        controls = browser.page.controls
        control = next((one for one in controls if one.name == self._focused), None)
        if key.key == "Tab" and controls:
            at = controls.index(control) + (-1 if key.modifiers & 8 else 1) if control else 0
            self._focused = controls[at % len(controls)].name
        elif key.key == "Enter":
            button = next((one for one in controls if one.role == "button"), None)
            self._click(browser, button if control and control.is_field else control)
        elif control and control.is_field and key.key == "Backspace":
            browser.typed[control.name] = browser.typed.get(control.name, "")[:-1]
        elif len(key.key) == 1 and not key.modifiers & 7:
            self._write(browser, key.key)

    def _write(self, browser: MockBrowser, text: str, *, replaces: bool = False) -> None:
        field = next(
            (one for one in browser.page.controls if one.name == self._focused and one.is_field), None
        )
        if field is None:
            return
        before = "" if replaces else browser.typed.get(field.name, "")
        browser.typed[field.name] = before + text
        self._fields.append(field.name)

    async def do(self, command: Command) -> None:
        browser = self._find()
        if browser is None:
            raise InputRefused(sentence("browser.closed"))
        match command:
            case Go():
                try:
                    await browser.navigate(normal_url(command.url))
                except AddressRefused as error:
                    raise InputRefused(sentence("not_opened", why=str(error))) from None
            case Back():
                await browser.back()
            case Resize():
                self._size = (command.width, command.height)
            case AnswerDialog():
                if browser.dialog is None:
                    raise InputRefused(sentence("dialog.none"))
                await browser.answer_dialog(command.accept, command.text)
            case SwitchTab() if command.index > 0:
                raise InputRefused(sentence("tab.unknown"))
            case ClickElement():
                self._click(browser, _listed(browser, command.eid))
            case TypeInto():
                self._focused = _listed(browser, command.eid).name
                self._write(browser, command.text, replaces=True)

    async def elements(self) -> Listing:
        browser = self._find()
        if browser is None:
            return Listing()
        return Listing(
            tuple(
                ListedElement(
                    f"p{number}", one.role, one.name, "" if one.is_secret else browser.typed.get(one.name, "")
                )
                for number, one in enumerate(browser.page.controls, 1)
            )
        )


def _listed(browser: MockBrowser, eid: str) -> PageControl:
    number = int(eid[1:]) if eid[1:].isdigit() else 0
    if not 1 <= number <= len(browser.page.controls):
        raise InputRefused(sentence("elements.not_listed"))
    return browser.page.controls[number - 1]
