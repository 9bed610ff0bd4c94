"""What a executor takes over from the store: runs that begin, resume, ask, or were committed without being submitted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from server.agent import foresight
from server.agent.custom_events import ModelReplaced
from server.api.automations import NewAutomation
from server.database.models import RunRow
from server.events import (
    Answer,
    ConfirmQuestion,
    Decision,
    ManualQuestion,
    Message,
    MessageAdded,
    Resync,
    RunChanged,
    Stamped,
    StartPlan,
    StateChanged,
    Usage,
    now,
)
from server.runs.agents import AgentFactory
from server.runs.execution import Execution
from server.runs.executor import Executor, StartRefused, _approved_plan
from server.runs.recorder import RunRecorder
from server.runs.services import RunServices
from server.runtime import Runtime
from server.store import AcceptedMessage, StartedRun, Store, new_id, process_name
from tests.support.actions import question_about
from tests.support.databases import agents_of, share_database
from tests.support.eventually import eventually

PING = "this is a ping test: do not think"


class SavingAgents(AgentFactory):
    """Steps of every run are saved, as on a server whose runs other processes continue."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.forgotten: list[str] = []
        self.named: list[str] = []
        self.is_near = False
        self.may_name = asyncio.Event()
        self.may_name.set()
        self.state: StateChanged | None = None
        self.written: list[dict[str, Any]] = []
        self.foreseen: list[StartPlan | None] = []

    def saves_steps(self, run: RunRow) -> bool:
        return True

    async def forget_run(self, run: RunRow) -> None:
        self.forgotten.append(run.id)

    async def foresee(
        self, started: StartedRun, before: StartPlan | None, words: Sequence[str], instructions: str
    ) -> tuple[StartPlan, AIMessage, ModelReplaced | None]:
        self.foreseen.append(before)
        return await super().foresee(started, before, words, instructions)

    def names_nearby(self, model_name: str) -> bool:
        return self.is_near

    async def title(
        self, model: str, asked: str, answered: str, instructions: str
    ) -> tuple[str | None, Usage]:
        self.named.append(asked)
        await self.may_name.wait()
        return None, Usage()

    async def read_state(self, session_id: str) -> StateChanged | None:
        return self.state

    async def write_state(self, session_id: str, **values: Any) -> StateChanged:
        self.written.append(values)
        return self.state or StateChanged()


@dataclass
class Desk:
    """A executor, and the store from which it gets its runs."""

    store: Store
    agents: SavingAgents
    executor: Executor
    recorder: RunRecorder
    world: Runtime
    published: list[Stamped]

    async def accept(
        self, content: str, agent: str = "operator", title: str | None = None
    ) -> AcceptedMessage:
        """Store a message. Its run is not submitted."""
        session = await self.store.create_session(
            id=None, title=title, agent=agent, model="mock:scripted", max_tool_steps=10
        )
        return await self.store.accept(session.id, content)

    async def started(self, **more: Any) -> StartedRun:
        """A run that has begun in the database, changed to one that resumes at a question if `more` says so."""
        accepted = await self.accept(PING)
        started = await self.store.begin_execution(accepted.run.id)
        assert started
        return replace(started, **more)

    async def open(self, started: StartedRun) -> Execution:
        execution = await self.executor._open(started)
        del self.executor._executions[started.session.id]  # nothing executes it
        return execution

    async def status(self, run_id: str) -> str:
        return (await self.store.run(run_id)).status

    def said(self, run_id: str, kind: type) -> list[Any]:
        return [it.event for it in self.published if it.run_id == run_id and isinstance(it.event, kind)]


@pytest.fixture
async def desk(world: Runtime) -> AsyncIterator[Desk]:
    share_database(world)
    store = Store(world.database, process_name())
    agents = agents_of(world, store, SavingAgents)
    assert isinstance(agents, SavingAgents)
    recorder = RunRecorder(world.settings, store, world.bus)
    executor = Executor(
        RunServices(world.settings, store, world.bus, agents, world.browsers, world.screenshots, recorder),
        nearby_pause=0.5,
    )
    published: list[Stamped] = []
    world.bus.listeners.append(published.append)
    yield Desk(store, agents, executor, recorder, world, published)
    await executor.drain(0)


