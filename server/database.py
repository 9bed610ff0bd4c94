"""The engine and its transactions. Short ones: nothing is open while bytes stream."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine

from server.errors import Unavailable
from server.settings import Settings

HEAD = "0001"
BUSY_TIMEOUT_MS = 5000


class Database:
    """Opens the engine; `reading()` and `writing()` give one transaction each."""

    def __init__(self, settings: Settings) -> None:
        self.url = settings.database
        self.is_sqlite = settings.is_sqlite
        self.engine = _open_sqlite(self.url) if self.is_sqlite else _open_postgresql(self.url)
        self.answers = False
        self._snapshot = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False)
        # SQLite has one writer; queueing here costs less than its busy-wait in a thread.
        self._writer = asyncio.Lock() if self.is_sqlite else None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncSession]:
        """All queries of the block see the database at one moment."""
        async with self._transaction(self._snapshot) as db:
            yield db

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncSession]:
        """Commits at the end of the block. The write lock is taken at once, so nothing fails at commit."""
        if self._writer is None:
            async with self._transaction() as db:
                yield db
            return
        async with self._writer, self._transaction({"immediate": True}) as db:
            yield db

    @asynccontextmanager
    async def _transaction(self, options: dict[str, Any] | None = None) -> AsyncIterator[AsyncSession]:
        try:
            async with self._sessions() as db, db.begin():
                if options:
                    await db.connection(execution_options=options)
                yield db
        except DBAPIError as error:
            raise _translate(error) from error

    async def problem(self) -> str | None:
        """None when the database answers and its schema is the one this code knows."""
        self.answers = False
        try:
            async with self.engine.connect() as connection:
                self.answers = True
                version = await connection.scalar(text("SELECT version_num FROM alembic_version"))
        except (DBAPIError, OSError) as error:
            if not self.answers:
                return (
                    f"the database of DATABASE_URL does not answer: {_masked(str(error.__cause__ or error))}"
                )
            version = None
        if version != HEAD:
            return f"the database schema is {version or 'missing'}, this server needs {HEAD}; run: alembic upgrade head"
        return None

    async def aclose(self) -> None:
        await self.engine.dispose()


def _open_sqlite(url: str) -> AsyncEngine:
    engine = create_async_engine(url, pool_size=8, max_overflow=8)

    @event.listens_for(engine.sync_engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, see below
        cursor = connection.cursor()
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "foreign_keys=ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def _open_postgresql(url: str) -> AsyncEngine:
    return create_async_engine(url, pool_size=10, max_overflow=10, pool_pre_ping=True, pool_timeout=10)


def _masked(words: str) -> str:
    """Without what could be a password."""
    return re.sub(r"://[^@/\s]*@", "://***@", words.splitlines()[0])


def _translate(error: DBAPIError) -> Exception:
    """Faults of the machine become 503 with a code; faults of ours stay what they are."""
    words = str(error.orig).lower()
    if "locked" in words or "busy" in words:
        return Unavailable("The database is busy; try again.", code="db_busy", retry_after=1)
    if "disk is full" in words or "no space left" in words:
        return Unavailable("The disk of the database is full.", code="storage_full", retry_after=60)
    if isinstance(error, OperationalError) or error.connection_invalidated:
        return Unavailable("The database does not answer.", code="db_unavailable", retry_after=5)
    return error
