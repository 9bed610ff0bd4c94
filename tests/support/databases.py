"""A migrated database, and what a server process opens on it."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from server.checkpoints import Checkpoints, DatabaseTables
from server.database import Database
from server.database.migrate import migrate
from server.fs.permissions import keep_private
from server.runs.agents import AgentFactory
from server.runtime import Runtime
from server.settings import Settings
from server.store import Store, process_name
from server.store.owners import LeaseWatch


@functools.cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pilothouse.db"
        migrate(f"sqlite:///{file}")
        return file.read_bytes()


def create_migrated(file: Path) -> None:
    """Create an SQLite database at head, by a copy: the migrations themselves run once per process."""
    keep_private(file.parent)
    file.touch(mode=0o600, exist_ok=False)
    file.write_bytes(_migrated())


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
