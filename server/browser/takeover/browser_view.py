"""The `Screen` protocol, through which a live view shows a browser and sends it the user's input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, Field

from server.browser.browser import Tab
from server.browser.takeover.sent_logins import SentLogin
from server.browser.takeover.user_input import Command, Stroke
from server.errors import Explained


@dataclass(slots=True)
class LiveFrame:
    """One frame of the live view: a JPEG, the page's size and scroll offset in CSS pixels. Never stored."""

    data: bytes
    width: int
    height: int
    scroll: tuple[float, float] = field(default=(0.0, 0.0))


TakeFrame = Callable[[LiveFrame], None]


class InputRefused(Explained):
    """The user's input cannot be carried out; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class OpenDialog:
    """A page dialog that waits for an answer; `kind` is alert, confirm, prompt or beforeunload."""

    kind: str
    message: str


Security = Literal["secure", "plain", "error", "none"]
"""The document came over https with a valid certificate; over http; could not be loaded; is from no site."""


def security_of(document: str) -> Security:
    """`document` is the URL of the document that is shown, as committed: a failed navigation commits Chromium's
    error page under its own URL, also when the certificate is the reason."""
    scheme = document.partition(":")[0].lower()
    by_scheme: dict[str, Security] = {"https": "secure", "http": "plain", "chrome-error": "error"}
    return by_scheme.get(scheme, "none")


@dataclass(frozen=True, slots=True)
class BrowserSnapshot:
    """State of an open browser, without its picture."""

    url: str
    title: str
    viewport: tuple[int, int]
    """Width and height in CSS pixels."""
    tabs: tuple[Tab, ...]
    dialog: OpenDialog | None = None
    security: Security = "none"


@dataclass(frozen=True, slots=True)
class ListedElement:
    """An element to click or type into, for users without a pointer."""

    eid: str
    role: str
    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The usable elements of a page at one moment; while the page `is_loading`, more may follow."""

    items: tuple[ListedElement, ...] = ()
    is_loading: bool = False


Shown = Annotated[str, Field(max_length=200)]


class PickerOption(BaseModel, frozen=True):
    label: Shown
    value: Shown
    """In a list, the option's place."""
    group: Shown = ""
    disabled: bool = False


class Picker(BaseModel, frozen=True):
    """A field that the browser itself would open a list or picker for, which no frame shows."""

    kind: Literal["select", "suggestions", "date", "time", "month", "week", "datetime-local", "color"]
    name: Shown
    value: Shown
    options: Annotated[tuple[PickerOption, ...], Field(max_length=500)] = ()


class FocusedField(BaseModel, frozen=True):
    """What has the focus in the page during a takeover."""

    keyboard: Annotated[str, Field(max_length=20)] = ""
    """As HTML's `inputmode`; "" if it takes no text."""
    picker: Picker | None = None


@dataclass(frozen=True, slots=True)
class Drive:
    """A takeover that has ended."""

    seconds: float
    pages: tuple[str, ...]
    """Addresses of the pages that were in the foreground, in order, as `address_of`."""


class Screen(Protocol):
    """One session's browser, whether or not it is open."""

    on_copied: Callable[[str], None]
    """Called with what the user copies in a page during a takeover."""
    on_focused: Callable[[FocusedField], None]
    """Called with the field that gets the focus during a takeover, and again when its value changes."""
    on_login_sent: Callable[[SentLogin], None]
    """Called with each step of a login that the user types and sends during a takeover."""

    @property
    def start(self) -> int:
        """Grows with every browser start; 0 while the browser is closed."""
        ...

    def sight(self) -> BrowserSnapshot | None:
        """Return the current state; None while the browser is closed."""
        ...

    async def open(self) -> None:
        """Start the browser if it is closed. Raises BrowserUnavailable."""
        ...

    async def capture(self, take: TakeFrame | None) -> None:
        """Send the frames of the foreground page to `take` from now on; None stops it.

        Called repeatedly to follow the foreground page; does nothing while that page is unchanged.
        """
        ...

    def hold(self) -> None:
        """Give control to the user: no screenshot and no observation until `hand_back`."""
        ...

    async def hand_back(self) -> str:
        """Return control to the agent, and a text on what changed since `hold`, without typed values."""
        ...

    async def icon(self) -> bytes | None:
        """The icon file of the site in the foreground; None if it has none."""
        ...

    async def press(self, stroke: Stroke) -> None: ...

    async def lift(self) -> None:
        """Release all keys and mouse buttons that are still pressed."""
        ...

    async def do(self, command: Command) -> None:
        """Raises InputRefused."""
        ...

    async def elements(self) -> Listing:
        """List the usable elements of the page; ids of older lists stay valid while their document is loaded.

        Waits briefly for a document that is still loading. Raises InputRefused.
        """
        ...
