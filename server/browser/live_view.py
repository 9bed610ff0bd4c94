"""One session's browser as people watch it and take it over. Frames pass through; nothing of them is stored."""

from __future__ import annotations

from typing import Any

from server.browser.browser import LiveFrame
from server.errors import Conflict

LEASE_SECONDS = 30.0
IN_FLIGHT = 2


class Viewer:
    """One who watches: the newest frame, at most two unacknowledged, and the newest message of each kind."""

    async def next(self) -> LiveFrame | dict[str, Any]:
        """The next thing to send; waits for it."""
        raise NotImplementedError

    def ack(self) -> None:
        raise NotImplementedError


class LiveView:
    """`BrowserPool.live(session_id)` gives it, whether or not the browser is open."""

    @property
    def holder(self) -> Viewer | None:
        """Who has the browser now."""
        raise NotImplementedError

    @property
    def is_held(self) -> bool:
        """True from `take` until `hand_back`, also when the holder was lost meanwhile."""
        raise NotImplementedError

    def join(self) -> Viewer:
        raise NotImplementedError

    def leave(self, viewer: Viewer) -> None:
        raise NotImplementedError

    def take(self, viewer: Viewer) -> None:
        """Raises Conflict `takeover_held`."""
        raise Conflict("Another person has the browser.", code="takeover_held")

    async def hand_back(self) -> str:
        """What changed since `take`, in words and without values; the browser is the agent's again."""
        raise NotImplementedError
