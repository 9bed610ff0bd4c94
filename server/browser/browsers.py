"""The `Browsers` protocol: all browsers of this server, real or mocked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from server.browser.browser import Browser, ToolSpec
from server.browser.takeover.live_view import LiveView
from server.ops.json_types import JsonObject
from server.settings import Settings

Known = Callable[[Sequence[str]], Awaitable[set[str]]]
"""Returns those of these session ids that exist."""


@dataclass(frozen=True, slots=True)
class BrowserState:
    """Status of a session's browser, for `/metrics`, `/ready` and the UI."""

    session_id: str
    status: Literal["starting", "open", "parked", "queued", "lost"]
    url: str | None = None
    place: int | None = None
    """Position in the queue for a browser, from 1."""


class Browsers(Protocol):
    """All browsers of this server: at most `MAX_BROWSERS` are open, and none outlives the server."""

    place_listeners: list[Callable[[str, int | None], None]]
    """Called with a session id and its queue position, from 1; None when it no longer waits."""
    drive_listeners: list[Callable[[str, str], None]]
    """Called with a session id and a page of each site that a user comes to while they have the browser."""

    def configure(self, settings: Settings) -> None:
        """Apply settings that were changed at run time."""
        ...

    async def get(self, session_id: str) -> Browser:
        """Return the session's browser, started at its first call; waits while all slots are taken.

        Raises BrowserUnavailable.
        """
        ...

    def mark_idle(self, session_id: str) -> None:
        """Mark the session's browser as unused: it may be parked for a session that waits."""
        ...

    def peek(self, session_id: str) -> BrowserState | None: ...

    def live(self, session_id: str) -> LiveView:
        """Return the session's live view (watching, takeover), also while the browser is closed."""
        ...

    async def tools(self) -> Sequence[ToolSpec]:
        """Return the tools of the configured MCP servers, discovered at run time."""
        ...

    async def missing_programs(self) -> list[str]:
        """For each program that browsers need and this machine lacks, a text that says what to install."""
        ...

    def own_ports(self) -> set[int]:
        """Local ports of the browsers and of what belongs to them: nothing is sent there."""
        ...

    async def ready(self) -> str | None:
        """None if a browser can be started, else the reason why not."""
        ...

    async def renew_surroundings(self, session_id: str) -> None:
        """The person has changed what the session's browser has of its own: use it from now on, if it is open.

        Raises BrowserUnavailable.
        """
        ...

    async def site_cookies(self, session_id: str, site: str) -> Sequence[JsonObject]:
        """The cookies of one site in the session's open browser, as DevTools has them. Raises BrowserUnavailable."""
        ...

    async def park(self, session_id: str) -> None:
        """End the browser and release its slot; keep the profile."""
        ...

    async def close(self, session_id: str, *, purge: bool = False) -> None:
        """End the session's browser and its processes; with `purge` also delete its profile and files."""
        ...

    async def leave(self, session_id: str) -> None:
        """Give the session's browser up for another process: it stays open if it can outlive this one."""
        ...

    async def has_outlived(self, session_id: str) -> bool:
        """Whether the session's browser, which another process has started, is still open."""
        ...

    async def sweep(self, known: Known) -> None:
        """Delete profiles on other machines whose session does not exist any more."""
        ...

    def opened(self) -> Sequence[str]:
        """The sessions whose browser is open here."""
        ...

    async def renew_profile(self, session_id: str) -> None:
        """Before its browser is opened: a process that is gone, or only frozen, may still use the profile."""
        ...

    async def aclose(self) -> None: ...
