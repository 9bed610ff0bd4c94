"""Ends or begins runs that no process executes: after a start, and when another process is gone."""

from __future__ import annotations

import logging

from server.database.models import InterruptRow
from server.events import Error, now
from server.runs.events import ENDINGS, interruption, to_interrupt
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.store import Store
from server.stream.bus import InProcessBus

logger = logging.getLogger(__name__)


class Recovery:
    def __init__(self, store: Store, bus: InProcessBus, recorder: RunRecorder, executor: Executor) -> None:
        self._store = store
        self._bus = bus
        self._recorder = recorder
        self._executor = executor

    async def recover(self) -> None:
        """After a start: keep questions open, end all other unfinished runs as interrupted."""
        await self.end_orphans()
        for run, question in await self._store.waiting_runs():
            renewed = await self._store.take_run(run.id, "waiting_user")
            if renewed:
                self._bus.open(run.session_id, run.id, renewed.epoch)
                self._bus.publish(run.session_id, renewed.epoch, [to_interrupt(question)])
                self._limit(question)

    def _limit(self, question: InterruptRow) -> None:
        """Set the remaining time to answer, at most the full timeout: the clock may have been set back."""
        if question.expires_at:
            whole = (question.expires_at - question.created_at).total_seconds()
            left = (question.expires_at - now()).total_seconds()
            self._recorder.expect_answer(question.reference, min(left, whole))

    async def see_to_runs(self) -> None:
        """Renew the leases of this process's runs, end orphaned runs, submit runs that were never begun."""
        before = list(self._executor.executions.values())
        ours = await self._store.keep_leases()
        self._executor.stop_lost(before, ours)
        await self.end_orphans()
        await self.begin_forgotten()

    async def begin_forgotten(self) -> None:
        """Submit this process's committed runs that it has no record of: the reply to the commit was lost."""
        busy = self._executor.busy_sessions()
        for accepted in await self._store.unbegun_runs():
            run = accepted.run
            if run.session_id in busy | self._executor.busy_sessions() or run.id in self._executor.lost:
                continue
            self._executor.adopt(accepted)

    async def end_orphans(self) -> None:
        """End orphaned runs as interrupted; no run is repeated without the user."""
        lost = self._executor.lost
        for run in await self._store.orphaned_runs(lost):
            is_lost = run.id in lost
            code = "db_unavailable" if is_lost else "server_restart"
            text = ENDINGS[code] if is_lost else interruption(run.doing)
            logger.warning("run %s is interrupted: %s", run.id, text)
            ended = await self._store.finish_run(
                run.id, "interrupted", epoch=run.epoch, error_code=code, error=text, then_next=is_lost
            )
            lost.discard(run.id)
            if ended is None:
                continue
            if self._bus.run_of(run.session_id) == run.id:
                self._bus.publish(run.session_id, None, [Error(code=code, message=text)])
            self._recorder.announce(ended.session)
            self._executor.then_next(ended)
