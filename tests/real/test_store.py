"""What the store promises on both databases, when many want something at once."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from datetime import timedelta
from typing import Any, TypeVar

import httpx
import pytest
from sqlalchemy import Connection, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from server.database.models import InterruptRow, MessageRow, RunRow
from server.errors import BadRequest, Conflict, NotFound, Unauthorized
from server.events import PROVIDER, Answer, Message, StartPlan, Target, Usage, now, sum_usage
from server.grants.coverage import Amount, GrantUse, Need
from server.settings import Settings
from server.store import AcceptedMessage, StartedRun, Store
from server.store.grants import NewGrant
from server.store.records import new_id
from tests.support import chat
from tests.support.actions import question_about
from tests.support.databases import open_store
from tests.support.postgres import BLOCKED_BY_US

T = TypeVar("T")
PING = "this is a ping test: do not think"


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    async with open_store(database_url) as store:
        yield store


@pytest.fixture
async def other(database_url: str) -> AsyncIterator[Store]:
    """Another process on the same database, on another machine."""
    async with open_store(database_url, "elsewhere:1:other") as store:
        yield store


async def new_session(store: Store, id: str | None = None) -> str:
    session = await store.create_session(id=id, title=None, agent="operator", model="m", max_tool_steps=10)
    return session.id


async def begun(store: Store, session_id: str, content: str = "go") -> StartedRun:
    accepted = await store.accept(session_id, content)
    execution = await store.begin_execution(accepted.run.id)
    assert execution
    return execution


def yes(reference: str) -> Answer:
    return Answer(reference=reference, confirmed=True)


async def ask(store: Store, run: RunRow) -> str:
    question = await store.open_interrupt(run, question_about(), expires_at=None, usage=Usage())
    assert question
    return question.reference


async def all_of(calls: Iterable[Awaitable[T]]) -> tuple[list[T], list[BaseException]]:
    """At once; what came back, and what was raised."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    failures = [result for result in results if isinstance(result, BaseException)]
    return [result for result in results if not isinstance(result, BaseException)], failures


def wait_for_another(db: Connection) -> None:
    """Wait until another transaction waits for this one. On SQLite it cannot begin before this one has ended."""
    while db.dialect.name == "postgresql" and not db.scalar(text(BLOCKED_BY_US)):
        time.sleep(0.01)


def contents(messages: Iterable[Message]) -> list[str]:
    return [message.content for message in messages]


async def test_twenty_writers_lose_nothing(store: Store) -> None:
    sessions = [await new_session(store) for _ in range(4)]
    words = [(session_id, f"{session_id} {number}") for number in range(20) for session_id in sessions]
    accepted, failures = await all_of(store.accept(name, text, mode="queue") for name, text in words)
    assert not failures
    assert sum(not one.run.held for one in accepted) == len(sessions)
    for session_id in sessions:
        messages = await store.messages(session_id)
        assert [message.seq for message in messages] == list(range(1, 21))
        assert sorted(contents(messages)) == sorted(text for name, text in words if name == session_id)


