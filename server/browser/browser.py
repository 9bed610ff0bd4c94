"""The `Browser` protocol: the same interface for every MCP server and for the mock.

A browser belongs to one session. Its methods do not raise for errors of a page or a tool: they return a
`ToolOutcome` that describes them. They raise `BrowserUnavailable` if no browser is available.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from server.browser.observation import Element, Observation
from server.browser.reading.reader import Reading
from server.errors import RunFailed
from server.ops.json_types import JsonObject, JsonView

Direction = Literal["up", "down", "left", "right"]


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


class Browser(Protocol):
    """One session's browser. Calls are serialised internally; each has its own deadline."""

    def tools(self) -> Sequence[ToolSpec]:
        """Tools of its MCP servers that are offered to the model, without dangerous ones."""
        ...

    async def call(self, name: str, args: JsonView) -> ToolOutcome:
        """Call a tool of `tools()` by name. After an acting call the text contains the new page."""
        ...

    async def observe(self, keep: Sequence[str] = ()) -> Observation:
        """Observe the current page. Invalidates the element ids of earlier observations.

        Elements with a ref in `keep` are included while they are on the page, regardless of the budget.
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

    async def screenshot(self) -> PagePicture | None:
        """None if no screenshot can be taken now, or while the user has control of the browser."""
        ...

    async def navigate(self, url: str) -> ToolOutcome: ...
    async def back(self) -> ToolOutcome: ...
    async def click(self, element: Element) -> ToolOutcome: ...
    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> ToolOutcome: ...
    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome: ...
    async def hover(self, element: Element) -> ToolOutcome: ...
    async def press(self, key: str) -> ToolOutcome: ...
    async def scroll(self, direction: Direction, amount: int) -> ToolOutcome:
        """Scroll by `amount` CSS pixels."""
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
