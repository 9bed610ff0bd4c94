"""Whether anybody looks: pages of this server that are visible say so as long as they are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pydantic import BaseModel, ValidationError

from server.clock import elapsed

VISIBLE_SECONDS = 90.0
"""For how long a page counts as visible after it has said so; it repeats that every 45 s."""
MAX_PAGES = 1000


class _Seen(BaseModel):
    """What a page has said, as the other processes receive it."""

    page: str
    is_visible: bool


class Presence:
    def __init__(self, clock: Callable[[], float] = elapsed) -> None:
        self._clock = clock
        self._pages: dict[str, float] = {}
        self._broadcast: Callable[[bytes], None] = lambda _: None

    def share(self, broadcast: Callable[[bytes], None]) -> Callable[[bytes], None]:
        """Know the pages of other processes, too: `broadcast` sends them each report, the result takes theirs."""
        self._broadcast = broadcast
        return self._receive

    def _receive(self, report: bytes) -> None:
        with suppress(ValidationError):  # of another version
            seen = _Seen.model_validate_json(report)
            self._note(seen.page, is_visible=seen.is_visible)

    def report(self, page: str, *, is_visible: bool) -> None:
        self._note(page, is_visible=is_visible)
        self._broadcast(_Seen(page=page, is_visible=is_visible).model_dump_json().encode())

    def _note(self, page: str, *, is_visible: bool) -> None:
        now = self._clock()
        self._pages = {name: until for name, until in self._pages.items() if until > now and name != page}
        if is_visible and len(self._pages) < MAX_PAGES:
            self._pages[page] = now + VISIBLE_SECONDS

    @property
    def is_away(self) -> bool:
        now = self._clock()
        return not any(until > now for until in self._pages.values())
