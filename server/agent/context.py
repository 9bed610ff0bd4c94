"""What a run passes to its agent: browser, inbox, grants, storage for screenshots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from server.agent.private_sites import PrivateSites
from server.browser.browser import Browser, PagePicture


@dataclass(frozen=True, slots=True)
class UserUpdates:
    """What the user said or did since the last step."""

    messages: tuple[str, ...] = ()
    plan: tuple[str, ...] | None = None
    """The plan as edited by the user; None if it was not edited."""
    takeover: str | None = None
    """What changed while the user had control of the browser; None if they did not take it."""
    dismissed: tuple[str, ...] | None = None
    """The proposed plan that the user dismissed; None if they did not."""
    are_words_old: bool = False
    """The messages and the plan were given before the user answered the run's question, not after it."""
    before_answer: bool = False
    """The user released the browser before answering: the answer refers to the page as they left it."""


class Inbox(Protocol):
    async def take_updates(self) -> UserUpdates:
        """Called before every step. Waits while the run is paused or the user has control of the browser."""
        ...


class GrantLookup(Protocol):
    def allowed(self, site: str, kind: str) -> bool:
        """Whether the user allowed this kind of action on this site for the session."""
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
    """False until the session needs a browser: then there is no page to observe."""
    take_queued: Callable[[], float] = lambda: 0.0
    """Seconds that the run waited for a free browser since the last call."""
    private: PrivateSites = field(default_factory=PrivateSites)
    """Private sites of the session's browser profile; shared by both agents."""
    files: Path | None = None
    """The folder of the session's own files, the only ones that can be read or uploaded to a page."""
