"""Clocks that jump: no run is cut, no approval is good for longer than it was given, no lease is taken away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update

from server.agent.context import UserUpdates
from server.agent.event_adapter import EventAdapter
from server.agent.operator.ask.consent import Consent
from server.agent.operator.nodes import Nodes
from server.clock import SteadyClock, steady_time
from server.database.models import InterruptRow
from server.events import Answer, Usage, now
from server.runs.execution import Execution
from server.runs.recorder import RunRecorder
from server.runs.recovery import Recovery
from server.runtime import Runtime
from server.store import Store, process_name
from server.store.owners import LEASE_SECONDS, UNRENEWED_SECONDS, LeaseWatch
from tests.support.actions import question_about
from tests.support.databases import share_database
from tests.support.operator_world import Post, World
from tests.support.operator_world import world as operator_world
from tests.support.scripted_model import act, stop
from tests.unit.test_operator_consent import BUY
from tests.unit.test_operator_graph import CART, LEADS, PAGES, SHOP, THANKS

JUMPS = [timedelta(hours=2).total_seconds(), -timedelta(days=1).total_seconds()]
BEAT = 15.0


class Clocks:
    """A wall clock that is set, and the seconds that pass."""

    def __init__(self) -> None:
        self.wall, self.passed = 1_600_000_000.0, 5_000.0

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.passed += seconds

    def lease(self) -> datetime:
        """As another process writes it, on this machine."""
        return datetime.fromtimestamp(self.wall + LEASE_SECONDS, UTC)


@pytest.mark.parametrize("jump", JUMPS)
def test_steady_time_does_not_jump_with_the_wall_clock(jump: float) -> None:
    clocks = Clocks()
    steady = SteadyClock(lambda: clocks.wall, lambda: clocks.passed)
    began = steady()
    clocks.pass_by(10)
    clocks.wall += jump
    clocks.pass_by(5)
    assert steady() - began == pytest.approx(15)
    assert began == pytest.approx(1_600_000_000)


def test_the_operator_measures_its_deadlines_by_steady_time() -> None:
    for kind in (Nodes, Consent):
        assert kind.__dataclass_fields__["clock"].default is steady_time


class JumpyInbox(Post):
    """`step` seconds pass before each look into it; before the second, the wall clock is set, too."""

    def __init__(self, clocks: Clocks, jump: float, step: float) -> None:
        super().__init__()
        self.clocks, self.jump, self.step = clocks, jump, step

    async def take_updates(self) -> UserUpdates:
        self.clocks.pass_by(self.step)
        if self.read == 1:
            self.clocks.wall += self.jump
        return await super().take_updates()


class OperatorsStage:
    """An operator on the steady clock of `clocks`, whose wall clock jumps while it works."""

    def __init__(self, jump: float, step: float = 1.0) -> None:
        self.clocks = Clocks()
        self.steady = SteadyClock(lambda: self.clocks.wall, lambda: self.clocks.passed)
        self.inbox = JumpyInbox(self.clocks, jump, step)

    def shop(self, *turns: Any, url: str = SHOP, **options: float) -> World:
        options = {"clock": self.steady, "decision_timeout": 600.0, **options}
        return operator_world(
            dict(PAGES), turns, leads=dict(LEADS), url=url, inbox=self.inbox, options=options
        )


SCROLLS = [act("scroll", amount=amount) for amount in (100, 200, 300)]


@pytest.mark.parametrize("jump", JUMPS)
async def test_the_time_of_a_task_is_neither_cut_nor_stretched_by_a_jump(jump: float) -> None:
    it = OperatorsStage(jump).shop(*SCROLLS, stop("Seen."), run_timeout=600.0)
    assert await it.say("look at everything") == "Seen."
    assert len(it.browser.log) == len(SCROLLS)
    slow = OperatorsStage(jump)

    def look(_browser: object) -> None:
        slow.clocks.pass_by(250)

    it = slow.shop(*SCROLLS, "Paused?", run_timeout=600.0)
    it.browser.before_look = look
    assert await it.say("look at everything") == "Paused?"
    assert "the time for this task" in it.model.prompts[-1]


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_yes_to_the_operator_is_good_for_its_time_and_no_longer(jump: float) -> None:
    stage = OperatorsStage(jump)
    it = stage.shop(BUY, stop("Ordered."), url=CART)
    assert await it.say("buy it") is None
    stage.clocks.wall += jump
    stage.clocks.pass_by(500)
    assert await it.answer(True) == "Ordered."
    assert it.browser.effects == [f"Place order -> {THANKS}"]


@pytest.mark.parametrize("jump", JUMPS)
@pytest.mark.parametrize("late_by", ["the answer", "the act"])
async def test_a_late_yes_to_the_operator_is_none_whatever_the_clocks_say(jump: float, late_by: str) -> None:
    stage = OperatorsStage(jump)
    it = stage.shop(BUY, stop("Too late."), url=CART)
    assert await it.say("buy it") is None
    stage.clocks.wall += jump
    if late_by == "the answer":
        stage.clocks.pass_by(601)
    else:
        stage.inbox.step = 601
    assert await it.answer(True) == "Too late."
    assert it.browser.effects == []
    assert "approval came too late" in it.model.prompts[1]


@pytest.mark.parametrize("jump", JUMPS)
def test_a_lease_that_is_renewed_never_ends_whatever_the_clocks_say(jump: float) -> None:
    clocks = Clocks()
    watch = LeaseWatch(lambda: clocks.passed)
    for beat in range(20):
        clocks.wall += jump if beat % 5 == 2 else 0.0
        assert watch.ended({"run": clocks.lease()}) == set()
        clocks.pass_by(BEAT)


@pytest.mark.parametrize("jump", JUMPS)
def test_a_lease_that_is_not_renewed_ends_in_its_time(jump: float) -> None:
    clocks = Clocks()
    watch, lease = LeaseWatch(lambda: clocks.passed), clocks.lease()
    clocks.wall += jump
    seconds = 0.0
    while watch.ended({"run": lease}) == set():
        clocks.pass_by(BEAT)
        seconds += BEAT
        assert seconds <= LEASE_SECONDS
    assert seconds >= UNRENEWED_SECONDS


def test_while_the_database_is_away_no_lease_ends() -> None:
    """It could not be renewed in the meantime."""
    clocks = Clocks()
    watch, lease = LeaseWatch(lambda: clocks.passed), clocks.lease()
    assert watch.ended({"run": lease}) == set()
    clocks.pass_by(3600)
    assert watch.ended({"run": lease}) == set()


class Stage:
    """A question with ten minutes to answer, asked by a process with these clocks."""

    def __init__(self, world: Runtime) -> None:
        share_database(world)
        self.clocks = Clocks()
        self.world = world
        self.store = Store(world.database, process_name())
        self.recorder = RunRecorder(world.settings, self.store, world.bus, clock=lambda: self.clocks.passed)

    async def ask(self, jump: float) -> tuple[str, str]:
        """The session and the question; its time in the database is as if the wall clock had jumped since."""
        session = await self.store.create_session(
            id=None, title=None, agent="operator", model="m", max_tool_steps=1
        )
        begun = await self.store.begin_execution((await self.store.accept(session.id, "go")).run.id)
        assert begun
        ends = now() + timedelta(seconds=600 - jump)
        question = await self.store.open_interrupt(
            begun.run, question_about(reason="buys"), expires_at=ends, usage=Usage()
        )
        assert question
        asked = update(InterruptRow).values(created_at=now() - timedelta(seconds=jump))
        asked = asked.where(InterruptRow.reference == question.reference)
        await self.store.database.write(lambda db: db.execute(asked))
        self.recorder.expect_answer(question.reference, 600)
        return session.id, question.reference

    async def decide(self, session_id: str, reference: str) -> str:
        row = await self.store.decide(
            session_id, Answer(reference=reference, confirmed=True), late=self.recorder.is_late(reference)
        )
        return row.status


@pytest.fixture
def stage(world: Runtime) -> Stage:
    return Stage(world)


@pytest.mark.parametrize("jump", JUMPS)
async def test_an_approval_is_good_for_its_time_and_no_longer(stage: Stage, jump: float) -> None:
    in_time, too_late = await stage.ask(jump), await stage.ask(jump)
    stage.clocks.pass_by(599)
    assert await stage.decide(*in_time) == "decided"
    stage.clocks.pass_by(2)
    assert await stage.decide(*too_late) == "expired"


async def test_after_a_restart_a_question_has_its_time_at_most_once_more(stage: Stage) -> None:
    """The clock was put back by a day while the server was down."""
    session_id, reference = await stage.ask(JUMPS[1])
    later = Stage(stage.world)
    await Recovery(later.store, later.world.bus, later.recorder, later.world.executor).recover()
    later.clocks.pass_by(601)
    assert await later.decide(session_id, reference) == "expired"


async def test_the_time_to_answer_begins_before_the_question_is_stored(stage: Stage) -> None:
    class SlowStore(Store):
        async def open_interrupt(self, *args: Any, **options: Any) -> InterruptRow | None:
            stage.clocks.pass_by(30)
            return await super().open_interrupt(*args, **options)

    store = SlowStore(stage.world.database, process_name())
    world, timeout = stage.world, stage.world.settings.decision_timeout
    recorder = RunRecorder(world.settings, store, world.bus, clock=lambda: stage.clocks.passed)
    session = await store.create_session(id=None, title=None, agent="operator", model="m", max_tool_steps=1)
    begun = await store.begin_execution((await store.accept(session.id, "go")).run.id)
    assert begun
    execution = Execution(begun.run, EventAdapter(begun.run.answer_id), world.bus, max_steps=1)
    await recorder.ask(execution, question_about(reason="buys"))
    question = await store.pending(session.id)
    assert question
    stage.clocks.pass_by(timeout - 31)
    assert recorder.is_late(question.reference) is False
    stage.clocks.pass_by(1)
    assert recorder.is_late(question.reference) is True
