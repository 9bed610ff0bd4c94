"""The end of sessions: archived, or deleted with all their data, also from the database's files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from server.errors import Unavailable
from server.runs.commands import RunCommands
from server.store import Store

logger = logging.getLogger(__name__)


class Retention:
    """`on_purge` are called with the id of each session that is deleted permanently."""

    def __init__(self, store: Store, commands: RunCommands) -> None:
        self._store = store
        self._commands = commands
        self._is_erased = True
        """False while text of purged sessions may remain in the database's files."""
        self.on_purge: list[Callable[[str], object]] = []

    async def delete(self, session_id: str, *, purge: bool) -> None:
        """Cancel the session's runs, close its browser and archive it; with `purge`, delete all its data."""
        if purge:
            await self.purge([session_id])
        else:
            await self._store.end_handoff(session_id)
            await self._commands.delete(session_id, purge=False)

    async def purge(self, session_ids: Sequence[str]) -> None:
        """Delete sessions permanently, also from the database's files."""
        for session_id in session_ids:
            await self._commands.delete(session_id, purge=True)
            for listener in self.on_purge:
                listener(session_id)
        self._is_erased = False
        try:
            await self.erase()
        except Unavailable as error:
            logger.warning("words of purged sessions are overwritten later: %s", error.detail)

    async def erase(self) -> None:
        """Erase purged data from the database's files, if that is pending. Raises Unavailable."""
        if not self._is_erased:
            self._is_erased = True  # a purge during this call sets it back
            try:
                await self._store.erase_deleted()
            except Unavailable:
                self._is_erased = False
                raise
