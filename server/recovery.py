"""Runs that nobody executes any more: after a start, and when another process is gone."""

from __future__ import annotations

import logging

from server.bus import InProcessBus
from server.events import Error
from server.executor import Executor
from server.journal import Journal
from server.run_events import ENDINGS, interruption, to_interrupt
from server.store import Store

logger = logging.getLogger(__name__)


class Recovery:
    def __init__(self, store: Store, bus: InProcessBus, journal: Journal, executor: Executor) -> None:
        self._store = store
        self._bus = bus
        self._journal = journal
        self._executor = executor

    async def recover(self) -> None:
        """After a start: questions stay open, everything else that was under way is interrupted."""
        await self.end_orphans()
        for run, question in await self._store.waiting_runs():
            renewed = await self._store.take_run(run.id, "waiting_user")
            if renewed:
                self._bus.open(run.session_id, run.id, renewed.epoch)
                self._bus.publish(run.session_id, renewed.epoch, [to_interrupt(question)])

    async def end_orphans(self) -> None:
        """They end as interrupted; nothing is silently run again."""
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
            self._journal.announce(ended.session)
            self._executor.then_next(ended)
