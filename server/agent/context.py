"""What a run hands to its agent: its browser, its inbox, its grants and a place for pictures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from server.agent.private_sites import PrivateSites
from server.browser.browser import Browser, PagePicture


@dataclass(frozen=True, slots=True)
class UserUpdates:
    """What a person said or did since the last step."""

    messages: tuple[str, ...] = ()
    plan: tuple[str, ...] | None = None
    """The plan as the person edited it; None when it was not touched."""
    takeover: str | None = None
    """What changed while a person held the browser; None when nobody did."""
    dismissed: tuple[str, ...] | None = None
    """The proposed plan that the person turned down; None when they did not."""
    before_answer: bool = False
    """They gave it back before they answered the run's question: the answer is about the page as they left it."""


class Inbox(Protocol):
    async def hear(self) -> UserUpdates:
        """Called before every step. Waits while the run is paused or a person holds the browser."""
        ...


class GrantLookup(Protocol):
    def allowed(self, site: str, kind: str) -> bool:
        """Did the person allow this kind of action on this site for the session?"""
        ...


@dataclass(frozen=True, slots=True)
class RunContext:
    run_id: str
    session_id: str
    browser: Callable[[], Awaitable[Browser]]
    """The session's browser, started at the first call."""
    keep: Callable[[PagePicture], Awaitable[str | None]]
    """Stores a screenshot; returns its address, None when it could not be stored."""
    inbox: Inbox
    grants: GrantLookup
    max_tool_steps: int
    has_browser: Callable[[], bool] = lambda: True
    """False while no browser was needed yet in this session: then there is no page to look at."""
    take_queued: Callable[[], float] = lambda: 0.0
    """Seconds that the run waited for a free browser since this was last asked."""
    private: PrivateSites = field(default_factory=PrivateSites)
    """What is known of private sites in the session's browser profile; the same for both agents."""
    files: Path | None = None
    """The folder of the session's own files: no others can be given to a page."""
