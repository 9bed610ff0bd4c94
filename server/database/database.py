"""Read and write transactions, each in a thread: the event loop awaits the transaction, not each query."""

from __future__ import annotations

import asyncio
import logging
import re
import sqlite3
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar
from urllib.parse import quote, unquote

from sqlalchemy import Connection, Engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from server.database.engines import DAMAGED, MALFORMED, fault_of, is_refusal, open_sqlite
from server.database.writer import Writer
from server.errors import Unavailable
from server.settings import Settings
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

HEAD = "0020"
"""The newest migration. Its first digit is a generation: from 0008 on, migrations of one generation only add to the
schema, so that this version also works with a later schema of its generation (docs/decisions/0041)."""
SQLITE_READERS = 4
POSTGRESQL_CONNECTIONS = 10
LOCK_WAIT_SECONDS = 5.0
"""Seconds that a transaction waits for a lock held by another transaction."""
ANSWER_SECONDS = 15.0
"""Timeout of a transaction on PostgreSQL in seconds, including the time it waits for a thread."""
READY_SECONDS = 5.0
"""The same for the readiness check of the database."""
ERASE_TRIES = 5
"""Attempts to truncate SQLite's write-ahead log while readers use it."""

COLLISIONS = frozenset({"40001", "40P01"})
"""PostgreSQL's codes of a serialization failure and of a deadlock: the transaction has certainly been rolled back."""

FAULTS = (DBAPIError, OSError)
"""Errors of an unusable database, where it is not accessed through `Database`, which raises Unavailable."""

T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[[Connection], T]


