"""The engine and its transactions. Each is one function, run from BEGIN to COMMIT in one trip to a thread."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError

from server.errors import Unavailable
from server.settings import Settings
from server.writer import Writer

HEAD = "0001"
BUSY_TIMEOUT_MS = 5000
READERS = 4
CONNECTIONS = 10

T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[[Connection], T]


class Database:
    """Opens the engine; `read` and `write` run one transaction each.

    A transaction that was asked for runs to its end. Who is cancelled while it runs hears of that when it is over,
    so nobody believes that a commit did not happen which did.
    """

    def __init__(self, settings: Settings) -> None:
        self.url = settings.database
        self.is_sqlite = settings.is_sqlite
        self.answers = False
        self._engine = _open_sqlite(self.url) if self.is_sqlite else _open_postgresql(self.url)
        self._threads = ThreadPoolExecutor(READERS if self.is_sqlite else CONNECTIONS, "database")
        self._snapshots = self._engine
        self._writer: Writer | None = None
        if self.is_sqlite:
            self._writer = Writer(self._engine.execution_options(immediate=True))
        else:
            self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ")

    async def read(self, work: Work[T]) -> T:
        """All queries of `work` see the database at one moment. Raises Unavailable."""
        return await self._in_thread(_transact, self._snapshots, work)

    async def write(self, work: Work[T]) -> T:
        """Returns after the COMMIT. Raises Unavailable, or what `work` raises; then nothing of it is kept.

        `work` may be run a second time when the first attempt was rolled back.
        """
        if self._writer is None:
            return await self._in_thread(_transact, self._engine, work)
        return await _to_its_end(self._writer.submit(work))

    async def problem(self) -> str | None:
        """None when the database answers and its schema is the one this code knows."""
        return await self._in_thread(self._problem)

    def _problem(self) -> str | None:
        self.answers = False
        try:
            with self._engine.connect() as connection:
                self.answers = True
                version = connection.scalar(text("SELECT version_num FROM alembic_version"))
        except (DBAPIError, OSError) as error:
            if not self.answers:
                return (
                    f"the database of DATABASE_URL does not answer: {_masked(str(error.__cause__ or error))}"
                )
            version = None
        if version != HEAD:
            return f"the database schema is {version or 'missing'}, this server needs {HEAD}; run: alembic upgrade head"
        return None

    async def _in_thread(self, work: Callable[..., T], *args: Any) -> T:
        loop = asyncio.get_running_loop()
        return await _to_its_end(loop.run_in_executor(self._threads, work, *args))

    async def aclose(self) -> None:
        """After what is still to be written."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        if self._writer:
            self._writer.close()
        self._threads.shutdown()
        self._engine.dispose()


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
    except DBAPIError as error:
        raise _translate(error) from error


def _open_sqlite(url: str) -> Engine:
    engine = create_engine(make_url(url).set(drivername="sqlite"), pool_size=READERS + 1, max_overflow=0)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, see below
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def _open_postgresql(url: str) -> Engine:
    engine = create_engine(
        url, pool_size=CONNECTIONS, max_overflow=0, pool_pre_ping=True, connect_args={"connect_timeout": 10}
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.execute(f"SET lock_timeout = {BUSY_TIMEOUT_MS}")
        connection.commit()

    return engine


def _masked(words: str) -> str:
    """Without what could be a password."""
    return re.sub(r"://[^@/\s]*@", "://***@", words.splitlines()[0])


def _translate(error: DBAPIError) -> Exception:
    """Faults of the machine become 503 with a code; faults of ours stay what they are."""
    words = str(error.orig).lower()
    if "locked" in words or "busy" in words or "lock timeout" in words:
        return Unavailable("The database is busy; try again.", code="db_busy", retry_after=1)
    if "disk is full" in words or "no space left" in words:
        return Unavailable("The disk of the database is full.", code="storage_full", retry_after=60)
    if isinstance(error, OperationalError) or error.connection_invalidated:
        return Unavailable("The database does not answer.", code="db_unavailable", retry_after=5)
    return error
