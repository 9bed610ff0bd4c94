"""What goes on beside everything else for as long as the server runs."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Coroutine
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from server.database import Database
from server.errors import AppError, Unavailable
from server.events import now
from server.recovery import Recovery
from server.store import Store

if TYPE_CHECKING:
    from server.runtime import Runtime

logger = logging.getLogger(__name__)

LEASE_BEAT = 15.0
TIDY_SECONDS = 3600.0
QUIET_SECONDS = 2.0


def chores_of(runtime: Runtime, recovery: Recovery) -> list[Coroutine[None, None, None]]:
    return [
        _warm_up(runtime),
        _keep_alive(recovery, runtime.store),
        _keep_safe(runtime.database),
        _keep_tidy(runtime),
    ]


async def _warm_up(runtime: Runtime) -> None:
    """Beside the start, so that neither it nor the first message waits."""
    settings = runtime.current_settings
    with suppress(AppError):  # the first message will tell what is missing
        await runtime.agents.warm_up(settings.default_agent, runtime.default_model)
    await asyncio.sleep(QUIET_SECONDS)  # a message that waits for the start to be over comes first
    gc.freeze()  # what lives now lives for good: the collector need not look at it again


async def _keep_tidy(runtime: Runtime) -> None:
    """Remove sessions that were untouched for longer than the person wants to keep them."""
    while True:
        if days := runtime.current_settings.retention_days:
            try:
                await _remove_untouched(runtime, days)
            except AppError as error:
                logger.warning("sessions past RETENTION_DAYS are removed later: %s", error.detail)
        await asyncio.sleep(TIDY_SECONDS)


async def _remove_untouched(runtime: Runtime, days: int) -> None:
    doomed = await runtime.store.sessions_untouched_since(now() - timedelta(days=days))
    for session_id in doomed:
        logger.info("session %s was untouched for %d days and is removed", session_id, days)
    if doomed:
        await runtime.purge(doomed)


async def _keep_safe(database: Database) -> None:
    """What was confirmed is brought to the disk soon, and where that fails the log says so."""
    while True:
        await asyncio.sleep(LEASE_BEAT)
        try:
            await database.flush()
        except Unavailable as error:
            logger.error("what was kept last is not safe from a power cut: %s", error.detail)


async def _keep_alive(recovery: Recovery, store: Store) -> None:
    """Keep this process's leases, and end the runs of processes that are gone."""
    while True:
        await asyncio.sleep(LEASE_BEAT)
        try:
            await store.keep_leases()
            await recovery.end_orphans()
        except Unavailable as error:
            logger.warning("leases not renewed: %s", error.detail)
        except Exception:  # whatever it was, leases that lapse would end every run
            logger.exception("leases not renewed")
