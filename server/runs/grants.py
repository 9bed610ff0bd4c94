"""The grants of a run in progress: read where the policy asks, counted in the database before an act begins."""

from __future__ import annotations

from collections.abc import Sequence

from server.errors import Conflict
from server.grants.coverage import GrantUse, HeldGrant
from server.runs.execution import Execution
from server.runs.recorder import RunRecorder, shielded
from server.store import Store, new_id


class RunGrants:
    def __init__(self, store: Store, recorder: RunRecorder, execution: Execution) -> None:
        self._store = store
        self._recorder = recorder
        self._execution = execution

    async def held(self) -> Sequence[HeldGrant]:
        return await self._recorder.with_retry(lambda _: self._store.held_grants(self._execution.run))

    async def use(self, uses: Sequence[GrantUse], act: str) -> bool:
        run, key = self._execution.run, new_id()
        counting = self._recorder.with_retry(
            lambda again: self._store.use_grants(run, uses, act, key, again=again)
        )
        try:
            return await shielded(counting)
        except Conflict:
            return False
