"""A database is used only when it has the schema that this code knows."""

from __future__ import annotations

import asyncio
from pathlib import Path

from server.database import FAULTS, Database, words_of
from server.settings import Settings

DATABASE_PATIENCE = 30.0


class NotReady(Exception):
    """The world cannot be built now; the text says why and what to do."""


async def prepare_database(database: Database, settings: Settings) -> None:
    """Migrate where the service may, then insist on the schema this code knows. Raises NotReady."""
    problem = await _patient_problem(database)
    if problem and settings.migrates_at_start:
        try:
            await asyncio.to_thread(migrate, database.url)
        except FAULTS as error:
            raise NotReady(f"the database of DATABASE_URL cannot be migrated: {words_of(error)}") from error
        problem = await database.problem()
    if problem:
        raise NotReady(problem)


async def _patient_problem(database: Database) -> str | None:
    """A database server that is just starting gets some time."""
    deadline = asyncio.get_running_loop().time() + (0 if database.is_sqlite else DATABASE_PATIENCE)
    while True:
        problem = await database.problem()
        if problem is None or database.answers or asyncio.get_running_loop().time() > deadline:
            return problem
        await asyncio.sleep(1)


def migrate(url: str) -> None:
    """`alembic upgrade head`. Alembic is imported here: a database that is at head does not need it.

    Raises NotReady for a schema that this code does not know.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    root = Path(__file__).parent.parent
    config = Config(root / "alembic.ini")
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise NotReady(
            f"the database cannot be migrated: {error}; was it used by a newer version?"
        ) from error
