"""What a bus promises, for the bus of one process and for that of several."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from server.events import (
    Done,
    Error,
    Event,
    Message,
    MessageAdded,
    SessionChanged,
    Stamped,
    Thinking,
    Token,
    ToolEnd,
    ToolStart,
    Usage,
)
from server.extras.cluster.redis_bus import RedisBus
from server.extras.cluster.signals import InProcessSignals, Signal, Signals
from server.stream.bus import EventBus, Fenced, InProcessBus
from server.stream.event_log import EventId
from tests.support.eventually import eventually
from tests.support.redis import RedisServer

SESSION = "s1"
END = Error(code="cancelled", message="Task cancelled")
SENT = Message(
    id="m1", session_id=SESSION, run_id=None, seq=1, role="user", content="hi", meta_json={"kept": None},
    created_at=datetime(2026, 11, 24, tzinfo=UTC),
)  # fmt: skip


def token(number: int) -> Token:
    return Token(message_id=f"m{number}", text=f"{number} ")


@dataclass
class Buses:
    """`here` executes runs, `there` serves readers. Of one process: both are the same."""

    here: EventBus
    there: EventBus
    heres_signals: Signals
    theres_signals: Signals


@pytest.fixture(params=["one process", "redis"])
async def buses(request: pytest.FixtureRequest) -> AsyncIterator[Buses]:
    if request.param == "one process":
        bus, signals = InProcessBus(heartbeat=0.05), InProcessSignals()
        yield Buses(bus, bus, signals, signals)
        bus.close()
        return
    server: RedisServer = request.getfixturevalue("redis")
    async with AsyncExitStack() as stack:
        prefix = f"test-{uuid4().hex}"  # the id of an object may be that of one in an earlier test
        one, other = [
            await stack.enter_async_context(RedisBus(server.url, prefix=prefix, heartbeat=0.05))
            for _ in range(2)
        ]
        yield Buses(one, other, one, other)


async def read(
    bus: EventBus, *, run_id: str | None = None, after: EventId | None = None, session_id: str = SESSION
) -> list[Stamped]:
    return [
        entry.stamped async for batch in bus.follow(session_id, run_id=run_id, after=after) for entry in batch
    ]


def ids(events: Sequence[Stamped]) -> list[str]:
    return [stamped.id for stamped in events]


async def test_a_late_reader_gets_the_whole_run(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1), token(2), END])
    await eventually(lambda: read_run(buses.there), lambda it: it == "r1", message="the run is known there")
    assert ids(await read(buses.there)) == ["1-1", "1-2", "1-3"]


async def read_run(bus: EventBus) -> str | None:
    async with bus.loaded(SESSION):
        return bus.run_of(SESSION)


EVERY_KIND: list[Event] = [
    MessageAdded(message=SENT),
    Thinking(message_id="m2", text="Hm.\n"),
    ToolStart(call_id="c", name="click", args={"eid": 3, "why": None}, box=(1, 2, 3.5, 4)),
    ToolEnd(call_id="c", name="click", ok=True, summary="ok", duration_ms=5, result={"rows": [[1, "ä"]]}),
    token(1),
    Done(message=SENT, usage=Usage(input_tokens=1, cost=0.5)),
]


async def test_events_arrive_as_they_were_published(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, EVERY_KIND)
    await eventually(lambda: read_run(buses.there), lambda it: it == "r1", message="the run is known there")
    found = await read(buses.there)
    assert [stamped.event for stamped in found] == EVERY_KIND
    assert {(stamped.session_id, stamped.run_id, stamped.epoch) for stamped in found} == {(SESSION, "r1", 1)}


async def test_whoever_comes_back_gets_what_he_missed_and_nothing_twice(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [*map(token, range(20)), END])
    await eventually(lambda: read_run(buses.there), lambda it: it == "r1", message="the run is known there")
    for seen in range(1, 22):
        found = ids(await read(buses.there, after=(1, seen)))
        assert found == [f"1-{number}" for number in range(seen + 1, 22)]


async def test_nothing_is_lost_between_backlog_and_live(buses: Buses) -> None:
    """Readers come at all moments of a run that publishes."""
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(0)])
    await eventually(lambda: read_run(buses.there), lambda it: it == "r1", message="the run is known there")
    readers: list[asyncio.Task[list[Stamped]]] = []
    for number in range(1, 200):
        buses.here.publish(SESSION, 1, [token(number)])
        if number % 20 == 0:
            readers.append(asyncio.create_task(read(buses.there, run_id="r1")))
        if number % 7 == 0:
            await asyncio.sleep(0.001)
    buses.here.publish(SESSION, 1, [END])
    for reader in readers:
        assert ids(await reader) == [f"1-{number}" for number in range(1, 202)]


async def test_texts_are_the_same_however_they_are_joined(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    said = [f"word{number} " for number in range(500)]
    for text in said:
        buses.here.publish(SESSION, 1, [Token(message_id="m", text=text)])
    buses.here.publish(SESSION, 1, [END])
    await eventually(lambda: read_run(buses.there), lambda it: it == "r1", message="the run is known there")
    found = await read(buses.there)
    texts = [stamped.event.text for stamped in found if isinstance(stamped.event, Token)]
    assert "".join(texts) == "".join(said)
    assert ids(found) == [f"1-{number}" for number in range(1, len(found) + 1)]


async def test_a_writer_of_an_older_epoch_is_refused(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1)])
    await eventually(lambda: read_run(buses.there), lambda it: it == "r1", message="the run is known there")
    buses.there.open(SESSION, "r1", 2)
    buses.there.publish(SESSION, 2, [token(2)])
    await eventually(lambda: last_id(buses.here), lambda it: it == "2-1", message="the successor is known")

    def publish() -> bool:
        try:
            buses.here.publish(SESSION, 1, [token(3)])
        except Fenced:
            return True
        return False

    await eventually(publish, message="the older epoch is refused")
    buses.there.publish(SESSION, 2, [END])
    assert ids(await read(buses.there, run_id="r1")) == ["1-1", "2-1", "2-2"]


async def last_id(bus: EventBus) -> str | None:
    async with bus.loaded(SESSION):
        return bus.last_id(SESSION)


async def test_others_publish_into_the_current_epoch(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1)])
    await eventually(lambda: last_id(buses.there), lambda it: it == "1-1", message="the token is there")
    buses.there.publish(SESSION, None, [MessageAdded(message=SENT)])
    await eventually(lambda: last_id(buses.here), lambda it: it == "1-2", message="the message is here")
    buses.here.publish(SESSION, 1, [token(2), END])
    found = await read(buses.there)
    assert ids(found) == ["1-1", "1-2", "1-3", "1-4"]
    assert {stamped.run_id for stamped in found} == {"r1"}


async def test_an_execution_goes_on_in_the_epoch_that_another_process_has_opened(buses: Buses) -> None:
    """A run is opened where its message is accepted; its first execution has the same epoch."""
    buses.there.open(SESSION, "r1", 1)
    buses.there.publish(SESSION, None, [MessageAdded(message=SENT)])
    await eventually(lambda: last_id(buses.here), lambda it: it == "1-1", message="the message is here")
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1), END])
    assert ids(await read(buses.there)) == ["1-1", "1-2", "1-3"]


async def test_numbers_begin_again_with_each_epoch_and_a_follower_goes_on(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1), END])
    await eventually(lambda: last_id(buses.there), lambda it: it == "1-2", message="the first run is there")
    follower = buses.there.follow(SESSION, forever=True)
    seen: list[Stamped] = []

    async def follow() -> list[Stamped]:
        async for batch in follower:
            seen.extend(entry.stamped for entry in batch)
            if seen and seen[-1].epoch == 2 and seen[-1].event.is_terminal:
                return seen
        return seen

    task = asyncio.create_task(follow())
    await eventually(lambda: ids(seen), lambda it: it == ["1-1", "1-2"], message="the first run is read")
    buses.here.open(SESSION, "r2", 2)
    buses.here.publish(SESSION, 2, [token(2), END])
    assert ids(await task) == ["1-1", "1-2", "2-1", "2-2"]


async def test_what_is_known_of_a_session(buses: Buses) -> None:
    async with buses.there.loaded(SESSION):
        assert (buses.there.run_of(SESSION), buses.there.has_ended(SESSION)) == (None, True)
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1)])
    await eventually(lambda: last_id(buses.there), lambda it: it == "1-1", message="the token is there")
    async with buses.there.loaded(SESSION):
        assert not buses.there.has_ended(SESSION)
        assert buses.there.keeps(SESSION, "r1")
        assert not buses.there.keeps(SESSION, "r0")
    buses.here.publish(SESSION, 1, [END])
    await eventually(lambda: last_id(buses.there), lambda it: it == "1-2", message="the end is there")
    async with buses.there.loaded(SESSION):
        assert buses.there.has_ended(SESSION)


async def test_a_run_stays_over_whatever_is_said_after_its_end(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1), END])
    follower = buses.there.follow(SESSION, forever=True)
    seen: list[str] = []
    async for batch in follower:
        seen += [entry.stamped.event.type for entry in batch]
        if seen[-1:] == ["error"]:
            buses.there.publish(SESSION, None, [MessageAdded(message=SENT)])
        if "message" in seen:
            break
    assert seen == ["token", "error", "message"]
    async with buses.there.loaded(SESSION):
        assert buses.there.has_ended(SESSION)
        assert [one.seq for one in await read(buses.there)] == [1, 2]
        assert await read(buses.there, after=(1, 2)) == []
        assert await read(buses.there, after=(1, 3)) == []
    await follower.aclose()  # type: ignore[attr-defined]


async def test_silence_is_told_so_that_a_ping_can_be_sent(buses: Buses) -> None:
    async for batch in buses.there.follow("quiet", forever=True):
        assert batch == []
        break


async def test_a_purged_session_ends_its_readers(buses: Buses) -> None:
    buses.here.open(SESSION, "r1", 1)
    buses.here.publish(SESSION, 1, [token(1)])
    await eventually(lambda: last_id(buses.there), lambda it: it == "1-1", message="the token is there")
    seen: list[Stamped] = []

    async def follow() -> None:
        async for batch in buses.there.follow(SESSION, forever=True):
            seen.extend(entry.stamped for entry in batch)

    task = asyncio.create_task(follow())
    await eventually(lambda: seen, message="the reader has read")
    buses.here.forget(SESSION)
    async with asyncio.timeout(30):
        await task
    assert await last_id(buses.there) is None


async def test_changes_of_sessions_reach_all_lists(buses: Buses) -> None:
    seen: list[SessionChanged] = []

    async def watch() -> None:
        async for changes in buses.there.watch():
            seen.extend(changes)

    task = asyncio.create_task(watch())
    change = SessionChanged(session_id=SESSION, status="running", title="Kettles", usage=Usage(cost=0.1))

    def announce() -> list[SessionChanged]:
        buses.here.announce(change)
        return seen

    await eventually(announce, message="the change is seen", interval=0.05)
    assert buses.here.is_watched
    assert set(map(repr, seen)) == {repr(change)}
    task.cancel()


async def test_signals_reach_their_worker_and_nobody_else(buses: Buses) -> None:
    received: list[Signal] = []
    others: list[Signal] = []

    async def listen(worker: str, into: list[Signal]) -> None:
        async for signal in buses.heres_signals.signals(worker):
            into.append(signal)

    assert await buses.theres_signals.signal("w1", Signal(kind="cancel", session_id=SESSION)) == 0
    tasks = [asyncio.create_task(listen("w1", received)), asyncio.create_task(listen("w2", others))]
    cancel = Signal(kind="cancel", session_id=SESSION, run_id="r1")

    async def send() -> int:
        return await buses.theres_signals.signal("w1", cancel)

    await eventually(send, lambda count: count == 1, message="the worker listens")
    await eventually(lambda: received, lambda it: it == [cancel], message="the signal is received")
    assert others == []
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)

    async def is_gone() -> bool:
        return await buses.theres_signals.signal("w1", cancel) == 0

    await eventually(is_gone, message="nobody listens any more")
