"""LangGraph's own checks of a saver on ours, in SQLite: between two runs, and in a run with each durability.

    python -m bench.world.foreign.checkpoints SITE_PACKAGES

Prints `{"held": number, "missed": [names]}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from server.checkpoints import Checkpoints, DatabaseTables, Durability, OpenThread
from tests.support.databases import open_database
from tests.support.migrated import create_migrated

MODES: tuple[Durability | None, ...] = (None, "sync", "async", "exit")


class InRun(Checkpoints):
    """Each thread belongs to a run from its first use, as if a graph ran on it."""

    def __init__(self, tables: DatabaseTables, durability: Durability) -> None:
        super().__init__(tables)
        self._durability = durability
        self._threads: dict[str, OpenThread] = {}

    async def _within(self, config: RunnableConfig) -> RunnableConfig:
        name = str(config["configurable"]["thread_id"])
        if name not in self._threads:
            self._threads[name] = await self.open(name, 1, self._durability)
        return {**config, "configurable": {**config["configurable"], "epoch": 1}}

    async def aput(self, config: RunnableConfig, *given: Any) -> RunnableConfig:
        return await super().aput(await self._within(config), *given)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, object]], *given: Any, **named: Any
    ) -> None:
        await super().aput_writes(await self._within(config), writes, *given, **named)

    async def adelete_thread(self, thread_id: str) -> None:
        self._threads.pop(thread_id, None)
        await super().adelete_thread(thread_id)


async def check(url: str, mode: Durability | None) -> tuple[int, set[str]]:
    from langgraph.checkpoint.conformance import checkpointer_test, validate
    from langgraph.checkpoint.conformance.report import ProgressCallbacks

    held, missed = 0, set[str]()

    def note(capability: str, name: str, passed: bool, error: str | None) -> None:
        nonlocal held
        held += passed
        if not passed:
            missed.add(name.removeprefix("test_"))

    async def savers() -> AsyncIterator[Checkpoints]:
        async with open_database(url) as database:
            saver = InRun(DatabaseTables(database), mode) if mode else Checkpoints(DatabaseTables(database))
            yield saver
            await saver.aclose()

    registered = checkpointer_test(name=f"ours {mode}")(savers)
    await validate(registered, progress=ProgressCallbacks(on_test_result=note))
    return held, missed


def main() -> None:
    sys.path.append(sys.argv[1])  # behind our own packages
    held, missed = 0, set[str]()
    for mode in MODES:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pilothouse.db"
            create_migrated(file)
            count, names = asyncio.run(check(f"sqlite:///{file}", mode))
            held, missed = held + count, missed | names
    print(json.dumps({"held": held, "missed": sorted(missed)}))


if __name__ == "__main__":
    main()
