"""Runs the migrations on the database of the settings: one process at a time, all in one transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import context
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text

from server.database.models import Base
from server.fs.permissions import keep_database_private, keep_private
from server.settings import Settings

ADVISORY_LOCK = 7_405_112  # any number, the same in every process


def open_engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(url)
    parsed = make_url(url).set(drivername="sqlite")
    file = Path(parsed.database or "")
    if not file.parent.is_dir():
        raise CommandError(f"the folder {file.parent} of DATABASE_URL does not exist")
    if file.is_dir():
        raise CommandError(f"{file} of DATABASE_URL is a folder, not a file")
    keep_database_private(file)
    engine = create_engine(parsed, connect_args={"timeout": 30})

    @event.listens_for(engine, "connect")
    def prepare(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]  # so that DDL is transactional
        connection.execute("PRAGMA journal_mode=WAL")  # type: ignore[attr-defined]

    return engine


def lock(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """What serves the search and the checkpoints has no model to compare it with."""
    if kind == "index":
        return not str(name).endswith("_search")
    return kind != "table" or name in Base.metadata.tables


def main() -> None:
    url = context.config.get_main_option("sqlalchemy.url") or default_url()
    engine = open_engine(url)
    try:
        with engine.connect() as connection:
            run_on(connection)
    finally:
        engine.dispose()


def default_url() -> str:
    """The database of the settings; the folder of one that they do not name is made."""
    settings = Settings()
    if settings.database_url is None:
        keep_private(settings.data_dir)
    return settings.database


def run_on(connection: Connection) -> None:
    lock(connection)
    context.configure(
        connection=connection, target_metadata=Base.metadata, include_name=is_ours, compare_type=False
    )
    context.run_migrations()
    connection.commit()


main()
