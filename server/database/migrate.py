"""Checks the database's schema version at start, and migrates it if the settings allow that."""

from __future__ import annotations

import asyncio

from server.database import FAULTS, Database, is_refusal
from server.ops.program_files import PROGRAM_FILES
from server.settings import Settings

DATABASE_PATIENCE = 30.0
ALEMBIC_INI = PROGRAM_FILES / "alembic.ini"


class NotReady(Exception):
    """The server cannot start now; the text gives the reason and what to do."""

    def __init__(self, text: str, *, is_final: bool = False) -> None:
        super().__init__(text)
        self.is_final = is_final
        """Retrying does not help: a setting has to be changed."""


async def prepare_database(database: Database, settings: Settings) -> None:
    """Migrate if the settings allow it, then check the schema version. Raises NotReady."""
    problem = await _patient_problem(database)
    if problem and not database.is_refused and settings.migrates_at_start:
        try:
            await asyncio.to_thread(migrate, database.url)
        except FAULTS as error:
            text = f"{database.name} cannot be migrated: {database.words_of(error)}"
            raise NotReady(text, is_final=is_refusal(error)) from error
        problem = await database.problem()
    problem = problem or await database.read_only_problem()
    if problem:
        raise NotReady(problem, is_final=database.is_refused)


async def migrate_once(settings: Settings) -> None:
    """Migrate the database of the settings, whatever AUTO_MIGRATE says. Raises NotReady."""
    database = Database(settings)
    try:
        await prepare_database(database, settings.model_copy(update={"auto_migrate": True}))
    finally:
        await database.aclose()


async def _patient_problem(database: Database) -> str | None:
    """As `Database.problem`, retried up to DATABASE_PATIENCE seconds: PostgreSQL may still be starting."""
    deadline = asyncio.get_running_loop().time() + (0 if database.is_sqlite else DATABASE_PATIENCE)
    while True:
        problem = await database.problem()
        settled = problem is None or database.answers or database.is_refused
        if settled or asyncio.get_running_loop().time() > deadline:
            return problem
        await asyncio.sleep(1)


def migrate(url: str) -> None:
    """Run `alembic upgrade head`. Alembic is imported lazily: a database that is at head does not need it.

    Raises NotReady for an unknown schema version.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config(ALEMBIC_INI)
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise NotReady(
            f"the database cannot be migrated: {error}; was it used by a newer version?"
        ) from error
