"""Copies all rows of one database into another, empty one: from SQLite to PostgreSQL, or back.

The copy is one transaction: when it ends early, for whatever reason, the target is as empty as before.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    Table,
    create_engine,
    func,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from server.database.database import HEAD, LOCK_WAIT_SECONDS
from server.database.engines import open_sqlite
from server.database.models import Base, RunRow
from server.database.postgresql import CONNECT_SECONDS, SILENT_LINK
from server.database.sole_use import LOCK_KEY
from server.ops.installation import held
from server.settings import Settings

ROWS_BATCH = 500
TABLES_NOT_MOVED = ("processes",)
"""Those that are running now. PgQueuer's tables are left out, too: no run waits when a database is moved."""
TABLES = [table for table in Base.metadata.sorted_tables if table.name not in TABLES_NOT_MOVED]

NO_FILE = "There is no SQLite file {file}."
BAD_URL = "{option} is neither a file nor an address such as postgresql://user:password@host/name."
DATABASE_SILENT = "The database of {option} does not answer: {why}"
DATABASE_IN_USE = "A server uses the database of {option}. Stop it first."
OTHER_SCHEMA = (
    "The database of {option} has schema {found}, this version needs {wanted}. "
    "Bring it there first: DATABASE_URL=... pilothouse migrate"
)
NOT_EMPTY = "The database of --to is not empty: {table} has rows. Nothing was changed there."
RUNS_NOT_ENDED = (
    "{n} runs in the database of --from have not ended. Start the server on it once more and stop it, "
    "which ends them."
)
NOT_STORED = "{table} cannot be stored at --to: {why}. Nothing was changed there."
DIFFERS = (
    "{table} is not the same at --to: {found} of {rows} rows, or other content. Nothing was changed there."
)
STOPPED = "Stopped. Nothing was changed at --to; begin again when you like."
COPIED = "{table}: {rows} of {total}"
DONE = (
    "Copied and compared: {rows} rows in {tables} tables. Files stay where they are: start the servers with the "
    "new DATABASE_URL and the same DATA_DIR."
)
SENTENCES = (
    NO_FILE, BAD_URL, DATABASE_SILENT, DATABASE_IN_USE, OTHER_SCHEMA, NOT_EMPTY, RUNS_NOT_ENDED, NOT_STORED, DIFFERS, STOPPED, COPIED, DONE,
)  # fmt: skip
"""What the person reads, with places for values; the command line has each in its languages."""


@dataclass(frozen=True, slots=True)
class MoveText:
    """One of SENTENCES with its values."""

    template: str
    values: dict[str, object]

    def __str__(self) -> str:
        return self.template.format(**self.values)


class MoveRefused(Exception):
    """Nothing was changed; the sentence says why."""

    def __init__(self, template: str, **values: object) -> None:
        self.sentence = MoveText(template, values)
        super().__init__(str(self.sentence))


@dataclass(frozen=True, slots=True)
class Copied:
    """So many rows of a table have been copied."""

    table: str
    rows: int
    total: int


CopyCheckpoints = Callable[[Connection, Connection], Iterator[Copied]]
"""Copies the states of graphs, whose tables differ between the databases; raises MoveRefused."""


def address_of(given: str, option: str) -> str:
    """The SQLAlchemy URL of what a person gave: a file's path or a URL. Raises MoveRefused."""
    url = given if "://" in given else f"sqlite:///{Path(given).resolve()}"
    try:
        return Settings.model_validate({"database_url": url, "auth_token": "none"}).database
    except ValueError:
        raise MoveRefused(BAD_URL, option=option) from None


def move(source_url: str, target_url: str, copy_checkpoints: CopyCheckpoints) -> Iterator[Copied]:
    """Copy everything, compare it, and commit; yields after each batch. Raises MoveRefused."""
    with _taken(source_url, "--from") as source, _taken(target_url, "--to") as target:
        _check_source(source)
        _check_target(target)
        for table in TABLES:
            with _naming(table.name):
                yield from _copy(source, target, table)
        yield from copy_checkpoints(source, target)
        target.commit()


