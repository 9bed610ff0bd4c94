"""Copies the states of graphs to another database. SQLite holds a checkpoint in one piece, PostgreSQL in several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from server.checkpoints.saver import Checkpoints
from server.checkpoints.tables import MemoryTables, saver_on
from server.extras.move.rows import DIFFERS, NOT_STORED, ROWS_BATCH, Copied, MoveRefused, batches, words_of

KEYS = "SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints ORDER BY thread_id, checkpoint_ns, checkpoint_id"
WRITES = {"sqlite": ("writes", "value"), "postgresql": ("checkpoint_writes", "blob")}
"""The table of what was written after a checkpoint, and its column of bytes; all else is the same in both."""
COLUMNS = ("thread_id", "checkpoint_ns", "checkpoint_id", "task_id", "task_path", "idx", "channel", "type")


def copy_checkpoints(source: Connection, target: Connection) -> Iterator[Copied]:
    """In the transaction of `target`; yields after each batch. Raises MoveRefused."""
    serde = Checkpoints(MemoryTables()).serde
    # LangGraph's savers use the driver directly.
    faults: tuple[type[Exception], ...] = (DBAPIError, target.dialect.loaded_dbapi.Error)
    try:
        yield from _copy_writes(source, target)
        keys = source.execute(text(KEYS)).all()
        for number, key in enumerate(keys, start=1):
            _copy_checkpoint(source, target, key._asdict(), serde)
            if number % ROWS_BATCH == 0 or number == len(keys):
                yield Copied("checkpoints", number, len(keys))
    except faults as error:
        raise MoveRefused(NOT_STORED, table="checkpoints", why=words_of(error)) from error


def _copy_checkpoint(
    source: Connection, target: Connection, key: dict[str, Any], serde: SerializerProtocol
) -> None:
    found = saver_on(source, serde).get_tuple({"configurable": key})
    assert found is not None
    parent = found.parent_config["configurable"]["checkpoint_id"] if found.parent_config else None
    saver = saver_on(target, serde)
    saver.put(
        {"configurable": {**key, "checkpoint_id": parent}},
        found.checkpoint,
        found.metadata,
        found.checkpoint["channel_versions"],
    )
    stored = saver.get_tuple({"configurable": key})
    if stored is None or (stored.checkpoint, stored.metadata) != (found.checkpoint, found.metadata):
        raise MoveRefused(DIFFERS, table=f"checkpoints {key['thread_id']}", found=0, rows=1)
    if _ordered(stored.pending_writes) != _ordered(found.pending_writes):
        raise MoveRefused(DIFFERS, table=f"writes {key['thread_id']}", found=0, rows=1)


def _ordered(writes: list[tuple[str, str, Any]] | None) -> list[tuple[str, str, Any]]:
    return sorted(writes or [], key=lambda write: write[:2])


def _copy_writes(source: Connection, target: Connection) -> Iterator[Copied]:
    from_table, from_bytes = WRITES[source.dialect.name]
    to_table, to_bytes = WRITES[target.dialect.name]
    names = ", ".join(COLUMNS)
    places = ", ".join(f":{name}" for name in COLUMNS)
    insert = text(f"INSERT INTO {to_table} ({names}, {to_bytes}) VALUES ({places}, :content)")
    total, done = source.scalar(text(f"SELECT count(*) FROM {from_table}")) or 0, 0
    query = text(f"SELECT {names}, {from_bytes} AS content FROM {from_table}")
    for batch in batches(source, query):
        target.execute(insert, batch)
        done += len(batch)
        yield Copied(to_table, done, total)
    if (stored := target.scalar(text(f"SELECT count(*) FROM {to_table}")) or 0) != total:
        raise MoveRefused(DIFFERS, table=to_table, found=stored, rows=total)