class Database:
    """Runs transactions. SQLite has one writer and several readers, PostgreSQL one pool for both.

    Transactions are shielded: CancelledError is raised after commit or rollback, never during. So a cancelled
    caller never takes a committed transaction for one that was not committed.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        patience: float = LOCK_WAIT_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self.url = settings.database
        self.is_sqlite = settings.is_sqlite
        self._setting = "DATABASE_URL" if settings.database_url else "DATA_DIR"
        self._answer_seconds = answer_seconds
        self._run_until: Callable[..., Any] | None = None
        self.answers = False
        self.is_refused = False
        """The last check found an error that retrying cannot fix, such as a wrong setting."""
        self._fault: Unavailable | None = None
        """Why the last write failed; None if it succeeded."""
        self._damage: str | None = None
        """What SQLite said when it met damage in its file. Kept until the next start: other pages may still be good."""
        self._writer: Writer | None = None
        if self.is_sqlite:
            self._threads = ThreadPoolExecutor(SQLITE_READERS, "database reader")
            self._engine = self._snapshots = open_sqlite(self.url, SQLITE_READERS + 1, patience)
            self._writer = Writer(self._engine)
        else:
            self._threads = ThreadPoolExecutor(POSTGRESQL_CONNECTIONS, "database")
            from server.database.postgresql import open_postgresql, run_until

            self._run_until = run_until
            self._engine = open_postgresql(self.url, POSTGRESQL_CONNECTIONS, patience, answer_seconds)
            self._snapshots = self._engine.execution_options(isolation_level="REPEATABLE READ")

    @property
    def file(self) -> Path:
        """The path of SQLite's file."""
        return Path(make_url(self.url).database or "").resolve()

    @property
    def name(self) -> str:
        """What it is called in messages to who runs the server."""
        return (
            f"the database file {self.file} ({self._setting})"
            if self.is_sqlite
            else "the database of DATABASE_URL"
        )

    async def read(self, work: Work[T]) -> T:
        """Run `work` in a read transaction: all its queries see one snapshot. Raises Unavailable."""
        try:
            return await self._in_thread(_transact, self._snapshots, work)
        except Unavailable as fault:
            self._note_damage(fault)
            raise

    async def write(self, work: Work[T], *, synced: bool = False) -> T:
        """Run `work` in a write transaction; return after the COMMIT.

        Raises Unavailable, or what `work` raises; the transaction is rolled back then. `work` may be called a
        second time, after the first attempt was rolled back. With `synced` the COMMIT is on disk on return
        and survives a power cut. On PostgreSQL it always is, unless `synchronous_commit` was switched off.
        """
        try:
            value = await self._write(work, synced)
        except Unavailable as fault:
            self._log_fault(fault)
            raise
        self._fault = None
        return value

    async def _write(self, work: Work[T], synced: bool) -> T:
        if self._writer is None:
            return await self._in_thread(_transact, self._engine, work)
        return await _shielded(self._writer.submit(work, synced=synced))

    def _log_fault(self, fault: Unavailable) -> None:
        """Log the first of consecutive failed writes. A timeout while waiting for a lock is not a fault."""
        self._note_damage(fault)
        if fault.code == "db_busy":
            return
        if self._fault is None:
            logger.error("the database cannot be written: %s", self.words_of(fault))
        self._fault = fault

    def _note_damage(self, fault: Unavailable) -> None:
        if fault.code == DAMAGED and self._damage is None:
            self._damage = self.words_of(fault)
            logger.critical("%s is damaged: %s. Restore a backup", self.name, self._damage)

    async def look_for_damage(self) -> None:
        """Read all of SQLite's file, which takes seconds for each GB, and note what is damaged."""
        if self.is_sqlite:
            await self.read(_check_pages)

    async def flush(self, *, empty: bool = False) -> None:
        """Checkpoint SQLite's write-ahead log into its file, on disk; with `empty`, truncate the log.

        SQLite also does this by itself, but does not report failures. Raises Unavailable; with `empty` its
        code is `db_busy` if a reader kept the log in use.
        """
        if self.is_sqlite:
            await self._in_thread(self._empty_log if empty else self._checkpoint)

    def _empty_log(self) -> None:
        for _ in range(ERASE_TRIES):  # each attempt waits for readers up to the lock timeout
            if not self._checkpoint("TRUNCATE"):
                return
        raise sqlite3.OperationalError("the log is busy: a reader is using it")

    def _checkpoint(self, mode: str = "PASSIVE") -> bool:
        """Returns True if it could not be completed because the log is in use."""
        connection = self._engine.raw_connection()  # not in a transaction
        try:
            busy, _, _ = connection.cursor().execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
            return bool(busy)
        finally:
            connection.close()

    async def problem(self) -> str | None:
        """None if the database responds, has a schema that is usable, can be written, and no damage was met; else a
        description."""
        if self._damage:
            return f"{self.name} is damaged: {self._damage}. Restore a backup"
        try:
            found = await self._in_thread(self._problem, seconds=READY_SECONDS)
        except Unavailable as fault:  # no thread was free for it in time
            self.answers = False
            return f"{self.name} does not answer: {fault.detail}"
        if found or self._fault is None or not self.is_sqlite:
            return found
        try:
            await self.write(_touch)  # the last write failed: this one shows whether the next would, too
        except Unavailable as fault:
            return f"{self.name} cannot be written: {self.words_of(fault)}"
        return None

    async def read_only_problem(self) -> str | None:
        """Why SQLite's file cannot be written; None if it can be or retrying may help. Sets `is_refused`."""
        if not self.is_sqlite:
            return None
        try:
            await self.write(_touch)
        except Unavailable as fault:
            self.is_refused = is_refusal(fault.__cause__)
            if self.is_refused:
                return f"{self.name} cannot be written: {self.words_of(fault)}"
        return None

    def _problem(self) -> str | None:
        self.answers = self.is_refused = False
        try:
            with self._engine.begin() as connection:
                self.answers = True
                version = connection.scalar(text("SELECT version_num FROM alembic_version"))
        except FAULTS as error:
            if not self.answers:
                self.is_refused = is_refusal(error)
                return f"{self.name} does not answer: {self.words_of(error)}"
            version = None
        return None if version is not None and is_usable(version) else self._wanted_schema(version)

    def _wanted_schema(self, version: str | None) -> str:
        wanted = f"the database schema is {version or 'missing'}, this server needs {HEAD}"
        if version is not None and version > HEAD:
            return f"{wanted}; it was made by a newer version with which this one cannot work: use that one"
        return f"{wanted}; run: python -m server migrate, or with one process start it with AUTO_MIGRATE=true"

    async def aclose(self) -> None:
        """Finish the pending writes, then close all connections."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        if self._writer:
            self._writer.close()
        self._threads.shutdown()
        self._engine.dispose()

    async def _in_thread(self, work: Callable[..., T], *args: object, seconds: float | None = None) -> T:
        """Run `work` in a thread. On PostgreSQL, raises Unavailable after `seconds`, by default and at most
        `answer_seconds`."""
        loop = asyncio.get_running_loop()
        if self._run_until is None:
            return await _shielded(loop.run_in_executor(self._threads, work, *args))
        seconds = min(seconds or self._answer_seconds, self._answer_seconds)
        future = self._threads.submit(self._run_until, time.monotonic() + seconds, work, *args)
        timer = loop.call_later(seconds, future.cancel)  # has an effect only while no thread has taken it
        try:
            return await _shielded(asyncio.wrap_future(future))
        finally:
            timer.cancel()

    def words_of(self, fault: BaseException) -> str:
        """The database's error text: its first line, with the URL's password masked."""
        words = (str(fault.__cause__ or fault).splitlines() or [type(fault).__name__])[0]
        words = re.sub(r"://[^@/\s]*@", "://***@", words).removeprefix("(sqlite3.OperationalError) ")
        for secret in _secrets_of(self.url):
            words = words.replace(secret, "***")
        return words


class OnDatabase(Protocol):
    database: Database


Self = TypeVar("Self", bound=OnDatabase)


def reading(
    method: Callable[Concatenate[Self, Connection, P], T],
) -> Callable[Concatenate[Self, P], Coroutine[None, None, T]]:
    """Makes the method one read transaction of `self.database`, to be awaited without the connection."""

    @wraps(method)
    async def call(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.read(lambda db: method(self, db, *args, **kwargs))

    return call


def writing(
    method: Callable[Concatenate[Self, Connection, P], T],
) -> Callable[Concatenate[Self, P], Coroutine[None, None, T]]:
    """Makes the method one write transaction of `self.database`; it may be run twice, see `Database.write`."""

    @wraps(method)
    async def call(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.write(lambda db: method(self, db, *args, **kwargs))

    return call


def writing_synced(
    method: Callable[Concatenate[Self, Connection, P], T],
) -> Callable[Concatenate[Self, P], Coroutine[None, None, T]]:
    """As `writing`, but on disk on return: for what is reported to the user or acted on afterwards."""

    @wraps(method)
    async def call(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.database.write(lambda db: method(self, db, *args, **kwargs), synced=True)

    return call


def is_usable(version: str) -> bool:
    """Whether this version works with a database of this schema: its own, or a later one of its generation."""
    return version == HEAD or (len(version) == len(HEAD) and version[0] == HEAD[0] and version > HEAD)


def _touch(db: Connection) -> None:
    """The cheapest write, to check that SQLite's file can be written."""
    db.exec_driver_sql("PRAGMA user_version = 0")


