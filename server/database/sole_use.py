"""Exclusive or shared use of a database: one process alone, or several that are connected by Redis."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from server.database.migrate import NotReady
from server.database.postgresql import CONNECT_SECONDS, SILENT_LINK

logger = logging.getLogger(__name__)

LOCK_KEY = 7_106_117
"""The key of PostgreSQL's advisory lock."""
LOCK_POLL_SECONDS = 5.0
LOCK_ANSWER_SECONDS = 5.0
ALONE = (
    "another process uses the database of DATABASE_URL. Several processes need REDIS_URL, all of them; without it only "
    "one may run. This one waits until the other has ended"
)
WITH_REDIS = (
    "a process without REDIS_URL uses the database of DATABASE_URL. Several processes need REDIS_URL, all of them. "
    "This one waits until the other has ended"
)


class SoleUse:
    """An advisory lock on PostgreSQL, held by its own connection: exclusive, or shared with `is_shared`.

    It ends with the process, however that ends. When the connection is lost, it is acquired again.
    """

    def __init__(self, url: str, *, is_shared: bool) -> None:
        self._address = url.replace("postgresql+psycopg://", "postgresql://")
        self._is_shared = is_shared
        self._link: psycopg.AsyncConnection[Any] | None = None
        self.problem: str | None = None
        """Why messages are not accepted: another process has taken the database after a lost connection. Else None."""

    async def acquire(self) -> None:
        """Raises NotReady if another process has the database."""
        function = "pg_try_advisory_lock_shared" if self._is_shared else "pg_try_advisory_lock"
        try:
            async with asyncio.timeout(2 * CONNECT_SECONDS):
                link = await psycopg.AsyncConnection.connect(
                    make_conninfo(self._address, connect_timeout=CONNECT_SECONDS, **SILENT_LINK),
                    autocommit=True,
                )
                found = await (await link.execute(f"SELECT {function}(%s)", (LOCK_KEY,))).fetchone()
        except (psycopg.Error, OSError) as error:
            raise NotReady(f"the database of DATABASE_URL does not answer: {type(error).__name__}") from error
        if not found or not found[0]:
            await link.close()
            raise NotReady(WITH_REDIS if self._is_shared else ALONE)
        self._link = link

    async def keep(self) -> None:
        """Background task: check the lock, and acquire it again after a lost connection."""
        while True:
            await asyncio.sleep(LOCK_POLL_SECONDS)
            try:
                if self._link is None:
                    await self.acquire()
                    self.problem = None
                elif not await self._is_held(self._link):
                    await self._drop()
            except NotReady as error:
                if str(error) in (ALONE, WITH_REDIS):
                    self.problem = str(error)
                    logger.error("the database is not ours alone any more: %s", error)

    async def _is_held(self, link: psycopg.AsyncConnection[Any]) -> bool:
        try:
            async with asyncio.timeout(LOCK_ANSWER_SECONDS):
                await link.execute("SELECT 1")
        except (psycopg.Error, OSError):
            return False
        return True

    async def _drop(self) -> None:
        if self._link is not None:
            await self._link.close()
        self._link = None

    async def aclose(self) -> None:
        if self._link is not None:
            # Without this it would be free only when PostgreSQL notices that the connection was closed.
            with suppress(psycopg.Error, OSError):
                async with asyncio.timeout(LOCK_ANSWER_SECONDS):
                    await self._link.execute("SELECT pg_advisory_unlock_all()")
        await self._drop()
