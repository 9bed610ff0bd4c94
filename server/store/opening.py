"""Opens the database for a server process: migrated, and used by no process that it is not shared with."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from server.database import Database
from server.database.migrate import NotReady, prepare_database
from server.fs.disk import network_file_system
from server.fs.permissions import keep_private
from server.ops.installation import held, owned_installation
from server.settings import Settings
from server.store import Store
from server.store.owners import Ownership

if TYPE_CHECKING:
    from server.database.sole_use import SoleUse

logger = logging.getLogger(__name__)

IN_USE = (
    "another process uses the database file of DATABASE_URL or DATA_DIR, which only one may. This one waits until the "
    "other has ended; several processes need PostgreSQL and REDIS_URL"
)


async def open_store(
    stack: AsyncExitStack, settings: Settings, ownership_of: Callable[[str], Ownership]
) -> tuple[Store, SoleUse | None]:
    """The store on the migrated database, and the right to use that, on PostgreSQL. Raises NotReady.

    `ownership_of`: what this process's rows are marked with, by the id of the installation.
    """
    keep_private(settings.data_dir)
    try:
        installation = stack.enter_context(owned_installation(settings.data_dir))
    except OSError as error:
        raise NotReady(f"{error.filename} cannot be opened: {error.strerror}", is_final=True) from None
    database = Database(settings)
    stack.push_async_callback(database.aclose)
    await prepare_database(database, settings)
    use, is_alone = await _take_database(stack, database, settings)
    ownership = ownership_of(installation)
    return Store(database, ownership.owner, is_alone=is_alone, ownership=ownership), use


async def _take_database(
    stack: AsyncExitStack, database: Database, settings: Settings
) -> tuple[SoleUse | None, bool]:
    """The right to use the database, on PostgreSQL; whether all other processes that used it are gone, on SQLite.

    Raises NotReady while another process has it.
    """
    if settings.is_sqlite:
        if kind := network_file_system(database.file.parent):
            logger.warning(
                "%s is on a network file system (%s), where SQLite may lose data: use a local disk, or PostgreSQL",
                database.name,
                kind,
            )
        # While this process holds the lock of the SQLite file, all others are gone.
        holder = stack.enter_context(held(database.file.with_name(f"{database.file.name}.lock")))
        if holder == "elsewhere":
            raise NotReady(IN_USE)
        return None, holder == "here"
    from server.database.sole_use import SoleUse

    use = SoleUse(settings.database, is_shared=settings.is_shared)
    stack.push_async_callback(use.aclose)
    await use.acquire()
    return use, False
