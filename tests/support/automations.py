"""Automations on a store, without a server: a starter that ends each run at once, and schedules to be simulated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
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


@dataclass
class Starter:
    """Keeps the runs that it is to start."""

    is_draining: bool = False
    started: list[AcceptedMessage] = field(default_factory=list)

    @contextmanager
    def expecting(self, session_id: str) -> Iterator[None]:
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
    """Each due time after `made` up to `until` has one firing, or is one of those that were told as missed."""
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