def message(started: StartedRun, id: str) -> Message:
    return started.messages[0].model_copy(update={"id": id, "content": "only blue ones"})


async def test_the_execution_of_a_run_that_asks_ends_without_a_fault(desk: Desk) -> None:
    run = (await desk.accept("shop for a kettle")).run
    await desk.executor.execute(run.id, asyncio.Event())
    assert await desk.status(run.id) == "waiting_user"
    assert desk.agents.forgotten == []


async def test_saved_steps_are_removed_once_their_run_has_ended(desk: Desk) -> None:
    run = (await desk.accept(PING)).run
    await desk.executor.execute(run.id, asyncio.Event())
    assert await desk.status(run.id) == "completed"
    await eventually(lambda: desk.agents.forgotten == [run.id], message="its steps are removed")


async def test_a_run_begins_at_step_zero_and_goes_on_at_the_step_of_its_question(desk: Desk) -> None:
    await desk.open(await desk.started())
    question = ManualQuestion(reference="q", reason="Log in, please.", step=4, said="So far. ")
    execution = await desk.open(await desk.started(question=question))
    steps = [it.event.step for it in desk.published if isinstance(it.event, RunChanged)]
    assert steps == [0, 4]
    assert execution.adapter.answer == "So far. "


async def test_a_run_counts_on_from_what_its_former_execution_has_used(desk: Desk) -> None:
    """Else each continuation would have the whole budget again."""
    first = await desk.started()
    assert (await desk.open(first)).adapter.usage == Usage()
    used = Usage(input_tokens=700, output_tokens=30, model_calls=2, cost=0.25)
    first.run.usage = used.model_dump()
    assert (await desk.open(first)).adapter.usage == used


@pytest.mark.parametrize(
    ("continues", "is_newly_answered", "is_told"),
    [(True, False, True), (True, True, False), (False, False, False), (False, True, False)],
)
async def test_readers_load_again_what_another_process_has_said_of_an_unfinished_answer(
    desk: Desk, continues: bool, is_newly_answered: bool, is_told: bool
) -> None:
    await desk.open(await desk.started(continues=continues, is_newly_answered=is_newly_answered))
    assert any(isinstance(it.event, Resync) for it in desk.published) is is_told


async def test_a_session_is_named_after_its_first_answer_and_not_after_the_next(desk: Desk) -> None:
    first = await desk.accept(PING)
    await desk.executor.execute(first.run.id, asyncio.Event())
    second = await desk.store.accept(first.run.session_id, "and another")
    await desk.executor.execute(second.run.id, asyncio.Event())
    await eventually(lambda: desk.agents.named, message="it is named")
    other = await desk.accept("of another session")
    await desk.executor.execute(other.run.id, asyncio.Event())
    await eventually(lambda: len(desk.agents.named) > 1, message="so is the other one")
    assert desk.agents.named == [PING, "of another session"]


async def test_a_server_of_ones_own_names_a_session_only_when_it_has_nothing_else_to_do(desk: Desk) -> None:
    desk.agents.is_near = True
    for content in (PING, "of another session"):
        await desk.executor.execute((await desk.accept(content)).run.id, asyncio.Event())
    await eventually(lambda: desk.agents.named, message="the last one is named")
    assert desk.agents.named == ["of another session"]


async def test_four_sessions_at_once_are_named_and_the_others_after_them(desk: Desk) -> None:
    desk.agents.may_name.clear()
    for number in range(6):
        accepted = await desk.accept(f"{number} is a ping test: do not think")
        await desk.executor.execute(accepted.run.id, asyncio.Event())
    await eventually(desk.executor.naming.free.locked, message="no more may begin")
    assert len(desk.agents.named) == 4
    desk.agents.may_name.set()
    await eventually(lambda: len(desk.agents.named) == 6, message="the others are named, too")


