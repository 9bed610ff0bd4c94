"""The LangGraph checkpoint saver."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from server.checkpoints.open_thread import Durability, OpenThread, log_failure, with_retry
from server.checkpoints.tables import Put, Tables, Writes, namespace_of

CLOSING_SECONDS = 5


class Checkpoints(BaseCheckpointSaver[str]):
    """Saves through the open thread of a run, which buffers; without a run (no epoch) it saves at once."""

    def __init__(self, tables: Tables) -> None:
        # Rows are deserialised to plain values and messages only, as they may come from another process.
        super().__init__(serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        self._tables = tables
        self._open: dict[str, OpenThread] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}

    async def open(
        self, thread_id: str, epoch: int, durability: Durability, *, starts_over: bool = False
    ) -> OpenThread:
        """The thread for a run. A thread still open for another run is given up."""
        await self._closed(thread_id)
        if former := self._open.get(thread_id):
            await former.give_up()
        thread = OpenThread(self._tables, self.serde, thread_id, epoch, durability, starts_over=starts_over)
        self._open[thread_id] = thread
        return thread

    def release(self, thread: OpenThread) -> None:
        """Close the thread of a run in the background, which saves the rest."""
        if self._open.get(thread.thread_id) is not thread:
            return
        del self._open[thread.thread_id]
        task = asyncio.create_task(thread.close())
        self._closing[thread.thread_id] = task
        task.add_done_callback(lambda _: self._closing.pop(thread.thread_id, None))
        task.add_done_callback(log_failure)

    async def aclose(self) -> None:
        """Close all threads, waiting up to CLOSING_SECONDS for the saves."""
        for thread in list(self._open.values()):
            self.release(thread)
        if self._closing:
            await asyncio.wait(self._closing.values(), timeout=CLOSING_SECONDS)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        thread_id = _thread_id(config)
        await self._closed(thread_id)
        if thread := self._open.get(thread_id):
            return await thread.load(config)
        return await with_retry(lambda: self._tables.load(config, self.serde))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        put = Put(config, checkpoint, metadata, new_versions)
        if _epoch(config) is None:
            await self._tables.save(_thread_id(config), None, [put], [], self.serde)
        elif thread := self._thread_of(config):
            await thread.put(put)
        return {
            "configurable": {
                "thread_id": _thread_id(config),
                "checkpoint_ns": namespace_of(config),
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, object]], task_id: str, task_path: str = ""
    ) -> None:
        written = Writes(config, writes, task_id, task_path)
        if _epoch(config) is None:
            await self._tables.save(_thread_id(config), None, [], [written], self.serde)
        elif thread := self._thread_of(config):
            thread.write(written)

    async def remove_run(self, thread_id: str, epoch: int) -> None:
        """Remove the thread's checkpoint, unless a newer run has saved one."""
        await self._closed(thread_id)
        await self._tables.remove(thread_id, epoch)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._closed(thread_id)
        if thread := self._open.pop(thread_id, None):
            await thread.give_up()
        await self._tables.remove(thread_id, None)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """As in LangGraph's own savers: a counter with a random suffix."""
        counted = int(current.partition(".")[0]) if current else 0
        return f"{counted + 1:032}.{random.random():016}"

    def _thread_of(self, config: RunnableConfig) -> OpenThread | None:
        """The open thread of the config's run; None if the run was given up."""
        thread = self._open.get(_thread_id(config))
        return thread if thread and thread.epoch == _epoch(config) else None

    async def _closed(self, thread_id: str) -> None:
        if task := self._closing.get(thread_id):
            await asyncio.wait({task})


def _thread_id(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def _epoch(config: RunnableConfig) -> int | None:
    epoch: int | None = config["configurable"].get("epoch")
    return epoch
