"""What goes on beside everything else for as long as the server runs."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from server.errors import AppError, Unavailable
from server.events import now
from server.files.sweeper import Sweeper
from server.runs.recovery import Recovery

if TYPE_CHECKING:
    from server.runtime import Runtime

logger = logging.getLogger(__name__)

LEASE_BEAT = 15.0
TIDY_SECONDS = 3600.0
SWEEP_AFTER, SWEEP_SECONDS = 60.0, 86_400.0
QUIET_SECONDS = 2.0


def chores_of(
    runtime: Runtime, recovery: Recovery, clock: PlausibleClock
) -> list[Coroutine[None, None, None]]:
    return [
        _warm_up(runtime),
        _keep_alive(recovery),
        _keep_safe(runtime),
        _keep_tidy(runtime, clock),
        _keep_swept(Sweeper(runtime.settings, runtime.store, runtime.screenshots)),
    ]


async def _warm_up(runtime: Runtime) -> None:
    """Beside the start, so that neither it nor the first message waits."""
    settings = runtime.current_settings
    with suppress(AppError):  # the first message will tell what is missing
        await runtime.agents.warm_up(settings.default_agent, runtime.default_model)
    await asyncio.sleep(QUIET_SECONDS)  # a message that waits for the start to be over comes first
    gc.freeze()  # what lives now lives for good: the collector need not look at it again


async def _keep_tidy(runtime: Runtime, clock: PlausibleClock) -> None:
    """Remove sessions that were untouched for longer than RETENTION_DAYS."""
    while True:
        if days := runtime.current_settings.retention_days:
            try:
                await remove_untouched(runtime, days, clock.now(now()))
            except AppError as error:
                logger.warning("sessions past RETENTION_DAYS are removed later: %s", error.detail)
        await asyncio.sleep(TIDY_SECONDS)


async def _keep_swept(sweeper: Sweeper) -> None:
    """Remove files that belong to no session, some time after the start and then once a day."""
    await asyncio.sleep(SWEEP_AFTER)
    while True:
        try:
            await sweeper.sweep()
        except (Unavailable, OSError) as error:
            logger.warning("files that belong to no session are removed later: %s", error)
        await asyncio.sleep(SWEEP_SECONDS)


class PlausibleClock:
    """A clock for deleting: never later than the newest stored change at the start plus the time since then.

    A machine that starts with a wrong date in the future must not delete what it will need once the date is right.
    The price: after a long time switched off, sessions are removed late.
    """

    def __init__(self, newest: datetime | None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._newest = newest
        self._monotonic = monotonic
        self._started = monotonic()

    def now(self, wall: datetime) -> datetime:
        """The wall clock's time `wall`, or the latest time that can be true, whichever is earlier."""
        self._newest = self._newest or wall
        return min(wall, self._newest + timedelta(seconds=self._monotonic() - self._started))


async def remove_untouched(runtime: Runtime, days: int, moment: datetime) -> None:
    doomed = await runtime.store.sessions_untouched_since(moment - timedelta(days=days))
    for session_id in doomed:
        logger.info("session %s was untouched for %d days and is removed", session_id, days)
    if doomed:
        await runtime.purge(doomed)


async def _keep_safe(runtime: Runtime) -> None:
    """Write SQLite's log back into its file, and finish erasing; where that fails the log says so."""
    while True:
        await asyncio.sleep(LEASE_BEAT)
        try:
            await runtime.database.flush()
            await runtime.erase()
        except Unavailable as error:
            logger.error("what was kept last is not safe from a power cut: %s", error.detail)


async def _keep_alive(recovery: Recovery) -> None:
    while True:
        await asyncio.sleep(LEASE_BEAT)
        try:
            await recovery.see_to_runs()
        except Unavailable as error:
            logger.warning("leases not renewed: %s", error.detail)
        except Exception:  # whatever it was, leases that lapse would end every run
            logger.exception("leases not renewed")
