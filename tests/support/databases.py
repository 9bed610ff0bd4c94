"""What a server process opens on a migrated database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from server.checkpoints import Checkpoints, DatabaseTables
from server.database import Database
from server.runs.agents import AgentFactory
from server.runtime import Runtime
from server.settings import Settings
from server.store import Store, process_name
from server.store.owners import LeaseWatch


@asynccontextmanager
async def open_database(url: str, patience: float = 5.0) -> AsyncIterator[Database]:
    settings = Settings.model_validate({"database_url": url, "auth_token": "x"})
    database = Database(settings, patience=patience)
    try:
        yield database
    finally:
        await database.aclose()


@asynccontextmanager
async def open_store(url: str, owner: str | None = None) -> AsyncIterator[Store]:
    async with open_database(url) as database:
        yield Store(database, owner or process_name())


@asynccontextmanager
async def open_saver(url: str) -> AsyncIterator[Checkpoints]:
    async with open_database(url) as database:
        saver = Checkpoints(DatabaseTables(database))
        yield saver
        await saver.aclose()


def share_database(world: Runtime) -> None:
    """Let stores of other processes use the world's database: it takes over none of their runs, however long
    they go unrenewed."""
    world.store.is_alone = False
    world.store.leases = LeaseWatch(lambda: 0.0)


def agents_of(world: Runtime, store: Store, kind: type[AgentFactory] = AgentFactory) -> AgentFactory:
    """Agents whose checkpoints belong to the runs of `store`, another process than the world's own."""
    checkpoints = Checkpoints(DatabaseTables(store.database, store.is_executed_here))
    return kind(lambda: world.settings, world.agents.model, world.browsers, checkpoints)
