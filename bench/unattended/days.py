"""Days of schedules over six zones: each due time begins one firing, or is reported as missed.

    python -m bench.unattended.days [--days 10000] [--postgresql]

The clock advances, jumps over changes of summer time and back, servers restart, runs last longer than until the next due
time. With PostgreSQL two processes' stores look at the same time.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

from server.database.migrate import migrate
from server.settings import Settings
from tests.support.automations import ZONES, simulate
from tests.support.databases import open_store
from tests.support.migrated import create_migrated
from tests.support.postgres import postgres_cluster

DAYS_AT_ONCE = 30


async def count(urls: list[str], days: int, folder: Path) -> int:
    """Raises AssertionError for a due time that was begun twice, or neither begun nor reported."""
    settings = Settings.model_validate({"agent_mode": "mock", "data_dir": folder})
    async with AsyncExitStack() as stack:
        stores = [
            await stack.enter_async_context(open_store(url, f"bench:{number}:a"))
            for number, url in enumerate(urls)
        ]
        seed = done = 0
        while done < days:
            done += await simulate(stores, settings, seed, DAYS_AT_ONCE)
            seed += 1
        return done


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=10_000)
    parser.add_argument("--postgresql", action="store_true")
    options = parser.parse_args()
    began = time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if options.postgresql:
            cluster = stack.enter_context(postgres_cluster())
            urls = [cluster.url(cluster.create_database())] * 2
            migrate(urls[0])
        else:
            create_migrated(folder / "pilothouse.db")
            urls = [f"sqlite:///{folder / 'pilothouse.db'}"]
        days = asyncio.run(count(urls, options.days, folder))
    print(
        f"{days} days of automations in {len(ZONES)} zones, {time.monotonic() - began:.0f} s, {len(urls)} at once"
    )
    print("each due time begun once or told as missed: ok")


if __name__ == "__main__":
    main()
