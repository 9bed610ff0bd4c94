"""Ends or begins runs that no process executes: after a start, and when another process is gone."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from server.database.models import InterruptRow
from server.events import now
from server.runs.events import to_interrupt
from server.runs.executor import Executor
from server.runs.recorder import RunRecorder
from server.store import Store
from server.stream.bus import EventBus

logger = logging.getLogger(__name__)


class Recovery:
    def __init__(
        self,
        store: Store,
        bus: EventBus,
        recorder: RunRecorder,
        executor: Executor,
        has_browser: Callable[[str], Awaitable[bool]] | None = None,
    ) -> None:
        """`has_browser`: whether the browser of a session has outlived the former process; unset: none has."""
        self._has_browser = has_browser
        self._store = store
        self._bus = bus
        self._recorder = recorder
        self._executor = executor
        self._dispatch = executor.dispatch

    async def recover(self) -> None:
        """After a start: keep questions open, continue runs whose browser is still there, end all others as interrupted."""
        await self._continue_orphans()
        await self.end_orphans()
        for run, question in await self._store.waiting_runs():
            renewed = await self._store.take_run(run.id, "waiting_user")
            if renewed:
                self._bus.open(run.session_id, run.id, renewed.epoch)
                self._bus.publish(run.session_id, renewed.epoch, [to_interrupt(question)])
                self._limit(question)

    async def _continue_orphans(self) -> None:
        """Continue runs from their last checkpoint, in the page where they were."""
        if self._has_browser is None:
            return
        for run in await self._store.orphaned_runs():
            if not run.attempt or not await self._has_browser(run.session_id):
                continue
            if taken := await self._store.requeue_run(run):
                logger.info("run %s is continued, its browser is still there", run.id)
                self._bus.open(taken.session_id, taken.id, taken.epoch)
                self._dispatch.submit(taken.id)

    def _limit(self, question: InterruptRow) -> None:
        """Set the remaining time to answer, at most the full timeout: the clock may have been set back."""
        if question.expires_at:
            whole = (question.expires_at - question.created_at).total_seconds()
            left = (question.expires_at - now()).total_seconds()
            self._recorder.expect_answer(question.reference, min(left, whole))

    async def maintain_runs(self) -> None:
        """Renew the leases of this process's runs, end orphaned runs, submit runs that were never begun."""
        before = list(self._executor.executions.values())
        ours = await self._store.keep_leases()
        for execution in before:
            if execution.run.id not in ours and not execution.ended.is_set():
                logger.info("run %s is executed by another server now", execution.run.id)
                execution.stop("interrupted")
        await self.end_orphans()
        await self.begin_forgotten()

    async def begin_forgotten(self) -> None:
        """Submit this process's committed runs that it has no record of: the reply to the commit was lost."""
        busy = self._dispatch.busy_sessions()
        for accepted in await self._store.unbegun_runs():
            run = accepted.run
            if run.session_id in busy | self._dispatch.busy_sessions() or self._recorder.is_lost(run.id):
                continue
            self._dispatch.submit_recovered(accepted)

    async def end_orphans(self) -> None:
        for ended in await self._recorder.end_orphans():
            self._dispatch.start_next(ended)
