"""Reads and writes, each in a thread, so that the event loop waits once for a transaction and not for each query."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from server.database.engines import fault_of, open_postgresql, open_sqlite
from server.database.writer import Writer
from server.errors import Unavailable
from server.settings import Settings

logger = logging.getLogger(__name__)

HEAD = "0001"
SQLITE_READERS = 4
POSTGRESQL_CONNECTIONS = 10
PATIENCE = 5.0
"""Seconds that a transaction waits for a lock of somebody else."""

FAULTS = (DBAPIError, OSError)
"""What a database that cannot be used raises to those who do not ask for it by way of `Database`."""

T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[[Connection], T]


class Database:
    """SQLite has one writer and some readers beside it, PostgreSQL a number of connections for both.

    A transaction that was asked for runs to its end. Who is cancelled while it runs hears of that when it is over,
    so nobody believes that a commit did not happen which did.
    """

    def __init__(self, settings: Settings, *, patience: float = PATIENCE) -> None:
        self.url = settings.database
        self.is_sqlite = settings.is_sqlite
        self.answers = False
        self._fault: Unavailable | None = None
        """Why the newest write failed; None when it did not."""
        self._writer: Writer | None = None
        if self.is_sqlite:
            self._threads = ThreadPoolExecutor(SQLITE_READERS, "database reader")
            self._engine = self._snapshots = open_sqlite(self.url, SQLITE_READERS + 1, patience)
            self._writer = Writer(self._engine.execution_options(immediate=True))
        else:
            self._threads = ThreadPoolExecutor(POSTGRESQL_CONNECTIONS, "database")
            self._engine = open_postgresql(self.url, POSTGRESQL_CONNECTIONS, patience)
            self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ")

    async def read(self, work: Work[T]) -> T:
        """All queries of `work` see the database at one moment. Raises Unavailable."""
        return await self._in_thread(_transact, self._snapshots, work)

    async def write(self, work: Work[T]) -> T:
        """Returns after the COMMIT. Raises Unavailable, or what `work` raises; then nothing of it is kept.

        `work` may be run a second time when the first attempt was rolled back.
        """
        try:
            value = await self._write(work)
        except Unavailable as fault:
            self._hear(fault)
            raise
        self._fault = None
        return value

    async def _write(self, work: Work[T]) -> T:
        if self._writer is None:
            return await self._in_thread(_transact, self._engine, work)
        return await _to_its_end(self._writer.submit(work))

    def _hear(self, fault: Unavailable) -> None:
        """The log is told once of writes that fail one after the other; waiting for a lock is no fault."""
        if fault.code == "db_busy":
            return
        if self._fault is None:
            logger.error("the database cannot be written: %s", words_of(fault))
        self._fault = fault

    async def flush(self, *, empty: bool = False) -> None:
        """Bring SQLite's log into its file, onto the disk; with `empty` nothing is left in the log. Raises Unavailable.

        SQLite does it by itself now and then, and tells nobody when it fails.
        """
        if self.is_sqlite:
            await self._in_thread(self._checkpoint, "TRUNCATE" if empty else "PASSIVE")

    def _checkpoint(self, mode: str) -> None:
        connection = self._engine.raw_connection()  # not in a transaction
        try:
            connection.cursor().execute(f"PRAGMA wal_checkpoint({mode})")
        finally:
            connection.close()

    async def problem(self) -> str | None:
        """None when the database answers, its schema is the one this code knows, and it can be written."""
        return await self._in_thread(self._problem) or await self._write_problem()

    async def _write_problem(self) -> str | None:
        """Of a database that failed to write: whether it still does."""
        if self._fault is None or not self.is_sqlite:
            return None
        try:
            await self.write(lambda db: db.exec_driver_sql("PRAGMA user_version = 0"))
        except Unavailable as fault:
            return f"the database of DATABASE_URL cannot be written: {words_of(fault)}"
        return None

    def _problem(self) -> str | None:
        self.answers = False
        try:
            with self._engine.begin() as connection:
                self.answers = True
                version = connection.scalar(text("SELECT version_num FROM alembic_version"))
        except FAULTS as error:
            if not self.answers:
                return f"the database of DATABASE_URL does not answer: {words_of(error)}"
            version = None
        if version != HEAD:
            return f"the database schema is {version or 'missing'}, this server needs {HEAD}; run: alembic upgrade head"
        return None

    async def aclose(self) -> None:
        """After what is still to be written."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        if self._writer:
            self._writer.close()
        self._threads.shutdown()
        self._engine.dispose()

    async def _in_thread(self, work: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        return await _to_its_end(loop.run_in_executor(self._threads, work, *args))


class OnDatabase(Protocol):
    database: Database


Self = TypeVar("Self", bound=OnDatabase)


def reading(
    method: Callable[Concatenate[Self, Connection, P], T],
) -> Callable[Concatenate[Self, P], Coroutine[Any, Any, T]]:
    """Makes the method one read transaction of `self.database`, to be awaited without the connection."""

    @wraps(method)
    async def call(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.read(lambda db: method(self, db, *args, **kwargs))

    return call


def writing(
    method: Callable[Concatenate[Self, Connection, P], T],
) -> Callable[Concatenate[Self, P], Coroutine[Any, Any, T]]:
    """Makes the method one write transaction of `self.database`; it may be run twice, see `Database.write`."""

    @wraps(method)
    async def call(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.write(lambda db: method(self, db, *args, **kwargs))

    return call


def _transact(engine: Engine, work: Work[T]) -> T:
    with engine.begin() as connection:
        return work(connection)


async def _to_its_end(work: asyncio.Future[T]) -> T:
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        work.exception()  # looked at, so that nobody is told it was not
        raise
    except Exception as error:
        if fault := fault_of(error):
            raise fault from error
        raise


def words_of(fault: BaseException) -> str:
    """What the database says, in a line and without what could be a password."""
    words = str(fault.__cause__ or fault).splitlines() or [type(fault).__name__]
    return re.sub(r"://[^@/\s]*@", "://***@", words[0])
