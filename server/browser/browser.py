"""The one narrow door to a browser, the same for every MCP server behind it and for the mock.

A browser belongs to one session. Its methods never raise for what a page or a tool does wrong: they
return an `ToolOutcome` that says so. They raise `BrowserUnavailable` when there is no browser to be had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from server.browser.observation import Element, Observation
from server.errors import RunFailed

Direction = Literal["up", "down", "left", "right"]


BROWSER = "browser"
"""`ToolSpec.server` of the tools of the browser's own server."""


class BrowserUnavailable(RunFailed):
    """No browser: it cannot be started, or it failed three times within five minutes."""

    code = "browser_unavailable"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as discovered from its MCP server, its schema already safe for every provider."""

    name: str
    description: str
    schema: dict[str, Any]
    server: str = BROWSER
    acts: bool = True
    """True when the call may change something: it passes the gate, and a picture is taken after it."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What became of one tool call."""

    ok: bool
    text: str
    """For the model: the result, cut to a bounded length, page text marked as untrusted."""
    url: str | None = None
    title: str | None = None
    notes: tuple[str, ...] = ()
    """One line each: a dialog, a download, a new tab, "the browser was restarted, page state is lost"."""
    private_url: str | None = None
    """The address of the page whose words are in `text`, when that page asks for a secret."""
    timed_out: bool = False
    """The page or its site did not answer in time."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """One picture of the viewport, secret fields blurred."""

    data: bytes
    mime: str
    width: int
    height: int
    moment: str = ""
    """What `Observation.moment` was right before it was taken; "" where that is not known."""


@dataclass(frozen=True, slots=True)
class Tab:
    index: int
    title: str
    url: str
    active: bool


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form and what is to be typed into it."""

    element: Element
    text: str


class Browser(Protocol):
    """One session's browser. Calls are serialised inside; each has its own deadline."""

    def tools(self) -> Sequence[ToolSpec]:
        """The tools its MCP servers offer to a model, dangerous ones left out."""
        ...

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolOutcome:
        """Call a tool of `tools()` by name. After an acting call the text carries the new page."""
        ...

    async def observe(self, keep: Sequence[str] = ()) -> Observation:
        """See the page as it is now. Element ids of earlier observations are dead from here on.

        Elements with a ref in `keep` are in it while they are on the page, whatever the budget leaves out.
        """
        ...

    async def focus(self, element: Element) -> Observation:
        """See the surroundings of one element in more detail."""
        ...

    async def text_near(self, element: Element) -> str: ...

    async def screenshot(self) -> PagePicture | None:
        """None when the page cannot be pictured now, or while a person holds the browser."""
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
        """Files of the session's own folder only."""
        ...

    async def answer_dialog(self, accept: bool, text: str | None = None) -> ToolOutcome: ...
    async def tabs(self) -> Sequence[Tab]: ...
    async def switch_tab(self, index: int) -> ToolOutcome: ...

    async def reset(self) -> None:
        """After an abandoned call: stop loading or replace the page, so that the next call works at once."""
        ...