async def test_one_client_id_is_one_message_and_one_run(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    calls = [one.accept(session_id, "pay", client_id="c1") for _ in range(10) for one in (store, other)]
    accepted, failures = await all_of(calls)
    assert not failures
    assert sum(one.is_new for one in accepted) == 1
    assert len({(one.message.id, one.run.id) for one in accepted}) == 1
    with pytest.raises(BadRequest) as caught:
        await other.accept(session_id, "pay twice", client_id="c1")
    assert caught.value.code == "idempotency_mismatch"
    assert contents(await store.messages(session_id)) == ["pay"]


@pytest.mark.parametrize("content", ["kettles at 50 % off_now", "tea and/or coffee", "100%"])
async def test_equal_titles_are_numbered_whatever_signs_they_have(store: Store, content: str) -> None:
    titles = [(await store.accept(await new_session(store), content)).session.title for _ in range(2)]
    assert titles[1] == f"{titles[0]} (2)"


async def test_of_two_messages_that_race_one_gets_the_run(store: Store, other: Store) -> None:
    for number in range(10):
        session_id = await new_session(store, f"race-{number}")
        accepted, failures = await all_of(one.accept(session_id, one.owner) for one in (store, other))
        assert len(accepted) == 1
        assert [getattr(failure, "code", failure) for failure in failures] == ["run_in_progress"]
        assert contents(await store.messages(session_id)) == [accepted[0].message.content]


async def test_a_run_is_executed_once_whoever_wants_to(store: Store, other: Store) -> None:
    for number in range(10):
        session_id = await new_session(store, f"race-{number}")
        run = (await store.accept(session_id, "go")).run
        found, failures = await all_of(
            one.begin_execution(run.id) for one in (store, other) for _ in range(3)
        )
        assert not failures
        assert len([one for one in found if one]) == 1


async def test_who_was_taken_over_changes_nothing_any_more(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    stale = (await begun(store, session_id)).run
    taken = await other.take_run(stale.id, "running")
    assert taken
    assert taken.epoch == stale.epoch + 1
    assert await store.add_tool_message(stale, "late", {}) is None
    assert await store.set_run_status(stale, "paused") is False
    assert await store.open_interrupt(stale, question_about(), expires_at=None, usage=Usage()) is None
    assert await store.finish_run(stale.id, "completed", epoch=stale.epoch, answer="late") is None
    await store.begin_call(stale, "late click")
    overview = await store.overview(session_id)
    assert contents(overview.messages) == ["go"]
    assert overview.run
    assert (overview.run.status, overview.run.doing) == ("running", None)
    assert await other.finish_run(taken.id, "completed", epoch=taken.epoch, answer="Done.")


async def test_a_run_is_unknown_held_or_over_and_nobody_takes_it(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    held = (await store.accept(session_id, "next", mode="queue")).run
    assert (await store.run(held.id)).held
    assert await other.take_run(held.id, "running") is None
    assert await store.finish_run(run.id, "failed", epoch=run.epoch, error="e", error_code="e")
    assert await other.take_run(run.id, "running") is None
    assert await other.take_run("unknown", "running") is None
    with pytest.raises(NotFound):
        await store.run("unknown")


async def test_a_run_that_is_taken_keeps_the_moment_when_it_began(store: Store, other: Store) -> None:
    run = (await begun(store, await new_session(store))).run
    assert run.started_at
    taken = await other.take_run(run.id, "running")
    assert taken
    assert taken.started_at == run.started_at


@pytest.mark.parametrize(
    ("write", "refusal"),
    [
        (lambda store, run: store.set_run_status(run, "paused"), False),
        (lambda store, run: store.begin_call(run, "click"), None),
        (lambda store, run: store.add_tool_message(run, "late", {}), None),
        (
            lambda store, run: store.open_interrupt(run, question_about(), expires_at=None, usage=Usage()),
            None,
        ),
        (lambda store, run: store.hand_back_run(run, Usage()), False),
        (lambda store, run: store.finish_run(run.id, "completed", epoch=run.epoch, answer="late"), None),
        (lambda store, run: read_all(store, run), []),
    ],
    ids=["status", "call", "step", "question", "hand-back", "end", "words"],
)
async def test_who_writes_at_the_moment_of_a_take_over_is_refused(
    store: Store, other: Store, write: Callable[[Store, RunRow], Awaitable[Any]], refusal: object
) -> None:
    run = (await begun(store, await new_session(store))).run
    await store.accept(run.session_id, "faster", mode="steer")
    loop, is_taken = asyncio.get_running_loop(), asyncio.Event()

    def take_and_wait(db: Connection) -> None:
        assert Store.take_run.__wrapped__(other, db, run.id, "running")  # type: ignore[attr-defined]
        loop.call_soon_threadsafe(is_taken.set)
        wait_for_another(db)

    taking = asyncio.create_task(other.database.write(take_and_wait))
    await is_taken.wait()
    assert await write(store, run) == refusal
    await taking
    present = await store.run(run.id)
    assert (present.status, present.owner, present.doing) == ("running", other.owner, None)


async def test_a_run_is_continued_with_the_words_that_asked_for_another_plan(store: Store) -> None:
    session_id = await new_session(store)
    started = await begun(store, session_id)
    plan = StartPlan(plan=["Look"], effects=[])
    for start, confirmed, words in [
        (plan, False, " "), (plan, False, "cheaper"), (None, False, "not here"), (plan, True, "good"),
    ]:  # fmt: skip
        question = question_about(start=start)
        asked = await store.open_interrupt(started.run, question, expires_at=None, usage=Usage())
        assert asked
        answer = Answer(reference=asked.reference, confirmed=confirmed, message=words)
        await store.decide(session_id, answer)
        again = await store.begin_execution(started.run.id)
        assert again
        started = again
    assert [answer.message for answer in started.start_words] == ["cheaper"]


async def read_all(store: Store, run: RunRow) -> list[Message]:
    ids = [message.id for message in await store.messages(run.session_id)]
    return await store.mark_read_by_agent(run, ids)


async def test_the_end_of_a_run_closes_the_question_of_a_former_execution(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    reference = await ask(store, run)
    taken = await other.take_run(run.id, "running")
    assert taken
    assert await other.finish_run(run.id, "interrupted", epoch=taken.epoch)
    with pytest.raises(Conflict):
        await store.decide(session_id, yes(reference))


async def test_what_an_interrupted_run_has_used_counts_for_its_session(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    used = Usage(input_tokens=700, output_tokens=30, model_calls=1, cost=0.25)
    assert await store.begin_call(run, "click", usage=used)
    taken = await other.take_run(run.id, "running")
    assert taken
    assert taken.usage == used.model_dump()
    assert await other.finish_run(taken.id, "interrupted", epoch=taken.epoch)
    assert (await store.session(session_id)).usage == used.model_dump()


async def test_what_each_run_has_used_adds_up_in_its_session(store: Store) -> None:
    session_id = await new_session(store)
    used = Usage(input_tokens=700, output_tokens=30, model_calls=1, cost=0.25)
    for _ in range(2):
        run = (await begun(store, session_id)).run
        assert await store.finish_run(run.id, "completed", epoch=run.epoch, answer="Done.", usage=used)
    session = await store.session(session_id)
    assert session.usage == sum_usage(used, used).model_dump()


async def test_the_first_answer_to_a_question_wins(store: Store, other: Store) -> None:
    for number in range(10):
        session_id = await new_session(store, f"race-{number}")
        reference = await ask(store, (await begun(store, session_id)).run)
        calls = [
            one.decide(session_id, Answer(reference=reference, confirmed=one is store))
            for one in (store, other)
        ]
        decided, failures = await all_of(calls)
        assert [row.status for row in decided] == ["decided"]
        assert [getattr(failure, "code", failure) for failure in failures] == ["already_decided"]


async def test_an_answer_waits_for_another_one_that_is_being_stored(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    reference = await ask(store, (await begun(store, session_id)).run)
    loop, is_stored = asyncio.get_running_loop(), asyncio.Event()

    def decide_and_wait(db: Connection) -> str:
        row = Store.decide.__wrapped__(store, db, session_id, yes(reference))  # type: ignore[attr-defined]
        loop.call_soon_threadsafe(is_stored.set)
        wait_for_another(db)
        return str(row.status)

    first = asyncio.create_task(store.database.write(decide_and_wait))
    await is_stored.wait()
    with pytest.raises(Conflict, match="closed already"):
        await other.decide(session_id, Answer(reference=reference, confirmed=False))
    assert await first == "decided"


async def test_an_answer_and_a_cancel_that_race_leave_one_outcome(store: Store, other: Store) -> None:
    for number in range(10):
        session_id = await new_session(store, f"race-{number}")
        run = (await begun(store, session_id)).run
        reference = await ask(store, run)

        async def cancel(run_id: str = run.id) -> None:
            taken = await other.take_run(run_id, "running")
            assert taken
            assert await other.finish_run(run_id, "cancelled", epoch=taken.epoch)

        await all_of([store.decide(session_id, yes(reference)), cancel()])
        assert await store.begin_execution(run.id) is None
        assert (await store.run(run.id)).status == "cancelled"


async def test_the_end_of_a_run_frees_the_next_one_in_the_same_moment(store: Store) -> None:
    session_id = await new_session(store)
    first = (await begun(store, session_id, "first")).run
    waiting = await store.accept(session_id, "second", mode="queue")
    assert await store.begin_execution(waiting.run.id) is None
    ended = await store.finish_run(first.id, "completed", epoch=first.epoch, answer="one", start_next=True)
    assert ended
    assert ended.next
    assert ended.next.run.id == waiting.run.id
    assert contents(await store.messages(session_id)) == ["first", "one", "second"]
    assert await store.begin_execution(waiting.run.id)


async def test_what_is_said_into_a_run_before_it_begins_is_heard_when_it_does(store: Store) -> None:
    session_id = await new_session(store)
    asked = await store.accept(session_id, "shop")
    steered = await store.accept(session_id, "only blue ones", mode="steer")
    assert (steered.steers, steered.run.id) == (True, asked.run.id)
    execution = await store.begin_execution(asked.run.id)
    assert execution
    assert (contents(execution.messages), contents(execution.unread)) == (["shop"], ["only blue ones"])


async def test_what_was_heard_before_a_question_is_not_heard_again(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    heard = (await store.accept(session_id, "blue", mode="steer")).message
    unread = (await store.accept(session_id, "and small", mode="steer")).message
    question = await store.open_interrupt(
        run, question_about(), expires_at=None, usage=Usage(), read_ids={heard.id}
    )
    assert question
    await store.decide(session_id, yes(question.reference))
    execution = await store.begin_execution(run.id)
    assert execution
    assert [message.id for message in execution.unread] == [unread.id]


async def test_what_nobody_heard_gets_runs_of_its_own_in_its_order(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    said = [(await store.accept(session_id, text, mode="steer")).message for text in ("one", "two", "three")]
    await store.accept(session_id, "queued", mode="queue")
    answers = iter(("a", "b", "c", "d"))
    heard = {said[0].id}
    while run:
        ended = await store.finish_run(
            run.id, "completed", epoch=run.epoch, answer=next(answers), read_ids=heard, start_next=True
        )
        assert ended
        following = await store.begin_execution(ended.next.run.id) if ended.next else None
        run = following.run if following else None
    expected = ["go", "one", "a", "two", "b", "three", "c", "queued", "d"]
    assert contents(await store.messages(session_id)) == expected


async def test_a_cancelled_run_takes_what_was_said_into_it_along(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    await store.accept(session_id, "faster", mode="steer")
    await store.add_tool_message(run, "a step", {"call_id": "1"})
    ended = await store.finish_run(run.id, "cancelled", epoch=run.epoch, start_next=True)
    assert ended
    assert ended.next is None
    assert contents(ended.changed) == ["faster"]
    messages = await store.messages(session_id)
    assert contents(messages) == ["go", "a step", "faster"]
    assert messages[-1].meta_json == {"mode": "steer", "heard": False}


async def test_what_a_failed_run_did_not_hear_gets_a_run(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    await store.accept(session_id, "faster", mode="steer")
    ended = await store.finish_run(run.id, "failed", epoch=run.epoch, start_next=True)
    assert ended
    assert ended.next
    assert ended.next.message.content == "faster"


async def test_a_step_that_is_stored_again_is_there_once(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    kept = await store.add_tool_message(run, "one", {"call_id": "1"}, again=True)
    assert kept
    repeated = await store.add_tool_message(run, "one", {"call_id": "1"}, again=True)
    assert repeated
    assert repeated.id == kept.id
    assert await store.add_tool_message(run, "two", {"call_id": "2"}, again=True)
    assert contents(await store.messages(session_id)) == ["go", "one", "two"]


async def test_what_a_provider_wants_back_is_read_with_the_step_and_is_no_part_of_what_is_shown(
    store: Store,
) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    kept = {"answer": "a", "at": 0, "parts": '{"message": {"reasoning_content": "\\u0000 \\ud83d"}}'}
    added = await store.add_tool_message(run, "one", {"call_id": "1", PROVIDER: kept})
    read = (await store.messages(session_id))[-1]
    for message in (added, read):
        assert message
        assert message.provider == kept
        assert message.meta_json == {"call_id": "1"}
        assert "parts" not in message.model_dump_json()


async def test_an_end_that_is_stored_again_is_known_only_as_the_end_that_it_was(store: Store) -> None:
    run = (await begun(store, await new_session(store))).run
    assert await store.finish_run(run.id, "completed", epoch=run.epoch, answer="Done.", again=True)
    repeated = await store.finish_run(run.id, "completed", epoch=run.epoch, answer="Done.", again=True)
    assert repeated
    assert repeated.message
    assert repeated.message.content == "Done."
    assert repeated.is_reported  # whether messages wait for delivery is not known any more
    assert await store.finish_run(run.id, "completed", epoch=run.epoch, answer="Done.") is None
    assert await store.finish_run(run.id, "failed", epoch=run.epoch, again=True) is None


async def test_an_end_that_is_stored_again_names_the_message_that_follows(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    await store.accept(session_id, "next", mode="queue")
    for _ in range(2):
        ended = await store.finish_run(run.id, "completed", epoch=run.epoch, start_next=True, again=True)
        assert ended
        assert ended.next
        assert ended.next.message.content == "next"


async def test_a_run_ends_for_want_of_an_answer_only_while_its_question_is_open(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    answered = await ask(store, run)
    await store.decide(session_id, yes(answered))
    again = await store.begin_execution(run.id)
    assert again
    for reference in (answered, "unknown"):
        assert await store.finish_run(run.id, "cancelled", unanswered=reference) is None
    assert (await store.run(run.id)).status == "running"
    still_open = await ask(store, again.run)
    assert await store.finish_run(run.id, "cancelled", unanswered=still_open)
    assert await store.pending(session_id) is None


async def test_a_run_ends_once(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    calls = [one.finish_run(run.id, "completed", epoch=run.epoch, answer="a") for one in (store, other) * 5]
    ended, failures = await all_of(calls)
    assert not failures
    assert len([one for one in ended if one]) == 1
    assert contents(await store.messages(session_id)) == ["go", "a"]


async def test_a_caller_that_is_cancelled_leaves_all_or_nothing(store: Store) -> None:
    sessions = [await new_session(store) for _ in range(30)]
    calls = [asyncio.create_task(store.accept(session_id, "go")) for session_id in sessions]
    for number, call in enumerate(calls):
        if number % 3 == 0:
            await asyncio.sleep(0)
        call.cancel()
    done = await asyncio.gather(*calls, return_exceptions=True)
    assert not [one for one in done if isinstance(one, Exception)]
    for session_id, one in zip(sessions, done, strict=True):
        overview = await store.overview(session_id)
        assert bool(overview.messages) == bool(overview.run)
        assert not isinstance(one, AcceptedMessage) or overview.run
        assert overview.session.last_seq == len(overview.messages)


async def test_runs_of_a_process_that_is_gone_are_interrupted_once(
    database_url: str, store: Store, other: Store
) -> None:
    async with open_store(database_url, f"{store.owner.rpartition(':')[0]}:gone") as gone:
        runs = [(await begun(gone, await new_session(gone))).run for _ in range(20)]
        waiting = (await begun(gone, await new_session(gone))).run
        await ask(gone, waiting)
    orphans, _ = await all_of(one.orphaned_runs() for one in (store, store))
    assert [{run.id for run in found} for found in orphans] == [{run.id for run in runs}] * 2
    ended, failures = await all_of(
        one.finish_run(run.id, "interrupted", error_code="server_restart")
        for run in runs
        for one in (store, other)
    )
    assert not failures
    assert len([one for one in ended if one]) == len(runs)
    assert [run.id for run, _ in await store.waiting_runs()] == [waiting.id]


async def test_a_question_that_expired_leaves_a_run_that_somebody_ends(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    past = run.created_at
    question = await store.open_interrupt(run, question_about(), expires_at=past, usage=Usage())
    assert question
    assert (await store.decide(session_id, yes(question.reference))).status == "expired"
    with pytest.raises(Conflict) as caught:
        await store.decide(session_id, yes(question.reference))
    assert caught.value.code == "approval_expired"
    waiting = await store.run(run.id)
    assert (waiting.status, waiting.owner) == ("queued", store.owner)


async def test_a_question_keeps_its_own_name_unless_another_has_it(store: Store) -> None:
    names = []
    for reference in ("call_1", "call_1", "x" * 65):
        run = (await begun(store, await new_session(store))).run
        question = await store.open_interrupt(
            run, question_about(reference=reference), expires_at=None, usage=Usage()
        )
        assert question
        names.append(question.reference)
    assert names[0] == "call_1"
    assert len(set(names)) == 3


async def put_clock_back(store: Store) -> None:
    """As if all that is there was made before that: its times are ahead of what comes."""
    tomorrow = now() + timedelta(days=1)

    def change(db: Connection) -> None:
        for kind in (RunRow, InterruptRow):
            db.execute(update(kind).values(created_at=tomorrow))

    await store.database.write(change)


async def test_runs_keep_their_order_when_the_clock_is_put_back(store: Store) -> None:
    session_id = await new_session(store)
    run = (await store.accept(session_id, "first")).run
    await store.accept(session_id, "second", mode="queue")
    await put_clock_back(store)
    await store.accept(session_id, "third", mode="queue")
    for answer in ("1", "2", "3"):
        execution = await store.begin_execution(run.id)
        assert execution
        ended = await store.finish_run(
            run.id, "completed", epoch=execution.run.epoch, answer=answer, start_next=True
        )
        assert ended
        run = ended.next.run if ended.next else ended.run
    assert contents(await store.messages(session_id)) == ["first", "1", "second", "2", "third", "3"]
    current = await store.current_run(session_id)
    assert current
    assert current.id == run.id


async def test_a_run_goes_on_from_its_newest_question_when_the_clock_is_put_back(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    for reason in ("buys a kettle", "deletes the account"):
        await put_clock_back(store)
        asked = await store.open_interrupt(run, question_about(reason=reason), expires_at=None, usage=Usage())
        assert asked
        await store.decide(session_id, yes(asked.reference))
        execution = await store.begin_execution(run.id)
        assert execution
        run = execution.run
        assert execution.question
        assert execution.question.reason == reason
    questions = (await store.overview(session_id)).questions
    assert [row.payload["reason"] for row in questions] == ["buys a kettle", "deletes the account"]


async def test_a_yes_and_what_it_allows_are_one_transaction(store: Store) -> None:
    session_id = await new_session(store)
    reference = await ask(store, (await begun(store, session_id)).run)

    def fail(_payload: object) -> NewGrant:
        raise Conflict("no further")

    with pytest.raises(Conflict, match="no further"):
        await store.decide(session_id, yes(reference), grant_of=fail)
    question = await store.pending(session_id)
    assert question
    row = await store.decide(
        session_id, yes(reference), grant_of=lambda _: NewGrant(site="shop.example", kind="buy")
    )
    assert row.status == "decided"
    grants = [(one.row.site, one.row.kind) for one in await store.grants(session_id=session_id)]
    assert grants == [("shop.example", "buy")]


async def test_a_site_with_an_endless_name_is_asked_about_again(store: Store) -> None:
    session_id = await new_session(store)
    reference = await ask(store, (await begun(store, session_id)).run)
    site = "a" * 300
    row = await store.decide(session_id, yes(reference), grant_of=lambda _: NewGrant(site=site, kind="buy"))
    assert row.status == "decided"
    assert await store.grants(session_id=session_id) == []


async def test_what_was_approved_is_named_when_it_is_cut_short(store: Store) -> None:
    """Before the tool call itself could be noted."""
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    asked = question_about(target=Target(role="button", name="Place order"))
    question = await store.open_interrupt(run, asked, expires_at=None, usage=Usage())
    assert question
    await store.decide(session_id, yes(question.reference))
    assert (await store.run(run.id)).doing == "click Place order"


async def test_late_writes_to_a_purged_session_are_refused(store: Store) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    calls = [store.add_tool_message(run, str(number), {}) for number in range(10)]
    await all_of([*calls[:5], store.purge_session(session_id), *calls[5:]])
    assert await store.messages(session_id) == []
    with pytest.raises(NotFound):
        await store.accept(session_id, "late")
    with pytest.raises(NotFound):
        await store.purge_session(session_id)
    assert await store.finish_run(run.id, "completed", epoch=run.epoch, answer="late") is None


async def test_a_database_that_stays_locked_is_told_and_the_message_can_be_sent_again(
    client: httpx.AsyncClient, settings: Settings
) -> None:
    session_id = await chat.new_session(client)
    other = sqlite3.connect(settings.database.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    path, body = f"/api/sessions/{session_id}/messages", {"content": PING, "client_id": "c1"}
    refused = await client.post(path, json=body)
    assert (refused.status_code, refused.json()["code"]) == (503, "db_busy")
    assert refused.headers["retry-after"]
    assert (await client.get(f"/api/sessions/{session_id}")).json()["messages"] == []
    sending = asyncio.create_task(client.post(path, json=body))
    await asyncio.wait({sending}, timeout=0.5)
    other.execute("COMMIT")
    other.close()
    assert (await sending).status_code == 202
    events = await chat.read_stream(client, session_id)
    assert events[-1]["type"] == "done"
    messages = (await client.get(f"/api/sessions/{session_id}")).json()["messages"]
    assert [message["content"] for message in messages] == [PING, "Harbour"]


async def test_a_search_finds_titles_and_the_newest_message_that_says_it(store: Store) -> None:
    titled = await store.create_session(
        id=None, title="Чайник", agent="operator", model="m", max_tool_steps=1
    )
    said = await new_session(store)
    for words in ("a blue kettle", "no tea", "another Kettle, please"):
        run = (await begun(store, said, words)).run
        await store.finish_run(run.id, "completed", epoch=run.epoch)
    listed = await store.sessions(query="kett", archived=False, cursor=None, limit=10)
    assert [row.id for row in listed.rows] == [said]
    assert listed.matches[said].content == "another Kettle, please"
    listed = await store.sessions(query="чайн", archived=False, cursor=None, limit=10)
    assert [row.id for row in listed.rows] == [titled.id]
    assert listed.matches == {}


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
async def test_a_message_has_one_of_three_roles(store: Store, role: str) -> None:
    session_id = await new_session(store)
    await store.accept(session_id, "hello")

    def change_to(db: Connection, role: str) -> None:
        db.execute(update(MessageRow).where(MessageRow.session_id == session_id).values(role=role))

    def add_a_fourth(db: Connection) -> None:
        known = db.execute(select(MessageRow).where(MessageRow.session_id == session_id)).mappings().one()
        db.execute(
            insert(MessageRow).values(
                {**known, "id": new_id(), "seq": 2, "client_id": None, "role": "system"}
            )
        )

    await store.database.write(lambda db: change_to(db, role))
    with pytest.raises(IntegrityError, match="message_role"):
        await store.database.write(add_a_fourth)
    with pytest.raises(IntegrityError, match="message_role"):
        await store.database.write(lambda db: change_to(db, "system"))
    assert [message.role for message in await store.messages(session_id)] == [role]


async def test_open_questions_of_all_sessions_come_by_expiry_in_pages(store: Store) -> None:
    moments = {"late": timedelta(minutes=9), "never": None, "soon": timedelta(minutes=1), "last": None}
    for name, left in moments.items():
        run = (await begun(store, await new_session(store, name))).run
        expires_at = now() + left if left else None
        await store.open_interrupt(run, question_about(), expires_at=expires_at, usage=Usage())
    whole = await store.open_questions()
    assert [row.session_id for row, _ in whole.rows] == ["soon", "late", "never", "last"]
    assert (whole.total, whole.next_cursor) == (4, None)
    seen, cursor = [], None
    for _ in moments:
        page = await store.open_questions(cursor=cursor, limit=1)
        seen += [row.session_id for row, _ in page.rows]
        cursor = page.next_cursor
    assert (seen, cursor) == (["soon", "late", "never", "last"], None)
    (first, _), *_ = whole.rows
    await store.decide("soon", yes(first.reference))
    assert (await store.open_questions()).total == 3
    await store.purge_session("late")
    assert [row.session_id for row, _ in (await store.open_questions()).rows] == ["never", "last"]


async def test_a_message_is_stored_with_its_question_and_claimed_by_one_process(
    store: Store, other: Store
) -> None:
    wanted = {"events": ["question", "done"], "mode": "always", "quiet": None}
    for kind in ("webhook", "apprise"):
        await store.add_channel(kind=kind, address=b"x", shown="x", secret=None, **wanted)
    await store.add_channel(
        kind="webhook", address=b"y", shown="y", secret=None, events=["failed"], mode="away", quiet=None
    )
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    reference = await ask(store, run)
    moment = now()
    claim = {"moment": moment, "until": moment + timedelta(minutes=1), "most": 9}
    both, failures = await all_of(one.claim_deliveries(**claim) for one in (store, other, store, other))
    assert not failures
    taken = [due for found in both for due in found]
    assert [(due.delivery.about, due.is_current) for due in taken] == [(reference, True)] * 2
    assert {due.channel.kind for due in taken} == {"webhook", "apprise"}
    first, second = (due.delivery for due in taken)
    await store.settle_deliveries([first], "delivered")
    await store.decide(session_id, yes(reference))
    (again,) = await other.claim_deliveries(**(claim | {"moment": moment + timedelta(minutes=2)}))
    assert (again.delivery.id, again.delivery.tries, again.is_current) == (second.id, 2, False)
    await store.remove_channel(again.channel.id)
    assert await store.next_delivery() is None
    await store.forget_deliveries(timedelta(0))


async def test_a_question_put_off_while_its_message_is_sent_is_reported_again(
    store: Store, other: Store
) -> None:
    await store.add_channel(
        kind="webhook", address=b"x", shown="x", secret=None, events=["question"], mode="always", quiet=None
    )
    session_id = await new_session(store)
    reference = await ask(store, (await begun(store, session_id)).run)
    moment = now()
    claim = {"moment": moment, "until": moment + timedelta(minutes=1), "most": 9}
    (sending,) = await store.claim_deliveries(**claim)
    until = moment + timedelta(hours=1)
    await other.put_off(session_id, reference, until, timedelta(minutes=5))
    await store.settle_deliveries(sending.rows, "delivered")
    await store.postpone_deliveries(sending.rows, moment, tries=1)
    assert await store.next_delivery() == until


async def test_the_end_of_a_run_is_stored_as_a_message_once(store: Store) -> None:
    await store.add_channel(
        kind="webhook",
        address=b"x",
        shown="x",
        secret=None,
        events=["done", "failed"],
        mode="always",
        quiet=None,
    )
    for status in ("completed", "failed", "interrupted", "cancelled"):
        run = (await begun(store, await new_session(store))).run
        for again in (False, True):
            await store.finish_run(
                run.id, status, answer="It is done." if status == "completed" else None, again=again
            )
    moment = now()
    found = await store.claim_deliveries(moment=moment, until=moment, most=9)
    assert sorted(due.delivery.type for due in found) == ["done", "failed", "failed"]


async def test_two_processes_that_see_the_same_due_message_do_not_both_take_it(
    store: Store, other: Store
) -> None:
    await store.add_channel(
        kind="webhook", address=b"x", shown="x", secret=None, events=["question"], mode="always", quiet=None
    )
    await ask(store, (await begun(store, await new_session(store))).run)
    moment = now()
    claim = {"moment": moment, "until": moment + timedelta(minutes=1), "most": 9}
    loop, has_claimed = asyncio.get_running_loop(), asyncio.Event()

    def claim_and_wait(db: Connection) -> int:
        taken = Store.claim_deliveries.__wrapped__(store, db, **claim)  # type: ignore[attr-defined]
        loop.call_soon_threadsafe(has_claimed.set)
        wait_for_another(db)
        return len(taken)

    first = asyncio.create_task(store.database.write(claim_and_wait))
    await has_claimed.wait()
    assert await other.claim_deliveries(**claim) == []
    assert await first == 1


async def test_of_many_acts_in_two_processes_no_more_begin_than_a_grant_allows(
    store: Store, other: Store
) -> None:
    session_id = await new_session(store)
    run = (await begun(store, session_id)).run
    row = await store.add_grant(
        NewGrant(
            site="shop.example", kind="pay", scope="session", count=5, month_parts=30_000, currency="EUR"
        ),
        session_id=session_id,
    )
    need = Need(site="shop.example", kind="pay", amount=Amount(parts=9_000, currency="EUR"))
    use = GrantUse(grant_id=row.id, scope="session", need=need)
    calls = [one.use_grants(run, [use], "pay", new_id()) for _ in range(8) for one in (store, other)]
    results, failures = await all_of(calls)
    assert not [failure for failure in failures if not isinstance(failure, Conflict)]
    assert sum(results) == 3  # 27 of 30 euros
    (listed,) = await other.grants(session_id=session_id)
    assert (listed.row.uses, listed.row.month_spent) == (3, 27_000)
    await other.remove_grant(row.id)
    assert not await store.use_grants(run, [use], "pay", new_id())


async def test_a_digest_is_claimed_as_a_whole_by_one_process(store: Store, other: Store) -> None:
    await store.add_channel(
        kind="webhook", address=b"x", shown="x", secret=None, events=["done"], mode="always", quiet=None,
        digest={"minutes": 30},
    )  # fmt: skip
    for _ in range(3):
        run = (await begun(store, await new_session(store))).run
        await store.finish_run(run.id, "completed", answer="It is done.")
    due = await store.next_delivery()
    assert due is not None
    assert due > now() + timedelta(minutes=29)
    claim = {"moment": due, "until": due + timedelta(minutes=1), "most": 2}
    both, failures = await all_of(one.claim_deliveries(**claim) for one in (store, other, store, other))
    assert not failures
    (taken,) = [one for found in both for one in found]
    assert len(taken.rows) == 3
    await other.postpone_deliveries(taken.rows, due + timedelta(minutes=2), tries=1)
    (again,) = await store.claim_deliveries(**(claim | {"moment": due + timedelta(minutes=2)}))
    assert [row.id for row in again.rows] == [row.id for row in taken.rows]
    await store.settle_deliveries(again.rows, "delivered")
    assert await store.next_delivery() is None


async def test_a_device_has_one_channel_and_a_secret_is_made_once(store: Store, other: Store) -> None:
    wanted = {
        "kind": "push",
        "address": b"x",
        "secret": None,
        "events": ["done"],
        "mode": "always",
        "quiet": None,
    }
    first = await store.add_channel(shown="Phone", device="d", **wanted)
    second = await other.add_channel(shown="Same phone", device="d", **wanted)
    third = await store.add_channel(shown="Laptop", device="e", **wanted)
    assert first.id == second.id
    await other.change_channel(third.id, device="d")
    assert [row.id for row in await store.channels()] == [third.id]
    await all_of(one.put_secret("key", name, None) for one, name in ((store, b"a"), (other, b"b")))
    made = await store.secret("key")
    assert made in (b"a", b"b")
    await other.put_secret("key", b"c", b"another")
    assert await store.secret("key") == made
    await other.put_secret("key", b"c", made)
    assert await store.secret("key") == b"c"


async def test_a_link_is_for_its_open_question_and_goes_with_it(store: Store) -> None:
    session_id = await new_session(store)
    reference = await ask(store, (await begun(store, session_id)).run)
    await store.add_question_link("one", reference)
    await store.add_question_link("two", reference)
    assert (await store.question_of_link("one"))[0].reference == reference
    with pytest.raises(Unauthorized):
        await store.question_of_link("three")
    await store.decide(session_id, yes(reference))
    for secret in ("one", "two"):
        with pytest.raises(Unauthorized):
            await store.question_of_link(secret)
    await store.forget_links()
    assert await rows_of(store, "question_links") == 0


async def test_a_hand_off_is_opened_by_one_and_ends(store: Store, other: Store) -> None:
    session_id = await new_session(store)
    soon = now() + timedelta(minutes=5)
    await store.add_handoff(session_id, "former", soon)
    await store.add_handoff(session_id, "secret", soon)
    with pytest.raises(Unauthorized):
        await store.open_handoff("former", "t")
    opened, failures = await all_of(
        one.open_handoff("secret", f"token {i}") for i, one in enumerate((store, other, store, other))
    )
    assert len(opened) == 1
    assert len(failures) == 3
    tokens = [f"token {i}" for i in range(4)]
    assert len([token for token in tokens if await store.held_handoff(token)]) == 1
    await store.end_handoff(session_id, if_opened=True)
    assert await other.handoff_of(session_id) is None
    await store.add_handoff(session_id, "late", now() - timedelta(seconds=1))
    await store.end_handoff(session_id, if_opened=True)
    assert await rows_of(store, "handoffs") == 1
    assert await store.handoff_of(session_id) is None
    with pytest.raises(Unauthorized):
        await store.open_handoff("late", "t")
    await store.forget_links()
    assert await rows_of(store, "handoffs") == 0
    await store.add_handoff(session_id, "last", soon)
    await store.purge_session(session_id)
    assert await rows_of(store, "handoffs") == 0


async def rows_of(store: Store, table: str) -> int:
    return await store.database.read(lambda db: db.scalar(text(f"SELECT count(*) FROM {table}")) or 0)
