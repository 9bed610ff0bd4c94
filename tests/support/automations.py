"""Automations on a store, without a server: a starter that ends each run at once, and schedules to be simulated."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from server.automations.rules import read_rule
from server.automations.scheduler import Scheduler
from server.database.models import AutomationRow, FiringRow
from server.runs.recorder import RunRecorder
from server.settings import Settings
from server.store import AcceptedMessage, FinishedRun, Store
from server.stream.bus import InProcessBus

ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "America/Sao_Paulo",
)

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


@dataclass
class Starter:
    """Keeps the runs that it is to start."""

    is_draining: bool = False
    started: list[AcceptedMessage] = field(default_factory=list)

    @contextmanager
    def submitting(self, session_id: str) -> Iterator[None]:
        yield

    def start(self, accepted: AcceptedMessage) -> None:
        self.started.append(accepted)

    def start_next(self, ended: FinishedRun | None) -> None: ...


async def no_state(session_id: str) -> None:
    return None


async def no_purge(session_ids: Sequence[str]) -> None: ...


def scheduler_at(store: Store, settings: Settings, starter: Starter, moment: datetime) -> Scheduler:
    recorder = RunRecorder(settings, store, InProcessBus())
    return Scheduler(store, starter, recorder, no_state, no_purge, clock=lambda: moment)


@dataclass
class SystemTime:
    """A wall clock that can be set, and the time that really passes."""

    now: datetime
    elapsed: float = 0

    def passes(self, real: timedelta, *, jump: timedelta = timedelta()) -> None:
        self.now += real + jump
        self.elapsed += real.total_seconds()


def scheduler_on(store: Store, settings: Settings, starter: Starter, time: SystemTime) -> Scheduler:
    recorder = RunRecorder(settings, store, InProcessBus())
    return Scheduler(
        store, starter, recorder, no_state, no_purge, clock=lambda: time.now, steady=lambda: time.elapsed
    )


async def end_all(store: Store, starter: Starter) -> None:
    """End the runs that were started."""
    while starter.started:
        await store.finish_run(starter.started.pop().run.id, "completed", answer="done")


async def add_automation(store: Store, rule: str, zone: str, made: datetime, **values: Any) -> AutomationRow:
    known = {
        "name": zone, "task": "look", "agent": "operator", "model": "m", "max_tool_steps": 10, "start_url": None,
        "rule": rule, "zone": zone, "next_at": read_rule(rule, zone).next_after(made), "enabled": True,
        "paused_by": None, "overlap": "skip", "missed": "once", "patience": 3600, "session_mode": "same", "keep": 10,
        "session_id": None, "budget": None, "hook": None, "created_from": None,
    }  # fmt: skip
    return await store.add_automation(200, **(known | values))


async def log_of(store: Store, automation_id: str) -> list[FiringRow]:
    rows, cursor = await store.firings(automation_id, limit=200)
    while cursor:
        more, cursor = await store.firings(automation_id, limit=200, cursor=cursor)
        rows += more
    return rows


def accounted(row: AutomationRow, log: Sequence[FiringRow], made: datetime, until: datetime) -> None:
    """Each due time after `made` up to `until` has one firing, or is one of those that were reported as missed."""
    assert row.rule
    due = list(read_rule(row.rule, row.zone).between(made, until))
    seen: list[datetime] = []
    for firing in log:
        assert firing.slot
        times = [firing.slot]
        if firing.outcome == "missed":
            assert firing.until
            times = [moment for moment in due if firing.slot <= moment <= firing.until]
            assert len(times) == firing.count
        seen += times
    assert sorted(seen) == due


async def simulate(stores: Sequence[Store], settings: Settings, seed: int, days: int) -> int:
    """One automation for each zone, over `days` of a clock that runs and jumps while servers restart.

    All `stores` look at the same time, as processes do. Returns the number of simulated days.
    """
    random, store = Random(seed), stores[0]
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
        for _ in range(random.choice((1, 1, 2))):  # a second time, as after a restart
            looks = [scheduler_at(one, settings, starter, clock).look() for one in stores]
            await asyncio.gather(*looks)
        if random.random() < 0.7:  # else its runs have not ended when the next ones are due
            await end_all(store, starter)
    for row in rows:
        accounted(row, await log_of(store, row.id), made, latest)
    await store.remove_automations()
    return days * len(rows)
