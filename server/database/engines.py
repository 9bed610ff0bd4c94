"""SQLAlchemy's engines for the two databases, and what their errors mean."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DBAPIError

from server.errors import Unavailable


def open_sqlite(url: str, connections: int, patience: float) -> Engine:
    """A transaction of this engine locks the file when it begins if the execution option `immediate` is set.

    `patience` is how many seconds it waits for a lock, here and with PostgreSQL.
    """
    engine = create_engine(make_url(url).set(drivername="sqlite"), pool_size=connections, max_overflow=0)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, see below
        for pragma in (
            f"busy_timeout={patience * 1000:.0f}",
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def open_postgresql(url: str, connections: int, patience: float) -> Engine:
    engine = create_engine(
        url, pool_size=connections, max_overflow=0, pool_pre_ping=True, connect_args={"connect_timeout": 10}
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.execute(f"SET lock_timeout = {patience * 1000:.0f}")
        connection.commit()

    return engine


def fault_of(error: Exception) -> Unavailable | None:
    """A fault of the machine, as a 503 with a code; None for a fault of ours.

    Takes SQLAlchemy's errors and the drivers' own: LangGraph's savers talk to the driver.
    """
    raw = error.orig if isinstance(error, DBAPIError) else error
    if not _is_operational(raw):
        return None
    words = str(raw).lower()
    if "locked" in words or "busy" in words or "lock timeout" in words:
        return Unavailable("The database is busy; try again.", code="db_busy", retry_after=1)
    if "disk is full" in words or "no space left" in words:
        return Unavailable("The disk of the database is full.", code="storage_full", retry_after=60)
    if "disk i/o error" in words:
        return Unavailable("The disk of the database fails.", code="db_unavailable", retry_after=60)
    return Unavailable("The database does not answer.", code="db_unavailable", retry_after=5)


def _is_operational(error: BaseException | None) -> bool:
    """Drivers share no classes, but PEP 249 names theirs. SQLite tells of a broken file with the plain DatabaseError."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    return kinds[0] == "DatabaseError" or "OperationalError" in kinds or "InterfaceError" in kinds
