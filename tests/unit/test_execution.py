"""Pauses and news of one execution."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from server.agent.event_adapter import EventAdapter
from server.database.models import RunRow
from server.events import Message, StateChanged, Token, now
from server.runs.execution import Execution, RunLease, current_execution
from server.stream.bus import InProcessBus


def execution(clock: Callable[[], float] = time.monotonic, lease: RunLease | None = None) -> Execution:
    bus = InProcessBus()
    bus.open("s", "r", 1)
    run = RunRow(id="r", session_id="s", agent="operator", model="m", epoch=1)
    return Execution(run, EventAdapter("m"), bus, max_steps=10, clock=clock, lease=lease)


def user_message(id: str, content: str) -> Message:
    return Message(id=id, session_id="s", run_id="r", seq=2, role="user", content=content, created_at=now())


async def test_a_paused_run_waits_at_its_next_step_and_then_reads_what_was_said() -> None:
    running = execution()
    running.pause()
    step = asyncio.create_task(running.take_updates())
    said = user_message("m2", "only blue ones")
    running.steer(said)
    running.steer(said)
    running.edit_plan(["look", "answer"])
    await asyncio.sleep(0)
    assert not step.done()
    running.resume()
    news = await step
    assert (news.messages, news.plan) == (("only blue ones",), ("look", "answer"))
    assert (await running.take_updates()).messages == ()
    assert running.read_ids == {"m2"}


async def test_what_the_agent_tells_before_it_reads_an_edit_does_not_undo_the_edit() -> None:
    running = execution()
    told = StateChanged(plan=["look", "answer"], proposed_plan=["ask", "answer"])
    running.edit_plan(["mine", "answer"])
    running.publish(told)
    assert running.state == StateChanged(plan=["mine", "answer"], proposed_plan=["ask", "answer"])
    running.dismiss_plan(["ask", "answer"])
    running.publish(told)
    assert running.state == StateChanged(plan=["mine", "answer"])
    news = await running.take_updates()
    assert (news.plan, news.dismissed) == (("mine", "answer"), ("ask", "answer"))
    running.publish(told)
    assert running.state == told


async def test_a_held_browser_keeps_the_run_waiting_even_when_resumed() -> None:
    running = execution()
    running.pause()
    running.hold()
    running.resume()
    step = asyncio.create_task(running.take_updates())
    await asyncio.sleep(0)
    assert not step.done()
    running.release("The address changed.")
    assert (await step).takeover == "The address changed."


async def test_a_browser_given_back_after_the_answer_counts_for_all_that_came_before() -> None:
    running = execution()
    running.release("The address changed.", before_answer=True)
    first = await running.take_updates()
    assert (first.takeover, first.before_answer) == ("The address changed.", True)
    running.release("One.", before_answer=True)
    running.release("Two.")
    second = await running.take_updates()
    assert (second.takeover, second.before_answer) == ("One. Two.", False)


async def test_neither_a_pause_nor_the_queue_for_a_browser_uses_up_its_time() -> None:
    seconds = [0.0]
    running = execution(lambda: seconds[-1])
    seconds.append(10)
    running.queue(2)
    seconds.append(50)
    running.pause()
    running.queue(1)
    seconds.append(60)
    running.queue(None)
    seconds.append(80)
    running.resume()
    seconds.append(81)
    assert running.active_seconds == 11
    assert running.take_queued() == 50
    assert running.take_queued() == 0
    assert running.doing == "running"


async def test_a_run_that_is_paused_twice_was_paused_since_the_first_time() -> None:
    moments = [0.0]
    running = execution(lambda: moments[0])
    moments[0] = 10
    running.pause()
    moments[0] = 30
    running.pause()
    moments[0] = 35
    assert running.resume() == 25
    assert running.resume() is None


async def test_an_execution_that_was_replaced_says_nothing_more_and_stops() -> None:
    running = execution()
    running._bus.open("s", "r", 2)
    running.publish(StateChanged(goal="g"))
    assert running.stop_reason == "interrupted"


async def test_each_new_step_is_told_once_from_the_first_on() -> None:
    running = execution()
    told = []
    for step in (0, 0, 1, 1, 2):
        running.adapter.step = step
        before = running._bus.last_id("s")
        running.show_progress()
        told.append(running._bus.last_id("s") != before)
    assert told == [False, False, True, False, True]


async def test_words_that_come_together_are_told_together_and_before_what_follows() -> None:
    running = execution()
    for word in ("one ", "two ", "three"):
        running.publish(Token(message_id="m", text=word))
    running.publish(StateChanged(goal="g"))
    assert running._bus.last_id("s") == "1-3"


async def test_an_execution_that_has_ended_says_nothing_more() -> None:
    running = execution()
    before = running._bus.last_id("s")
    running.publish(Token(message_id="m", text="held back"))
    said = running._bus.last_id("s")
    running.publish(Token(message_id="m", text="too late"))
    running.ended.set()
    running.publish(StateChanged(goal="g"))
    assert before != said == running._bus.last_id("s")


async def test_a_run_whose_agent_has_ended_is_waited_for() -> None:
    """Its end may be stored already: a client that has read it changes the session next."""
    ending = execution()
    executions = {"s": ending}
    assert await current_execution(executions, "s") is ending
    ending.close_inbox()
    looking = asyncio.create_task(current_execution(executions, "s"))
    await asyncio.sleep(0)
    assert not looking.done()
    del executions["s"]
    ending.ended.set()
    assert await looking is None


@pytest.mark.parametrize(
    ("given", "are_old"),
    [([True], True), ([True, True], True), ([False], False), ([True, False], False), ([False, True], False)],
)
async def test_words_are_old_if_all_of_them_came_before_the_answer(given: list[bool], are_old: bool) -> None:
    """The answer to a question stands against words that came before it, not against later ones."""
    steered, edited = execution(), execution()
    for number, is_old in enumerate(given):
        steered.steer(user_message(f"m{number}", "words"), is_old=is_old)
        edited.edit_plan(["look"], is_old=is_old)
    assert (await steered.take_updates()).are_words_old is are_old
    assert (await edited.take_updates()).are_words_old is are_old


async def test_words_count_as_new_unless_somebody_knows_better() -> None:
    steered, edited = execution(), execution()
    steered.steer(user_message("m", "words"))
    edited.edit_plan(["look"])
    assert not (await steered.take_updates()).are_words_old
    assert not (await edited.take_updates()).are_words_old


def test_an_execution_acts_by_the_lease_that_it_is_given() -> None:
    lease = RunLease(10)
    assert execution(lease=lease).lease is lease
    assert execution().lease.is_fresh


def test_a_picture_that_was_lost_is_told_once() -> None:
    running = execution()
    assert not running.take_lost_picture()
    running.note_lost_picture()
    assert running.take_lost_picture()
    assert not running.take_lost_picture()


def test_what_a_run_does_is_told_with_its_place_in_the_queue() -> None:
    running = execution()
    running.queue(2)
    assert running.doing == "queued"
    assert running.changed("queued").queue_place == 2
    assert running.changed("running").queue_place is None
    running.hold()
    assert running.doing == "paused"


async def test_a_run_that_is_handed_back_begins_no_further_step() -> None:
    leaving = execution()
    leaving.stop_before_next_step()
    step = asyncio.create_task(leaving.take_updates())
    await leaving.is_between_steps.wait()
    assert not step.done()
    step.cancel()
