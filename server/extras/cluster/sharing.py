"""Several processes: what one reports to the others, and what it does to the runs that it executes for them.

What a user asks of a run is a row first. The signal to the process that executes it says "look"; without it, that
looks every WISHES_POLL_SECONDS.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from server.browser.browsers import Browsers
from server.clock import elapsed
from server.errors import AppError, Unavailable
from server.events import with_plan
from server.extras.cluster.signals import Signal, Signals
from server.ops.json_types import Json
from server.runs.executed import OwnRuns
from server.runs.execution import Execution
from server.runs.executor import Executor
from server.settings import Settings
from server.store import Store, Wishes

logger = logging.getLogger(__name__)

WISHES_POLL_SECONDS = 2.0
"""Between two looks for wishes of users whose signal was lost."""
RENEWALS_PER_LEASE = 4
"""Renewals within a lease."""
CHECK_SECONDS = 3.0
"""Between two looks for runs without a job."""


class SharedRuns:
    """This process among several: reports that it lives, renews its leases, follows wishes of users."""

    def __init__(
        self,
        settings: Settings,
        store: Store,
        signals: Signals,
        executor: Executor,
        own: OwnRuns,
        browsers: Browsers,
        reload: Callable[[], Awaitable[None]],
    ) -> None:
        """`own` are the runs of this process. `reload` reads the settings again that users change while the server runs."""
        self._settings = settings
        self._store = store
        self._signals = signals
        self._executor = executor
        self._own = own
        self._browsers = browsers
        self._reload = reload
        self._look = asyncio.Event()
        self._is_leaving = False

    @property
    def _executions(self) -> list[Execution]:
        return list(self._executor.executions.values())

    async def begin(self) -> None:
        """Become known to the other processes. Raises Unavailable."""
        await self._report_alive()

    async def end(self) -> None:
        with suppress(Unavailable):
            await self._store.forget_process()

    async def announce_drain(self) -> None:
        """Let other processes be preferred from now on."""
        self._is_leaving = True
        await _logged("the end of this process is not announced", self._report_alive())

    async def keep_alive(self) -> None:
        """Report that this process lives, and renew its leases, until cancelled."""
        while True:
            await asyncio.sleep(self._settings.run_lease / RENEWALS_PER_LEASE / 2)
            await _logged("leases are not renewed", self.renew())
            await asyncio.sleep(self._settings.run_lease / RENEWALS_PER_LEASE / 2)
            await _logged("leases are not renewed", self.renew())
            await _logged("this process is not announced", self._report_alive())

    async def renew(self) -> None:
        """Renew the leases of the runs executed here; stop those that another process has taken. Raises Unavailable."""
        executed, began = self._executions, elapsed()
        if not executed:
            return
        ours = await self._store.keep_leases([execution.run.id for execution in executed])
        for execution in executed:
            if ours.get(execution.run.id) == execution.run.epoch:
                execution.lease.renew(began)
            elif not execution.is_over:
                logger.info("run %s is executed by another process now", execution.run.id)
                execution.stop("interrupted")

    async def _report_alive(self) -> None:
        await self._store.report_alive(
            role=self._settings.role, address=self._settings.own_address, runs=len(self._executions),
            browsers=len(self._browsers.opened()), is_draining=self._is_leaving,
        )  # fmt: skip

    async def is_oldest(self) -> bool:
        """Whether this is the live process that started first; False while the database does not answer."""
        try:
            live = await self._store.live_processes()
        except Unavailable:
            return False
        return bool(live) and live[0].name == self._store.owner

    # Wishes of users

    async def follow_signals(self) -> None:
        async for signal in self._signals.signals(self._store.owner):
            self._take(signal)

    def _take(self, signal: Signal) -> None:
        if signal.session_id in self._executor.executions:
            self._look.set()

    async def follow_wishes(self) -> None:
        """Do what users ask of the runs executed here, until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(WISHES_POLL_SECONDS):
                    await self._look.wait()
            self._look.clear()
            await _logged("wishes of users are followed later", self.look())

    async def look(self) -> None:
        executed = self._executions
        if not executed:
            return
        found = await self._store.wishes([one.run.id for one in executed])
        for execution in executed:
            if (wishes := found.get(execution.run.id)) and not execution.is_over:
                await _logged("a wish is not followed", self._follow(execution, wishes))

    async def _follow(self, execution: Execution, wishes: Wishes) -> None:
        session_id = execution.run.session_id
        if wishes.cancel:
            execution.stop("cancelled")
            return
        for message in wishes.messages:
            execution.steer(message)
        if wishes.plan is not None or wishes.dismissed is not None:
            await self._take_plan(execution)
        if wishes.resume:
            await self._store.take_wishes(execution.run, ("resume",))
            await self._own.resume(session_id)
        elif wishes.pause != execution.has_own_pause:
            await (self._own.pause if wishes.pause else self._own.resume)(session_id)

    async def _take_plan(self, execution: Execution) -> None:
        taken: Mapping[str, Json] = await self._store.take_wishes(execution.run, ("plan", "dismissed"))
        plan, dismissed = taken.get("plan"), taken.get("dismissed")
        if isinstance(plan, list):
            items = [str(item) for item in plan]
            execution.edit_plan(items)
            if execution.state:
                execution.publish(with_plan(execution.state, items))
        if isinstance(dismissed, list):
            execution.dismiss_plan([str(item) for item in dismissed])

    # Housekeeping

    async def keep_consistent(self) -> None:
        """Add jobs that were lost, close browsers of deleted sessions, read changed settings, until cancelled."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            await _logged("settings are read later", self._reload())
            if self._settings.role != "web":
                await _logged("lost runs are requeued later", self._requeue_lost_runs())
                await _logged("browsers are closed later", self._close_browsers())

    async def _requeue_lost_runs(self) -> None:
        for run_id in await self._store.requeue_lost_runs():
            logger.warning("run %s had no job; it has one again", run_id)

    async def _close_browsers(self) -> None:
        """Close the browsers of sessions that are gone, or whose browser another process has."""
        known = set(self._browsers.opened()) - set(self._executor.executions)
        for session_id in await self._store.gone_sessions(known) if known else ():
            logger.info("session %s: its browser is closed here", session_id)
            await self._browsers.leave(session_id)


async def _logged(what: str, work: Awaitable[object]) -> None:
    try:
        await work
    except AppError as error:
        logger.warning("%s: %s", what, error.detail)
    except Exception:  # one failure must not end what keeps all runs of this process alive
        logger.exception("%s", what)