async def test_a_message_that_waits_behind_a_run_still_waits_after_the_server_has_ended(desk: Desk) -> None:
    first = await desk.accept("endless story")
    waiting = await desk.store.accept(first.run.session_id, PING, mode="queue")
    desk.executor.dispatch.start(first)
    await eventually(lambda: first.run.session_id in desk.executor.executions, message="the run begins")
    await desk.executor.drain(0)
    assert await desk.status(first.run.id) == "interrupted"
    assert (await desk.store.run(waiting.run.id)).held


async def test_unread_words_of_a_run_that_resumes_are_older_than_its_answer(desk: Desk) -> None:
    """The answer to the question stands against them."""
    began = await desk.started()
    fresh = await desk.open(replace(began, unread=[message(began, "m1")]))
    assert not (await fresh.take_updates()).are_words_old
    question = ManualQuestion(reference="q", reason="Log in, please.")
    resumed = await desk.started(question=question)
    resumed = replace(resumed, unread=[message(resumed, "m2")])
    assert (await (await desk.open(resumed)).take_updates()).are_words_old


async def test_the_plan_of_a_question_is_older_than_its_answer_too(desk: Desk) -> None:
    question = ManualQuestion(reference="q", reason="Log in, please.", plan=["look", "buy", "answer"])
    execution = await desk.open(await desk.started(question=question))
    news = await execution.take_updates()
    assert (news.plan, news.are_words_old) == (("look", "buy", "answer"), True)


async def test_what_was_committed_and_not_submitted_is_adopted_once(desk: Desk) -> None:
    accepted = await desk.accept(PING)
    desk.executor.dispatch.submit_recovered(accepted)
    desk.executor.dispatch.submit_recovered(accepted)
    await eventually(
        lambda: desk.status(accepted.run.id), lambda it: it == "completed", message="the run has ended"
    )
    user = [it for it in desk.said(accepted.run.id, MessageAdded) if it.message.role == "user"]
    assert len(user) == 1


async def test_what_was_published_already_is_not_adopted(desk: Desk) -> None:
    accepted = await desk.accept(PING)
    desk.recorder.publish_accepted(accepted)
    desk.executor.dispatch.submit_recovered(accepted)
    assert not desk.executor.dispatch.knows(accepted.run.id)


async def test_a_run_whose_question_was_answered_is_adopted_with_its_decision(desk: Desk) -> None:
    accepted = await desk.accept("shop for a kettle")
    await desk.executor.execute(accepted.run.id, asyncio.Event())
    asked = await desk.store.pending(accepted.run.session_id)
    assert asked
    await desk.store.decide(
        accepted.run.session_id, Answer(reference=asked.reference, confirmed=False),
        grant_of=lambda _: None, late=False, again=False,
    )  # fmt: skip
    (unbegun,) = await desk.store.unbegun_runs()
    desk.executor.dispatch.submit_recovered(unbegun)
    assert len(desk.said(accepted.run.id, Decision)) == 1
    assert desk.executor.dispatch.knows(accepted.run.id)
    await eventually(
        lambda: desk.status(accepted.run.id), lambda it: it != "queued", message="the run goes on"
    )


async def test_a_slot_is_kept_for_a_run_only_while_there_is_one(desk: Desk) -> None:
    kept = [await desk.executor.dispatch.reserve() for _ in range(desk.world.settings.max_runs + 1)]
    assert kept == [True] * desk.world.settings.max_runs + [False]
    for _ in range(desk.world.settings.max_runs):
        desk.executor.dispatch.queue.give_back()


async def test_a_run_that_begins_with_its_message_uses_the_slot_that_was_kept_for_it(desk: Desk) -> None:
    world, settings = desk.world, desk.world.settings.model_copy(update={"max_runs": 1})
    executor = Executor(
        RunServices(
            settings, desk.store, world.bus, desk.agents, world.browsers, world.screenshots, desk.recorder
        )
    )
    for _ in range(2):
        assert await eventually(executor.dispatch.reserve, message="the slot is free")
        session = await desk.store.create_session(
            id=None, title="Mine", agent="operator", model="mock:scripted", max_tool_steps=10
        )
        accepted = await desk.store.accept(session.id, PING, begins=True)
        assert accepted.run.status == "running"
        executor.dispatch.start(accepted)
        await eventually(
            lambda: desk.status(accepted.run.id),  # noqa: B023 (awaited here)
            lambda it: it == "completed",
            message="the run ends",
        )
    await executor.drain(0)


