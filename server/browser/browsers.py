"""All browsers of this server, the same for real ones and for the mock's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from server.browser.browser import Browser, ToolSpec
from server.browser.takeover.live_view import LiveView
from server.settings import Settings


@dataclass(frozen=True, slots=True)
class BrowserState:
    """What a session's browser is doing, for `/metrics`, `/ready` and the UI."""

    session_id: str
    status: Literal["starting", "open", "parked", "queued", "lost"]
    url: str | None = None
    place: int | None = None
    """Place in the queue for a browser, from 1."""


class Browsers(Protocol):
    """All browsers of this server: at most `MAX_BROWSERS` open, none left behind."""

    place_listeners: list[Callable[[str, int | None], None]]
    """Called with a session and its place in the queue for a browser, from 1; None when it waits no longer."""

    def configure(self, settings: Settings) -> None:
        """Take over settings that were changed while the server runs."""
        ...

    async def get(self, session_id: str) -> Browser:
        """The session's browser, started at its first call; waits here when all places are taken.

        Raises BrowserUnavailable.
        """
        ...

    def rest(self, session_id: str) -> None:
        """Nobody needs the session's browser for now: it may be parked for a session that waits for a place."""
        ...

    def peek(self, session_id: str) -> BrowserState | None: ...

    def live(self, session_id: str) -> LiveView:
        """How people watch the session's browser and take it over, whether or not it is open."""
        ...

    async def tools(self) -> Sequence[ToolSpec]:
        """The tools of the configured MCP servers, discovered at run time."""
        ...

    async def ready(self) -> str | None:
        """None when a browser can be started, else why not."""
        ...

    async def park(self, session_id: str) -> None:
        """Free the place, keep the profile."""
        ...

    async def close(self, session_id: str, *, purge: bool = False) -> None:
        """End the session's browser and its processes; with `purge` its profile and files too."""
        ...

    async def aclose(self) -> None: ...
