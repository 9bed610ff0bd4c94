"""A thread while a run uses it: buffers its checkpoint and decides when to save it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Literal, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import INTERRUPT

from server.checkpoints.tables import Put, Tables, Writes, namespace_of
from server.errors import Unavailable

logger = logging.getLogger(__name__)

T = TypeVar("T")
Durability = Literal["exit", "async", "sync"]
"""sync: save before the next step. async: save within `BEHIND_SECONDS`. exit: save only at a question."""

BEHIND_SECONDS = 0.2
MAX_SAVE_RETRIES = 30
"""Number of retries, one per second, while the database is unavailable."""


class OpenThread:
    """The thread of one run, fenced by its epoch: it neither changes nor removes rows of a newer epoch."""

    def __init__(
        self,
        tables: Tables,
        serde: SerializerProtocol,
        thread_id: str,
        epoch: int,
        durability: Durability,
        *,
        starts_over: bool = False,
    ) -> None:
        self.thread_id = thread_id
        self.epoch = epoch
        self.durability = durability
        self._tables = tables
        self._serde = serde
        self._starts_over = starts_over
        """The first `load` ignores the stored checkpoint."""
        self._is_stored = False
        self._is_given_up = False
        self._puts: dict[str, Put] = {}
        """Of each namespace: a nested graph has its own."""
        self._asking: set[str] = set()
        """Namespaces that stopped at an interrupt on their newest checkpoint."""
        self._writes: list[Writes] = []
        self._saving = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._behind: asyncio.Task[None] | None = None

    @property
    def is_asking(self) -> bool:
        """The graph, or one nested in it, stopped at an interrupt on its newest checkpoint."""
        return bool(self._asking)

    @property
    def config(self) -> RunnableConfig:
        """The config with which a graph runs on this thread."""
        return {"configurable": {"thread_id": self.thread_id, "epoch": self.epoch}}

    async def load(self, config: RunnableConfig) -> CheckpointTuple | None:
        if self._starts_over:
            self._starts_over = False
            return None
        await self.save()
        found = await with_retry(partial(self._tables.load, config, self._serde))
        self._is_stored = self._is_stored or found is not None
        return found

    async def put(self, put: Put) -> None:
        self._take_put(put)
        if self.durability == "sync":
            await self.save()
        else:
            self._save_soon()

    def write(self, writes: Writes) -> None:
        self._writes.append(writes)
        if any(channel == INTERRUPT for channel, _ in writes.writes):
            self._asking.add(namespace_of(writes.config))
        self._save_soon()

    async def settle(self) -> None:
        """Save what has to survive this process: everything, or with `exit` only an open question."""
        if self.durability != "exit" or self.is_asking:
            await self.save()

    async def save(self) -> None:
        await with_retry(self._save)

    async def close(self) -> None:
        """End the run's use: save what a later run needs, or remove a stored thread that no run needs."""
        self._rest()
        await self.settle()
        if self.durability == "exit" and not self.is_asking and self._is_stored:
            await with_retry(partial(self._tables.remove, self.thread_id, self.epoch))

    async def give_up(self) -> None:
        """Drop what is not saved, and save nothing any more."""
        self._is_given_up = True
        self._rest()
        async with self._saving:
            self._puts, self._writes = {}, []

    def _take_put(self, put: Put) -> None:
        namespace, newest = namespace_of(put.config), put.checkpoint["id"]
        if former := self._puts.get(namespace):
            put = put._replace(versions={**former.versions, **put.versions})
        self._puts[namespace] = put
        self._asking.discard(namespace)
        self._writes = [
            writes
            for writes in self._writes
            if namespace_of(writes.config) != namespace
            or writes.config["configurable"]["checkpoint_id"] >= newest
        ]

    async def _save(self) -> None:
        async with self._saving:
            puts, writes = self._puts, self._writes
            if self._is_given_up or not (puts or writes):
                return
            self._puts, self._writes = {}, []
            try:
                await self._tables.save(self.thread_id, self.epoch, [*puts.values()], writes, self._serde)
            except BaseException:  # restore it, before what has been added since
                newer, asking = self._puts, self._asking.copy()
                self._puts, self._writes = puts, writes + self._writes
                for put in newer.values():
                    self._take_put(put)
                self._asking = asking
                raise
            self._is_stored = True

    def _save_soon(self) -> None:
        if self.durability != "exit" and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BEHIND_SECONDS, self._save_behind)

    def _save_behind(self) -> None:
        self._timer = None
        self._behind = asyncio.create_task(self.save())
        self._behind.add_done_callback(log_failure)

    def _rest(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None


async def with_retry(query: Callable[[], Awaitable[T]]) -> T:
    """Retry `query` once per second, MAX_SAVE_RETRIES times, while it raises Unavailable; then raise that."""
    for _ in range(MAX_SAVE_RETRIES):
        try:
            return await query()
        except Unavailable:
            await asyncio.sleep(1)
    return await query()


def log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        logger.warning("a checkpoint is not saved: %s", error)
