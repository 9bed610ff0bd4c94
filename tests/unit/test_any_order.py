"""Whatever is said, answered, stopped, removed, cut off and restarted, in any order and at once: what is promised holds.

`ANY_ORDER_EXAMPLES` and `ANY_ORDER_SEED` in the environment make it look further than the everyday run does.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support.migrated import create_migrated
from tests.support.person import PING, Command, Person
from tests.support.service import Service

EXAMPLES = int(os.environ.get("ANY_ORDER_EXAMPLES", "6"))
SEED = int(os.environ.get("ANY_ORDER_SEED", "1"))
STEPS = 8

SHOP, STORY = "shop for a kettle", "slow story"
WORDS = st.sampled_from([SHOP, STORY, "log in to my mail"])
AGENTS = st.sampled_from(["operator", "assistant"])

SAY: list[Command] = [
    *(("say", words) for words in (SHOP, SHOP, SHOP, STORY, PING, "log in to my mail", "error please")),
    *(("say", words, mode) for words in (SHOP, STORY, PING) for mode in ("steer", "queue")),
    ("repeat",), ("retry",),
]  # fmt: skip
ANSWER: list[Command] = [
    ("answer", how) for how in ("approve", "approve", "approve", "deny", "yes", "no", "only a red one")
]
STOP: list[Command] = [("cancel",), ("cancel",), ("pause",), ("resume",), ("archive",), ("purge",)]


class AnyOrder(RuleBasedStateMachine):
    persons: Bundle[Person] = Bundle("persons")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        create_migrated(Path(self.folder.name) / "pilothouse.db")
        self.service = Service(Path(self.folder.name))
        self.known: list[Person] = []
        self.is_sound = True

    @initialize(target=persons, agent=AGENTS, words=WORDS)
    def begin(self, agent: str, words: str) -> Person:
        person = Person(self.service, f"{agent}-{len(self.known)}")
        self.known.append(person)
        self.do(person.begin(agent))
        self.do(person.do(("say", words), rests=True))
        return person

    @rule(target=persons, agent=AGENTS, words=WORDS)
    @precondition(lambda self: len(self.known) == 1)
    def begin_another(self, agent: str, words: str) -> Person:
        return self.begin(agent, words)

    @rule(person=persons, command=st.sampled_from(SAY), rests=st.booleans())
    def say(self, person: Person, command: Command, rests: bool) -> None:
        self.do(person.do(command, rests=rests))

    @rule(person=persons, command=st.sampled_from(ANSWER), rests=st.booleans())
    def answer(self, person: Person, command: Command, rests: bool) -> None:
        self.do(person.do(command, rests=rests))

    @rule(person=persons, command=st.sampled_from(STOP), rests=st.booleans())
    def stop(self, person: Person, command: Command, rests: bool) -> None:
        self.do(person.do(command, rests=rests))

    @rule(person=persons, commands=st.lists(st.sampled_from(SAY + ANSWER + STOP), min_size=2, max_size=3))
    def do_at_once(self, person: Person, commands: list[Command]) -> None:
        self.do(person.do_at_once(commands))

    @rule(person=persons)
    def lose_the_line_and_come_back(self, person: Person) -> None:
        self.do(person.come_back())

    @rule(person=persons)
    def answer_too_late(self, person: Person) -> None:
        with closing(sqlite3.connect(self.service.file)) as db, db:
            db.execute("UPDATE interrupts SET expires_at = created_at WHERE session_id = ?", [person.id])
        self.do(person.do(("answer", "approve"), rests=True))

    @rule(kills=st.booleans())
    def restart(self, kills: bool) -> None:
        self.all_is_sound()
        if kills:
            self.service.kill()
        else:
            self.service.close()
        self.service.open()
        for person in self.known:
            person.reader.lose()
            self.do(person.come_back())

    @invariant()
    def all_is_sound(self) -> None:
        for person in self.known:
            self.do(person.check())

    def teardown(self) -> None:
        try:
            for person in self.known if self.is_sound else ():
                self.do(person.end())
        finally:
            self.service.close()
            self.folder.cleanup()

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            self.service.do(work)
        except BaseException:
            self.is_sound = False
            raise


@pytest.mark.sweep
def test_in_any_order_what_is_promised_holds() -> None:
    machine = seed(SEED)(AnyOrder)
    looks = settings(
        max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None, derandomize=False, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    try:
        run_state_machine_as_test(machine, settings=looks)
    except BaseException as error:
        error.add_note(f"again with ANY_ORDER_SEED={SEED} ANY_ORDER_EXAMPLES={EXAMPLES}")
        raise
