"""Simulated days: each due time begins exactly one firing, or is told as missed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from server.settings import Settings
from server.store import Store
from tests.support.automations import (
    ZONES,
    Starter,
    accounted,
    add_automation,
    end_all,
    log_of,
    scheduler_at,
)
from tests.support.databases import create_migrated, open_store

RULES = (
    "FREQ=DAILY;BYHOUR=2;BYMINUTE=30", "FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,30", "FREQ=HOURLY;INTERVAL=7",
    "FREQ=WEEKLY;BYDAY=MO,WE,SU;BYHOUR=0,2;BYMINUTE=15", "FREQ=MONTHLY;BYMONTHDAY=-1,1", "FREQ=MINUTELY;INTERVAL=95",
)  # fmt: skip
CHANGES = ((2026, 3, 5), (2026, 3, 25), (2026, 4, 2), (2026, 9, 30), (2026, 10, 22), (2026, 10, 30))
"""Days shortly before clocks change somewhere."""
STEPS = (
    timedelta(seconds=1), timedelta(minutes=4), timedelta(minutes=6), timedelta(hours=1), timedelta(hours=9),
    timedelta(days=1, hours=3), timedelta(days=3), timedelta(hours=-2), timedelta(days=-2),
)  # fmt: skip


async def simulate(store: Store, settings: Settings, seed: int, days: int) -> int:
    """One automation for each zone, over `days` of a clock that goes on, jumps, and at which servers restart.

    Returns the number of simulated days.
    """
    random = Random(seed)
    made = datetime(*random.choice(CHANGES), random.randrange(24), tzinfo=UTC)
    clock = latest = made
    rows = [
        await add_automation(
            store, f"DTSTART:20250101T010000\nRRULE:{random.choice(RULES)}", zone, made,
            missed=random.choice(("once", "skip")), overlap=random.choice(("skip", "queue")),
        )
        for zone in ZONES
    ]  # fmt: skip
    starter = Starter()
    while latest < made + timedelta(days=days):
        clock += random.choice(STEPS)
        latest = max(latest, clock)
        for _ in range(random.choice((1, 1, 2))):  # a second server, or the same one after a restart
            await scheduler_at(store, settings, starter, clock).look()
        if random.random() < 0.7:  # else its runs have not ended when the next ones are due
            await end_all(store, starter)
    for row in rows:
        accounted(row, await log_of(store, row.id), made, latest)
    await store.remove_automations()
    return days * len(rows)


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
    assert await simulate(store, settings, seed, 30) == 180
