"""Automations on both databases: several servers look at the same time."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from server.errors import TooMany
from server.settings import Settings
from server.store.automations import CALL_SECONDS, MAX_HOOK_CALLS
from tests.support.automations import Starter, accounted, add_automation, end_all, log_of, scheduler_at
from tests.support.databases import open_store

MADE = datetime(2026, 3, 27, 12, tzinfo=UTC)


async def test_servers_that_look_at_the_same_time_fire_each_due_time_once(
    database_url: str, settings: Settings
) -> None:
    async with open_store(database_url, "one:1:a") as one, open_store(database_url, "two:2:b") as two:
        rows = [
            await add_automation(
                one, "DTSTART:20260101T003000\nRRULE:FREQ=HOURLY;INTERVAL=2", zone, MADE, session_mode=mode
            )
            for zone, mode in (("Europe/Berlin", "same"), ("America/New_York", "new"))
        ]
        starters = Starter(), Starter()
        clock = MADE
        for hours in (1, 2, 2, 9, 2, 1, 30, 2, 2):
            clock += timedelta(hours=hours)
            looks = [
                scheduler_at(store, settings, starter, clock).look()
                for store, starter in zip((one, two, one), (*starters, starters[0]), strict=True)
            ]
            await asyncio.gather(*looks)
            for store, starter in zip((one, two), starters, strict=True):
                await end_all(store, starter)
        for row in rows:
            log = await log_of(one, row.id)
            accounted(row, log, MADE, clock)
            assert {firing.outcome for firing in log} == {"completed", "missed"}


async def test_a_firing_and_the_end_of_the_run_before_do_not_lock_each_other(
    database_url: str, settings: Settings
) -> None:
    async with open_store(database_url, "one:1:a") as one, open_store(database_url, "two:2:b") as two:
        row = await add_automation(
            one, "DTSTART:20260101T000000\nRRULE:FREQ=HOURLY", "UTC", MADE, overlap="queue"
        )
        starters = Starter(), Starter()
        clock = MADE
        for _ in range(20):
            clock += timedelta(hours=1)
            await asyncio.gather(
                scheduler_at(one, settings, starters[0], clock).look(),
                scheduler_at(two, settings, starters[1], clock).look(),
                end_all(two, starters[0]),
                end_all(one, starters[1]),
            )
        accounted(row, await log_of(one, row.id), MADE, clock)


async def test_a_webhook_is_limited_at_all_servers_together(database_url: str, settings: Settings) -> None:
    async with open_store(database_url, "one:1:a") as one, open_store(database_url, "two:2:b") as two:
        row = await add_automation(one, "DTSTART:20260101T000000\nRRULE:FREQ=DAILY", "UTC", MADE)
        stores, starter = (one, two), Starter()
        for number in range(MAX_HOOK_CALLS):
            at = scheduler_at(stores[number % 2], settings, starter, MADE + timedelta(seconds=number))
            await at.fire_now(row.id, "hook")
        later = MADE + timedelta(seconds=MAX_HOOK_CALLS)
        for store in stores:
            with pytest.raises(TooMany) as refused:
                await scheduler_at(store, settings, starter, later).fire_now(row.id, "hook")
            assert refused.value.retry_after == CALL_SECONDS - MAX_HOOK_CALLS
        await scheduler_at(one, settings, starter, later).fire_now(row.id, "hand")
        free = MADE + timedelta(seconds=CALL_SECONDS)
        await scheduler_at(two, settings, starter, free).fire_now(row.id, "hook")
        with pytest.raises(TooMany):
            await scheduler_at(one, settings, starter, free).fire_now(row.id, "hook")
