"""LangGraph's checkpoints, on disk when it matters.

A graph saves after each of its steps, many times a second. Only the newest checkpoint of a thread is of use to us, so
what waits to be written is dropped when a newer one comes. How long it may wait is the run's durability.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.types import INTERRUPT

from server.checkpoint_tables import Put, Tables, Writes
from server.errors import Unavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")
Durability = Literal["exit", "async", "sync"]
"""sync: a step begins when the one before it is on disk. async: within `BEHIND_SECONDS`. exit: only with a question."""

BEHIND_SECONDS = 0.2
PATIENCE = 30
"""How many times, once a second, a database that is away is tried again."""


CLOSING_SECONDS = 5


@dataclass
class Thread:
    """A thread that a run works on, and what of it is not in the tables yet."""

    epoch: int
    durability: Durability
    starts_over: bool
    """What the tables hold of it is of no interest."""
    is_asking: bool = False
    """A question is open on top of its newest checkpoint."""
    is_stored: bool = False
    put: Put | None = None
    writes: list[Writes] = field(default_factory=list)
    saving: asyncio.Lock = field(default_factory=asyncio.Lock)
    timer: asyncio.TimerHandle | None = None

    def rest(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None

    async def end(self) -> None:
        """Nothing of it is saved any more."""
        self.rest()
        async with self.saving:
            self.put, self.writes = None, []

    def take_put(self, put: Put) -> None:
        if self.put:
            put = put._replace(versions={**self.put.versions, **put.versions})
        newest = put.checkpoint["id"]
        self.put, self.is_asking = put, False
        self.writes = [
            write for write in self.writes if write.config["configurable"]["checkpoint_id"] >= newest
        ]

    def take_writes(self, writes: Writes) -> None:
        self.writes.append(writes)
        self.is_asking = self.is_asking or any(channel == INTERRUPT for channel, _ in writes.writes)

    def take_back(self, put: Put | None, writes: list[Writes]) -> None:
        """These could not be saved; they come before what has come since."""
        newer, self.put, self.writes, is_asking = self.put, put, writes + self.writes, self.is_asking
        if newer:
            self.take_put(newer)
        self.is_asking = is_asking


class Checkpoints(BaseCheckpointSaver[str]):
    """Between `open` and `release` a thread is ours alone; then its durability holds, else all is saved at once."""

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        self._tables = tables
        self._threads: dict[str, Thread] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}
        self._saves: set[asyncio.Task[None]] = set()

    # What runs ask for

    async def open(
        self, thread_id: str, epoch: int, durability: Durability, *, starts_over: bool = False
    ) -> RunnableConfig:
        """The config for a run on this thread. What is saved under an older epoch is dropped from now on."""
        await self._closed(thread_id)
        self._threads[thread_id] = Thread(epoch, durability, starts_over)
        return {"configurable": {"thread_id": thread_id, "epoch": epoch}}

    def is_asking(self, thread_id: str) -> bool:
        """Did the graph stop with a question?"""
        return self._threads[thread_id].is_asking

    async def settle(self, thread_id: str) -> None:
        """What has to outlive this process does so from now on."""
        thread = self._threads[thread_id]
        if thread.durability != "exit" or thread.is_asking:
            await _patiently(partial(self._save, thread))

    def release(self, thread_id: str) -> None:
        """The run is over; what is still to be saved is saved behind it."""
        thread = self._threads.pop(thread_id, None)
        if thread is None:
            return
        thread.rest()
        is_over = thread.durability == "exit" and not thread.is_asking
        if is_over and not thread.is_stored:
            return
        last = partial(self._tables.remove, thread_id) if is_over else partial(self._save, thread)
        task = asyncio.create_task(_patiently(last))
        self._closing[thread_id] = task
        task.add_done_callback(lambda _: self._closing.pop(thread_id, None))
        task.add_done_callback(_tell_failure)

    async def _closed(self, thread_id: str) -> None:
        if task := self._closing.get(thread_id):
            await asyncio.wait({task})

    async def aclose(self) -> None:
        """Save what runs left behind."""
        for thread_id in list(self._threads):
            self.release(thread_id)
        if self._closing:
            await asyncio.wait(self._closing.values(), timeout=CLOSING_SECONDS)

    # What LangGraph asks for

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        await self._closed(_thread_id(config))
        thread = self._threads.get(_thread_id(config))
        if thread and thread.starts_over:
            thread.starts_over = False
            return None
        if thread:
            await _patiently(partial(self._save, thread))
        found = await _patiently(partial(self._tables.load, config, self.serde))
        if thread and found:
            thread.is_stored = True
        return found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        put = Put(config, checkpoint, metadata, new_versions)
        if _epoch(config) is None:
            await self._tables.save(put, [], self.serde)
        elif thread := self._open_thread(config):
            thread.take_put(put)
            if thread.durability == "sync":
                await _patiently(partial(self._save, thread))
            else:
                self._save_soon(thread)
        place = config["configurable"]
        return {
            "configurable": {
                "thread_id": place["thread_id"],
                "checkpoint_ns": place.get("checkpoint_ns", ""),
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        written = Writes(config, writes, task_id, task_path)
        if _epoch(config) is None:
            await self._tables.save(None, [written], self.serde)
        elif thread := self._open_thread(config):
            thread.take_writes(written)
            self._save_soon(thread)

    async def adelete_thread(self, thread_id: str) -> None:
        await self._closed(thread_id)
        if thread := self._threads.pop(thread_id, None):
            await thread.end()
        await self._tables.remove(thread_id)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """As LangGraph's own savers count: a number, made unique."""
        counted = int(current.partition(".")[0]) if current else 0
        return f"{counted + 1:032}.{random.random():016}"

    # Saving

    def _open_thread(self, config: RunnableConfig) -> Thread | None:
        """None for a run that was given up, should it still be going on."""
        thread = self._threads.get(_thread_id(config))
        return thread if thread and thread.epoch == _epoch(config) else None

    def _save_soon(self, thread: Thread) -> None:
        if thread.durability != "exit" and thread.timer is None:
            thread.timer = asyncio.get_running_loop().call_later(BEHIND_SECONDS, self._save_behind, thread)

    def _save_behind(self, thread: Thread) -> None:
        thread.timer = None
        task = asyncio.create_task(_patiently(partial(self._save, thread)))
        self._saves.add(task)
        task.add_done_callback(self._saves.discard)
        task.add_done_callback(_tell_failure)

    async def _save(self, thread: Thread) -> None:
        async with thread.saving:
            put, writes = thread.put, thread.writes
            if not put and not writes:
                return
            thread.put, thread.writes = None, []
            try:
                await self._tables.save(put, writes, self.serde)
            except BaseException:
                thread.take_back(put, writes)
                raise
            thread.is_stored = True


async def _patiently(query: Callable[[], Awaitable[T]]) -> T:
    """A database that is away or busy gets some time."""
    for _ in range(PATIENCE):
        try:
            return await query()
        except Unavailable:
            await asyncio.sleep(1)
    return await query()


def _tell_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.warning("a checkpoint is not saved: %s", error)


def _thread_id(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def _epoch(config: RunnableConfig) -> int | None:
    epoch: int | None = config["configurable"].get("epoch")
    return epoch
