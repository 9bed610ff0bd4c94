"""What a session's browser has of its own: the zone and the language that pages see, and its proxy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from server.browser.chromium.reach import Reach
from server.browser.chromium.upstream import Upstream
from server.settings import Settings


@dataclass(frozen=True, slots=True)
class OwnSurroundings:
    """None: as for all sessions."""

    time_zone: str | None = None
    locale: str | None = None
    upstream: Upstream | None = None

    def settings(self, settings: Settings) -> Settings:
        """The settings as they are for this session."""
        own = {"time_zone": self.time_zone, "locale": self.locale}
        return settings.model_copy(update={name: value for name, value in own.items() if value})

    def reach(self, reach: Reach) -> Reach:
        return replace(reach, upstream=self.upstream)


FindSurroundings = Callable[[str], Awaitable[OwnSurroundings]]
"""By a session's id. Raises BrowserUnavailable where they cannot be read: nothing may leave another way then."""


async def no_surroundings(session_id: str) -> OwnSurroundings:
    return OwnSurroundings()
