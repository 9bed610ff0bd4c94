"""Whether anybody looks: pages of this server that are visible say so as long as they are."""

from __future__ import annotations

from collections.abc import Callable

from server.clock import elapsed

VISIBLE_SECONDS = 90.0
"""For how long a page counts as visible after it has said so; it repeats that every 45 s."""
MOST_PAGES = 1000


class Presence:
    def __init__(self, clock: Callable[[], float] = elapsed) -> None:
        self._clock = clock
        self._pages: dict[str, float] = {}

    def tell(self, page: str, *, is_visible: bool) -> None:
        now = self._clock()
        self._pages = {name: until for name, until in self._pages.items() if until > now and name != page}
        if is_visible and len(self._pages) < MOST_PAGES:
            self._pages[page] = now + VISIBLE_SECONDS

    @property
    def is_away(self) -> bool:
        now = self._clock()
        return not any(until > now for until in self._pages.values())
