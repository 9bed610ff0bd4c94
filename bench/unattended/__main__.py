"""Unattended runs of automations: what was done without a yes, what was lost, what did not end.

    python -m bench.unattended [--runs 1000] [--seed 1]

Mock mode with a moved clock: the model tries an order at every step, up to three in a run; a third of the runs ask before they
start. The server is killed and restarted in between; questions are answered yes, no, twice at once, later or never.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from server.automations.scheduler import Scheduler
from server.runs.recorder import RunRecorder
from tests.support.invariants import check_rows
from tests.support.migrated import create_migrated
from tests.support.service import PATIENCE, Service

AUTOMATIONS = 20
RULE = f"DTSTART:{datetime.now(UTC) - timedelta(days=1):%Y%m%d}T080000\nRRULE:FREQ=YEARLY"
"""Its own next time is far away: the bench says when it is due."""
HOURS = 2
"""For which a question waits for an answer."""


@dataclass
class Tally:
    """What was seen from outside, in addition to what the database says."""

    allowed: Counter[str] = field(default_factory=Counter)
    """By session: orders that the person has allowed, counted when the yes was sent."""
    done: dict[str, int] = field(default_factory=dict)
    """By session: orders that were placed."""
    answers: Counter[str] = field(default_factory=Counter)
    kills: int = 0
    restarts: int = 0

    @property
    def unallowed(self) -> int:
        return sum(max(count - self.allowed[session], 0) for session, count in self.done.items())


class Simulation:
    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.file = folder / "pilothouse.db"
        create_migrated(self.file)
        self.service = Service(folder)
        self.tally = Tally()
        self.faults: dict[str, int] = {}
        """What went wrong, by what: all zero."""
        self.ends: dict[str, int] = {}

    def run(self, runs: int) -> None:
        self.service.do(self._add())
        while self._count("firings") < runs:
            self._make_due()
            self.service.do(self._look(datetime.now(UTC)))
            self._disturb()
            for _ in range(8):  # the last questions get no answer
                self.service.do(self._rest())
                if not self.service.do(self._answer()):
                    break
                self._disturb()
            self.service.do(self._rest())
            self.service.do(self._look(datetime.now(UTC) + timedelta(hours=HOURS + 1)))
            self.service.do(self._rest())
        self.service.do(self._note_effects())

    async def _add(self) -> None:
        for number in range(AUTOMATIONS):
            body = {
                "name": f"Kettle {number}", "task": "shop for a kettle again and again", "rule": RULE, "session_mode": "new", "keep": 100,
                "patience": HOURS * 3600, "ask_first": number % 3 == 0, "agent": "assistant" if number % 4 == 1 else "operator",
            }  # fmt: skip
            answer = await self.service.client.post("/api/automations", json=body)
            answer.raise_for_status()

    def _make_due(self) -> None:
        """The clock moves to when they are due: the database has what it would have then."""
        with closing(sqlite3.connect(self.file, timeout=30)) as db:
            db.execute("UPDATE automations SET next_at = ?", (f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}",))
            db.commit()

    async def _look(self, moment: datetime) -> None:
        world = self.service.world
        recorder = RunRecorder(world.settings, world.store, world.bus)
        parts = world.store, world.executor.dispatch, recorder, world.agents.read_state, world.retention.purge
        await Scheduler(*parts, clock=lambda: moment).look()

    def _disturb(self) -> None:
        """Kill the server, restart it, or leave it, some time after what was begun."""
        self.service.do(asyncio.sleep(self.random.random()))
        choice = self.random.random()
        if choice > 0.5:
            return
        self.service.do(self._note_effects())
        if choice < 0.25:
            self.service.kill()
            self.tally.kills += 1
        else:
            self.service.close()
            self.tally.restarts += 1
        self._take_down()
        self.service.open()

    def _take_down(self) -> None:
        """What the browsers did until they were closed."""
        for session, browsers in self.service._browsers.items():
            self.tally.done[session] = sum(one.log.count("click Place order") for one in browsers)

    async def _note_effects(self) -> None:
        for session in self.service.world.browsers.opened():
            self.tally.done[session] = await self.service.effects(session)

    async def _rest(self) -> None:
        """Until each run waits for the person, or has ended. What a killed server left is taken up by then."""
        end = time.monotonic() + PATIENCE * 5
        while self._value("SELECT count(*) FROM runs WHERE status IN ('queued', 'running', 'paused')"):
            assert time.monotonic() < end, "runs neither wait nor end"
            await asyncio.sleep(0.05)
        await self._note_effects()

    async def _answer(self) -> int:
        """Answer open questions as a person does; return how many were answered."""
        questions = (await self.service.client.get("/api/questions", params={"limit": 200})).json()["items"]
        return sum([await self._answer_one(question) for question in questions])

    async def _answer_one(self, question: dict[str, Any]) -> int:
        session, reference = question["session_id"], question["reference"]
        path = f"/api/sessions/{session}/decision"
        choice = self.random.choice(("yes", "twice", "no", "later", "never", "never"))
        self.tally.answers[choice] += 1
        if choice == "never":
            return 0
        if choice == "later":
            body = {"until": (datetime.now(UTC) + timedelta(hours=1)).isoformat()}
            await self.service.client.post(f"/api/sessions/{session}/questions/{reference}/later", json=body)
            return 0
        is_yes = choice != "no"
        answer: dict[str, Any] = {"reference": reference, "confirmed": is_yes}
        allowed = int(is_yes)
        if is_yes and question["start"]:  # a yes to a start allows the orders that it shows
            allowed = sum(effect["count"] for effect in question["start"]["effects"])
            if self.random.random() < 0.5:
                answer["effects"], allowed = [], 0
        self.tally.allowed[session] += allowed
        sent = [self.service.client.post(path, json=answer) for _ in range(2 if choice == "twice" else 1)]
        codes = [one.status_code for one in await asyncio.gather(*sent)]
        assert codes.count(202) == 1, codes
        return 1

    def check(self) -> dict[str, int]:
        with closing(sqlite3.connect(self.file)) as db:
            db.row_factory = sqlite3.Row
            runs, messages, questions, firings = (
                db.execute(f"SELECT * FROM {table}").fetchall()
                for table in ("runs", "messages", "interrupts", "firings")
            )
        for session in {row["session_id"] for row in runs}:
            check_rows(
                *(
                    [row for row in rows if row["session_id"] == session]
                    for rows in (runs, messages, questions)
                )
            )
        known = {row["id"] for row in runs}
        return {
            "orders without a yes": self.tally.unallowed,
            "questions lost": sum(row["status"] == "open" for row in questions)
            + sum(row["run_id"] not in known for row in questions),
            "runs without an end": sum(row["finished_at"] is None for row in runs),
            "firings without an outcome": sum(row["outcome"] in ("running", "waiting") for row in firings),
            "runs that no firing has": len(known - {row["run_id"] for row in firings}),
        }  # fmt: skip

    def _count(self, table: str) -> int:
        return int(self._value(f"SELECT count(*) FROM {table} WHERE run_id IS NOT NULL"))

    def _value(self, query: str) -> Any:
        with closing(sqlite3.connect(self.file, timeout=30)) as db:
            return db.execute(query).fetchone()[0]

    def outcomes(self) -> dict[str, int]:
        with closing(sqlite3.connect(self.file)) as db:
            return dict(
                db.execute(
                    "SELECT outcome, count(*) FROM firings GROUP BY outcome ORDER BY 2 DESC"
                ).fetchall()
            )


def simulate(runs: int, seed: int) -> Simulation:
    """A simulation that has ended; its server is closed, its database is gone with the folder."""
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(Path(folder), seed)
        simulation.run(runs)
        simulation.faults = simulation.check()
        simulation.ends = simulation.outcomes()
        simulation.service.close()
        return simulation


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.disable()  # a killed server's runs report that there is no database
    began = time.monotonic()
    simulation = simulate(options.runs, options.seed)
    tally = simulation.tally
    print(f"{sum(simulation.ends.values())} runs in {time.monotonic() - began:.0f} s, seed {options.seed}")
    print(f"outcomes: {', '.join(f'{count} {name}' for name, count in simulation.ends.items())}")
    print(f"answers: {', '.join(f'{count} {name}' for name, count in tally.answers.most_common())}")
    print(f"{tally.kills} kills, {tally.restarts} restarts")
    print(f"{sum(tally.done.values())} orders, {sum(tally.allowed.values())} allowed")
    for fault, count in simulation.faults.items():
        print(f"{fault:28} {count}  {'ok' if not count else 'MISSED'}")


if __name__ == "__main__":
    main()
