"""Runs of the operator as an earlier version saved them: `tests/data/checkpoints/flat_state.sql`, written on 2026-11-28 before its state was typed.

`confirm`, `manual` and `held` wait for an answer, `acting` was killed in a click, `ended` has given its answer.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from tests.support.databases import open_saver

SAVED = Path(__file__).parents[1] / "data/checkpoints/flat_state.sql"


def read_saved(case: str) -> CheckpointTuple:
    with sqlite3.connect(":memory:") as connection:
        saver = SqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        saver.setup()
        connection.executescript(SAVED.read_text())
        found = saver.get_tuple({"configurable": {"thread_id": case, "checkpoint_ns": ""}})
    assert found
    return found


async def put_saved(url: str, case: str, thread_id: str = "s") -> CheckpointTuple:
    """Write the run into a migrated database, under this thread."""
    saved = read_saved(case)
    async with open_saver(url) as saver:
        versions = saved.checkpoint["channel_versions"]
        config = await saver.aput(
            {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}},
            saved.checkpoint,
            saved.metadata,
            versions,
        )
        for task_id, channel, value in saved.pending_writes or ():
            await saver.aput_writes(config, [(channel, value)], task_id)
    return saved