async def test_no_run_that_has_not_ended_frees_a_browser(desk: Desk) -> None:
    desk.executor.dispatch.start_next(None)


@pytest.mark.parametrize(
    ("agent", "answer", "is_new", "is_kept"),
    [
        ("operator", Answer(confirmed=True), True, True),
        ("operator", Answer(confirmed=True), False, False),
        ("operator", Answer(confirmed=False), True, False),
        ("operator", None, True, False),
        ("assistant", Answer(confirmed=True), True, False),
    ],
)
async def test_a_new_yes_to_a_start_makes_its_plan_the_users(
    desk: Desk, agent: str, answer: Answer | None, is_new: bool, is_kept: bool
) -> None:
    plan = ["look", "answer"]
    asked = foresight.start_question(StartPlan(plan=plan, effects=[]), url="", asked_at=0, timeout=60)
    started = await desk.started(
        question=asked.model_copy(update={"answer": answer}), is_newly_answered=is_new
    )
    started.run.agent = agent
    assert _approved_plan(started) == (plan if is_kept else None)


async def test_only_the_question_of_a_start_has_a_plan_that_is_approved(desk: Desk) -> None:
    assert _approved_plan(await desk.started()) is None
    question = ManualQuestion(reference="q", reason="Log in, please.", answer=Answer(confirmed=True))
    assert _approved_plan(await desk.started(question=question)) is None


async def test_a_start_whose_question_nobody_answered_is_asked_about_again(desk: Desk) -> None:
    plan = StartPlan(plan=["look", "answer"], effects=[])
    asked = foresight.start_question(plan, url="", asked_at=0, timeout=60)
    started = await desk.started(question=asked)
    again = await desk.executor._ask_first(await desk.open(started), started)
    assert isinstance(again, ConfirmQuestion)
    assert again.start
    assert desk.agents.foreseen == [plan]


async def test_a_start_is_asked_about_once_and_only_where_it_is_wanted(desk: Desk) -> None:
    at_once = await desk.started()
    assert await desk.executor._ask_first(await desk.open(at_once), at_once) is None
    asking = await desk.started(asks_first=True)
    question = await desk.executor._ask_first(await desk.open(asking), asking)
    assert isinstance(question, ConfirmQuestion)
    approved = question.model_copy(update={"answer": Answer(confirmed=True)})
    allowed = await desk.started(asks_first=True, question=approved)
    assert await desk.executor._ask_first(await desk.open(allowed), allowed) is None


async def test_a_no_to_the_start_refuses_it(desk: Desk) -> None:
    asked = foresight.start_question(StartPlan(plan=["look"], effects=[]), url="", asked_at=0, timeout=60)
    answer = Answer(confirmed=False)
    started = await desk.started(asks_first=True, question=asked.model_copy(update={"answer": answer}))
    with pytest.raises(StartRefused):
        await desk.executor._ask_first(await desk.open(started), started)
    assert desk.agents.foreseen == []


async def test_a_no_to_another_question_is_no_no_to_the_start(desk: Desk) -> None:
    answer = Answer(confirmed=False)
    started = await desk.started(question=question_about().model_copy(update={"answer": answer}))
    assert await desk.executor._ask_first(await desk.open(started), started) is None


@pytest.mark.parametrize("is_alone", [True, False])
async def test_an_automation_says_whether_its_run_may_use_the_second_model(
    desk: Desk, is_alone: bool
) -> None:
    body = NewAutomation(
        name="Ping", task=PING, agent="operator", model="mock:scripted", max_tool_steps=9, only_first_model=is_alone
    )  # fmt: skip
    row = await desk.world.automations.add(body.model_dump(exclude={"grants"}))
    fired = await desk.store.fire_now(row.id, "hand", PING, new_id(), now())
    assert fired.accepted
    started = await desk.store.begin_execution(fired.accepted.run.id)
    assert started
    assert started.only_first_model is is_alone
    assert desk.executor._context(await desk.open(started), started).only_first_model is is_alone


