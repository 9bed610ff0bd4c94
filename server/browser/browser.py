"""The `Browser` protocol: the same interface for every MCP server and for the mock.

A browser belongs to one session. Its methods do not raise for errors of a page or a tool: they return a
`ToolOutcome` that describes them. They raise `BrowserUnavailable` if no browser is available.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from server.browser.login_form import FieldValues, LoginForm, LoginRule
from server.browser.observation import Element, Observation
from server.browser.outgoing.held import ActTerms, HeldRequest
from server.browser.reading.reader import Reading
from server.browser.sent import RequestLog
from server.errors import RunFailed
from server.ops.json_types import JsonObject, JsonView

Direction = Literal["up", "down", "left", "right"]
Manner = Literal["", "double", "right", "hold", "ctrl", "shift", "alt"]
"""How a click is done: plainly, twice, with the right button, held down, or while a key is held. `ctrl` is the key that
adds to a choice, which is another one on macOS."""
HOLD_MS, MAX_HOLD_MS = 1_500, 5_000
"""How long a button is held down, in milliseconds: where nothing is said, and at most."""


BROWSER = "browser"
"""`ToolSpec.server` of the tools of the browser's own server."""


class BrowserUnavailable(RunFailed):
    """No browser is available: it cannot be started, or it failed three times within five minutes."""

    code = "browser_unavailable"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool discovered from its MCP server, with a schema that every model provider accepts."""

    name: str
    description: str
    schema: JsonObject
    server: str = BROWSER
    acts: bool = True
    """True if a call may change something: the gate judges it, and a screenshot is taken after it."""
    pin: str = ""
    """Of another server's tool: a hash of what it says of itself. A yes holds for this one only."""
    each_time: bool = False
    """Each call is asked about: the server says that the tool destroys something."""
    has_changed: bool = False
    """It is another one than the person last saw."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The result of one tool call."""

    ok: bool
    text: str
    """For the model: the result, truncated to a bounded length, page text marked as untrusted."""
    url: str | None = None
    title: str | None = None
    notes: tuple[str, ...] = ()
    """One line each: a dialog, a download, a new tab, "the browser was restarted, page state is lost"."""
    private_url: str | None = None
    """URL of the page quoted in `text`, if that page asks for a secret."""
    seen: JsonObject | None = None
    """`Observation.outline` of the page quoted in `text`."""
    timed_out: bool = False
    """The page or its site did not answer in time."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A screenshot of the viewport, secret fields blurred."""

    data: bytes
    mime: str
    width: int
    height: int
    moment: str = ""
    """`Observation.moment` right before it was taken; "" if unknown."""
    drawn: float = 0.0
    """The share of the window, from 0 to 1, with something drawn that no name describes."""
    window: tuple[int, int] | None = None
    """Width and height of the page's window in CSS pixels; None if they are those of the picture."""


@dataclass(frozen=True, slots=True)
class Tab:
    index: int
    title: str
    url: str
    active: bool


@dataclass(frozen=True, slots=True)
class Field:
    """A form field and the text to type into it."""

    element: Element
    text: str
    adds: bool = False
    """The text is added at the end of what the field holds."""


@dataclass(frozen=True, slots=True)
class PagePoint:
    """A point of the page's window, in CSS pixels."""

    x: int
    y: int
    key: str = ""
    """`PointHit.key` of what must be there for an act; "" for a look."""


class Browser(Protocol):
    """One session's browser. Calls are serialised internally; each has its own deadline."""

    def tools(self) -> Sequence[ToolSpec]:
        """Tools of its MCP servers that are offered to the model, without dangerous ones."""
        ...

    async def call(self, name: str, args: JsonView) -> ToolOutcome:
        """Call a tool of `tools()` by name. After an acting call the text contains the new page."""
        ...

    async def observe(self, keep: Sequence[str] = (), points: Sequence[PagePoint] = ()) -> Observation:
        """Observe the current page. Invalidates the element ids of earlier observations.

        Elements with a ref in `keep` are included while they are on the page, regardless of the budget. What is
        at `points` is in `Observation.hits`, as far as this browser can find out.
        """
        ...

    async def focus(self, element: Element) -> Observation:
        """Observe the surroundings of one element in more detail."""
        ...

    async def text_near(self, element: Element) -> str: ...

    async def read_page(self, page: int = 1, query: str = "") -> Reading:
        """Read the page's whole text, or the PDF that the tab shows, as Markdown without secret values.

        Returns the part number `page` of it, from 1, or with `query` the passages that match.
        """
        ...

    async def has_more(self) -> bool:
        """Whether the page has rows further on that it does not show yet: below in a list, or loaded at its end."""
        ...

    def under(self, terms: ActTerms) -> AbstractContextManager[None]:
        """Perform the acts in it on these terms. All acts of agents and commands are; outside of it nothing is held."""
        return nullcontext()

    def held(self) -> tuple[HeldRequest, ...]:
        """What the last act was about to send without having been approved for it. A browser of its own holds nothing."""
        return ()

    async def held_waits(self) -> bool:
        """Whether it still waits for a yes, so that it can be let go; else the act has to be done again."""
        return False

    async def refuse_held(self) -> None:
        """Fail what is held: the person does not want it."""
        return

    def requests(self) -> RequestLog:
        """The requests that the current page sends, and those of tabs that it opens, while this is entered."""
        return RequestLog()

    async def login_form(self, element: Element) -> LoginForm:
        """The login form around a field. A browser whose pages cannot be reached over DevTools has none."""
        return LoginForm(refused="unreachable")

    async def fill_login(self, form: LoginForm, given: FieldValues) -> LoginRule:
        """Write a stored login into the fields of that very form, after all rules are checked once more; "" if it is there.
        Nothing is sent."""
        return "unreachable"

    def hide_logins(self, values: Iterable[str]) -> None:
        """Mask these values of stored logins in all that is read of pages, as long as this browser lives."""
        return

    def hide_pictures(self) -> None:
        """Take none until `hide_logins` is called: what would have to be hidden is not known."""
        return

    async def screenshot(self) -> PagePicture | None:
        """None if no screenshot can be taken now, or while the user has control of the browser."""
        ...

    async def navigate(self, url: str) -> ToolOutcome: ...
    async def back(self) -> ToolOutcome: ...
    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome:
        """Click. At a point, nothing is done if something else is there than `PagePoint.key`."""
        ...

    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome:
        """Drag with the mouse: from one element to another, or from point to point."""
        ...

    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> ToolOutcome: ...
    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome: ...
    async def hover(self, target: Element | PagePoint) -> ToolOutcome: ...
    async def press(self, key: str) -> ToolOutcome: ...
    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        """Turn the mouse wheel by `amount` CSS pixels, over an element, at a point or at the middle of the window."""
        ...

    async def scroll_to(
        self, query: str, direction: Direction = "down", over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        """Scroll until the next place with the words of `query` is in view, also where a page or, with `over`, a list
        loads its content while it is scrolled. Not ok if it is not found in a bounded number of tries.
        """
        ...

    async def wait(self, milliseconds: int) -> ToolOutcome: ...
    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        """Upload files; only files in the session's own folder are accepted."""
        ...

    async def answer_dialog(self, accept: bool, text: str | None = None) -> ToolOutcome: ...
    async def tabs(self) -> Sequence[Tab]: ...
    async def switch_tab(self, index: int) -> ToolOutcome: ...

    async def reset(self) -> None:
        """Recover after an abandoned call: stop loading or replace the page, so that the next call works."""
        ...
