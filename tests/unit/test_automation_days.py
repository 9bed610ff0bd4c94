"""Simulated days: each due time begins exactly one firing, or is reported as missed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from server.settings import Settings
from server.store import Store
from tests.support.automations import (
    Starter,
    SystemTime,
    add_automation,
    end_all,
    log_of,
    scheduler_on,
    simulate,
)
from tests.support.databases import open_store
from tests.support.migrated import create_migrated


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    create_migrated(tmp_path / "pilothouse.db")
    async with open_store(f"sqlite:///{tmp_path / 'pilothouse.db'}") as store:
        yield store


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
async def test_each_due_time_fires_once_or_is_told_as_missed(
    store: Store, settings: Settings, seed: int
) -> None:
    assert await simulate([store], settings, seed, 30) == 180


async def test_after_a_clock_that_was_ahead_each_due_time_begins_again(
    store: Store, settings: Settings
) -> None:
    begin = datetime.now(UTC).replace(minute=10, second=0, microsecond=0) + timedelta(hours=1)
    row = await add_automation(store, "DTSTART:20250101T000000\nRRULE:FREQ=HOURLY", "UTC", begin)
    time, starter = SystemTime(begin), Starter()
    scheduler = scheduler_on(store, settings, starter, time)
    await scheduler.look()
    for passed, jump in ((5, 125), (5, 0), (5, -125), *[(10, 0)] * 16):  # minutes
        time.passes(timedelta(minutes=passed), jump=timedelta(minutes=jump))
        await scheduler.look()
        await end_all(store, starter)
    log = reversed(await log_of(store, row.id))
    hours = [
        (firing.outcome, round((firing.slot - begin) / timedelta(hours=1), 1))
        for firing in log
        if firing.slot
    ]
    assert hours == [("missed", 0.8), ("completed", 1.8), ("completed", 2.8)]