async def test_a_run_whose_time_is_not_over_is_not_ended(world: Runtime, desk: Desk) -> None:
    started = await desk.started()
    settings = world.settings.model_copy(update={"run_timeout": 0.5})
    executor = Executor(
        RunServices(
            settings, desk.store, world.bus, desk.agents, world.browsers, world.screenshots, desk.recorder
        )
    )
    adapter = (await desk.open(started)).adapter
    execution = Execution(started.run, adapter, world.bus, max_steps=10, clock=lambda: 0.0)
    ended = await executor._supervise(execution, started)
    assert ended
    assert ended.run.status == "completed"
    await executor.drain(0)


# What the user did before or between executions


@pytest.mark.parametrize(
    ("plan", "dismissed", "proposed", "written"),
    [
        (["look"], None, [], [{"plan": ["look"]}]),
        (None, ["buy"], ["buy"], [{"proposed_plan": []}]),
        (None, ["buy"], ["sell"], []),
        (["look"], ["buy"], ["buy"], [{"plan": ["look"]}, {"proposed_plan": []}]),
        (None, None, ["buy"], []),
        (["look"], ["buy"], None, []),
    ],
)
async def test_edits_that_the_agent_has_not_read_are_stored_unless_they_are_out_of_date(
    desk: Desk, plan: Any, dismissed: Any, proposed: list[str] | None, written: list[dict[str, Any]]
) -> None:
    desk.agents.state = None if proposed is None else StateChanged(proposed_plan=proposed)
    await desk.executor._keep_edits("s", plan, dismissed)
    assert desk.agents.written == written


@pytest.mark.parametrize(
    ("wishes", "is_paused", "reason"),
    [({}, False, None), ({"pause": True}, True, None), ({"cancel": True}, False, "cancelled")],
)
async def test_what_was_wished_while_nothing_executed_the_run_is_done_at_its_begin(
    desk: Desk, wishes: dict[str, Any], is_paused: bool, reason: str | None
) -> None:
    started = await desk.started()
    started.run.wishes = wishes
    execution = await desk.open(started)
    assert (execution.is_paused, execution.stop_reason) == (is_paused, reason)


async def test_a_browser_whose_holder_is_lost_is_handed_back_as_of_before_the_answer(desk: Desk) -> None:
    execution = await desk.open(await desk.started())
    view = desk.world.browsers.live(execution.run.session_id)
    viewer = view.join()
    await view.take(viewer)
    view.leave(viewer)
    await desk.executor._apply_takeover(execution)
    assert not view.is_held
    assert not execution.is_paused
    assert (await execution.take_updates()).before_answer


async def test_a_user_who_holds_the_browser_keeps_it(desk: Desk) -> None:
    execution = await desk.open(await desk.started())
    view = desk.world.browsers.live(execution.run.session_id)
    viewer = view.join()
    await view.take(viewer)
    await desk.executor._apply_takeover(execution)
    assert (view.has_holder, execution.is_paused) == (True, True)
    assert desk.said(execution.run.id, RunChanged)[-1].status == "paused"
    view.leave(viewer)


@pytest.mark.parametrize("before_answer", [True, False])
async def test_what_the_user_changed_in_the_browser_is_told_once(desk: Desk, before_answer: bool) -> None:
    execution = await desk.open(await desk.started())
    desk.executor.keep_browser_changes(execution.run.session_id, "Logged in.", before_answer=before_answer)
    await desk.executor._apply_takeover(execution)
    news = await execution.take_updates()
    assert (news.takeover, news.before_answer) == ("Logged in.", before_answer)
    await desk.executor._apply_takeover(execution)
    assert not (await execution.take_updates()).takeover


async def test_a_session_that_the_user_named_is_not_named_again(desk: Desk) -> None:
    accepted = await desk.accept(PING, title="Mine")
    await desk.executor.execute(accepted.run.id, asyncio.Event())
    other = await desk.accept("of another session")
    await desk.executor.execute(other.run.id, asyncio.Event())
    await eventually(lambda: desk.agents.named, message="the other one is named")
    assert desk.agents.named == ["of another session"]
