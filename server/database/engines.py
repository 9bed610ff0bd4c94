"""The SQLAlchemy engine for SQLite, and the classification of errors of both databases."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError, OperationalError

from server.errors import Unavailable
from wording.catalogue import sentence

FILE_MOVED = "the database file was moved or replaced: put it back, or restart the server"
FILE_MISSING, FOLDER = "does not exist", "is a folder, not a file"
MALFORMED = "database disk image is malformed"
REFUSALS = (
    FILE_MISSING, FOLDER, "unable to open database file", "readonly database", "file is not a database", MALFORMED,
    "password authentication failed", "no password supplied", "no pg_hba.conf entry", "is not permitted to log in",
    "permission denied for database",
)  # fmt: skip
"""Parts of English messages of SQLite and PostgreSQL. PostgreSQL also uses "does not exist", for a database
or role. Messages in other languages are treated as temporary errors."""
DAMAGED = "db_damaged"
"""The code of a damaged SQLite file."""
SYNCED, NOT_SYNCED = "FULL", "NORMAL"
"""SQLite's levels of `synchronous`. With NORMAL a COMMIT is in the page cache: lost only in a power cut."""


def open_sqlite(url: str, connections: int, patience: float) -> Engine:
    """Create the engine for SQLite. `patience`: seconds to wait for a lock of another process.

    Execution options of a transaction: `immediate` takes the write lock at BEGIN; with `synced` its COMMIT
    returns after an fsync of the write-ahead log.
    """
    engine = create_engine(make_url(url).set(drivername="sqlite"), pool_size=connections, max_overflow=0)
    file = OneFile(engine.url.database)

    @event.listens_for(engine, "do_connect")
    def look(*_connecting: object) -> None:
        file.check_place()
        file.check()  # connecting would create a new file

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # BEGIN is executed explicitly, see below
        for pragma in (
            f"busy_timeout={patience * 1000:.0f}",
            "journal_mode=WAL",
            f"synchronous={NOT_SYNCED}",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        file.check()
        options = connection.get_execution_options()
        if options.get("immediate"):
            set_synchronous(connection, SYNCED if options.get("synced") else NOT_SYNCED)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("immediate") else "BEGIN")

    return engine


def set_synchronous(connection: Connection, level: str) -> None:
    """Set the level if it differs. Call it before BEGIN: SQLite ignores a change inside a transaction."""
    known = connection.info
    if known.get("synchronous", NOT_SYNCED) != level:
        connection.exec_driver_sql(f"PRAGMA synchronous={level}")
        known["synchronous"] = level


class OneFile:
    """Detects that the database file was moved or replaced.

    SQLite continues to use the moved file, and what it commits then is lost when the process ends.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._identity: tuple[int, int] | None = None

    def check_place(self) -> None:
        """Raises OperationalError, with a clearer text than SQLite's, if no file can exist at the path."""
        path = Path(self._path or "")
        if not path.parent.is_dir():
            raise OperationalError(
                None, None, sqlite3.OperationalError(f"the folder {path.parent} {FILE_MISSING}")
            )
        if path.is_dir():
            raise OperationalError(None, None, sqlite3.OperationalError(f"{path} {FOLDER}"))

    def check(self) -> None:
        """Raises OperationalError if the path leads to another file than at the first call, or to none."""
        identity = self._look()
        self._identity = self._identity or identity
        if self._identity != identity:
            raise OperationalError(None, None, sqlite3.OperationalError(FILE_MOVED))

    def _look(self) -> tuple[int, int] | None:
        try:
            status = os.stat(self._path or "")
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino


def is_refusal(error: BaseException | None) -> bool:
    """Whether the error means a wrong setting, so that retrying is useless. Drivers differ by text only."""
    return any(words in str(error) for words in REFUSALS)


def fault_of(error: Exception) -> Unavailable | None:
    """An operational error as Unavailable (503) with a code; None for a programming error.

    Accepts SQLAlchemy's errors and the drivers' own, because LangGraph's savers use the driver directly.
    """
    raw = error.orig if isinstance(error, DBAPIError) else error
    if not _is_operational(raw):
        return None
    words = str(raw).lower()
    for marks, name, code, retry_after in _FAULTS:
        if any(mark in words for mark in marks):
            return Unavailable(sentence(f"database.{name}"), code=code, retry_after=retry_after)
    return Unavailable(sentence("database.no_answer"), code="db_unavailable", retry_after=5)


_FAULTS = (
    (("locked", "busy", "lock timeout"), "busy", "db_busy", 1),
    (("disk is full", "no space left"), "disk_full", "storage_full", 60),
    ((MALFORMED, "file is not a database"), "damaged", DAMAGED, None),
    ((FILE_MOVED,), "file_moved", "db_unavailable", 60),
    (("disk i/o error",), "disk_fails", "db_unavailable", 60),
)
"""By what a driver's error says: the name of the sentence, the code, and the seconds until a retry."""


def _is_operational(error: BaseException | None) -> bool:
    """Compares class names: drivers share no classes, but PEP 249 defines their names.

    SQLite raises the plain DatabaseError for a corrupt file.
    """
    kinds = [kind.__name__ for kind in type(error).__mro__]
    return kinds[0] == "DatabaseError" or "OperationalError" in kinds or "InterfaceError" in kinds
