"""Commands to a run that any process executes: a row first, then a signal to that process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from server.database.models import RunRow
from server.errors import Conflict, Unavailable
from server.events import Message, MessageAdded
from server.extras.cluster.signals import Signal
from server.ops.json_types import Json, JsonObject
from server.store import Store
from wording.catalogue import sentence

if TYPE_CHECKING:
    from server.extras.cluster.redis_bus import RedisBus

CANCEL_SECONDS = 5.0
"""How long a process has to end a run that a user cancels; then the run is taken from it."""
POLL_SECONDS = 0.05


class RemoteRuns:
    """Implements `ExecutedRuns` for one of several processes."""

    def __init__(self, store: Store, bus: RedisBus) -> None:
        self._store = store
        self._bus = bus

    async def is_executing(self, session_id: str) -> bool:
        return await self._executed(session_id) is not None

    async def steer(self, run: RunRow, message: Message) -> None:
        self._bus.publish(run.session_id, None, [MessageAdded(message=message)])
        await self._signal(run, "steer")

    async def cancel(self, run: RunRow) -> bool:
        if not run.owner or run.status == "waiting_user":
            return False
        if not await self._wish(run, "cancel", cancel=True):
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

    async def pause(self, session_id: str) -> None:
        await self._wish(await self._in_progress(session_id), "pause", pause=True, resume=False)

    async def resume(self, session_id: str) -> None:
        run = await self._in_progress(session_id)
        if run.status != "paused" and not (run.wishes or {}).get("pause"):
            raise Conflict(sentence("run.not_paused"), code="not_paused")
        await self._wish(run, "resume", pause=False, resume=True)

    async def live(self, session_id: str) -> JsonObject | None:
        """None also while Redis does not answer."""
        try:
            return await self._bus.keyframe(session_id)
        except Unavailable:
            return None

    async def edit_plan(self, session_id: str, plan: Sequence[str]) -> bool:
        return await self._pass_on(session_id, plan=list(plan))

    async def dismiss_plan(self, session_id: str, proposed: Sequence[str]) -> bool:
        return await self._pass_on(session_id, dismissed=list(proposed))

    async def _pass_on(self, session_id: str, **wishes: Json) -> bool:
        run = await self._executed(session_id)
        if run is not None:
            await self._wish(run, "plan", **wishes)
        return run is not None

    async def _executed(self, session_id: str) -> RunRow | None:
        """The session's run if a process executes it, this one or another."""
        run = await self._store.current_run(session_id)
        return run if run and run.owner and not run.finished_at and run.status != "waiting_user" else None

    async def _in_progress(self, session_id: str) -> RunRow:
        run = await self._executed(session_id)
        if run is None:
            raise Conflict(sentence("run.none_in_progress"), code="no_run")
        return run

    async def _wish(self, run: RunRow, kind: str, **wishes: Json) -> int:
        """Store what a user asks of the run, then signal. Returns how many processes received the signal."""
        known = await self._store.wish(run.id, dict(wishes))
        return await self._signal(known, kind) if known else 0

    async def _signal(self, run: RunRow, kind: str) -> int:
        """Signal that the rows of the run have something new. A process looks by itself after a lost signal."""
        if run.owner is None:
            return 0
        signal = Signal.model_validate({"kind": kind, "session_id": run.session_id, "run_id": run.id})
        try:
            return await self._bus.signal(run.owner, signal)
        except Unavailable:
            return 1
