"""Background tasks of the server: leases, retention, the disk, warm-up."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Protocol

from server.agent.model_menu import ModelMenu
from server.browser.browsers import Browsers
from server.database import Database
from server.errors import AppError, Unavailable
from server.events import now
from server.files.screenshots import Screenshots
from server.files.sweeper import Sweeper
from server.runs.agents import AgentFactory
from server.runs.recovery import Recovery
from server.runs.retention import Retention
from server.settings import Settings
from server.store import Store

logger = logging.getLogger(__name__)

LEASE_RENEWAL_SECONDS = 15.0
TIDY_SECONDS = 3600.0
SETTLED_KEPT = timedelta(days=30)
"""Age at which a settled message to a channel is removed."""
FIRINGS_KEPT = timedelta(days=400)
"""Age at which a row of an automation's log is removed."""
NOTES_KEPT = timedelta(days=180)
"""Time without use after which a note about a site is removed."""
SWEEP_AFTER, SWEEP_SECONDS = 60.0, 86_400.0
QUIET_SECONDS = 2.0


Tasks = list[Coroutine[None, None, None]]


class MaintainedServer(Protocol):
    """The part of the runtime that maintenance uses."""

    settings: Settings
    database: Database
    store: Store
    screenshots: Screenshots
    browsers: Browsers
    agents: AgentFactory
    models: ModelMenu
    retention: Retention

    @property
    def current_settings(self) -> Settings: ...


async def _always() -> bool:
    return True


def housekeeping(
    server: MaintainedServer, clock: PlausibleClock, is_due: Callable[[], Awaitable[bool]] = _always
) -> Tasks:
    """Retention and the daily sweep. `is_due`: whether this process does what concerns all of them."""
    sweeper = Sweeper(server.settings, server.store, server.screenshots)
    return [_keep_tidy(server, clock, is_due), _keep_swept(server, sweeper, is_due)]


def preparation(server: MaintainedServer) -> Tasks:
    """What a process does that executes runs, so that no message waits for it."""
    return [_log_missing_programs(server.browsers), _warm_up(server)]


def sole_ownership(server: MaintainedServer, recovery: Recovery) -> Tasks:
    """What a process does that is alone on its database."""
    return [_keep_alive(recovery), _keep_safe(server)]


async def _log_missing_programs(browsers: Browsers) -> None:
    for text in await browsers.missing_programs():
        logger.warning("%s", text)


async def _warm_up(server: MaintainedServer) -> None:
    """Build the default agent in the background, so that neither start nor first message waits for it."""
    settings = server.current_settings
    with suppress(AppError):  # the first message reports the error
        await server.agents.warm_up(settings.default_agent, server.models.default)
    await asyncio.sleep(QUIET_SECONDS)  # messages that waited for the start come first
    gc.freeze()  # current objects are permanent: exclude them from garbage collection


async def _keep_tidy(
    server: MaintainedServer, clock: PlausibleClock, is_due: Callable[[], Awaitable[bool]]
) -> None:
    """Purge sessions that were not changed for more than RETENTION_DAYS days, and old messages and logs."""
    while True:
        if not await is_due():
            await asyncio.sleep(TIDY_SECONDS)
            continue
        if days := server.current_settings.retention_days:
            try:
                await remove_untouched(server, days, clock.now(now()))
            except AppError as error:
                logger.warning("sessions past RETENTION_DAYS are removed later: %s", error.detail)
        try:
            await server.store.forget_deliveries(SETTLED_KEPT)
            await server.store.forget_links()
            await server.store.forget_firings(FIRINGS_KEPT)
            await server.store.forget_notes(NOTES_KEPT)
        except AppError as error:
            logger.warning("settled messages and old logs are removed later: %s", error.detail)
        await asyncio.sleep(TIDY_SECONDS)


async def _keep_swept(
    server: MaintainedServer, sweeper: Sweeper, is_due: Callable[[], Awaitable[bool]]
) -> None:
    """Remove orphaned files and profiles, and check the database's file, SWEEP_AFTER seconds after the start and then once a day."""
    await asyncio.sleep(SWEEP_AFTER)
    while True:
        try:
            if await is_due():
                await sweeper.sweep()
                await server.browsers.sweep(server.store.known_sessions)
                await server.database.look_for_damage()
        except (Unavailable, OSError) as error:
            logger.warning("the daily sweep goes on later: %s", error)
        await asyncio.sleep(SWEEP_SECONDS)


class PlausibleClock:
    """A clock for retention: at most the newest stored change at the start, plus the time since then.

    If the machine starts with a date in the future, nothing is deleted because of it. The drawback: after the
    server was off for a long time, sessions are removed late.
    """

    def __init__(self, newest: datetime | None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._newest = newest
        self._monotonic = monotonic
        self._started = monotonic()

    def now(self, wall: datetime) -> datetime:
        """The time of the wall clock, `wall`, or the latest plausible time, whichever is earlier."""
        self._newest = self._newest or wall
        return min(wall, self._newest + timedelta(seconds=self._monotonic() - self._started))


async def remove_untouched(server: MaintainedServer, days: int, moment: datetime) -> None:
    expired = await server.store.sessions_untouched_since(moment - timedelta(days=days))
    for session_id in expired:
        logger.info("session %s was untouched for %d days and is removed", session_id, days)
    if expired:
        await server.retention.purge(expired)


async def _keep_safe(server: MaintainedServer) -> None:
    """Flush SQLite's write-ahead log and finish pending erasures; log failures."""
    while True:
        await asyncio.sleep(LEASE_RENEWAL_SECONDS)
        try:
            await server.database.flush()
            await server.retention.erase()
        except Unavailable as error:
            logger.error("what was kept last is not safe from a power cut: %s", error.detail)


async def _keep_alive(recovery: Recovery) -> None:
    while True:
        await asyncio.sleep(LEASE_RENEWAL_SECONDS)
        try:
            await recovery.maintain_runs()
        except Unavailable as error:
            logger.warning("leases not renewed: %s", error.detail)
        except Exception:  # continue after any error: expired leases would end every run
            logger.exception("leases not renewed")
