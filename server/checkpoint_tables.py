"""LangGraph's tables, written by LangGraph's own savers, inside our transactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from sqlite3 import Connection as SqliteConnection
from sqlite3 import Cursor
from typing import Any, NamedTuple, Protocol

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite import SqliteSaver
from sqlalchemy import Connection, text

from server.database import Database

OLDER = "thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns AND checkpoint_id < :checkpoint_id"
REMOVE_OLDER = {
    "sqlite": (f"DELETE FROM writes WHERE {OLDER}", f"DELETE FROM checkpoints WHERE {OLDER}"),
    "postgresql": (
        f"DELETE FROM checkpoint_writes WHERE {OLDER}",
        f"DELETE FROM checkpoints WHERE {OLDER}",
        "DELETE FROM checkpoint_blobs AS b WHERE thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns AND NOT EXISTS ("
        "SELECT 1 FROM checkpoints AS c WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns "
        "AND c.checkpoint->'channel_versions'->>b.channel = b.version)",
    ),
}


class Put(NamedTuple):
    """A checkpoint on its way to the tables."""

    config: RunnableConfig
    """Where it belongs; its checkpoint_id is the parent's."""
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    versions: ChannelVersions
    """Of the channels that changed since the checkpoint that the tables hold."""


class Writes(NamedTuple):
    """What a task wrote, or asked, on top of the checkpoint that `config` names."""

    config: RunnableConfig
    writes: Sequence[tuple[str, Any]]
    task_id: str
    task_path: str


class Tables(Protocol):
    """Where the newest checkpoint of each thread lies."""

    async def load(self, config: RunnableConfig, serde: SerializerProtocol) -> CheckpointTuple | None: ...

    async def save(self, put: Put | None, writes: Sequence[Writes], serde: SerializerProtocol) -> None:
        """All in one transaction; what is older than `put` in its thread goes."""
        ...

    async def remove(self, thread_id: str) -> None: ...


class DatabaseTables:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, config: RunnableConfig, serde: SerializerProtocol) -> CheckpointTuple | None:
        return await self._database.read(lambda db: _saver(db, serde).get_tuple(config))

    async def save(self, put: Put | None, writes: Sequence[Writes], serde: SerializerProtocol) -> None:
        def work(db: Connection) -> None:
            saver = _saver(db, serde)
            if put:
                _remove_older(db, saver.put(*put))
            for write in writes:
                saver.put_writes(*write)

        await self._database.write(work)

    async def remove(self, thread_id: str) -> None:
        await self._database.write(lambda db: _saver(db, None).delete_thread(thread_id))


class MemoryTables:
    """They go with the process."""

    def __init__(self) -> None:
        self._saver = InMemorySaver()

    async def load(self, config: RunnableConfig, serde: SerializerProtocol) -> CheckpointTuple | None:
        return self._saver.get_tuple(config)

    async def save(self, put: Put | None, writes: Sequence[Writes], serde: SerializerProtocol) -> None:
        if put:
            known = self._saver.get_tuple(
                {"configurable": {"thread_id": put.config["configurable"]["thread_id"]}}
            )
            if known and known.checkpoint["id"] != put.checkpoint["id"]:
                await self.remove(put.config["configurable"]["thread_id"])
            self._saver.put(*put._replace(versions=put.checkpoint["channel_versions"]))
        for write in writes:
            self._saver.put_writes(*write)

    async def remove(self, thread_id: str) -> None:
        self._saver.delete_thread(thread_id)


class _OnConnection(SqliteSaver):
    """Works on a connection whose transaction is ours, with tables that are there."""

    def __init__(self, connection: SqliteConnection, serde: SerializerProtocol | None) -> None:
        super().__init__(connection, serde=serde)
        self.is_setup = True

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[Cursor]:
        with closing(self.conn.cursor()) as cursor:
            yield cursor


def _saver(db: Connection, serde: SerializerProtocol | None) -> BaseCheckpointSaver[str]:
    connection: Any = db.connection.driver_connection
    if db.dialect.name == "sqlite":
        return _OnConnection(connection, serde)
    from langgraph.checkpoint.postgres import PostgresSaver

    return PostgresSaver(connection, serde=serde)


def _remove_older(db: Connection, newest: RunnableConfig) -> None:
    for statement in REMOVE_OLDER[db.dialect.name]:
        db.execute(text(statement), newest["configurable"])
