"""Short messages to one process that executes runs: look at this session's rows now.

A signal is never the only place of what it says: the row is committed first, and its reader looks at its rows
from time to time, so a lost signal costs seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict


class Signal(BaseModel):
    """`run_id` is None if it concerns the session, whatever run it has."""

    model_config = ConfigDict(frozen=True)
    kind: Literal["cancel", "steer", "decision", "plan", "pause", "resume", "take_over", "hand_back"]
    session_id: str
    run_id: str | None = None


class Signals(Protocol):
    async def signal(self, worker_id: str, signal: Signal) -> int:
        """Returns how many processes received it; 0 if the worker is gone."""
        ...

    def signals(self, worker_id: str) -> AsyncIterator[Signal]:
        """The signals to this worker that are sent from the first call of `anext` on; never ends by itself."""
        ...


class InProcessSignals:
    def __init__(self) -> None:
        self._queues: dict[str, set[asyncio.Queue[Signal]]] = {}

    async def signal(self, worker_id: str, signal: Signal) -> int:
        queues = self._queues.get(worker_id, ())
        for queue in queues:
            queue.put_nowait(signal)
        return len(queues)

    async def signals(self, worker_id: str) -> AsyncIterator[Signal]:
        queue: asyncio.Queue[Signal] = asyncio.Queue()
        queues = self._queues.setdefault(worker_id, set())
        queues.add(queue)
        try:
            while True:
                yield await queue.get()
        finally:
            queues.discard(queue)
            if not queues:
                self._queues.pop(worker_id, None)
