"""What a live view needs of a browser: to see it and to act on it as a person does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from server.browser.browser import Tab
from server.browser.takeover.user_input import Command, Stroke


@dataclass(slots=True)
class LiveFrame:
    """One frame of the live view: a JPEG and the page's size in CSS pixels. Never stored."""

    data: bytes
    width: int
    height: int
    scroll: tuple[float, float] = field(default=(0.0, 0.0))


TakeFrame = Callable[[LiveFrame], None]


class InputRefused(Exception):
    """What the person asked for cannot be done; the text says why."""


@dataclass(frozen=True, slots=True)
class OpenDialog:
    """A question of the page that waits for an answer: alert, confirm, prompt or beforeunload."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class BrowserSnapshot:
    """What there is to know of an open browser beside its picture."""

    url: str
    title: str
    viewport: tuple[int, int]
    """Width and height in CSS pixels."""
    tabs: tuple[Tab, ...]
    dialog: OpenDialog | None = None


@dataclass(frozen=True, slots=True)
class ListedElement:
    """Something to click or type into, for people who do not use a pointer."""

    eid: str
    role: str
    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What can be used on a page at one moment; while the page `is_loading`, more may come."""

    items: tuple[ListedElement, ...] = ()
    is_loading: bool = False


class Screen(Protocol):
    """One session's browser, whether or not it is open."""

    @property
    def start(self) -> int:
        """Grows with every start of the browser; 0 while it is closed."""
        ...

    def sight(self) -> BrowserSnapshot | None:
        """None while the browser is closed."""
        ...

    async def open(self) -> None:
        """Start the browser where it is closed. Raises BrowserUnavailable."""
        ...

    async def capture(self, take: TakeFrame | None) -> None:
        """Give the frames of the page in front to `take`, from now on; None ends that.

        Called again and again: it follows the page in front, and does nothing while that is the same.
        """
        ...

    def hold(self) -> None:
        """A person takes the browser: no picture and no observation until `hand_back`."""
        ...

    async def hand_back(self) -> str:
        """The browser is the agent's again. What changed since `hold`, in words and without values."""
        ...

    async def press(self, stroke: Stroke) -> None: ...

    async def lift(self) -> None:
        """Let go of keys and buttons that are still down."""
        ...

    async def do(self, command: Command) -> None:
        """Raises InputRefused."""
        ...

    async def elements(self) -> Listing:
        """What can be used on the page now; an element of an older list counts as long as its document is there.

        A page that has nothing yet is waited for a moment. Raises InputRefused.
        """
        ...
