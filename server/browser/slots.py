"""A limited number of slots with a FIFO queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

QueueListener = Callable[[str, int | None], None]
"""Called with a name and its queue position, from 1; None when it no longer waits."""


class Slots:
    """First come, first served. Names are unique: entering again while holding a slot has no effect."""

    def __init__(self, limit: int, on_change: QueueListener = lambda name, place: None) -> None:
        self._limit = limit
        self._on_change = on_change
        self._holders: set[str] = set()
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self._published: dict[str, int] = {}

    @property
    def is_crowded(self) -> bool:
        return bool(self._waiting)

    def has_room(self, name: str) -> bool:
        """Whether `enter` would return without waiting."""
        return name in self._holders or (len(self._holders) < self._limit and not self._waiting)

    def place_of(self, name: str) -> int | None:
        """Queue position, from 1; None if not waiting."""
        return list(self._waiting).index(name) + 1 if name in self._waiting else None

    def resize(self, limit: int) -> None:
        """Set the limit. Holders above a lower limit keep their slots; released ones are not reassigned."""
        self._limit = limit
        self._fill()

    async def enter(self, name: str) -> None:
        """Wait until `name` holds a slot."""
        if self.has_room(name):
            self._holders.add(name)
            return
        turn = self._waiting.setdefault(name, asyncio.get_running_loop().create_future())
        self._publish()
        try:
            await asyncio.shield(turn)
        except asyncio.CancelledError:
            self._waiting.pop(name, None)
            self._publish()
            if turn.done():
                self.leave(name)
            raise

    def leave(self, name: str) -> None:
        self._holders.discard(name)
        self._fill()

    def _fill(self) -> None:
        while self._waiting and len(self._holders) < self._limit:
            next_name = next(iter(self._waiting))
            self._holders.add(next_name)
            self._waiting.pop(next_name).set_result(None)
        self._publish()

    def _publish(self) -> None:
        """Notify the listener of each name whose queue position has changed."""
        before, self._published = (
            self._published,
            {name: place for place, name in enumerate(self._waiting, 1)},
        )
        for name in before | self._published:
            if before.get(name) != (place := self._published.get(name)):
                self._on_change(name, place)