@contextmanager
def _taken(url: str, option: str) -> Iterator[Connection]:
    """A connection in a transaction, while no server may use the database. Raises MoveRefused."""
    if url.startswith("sqlite"):
        file = Path(make_url(url).database or "")
        if not file.is_file():
            raise MoveRefused(NO_FILE, file=file)
        with held(file.with_name(f"{file.name}.lock")) as holder:
            if holder == "elsewhere":
                raise MoveRefused(DATABASE_IN_USE, option=option)
            with _connected(open_sqlite(url, 1, LOCK_WAIT_SECONDS), option) as connection:
                yield connection
        return
    arguments = {"connect_timeout": CONNECT_SECONDS, **SILENT_LINK}
    engine = create_engine(url, connect_args=arguments, poolclass=NullPool)
    with _connected(engine.execution_options(isolation_level="AUTOCOMMIT"), option) as guard:
        if not guard.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": LOCK_KEY}):
            raise MoveRefused(DATABASE_IN_USE, option=option)
        try:
            with _connected(
                engine.execution_options(isolation_level="REPEATABLE READ"), option
            ) as connection:
                yield connection
        finally:
            # Without this it would be free only when the server notices that the connection was closed.
            with suppress(DBAPIError):
                guard.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": LOCK_KEY})


@contextmanager
def _connected(engine: Engine, option: str) -> Iterator[Connection]:
    try:
        try:
            connection = engine.connect()
        except (DBAPIError, OSError) as error:
            raise MoveRefused(DATABASE_SILENT, option=option, why=words_of(error)) from error
        with connection.execution_options(immediate=option == "--to", synced=True):
            _check_schema(connection, option)
            yield connection
    finally:
        engine.dispose()


def _check_schema(connection: Connection, option: str) -> None:
    found = None
    if inspect(connection).has_table("alembic_version"):
        found = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if found != HEAD:
        raise MoveRefused(OTHER_SCHEMA, option=option, found=found or "none", wanted=HEAD)


def _check_source(source: Connection) -> None:
    """A run that a dead process executed is ended by its server: only that knows what may have been done."""
    in_progress = select(func.count()).where(
        RunRow.finished_at.is_(None), RunRow.status.in_(("queued", "running", "paused")), ~RunRow.held
    )
    if count := source.scalar(in_progress):
        raise MoveRefused(RUNS_NOT_ENDED, n=count)


def _check_target(target: Connection) -> None:
    for name in (*(table.name for table in TABLES), "checkpoints"):
        if target.scalar(text(f"SELECT 1 FROM {name} LIMIT 1")):
            raise MoveRefused(NOT_EMPTY, table=name)


def _copy(source: Connection, target: Connection, table: Table) -> Iterator[Copied]:
    total = source.scalar(select(func.count()).select_from(table)) or 0
    read, known = 0, ContentDigest()
    for batch in batches(source, select(table)):
        known.add_all(batch)
        target.execute(table.insert(), batch)
        read += len(batch)
        yield Copied(table.name, read, total)
    stored = ContentDigest()
    for batch in batches(target, select(table)):
        stored.add_all(batch)
    if stored != known:
        raise MoveRefused(DIFFERS, table=table.name, found=stored.rows, rows=known.rows)


def batches(connection: Connection, query: Executable) -> Iterator[list[dict[str, Any]]]:
    """The rows of a query, BATCH at a time."""
    for batch in (
        connection.execute(query, execution_options={"yield_per": ROWS_BATCH}).mappings().partitions()
    ):
        yield [dict(row) for row in batch]


@contextmanager
def _naming(table: str) -> Iterator[None]:
    """An error of the databases becomes MoveRefused, with the table's name."""
    try:
        yield
    except DBAPIError as error:
        raise MoveRefused(NOT_STORED, table=table, why=words_of(error)) from error


def words_of(error: Exception) -> str:
    """The database's own words: the first line, a password in an address masked."""
    raw = error.orig if isinstance(error, DBAPIError) else error
    words = (str(raw).splitlines() or [type(raw).__name__])[0]
    return re.sub(r"://[^@/\s]*@", "://***@", words).rstrip(".")


class ContentDigest:
    """Number and content of a table's rows, in whatever order they are read."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add_all(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            plain = json.dumps(row, sort_keys=True, default=_plain).encode()
            self._sum = (self._sum + int.from_bytes(hashlib.sha256(plain).digest())) % 2**256
        self.rows += len(rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ContentDigest) and (self.rows, self._sum) == (other.rows, other._sum)

    __hash__ = None  # type: ignore[assignment]


def _plain(value: object) -> str:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    raise TypeError(f"{type(value).__name__} has no form that can be compared")
