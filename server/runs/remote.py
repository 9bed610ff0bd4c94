"""Commands to a run that another process executes: a row first, then a signal to that process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from server.database.models import RunRow
from server.errors import Unavailable
from server.ops.json_types import Json, JsonObject
from server.store import Store
from server.stream.signals import Signal

if TYPE_CHECKING:
    from server.stream.redis_bus import RedisBus

CANCEL_SECONDS = 5.0
"""How long a process has to end a run that a user cancels; then the run is taken from it."""
POLL_SECONDS = 0.05


class RemoteRuns:
    def __init__(self, store: Store, bus: RedisBus) -> None:
        self._store = store
        self._bus = bus

    async def executed(self, session_id: str) -> RunRow | None:
        """The session's run if a process executes it, this one or another."""
        run = await self._store.current_run(session_id)
        return run if run and run.owner and not run.finished_at and run.status != "waiting_user" else None

    async def wish(self, run: RunRow, kind: str, **wishes: Json) -> int:
        """Store what a user asks of the run, then signal. Returns how many processes received the signal."""
        known = await self._store.wish(run.id, dict(wishes))
        return await self.signal(known, kind) if known else 0

    async def signal(self, run: RunRow, kind: str) -> int:
        """Signal that the rows of the run have something new. A process looks by itself after a lost signal."""
        if run.owner is None:
            return 0
        signal = Signal.model_validate({"kind": kind, "session_id": run.session_id, "run_id": run.id})
        try:
            return await self._bus.signal(run.owner, signal)
        except Unavailable:
            return 1

    async def cancel(self, run: RunRow) -> bool:
        """Let the process that executes the run cancel it. False if it does not, or is gone."""
        if not await self.wish(run, "cancel", cancel=True):
            return (await self._store.run(run.id)).finished_at is not None
        deadline = asyncio.get_running_loop().time() + CANCEL_SECONDS
        while asyncio.get_running_loop().time() < deadline:
            present = await self._store.run(run.id)
            if present.finished_at:
                return True
            if present.status == "waiting_user":  # it has asked a question before it received the signal
                return False
            await asyncio.sleep(POLL_SECONDS)
        return False

    async def live(self, session_id: str) -> JsonObject | None:
        """Output in progress that is not yet a message; None also while Redis does not answer."""
        try:
            return await self._bus.keyframe(session_id)
        except Unavailable:
            return None
