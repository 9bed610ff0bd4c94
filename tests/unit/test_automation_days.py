"""Simulated days: each due time begins exactly one firing, or is reported as missed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.settings import Settings
from server.store import Store
from tests.support.automations import simulate
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