def _check_pages(db: Connection) -> None:
    """Raises SQLite's error for a damaged file."""
    found = db.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise sqlite3.DatabaseError(f"{MALFORMED}: {found}")


def _transact(engine: Engine, work: Work[T]) -> T:
    """Run `work` in a transaction, once more if PostgreSQL rolled it back because of another one's locks."""
    try:
        with engine.begin() as connection:
            return work(connection)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) not in COLLISIONS:
            raise
    with engine.begin() as connection:
        return work(connection)


async def _shielded(work: asyncio.Future[T]) -> T:
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        if work.cancelled():
            raise Unavailable(sentence("database.no_answer"), code="db_unavailable", retry_after=5) from None
        await asyncio.wait({work})
        if not work.cancelled():
            work.exception()  # retrieved, so that asyncio does not warn about it
        raise
    except Exception as error:
        if fault := fault_of(error):
            raise fault from error
        raise


def _secrets_of(url: str) -> list[str]:
    """The password of a database URL, in the forms that a driver's message may contain, longest first."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        return []
    found = {str(parsed.password or ""), str(parsed.query.get("password", ""))}
    found |= {quote(secret, safe="") for secret in found}
    # An unescaped "@" or "/" ends the password: the driver takes the rest as the host and shows it in errors.
    authority = url.partition("://")[2].rpartition("@")[0]
    for secret in (authority.partition(":")[2], unquote(authority.partition(":")[2])):
        found |= {secret, *re.split(r"[@/?#]", secret)}
    return sorted((secret for secret in found if len(secret) > 2), key=len, reverse=True)
