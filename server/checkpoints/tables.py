"""LangGraph's tables, written by its own savers inside this server's transactions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
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
from server.errors import Conflict
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

THREAD = "thread_id = :thread_id AND checkpoint_ns = :checkpoint_ns"
OTHER_CHECKPOINTS = f"{THREAD} AND checkpoint_id <> :checkpoint_id"
OLDER = f"{THREAD} AND checkpoint_id < :checkpoint_id"
"""Only older ones: writes may be saved before the checkpoint they belong to."""
REMOVE_OTHERS = {
    "sqlite": (f"DELETE FROM writes WHERE {OLDER}", f"DELETE FROM checkpoints WHERE {OTHER_CHECKPOINTS}"),
    "postgresql": (
        f"DELETE FROM checkpoint_writes WHERE {OLDER}",
        f"DELETE FROM checkpoints WHERE {OTHER_CHECKPOINTS}",
        f"DELETE FROM checkpoint_blobs AS b WHERE {THREAD} AND NOT EXISTS ("
        "SELECT 1 FROM checkpoints AS c WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns "
        "AND c.checkpoint->'channel_versions'->>b.channel = b.version)",
    ),
}
KNOWN_EPOCH = {
    "sqlite": "SELECT max(json_extract(CAST(metadata AS TEXT), '$.epoch')) FROM checkpoints WHERE thread_id = :thread_id",
    "postgresql": "SELECT max((metadata->>'epoch')::int) FROM checkpoints WHERE thread_id = :thread_id",
}
"""The epoch of a thread's checkpoint, which is stored in its metadata."""
NEWEST = text(f"SELECT checkpoint_id FROM checkpoints WHERE {THREAD}")

IsOurs = Callable[[Connection, str, int], bool]
"""Whether this process still owns the run of a session and epoch; called in the saving transaction."""


class Put(NamedTuple):
    """A checkpoint to be saved."""

    config: RunnableConfig
    """Its thread and namespace; checkpoint_id is the parent's."""
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    versions: ChannelVersions
    """Versions of the channels that changed since the stored checkpoint."""


class Writes(NamedTuple):
    """The writes of a task, including interrupts, on the checkpoint of `config`."""

    config: RunnableConfig
    writes: Sequence[tuple[str, object]]
    task_id: str
    task_path: str


class Tables(Protocol):
    """Stores the newest checkpoint of each namespace of a thread. `epoch`: of the run that saves, None between two runs.

    Fenced: an older epoch does not change what a newer one has saved. Between two runs `save` raises Conflict
    unless the change is based on the newest checkpoint.
    """

    async def load(self, config: RunnableConfig, serde: SerializerProtocol) -> CheckpointTuple | None: ...

    async def save(
        self,
        thread_id: str,
        epoch: int | None,
        puts: Sequence[Put],
        writes: Sequence[Writes],
        serde: SerializerProtocol,
    ) -> None:
        """Save all in one transaction; a put replaces the former checkpoint of its namespace."""
        ...

    async def remove(self, thread_id: str, epoch: int | None) -> None: ...


class DatabaseTables:
    """Tables in the database. Also fenced by owner: a run that another process ended or took over saves and
    removes nothing, even if nothing newer has been saved."""

    def __init__(self, database: Database, is_ours: IsOurs = lambda db, thread_id, epoch: True) -> None:
        self._database = database
        self._is_ours = is_ours

    async def load(self, config: RunnableConfig, serde: SerializerProtocol) -> CheckpointTuple | None:
        return await self._database.read(lambda db: saver_on(db, serde).get_tuple(config))

    async def save(
        self,
        thread_id: str,
        epoch: int | None,
        puts: Sequence[Put],
        writes: Sequence[Writes],
        serde: SerializerProtocol,
    ) -> None:
        def work(db: Connection) -> None:
            known = _known_epoch(db, thread_id)
            if not self._may_change(db, thread_id, epoch, known):
                return
            if epoch is None:
                _check_base(lambda namespace: _newest(db, thread_id, namespace), puts, writes)
            saver = saver_on(db, serde)
            for put in puts:
                metadata: CheckpointMetadata = {**put.metadata, "epoch": epoch or known}  # type: ignore[typeddict-unknown-key]
                newest = saver.put(*put._replace(metadata=metadata))
                # The last put is the newest, regardless of the time in its id.
                for statement in REMOVE_OTHERS[db.dialect.name]:
                    db.execute(text(statement), newest["configurable"])
            for write in writes:
                saver.put_writes(*write)

        await self._database.write(work)

    async def remove(self, thread_id: str, epoch: int | None) -> None:
        def work(db: Connection) -> None:
            if self._may_change(db, thread_id, epoch, _known_epoch(db, thread_id)):
                saver_on(db, None).delete_thread(thread_id)

        await self._database.write(work)

    def _may_change(self, db: Connection, thread_id: str, epoch: int | None, known: int) -> bool:
        if epoch is None:
            return True
        if _is_fenced(thread_id, epoch, known):
            return False
        # The thread id ends with the session id.
        if self._is_ours(db, thread_id.rpartition(":")[2], epoch):
            return True
        logger.warning(
            "thread %s: the run of epoch %d is not ours any more; it saves nothing", thread_id, epoch
        )
        return False


class MemoryTables:
    """Tables in memory, lost when the process ends."""

    def __init__(self) -> None:
        self._saver = InMemorySaver()
        self._epochs: dict[str, int] = {}

    async def load(self, config: RunnableConfig, serde: SerializerProtocol) -> CheckpointTuple | None:
        return self._saver.get_tuple(config)

    async def save(
        self,
        thread_id: str,
        epoch: int | None,
        puts: Sequence[Put],
        writes: Sequence[Writes],
        serde: SerializerProtocol,
    ) -> None:
        known = self._epochs.get(thread_id, 0)
        if _is_fenced(thread_id, epoch, known):
            return
        if epoch is None:
            _check_base(lambda namespace: self._newest(thread_id, namespace), puts, writes)
        self._epochs[thread_id] = epoch or known
        for put in puts:
            namespace = namespace_of(put.config)
            if self._newest(thread_id, namespace) not in (None, put.checkpoint["id"]):
                self._forget(thread_id, namespace)
            self._saver.put(*put._replace(versions=put.checkpoint["channel_versions"]))
        for write in writes:
            self._saver.put_writes(*write)

    async def remove(self, thread_id: str, epoch: int | None) -> None:
        if not _is_fenced(thread_id, epoch, self._epochs.get(thread_id, 0)):
            self._saver.delete_thread(thread_id)
            self._epochs.pop(thread_id, None)

    def _newest(self, thread_id: str, namespace: str) -> str | None:
        return max(self._saver.storage[thread_id][namespace], default=None)

    def _forget(self, thread_id: str, namespace: str) -> None:
        self._saver.storage[thread_id].pop(namespace, None)
        kept: Any
        for kept in (self._saver.writes, self._saver.blobs):
            for key in [key for key in kept if key[:2] == (thread_id, namespace)]:
                del kept[key]


class _OnConnection(SqliteSaver):
    """LangGraph's saver on an existing connection: uses its transaction, creates no tables."""

    def __init__(self, connection: SqliteConnection, serde: SerializerProtocol | None) -> None:
        super().__init__(connection, serde=serde)
        self.is_setup = True

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[Cursor]:
        with closing(self.conn.cursor()) as cursor:
            yield cursor


def saver_on(db: Connection, serde: SerializerProtocol | None) -> BaseCheckpointSaver[str]:
    connection: Any = db.connection.driver_connection
    if db.dialect.name == "sqlite":
        return _OnConnection(connection, serde)
    from langgraph.checkpoint.postgres import PostgresSaver

    return PostgresSaver(connection, serde=serde)


def _known_epoch(db: Connection, thread_id: str) -> int:
    """The epoch of the run that saved last. Locks the thread for other saves until the transaction ends."""
    if db.dialect.name == "postgresql":
        db.execute(text("SELECT pg_advisory_xact_lock(hashtext(:thread_id))"), {"thread_id": thread_id})
    return db.scalar(text(KNOWN_EPOCH[db.dialect.name]), {"thread_id": thread_id}) or 0


def _is_fenced(thread_id: str, epoch: int | None, known: int) -> bool:
    if epoch is None or epoch >= known:
        return False
    logger.warning("thread %s belongs to epoch %d now; epoch %d saves nothing", thread_id, known, epoch)
    return True


def _newest(db: Connection, thread_id: str, namespace: str) -> str | None:
    newest: str | None = db.scalar(NEWEST, {"thread_id": thread_id, "checkpoint_ns": namespace})
    return newest


def _check_base(newest: Callable[[str], str | None], puts: Sequence[Put], writes: Sequence[Writes]) -> None:
    """Raises Conflict unless `puts` and `writes` are based on the newest checkpoints of their namespaces."""
    for config in [*(one.config for one in puts), *(one.config for one in writes)]:
        if config["configurable"].get("checkpoint_id") != newest(namespace_of(config)):
            raise Conflict(sentence("state.changed"), code="state_changed")


def namespace_of(config: RunnableConfig) -> str:
    """Of the graph that the config is for: "" for the outermost one."""
    return str(config["configurable"].get("checkpoint_ns", ""))
