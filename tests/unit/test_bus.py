"""Numbers, fences, replay: what a reader may rely on."""

from __future__ import annotations

import asyncio
import tracemalloc
from datetime import UTC, datetime

import pytest

from server.events import (
    Done,
    Error,
    Event,
    Message,
    MessageAdded,
    Observed,
    SessionChanged,
    StateChanged,
    Token,
    ToolEnd,
    ToolStart,
    Usage,
)
from server.stream.bus import Fenced, InProcessBus
from server.stream.event_log import EventLog, read_event_id

SESSION = "s1"


def token(number: int) -> Token:
    return Token(message_id="m", text=f"{number} ")


END = Error(code="cancelled", message="Task cancelled")


@pytest.fixture
def bus() -> InProcessBus:
    return opened()


def opened(**limits: int) -> InProcessBus:
    bus = InProcessBus(heartbeat=0.01, **limits)
    bus.open(SESSION, "r1", 1)
    return bus


async def ids(bus: InProcessBus, **options: object) -> list[str]:
    found: list[str] = []
    async for batch in bus.follow(SESSION, **options):  # type: ignore[arg-type]
        found += [entry.stamped.id for entry in batch]
    return found


async def test_a_late_reader_gets_the_whole_run(bus: InProcessBus) -> None:
    bus.publish(SESSION, 1, [token(1), token(2), END])
    assert await ids(bus) == ["1-1", "1-2", "1-3"]


async def test_whoever_comes_back_gets_what_he_missed_and_nothing_twice(bus: InProcessBus) -> None:
    bus.publish(SESSION, 1, [token(number) for number in range(20)])
    bus.publish(SESSION, 1, [END])
    for seen in range(1, 22):
        assert await ids(bus, after=(1, seen)) == [f"1-{number}" for number in range(seen + 1, 22)]


async def test_nothing_is_lost_between_backlog_and_live(bus: InProcessBus) -> None:
    async def write() -> None:
        for number in range(200):
            bus.publish(SESSION, 1, [token(number)])
            if number % 7 == 0:
                await asyncio.sleep(0)
        bus.publish(SESSION, 1, [END])

    readers = [asyncio.create_task(ids(bus)) for _ in range(3)]
    await write()
    for reader in readers:
        assert await reader == [f"1-{number}" for number in range(1, 202)]


async def test_a_writer_of_an_older_epoch_is_refused(bus: InProcessBus) -> None:
    bus.open(SESSION, "r1", 2)
    with pytest.raises(Fenced):
        bus.publish(SESSION, 1, [token(1)])
    with pytest.raises(Fenced):
        bus.open(SESSION, "r0", 1)


async def test_numbers_begin_again_with_each_epoch(bus: InProcessBus) -> None:
    bus.publish(SESSION, 1, [token(1)])
    bus.open(SESSION, "r1", 2)
    bus.publish(SESSION, 2, [token(2), END])
    assert await ids(bus) == ["1-1", "2-1", "2-2"]


async def test_who_fell_out_of_the_buffer_is_told_to_resync() -> None:
    bus = opened(kept_entries=10)
    bus.publish(SESSION, 1, [token(number) for number in range(50)])
    entries = [
        entry
        async for batch in bus.follow(SESSION, after=(1, 3), forever=True)
        for entry in batch or _stop(bus)
    ]
    assert entries[0].stamped.event.type == "resync"
    assert entries[0].stamped.id == "1-50"


def _stop(bus: InProcessBus) -> list[object]:
    bus.close()
    return []


async def test_of_ended_runs_only_the_last_is_kept() -> None:
    bus = InProcessBus()
    for number in range(1, 101):
        bus.open(SESSION, f"r{number}", number)
        bus.publish(SESSION, number, [token(1), END])
    assert not bus.keeps(SESSION, "r98")
    assert await ids(bus, run_id="r99") == ["99-1", "99-2"]
    assert await ids(bus, after=(99, 1)) == ["99-2", "100-1", "100-2"]
    follower = bus.follow(SESSION, after=(98, 1), forever=True)
    assert [entry.stamped.event.type for entry in await anext(follower)] == ["resync"]
    await follower.aclose()


async def test_a_run_that_resumes_keeps_its_beginning(bus: InProcessBus) -> None:
    bus.publish(SESSION, 1, [token(1)])
    for epoch in range(2, 5):
        bus.open(SESSION, "r1", epoch)
        bus.publish(SESSION, epoch, [token(epoch)])
    assert bus.keeps(SESSION, "r1")
    bus.publish(SESSION, 4, [END])
    assert await ids(bus) == ["1-1", "2-1", "3-1", "4-1", "4-2"]


async def test_a_reader_that_does_not_read_costs_the_run_nothing() -> None:
    bus = opened(kept_entries=100)
    slow = bus.follow(SESSION)
    assert bus.publish(SESSION, 1, [token(0)])
    assert len(await anext(slow)) == 1
    for number in range(5_000):
        bus.publish(SESSION, 1, [token(number)])
    assert [entry.stamped.event.type for entry in await anext(slow)] == ["resync"]
    with pytest.raises(StopAsyncIteration):
        await anext(slow)


async def test_silence_is_told_so_that_a_ping_can_be_sent(bus: InProcessBus) -> None:
    follower = bus.follow(SESSION)
    assert await anext(follower) == []
    await follower.aclose()
    assert bus.reader_count == 0


async def test_a_follower_goes_on_from_run_to_run(bus: InProcessBus) -> None:
    follower = bus.follow(SESSION, forever=True)
    bus.publish(SESSION, 1, [END])
    assert [entry.stamped.run_id for entry in await anext(follower)] == ["r1"]
    bus.open(SESSION, "r2", 2)
    bus.publish(SESSION, 2, [token(1)])
    assert [entry.stamped.run_id for entry in await anext(follower)] == ["r2"]
    await follower.aclose()


async def test_the_stream_of_a_run_ends_with_it_whatever_comes_after(bus: InProcessBus) -> None:
    bus.publish(SESSION, 1, [token(1), END])
    bus.open(SESSION, "r2", 2)
    bus.publish(SESSION, 2, [token(2), END])
    assert await ids(bus, run_id="r1") == ["1-1", "1-2"]
    assert await ids(bus, run_id="r1", after=(1, 1)) == ["1-2"]
    assert await ids(bus, run_id="r1", after=(1, 2)) == []
    assert await ids(bus, run_id="r2") == await ids(bus) == ["2-1", "2-2"]


async def test_who_comes_back_in_the_next_run_misses_no_end_of_the_last_one(bus: InProcessBus) -> None:
    bus.publish(SESSION, 1, [token(1), END])
    bus.open(SESSION, "r2", 2)
    bus.publish(SESSION, 2, [token(2), END])
    assert await ids(bus, after=(1, 1)) == ["1-2", "2-1", "2-2"]


async def test_a_run_that_waits_behind_another_is_told_from_its_own_beginning_to_its_end(
    bus: InProcessBus,
) -> None:
    bus.publish(SESSION, 1, [token(1)])
    reader = asyncio.create_task(ids(bus, run_id="r2"))
    await asyncio.sleep(0)
    bus.publish(SESSION, 1, [token(2), END])
    await asyncio.sleep(0)
    bus.open(SESSION, "r2", 2)
    bus.publish(SESSION, 2, [token(3), END])
    bus.open(SESSION, "r3", 3)
    bus.publish(SESSION, 3, [token(4)])
    assert await reader == ["2-1", "2-2"]


async def test_a_watcher_gets_the_newest_change_of_each_session(bus: InProcessBus) -> None:
    watcher = bus.watch()
    first = asyncio.create_task(anext(watcher))
    await asyncio.sleep(0)
    for status in ("queued", "running"):
        bus.announce(SessionChanged(session_id=SESSION, status=status, title="t"))
    assert [change.status for change in await first] == ["running"]
    await watcher.aclose()


def test_event_ids_are_read_strictly() -> None:
    assert read_event_id("3-17") == (3, 17)
    assert read_event_id(f"{'9' * 15}-0") == (999_999_999_999_999, 0)
    long = "9" * 5000
    odd_ones = (
        "",
        "3",
        "3-",
        "-3",
        "a-b",
        "3-17-1",
        "3 - 17",
        "²-1",
        "1-²",
        "٣-١",
        "-3-1",
        "3--1",
        "3-1\n",
        "+3-1",
    )
    for odd in (None, *odd_ones, f"{long}-1", f"1-{long}", f"{'9' * 16}-1", "3_0-1"):
        assert read_event_id(odd) is None


MESSAGE = Message(
    id="m", session_id=SESSION, run_id="r1", seq=1, role="tool", content="x" * 50_000, meta_json={"args": ["y" * 50_000]},
    created_at=datetime.now(UTC),
)  # fmt: skip


@pytest.mark.parametrize(
    "event",
    [
        MessageAdded(message=MESSAGE), Done(message=MESSAGE, usage=Usage()), StateChanged(plan=["x" * 1000] * 100),
        ToolStart(call_id="c", name="n", args={"a": [{"b": "x" * 50_000}], "c": "y" * 50_000}),
        ToolEnd(call_id="c", name="n", ok=True, summary="x" * 100_000, duration_ms=1), Token(message_id="m", text="x" * 100_000),
        Error(code="c", message="x" * 100_000), Observed(url="u", title="t" * 50_000, counts={}, overlays=["x" * 50_000]),
    ],
)  # fmt: skip
def test_every_field_of_an_event_counts_for_what_is_kept(event: Event) -> None:
    topic = EventLog(SESSION)
    for _ in range(200):
        topic.add(event)
    wire = len(topic.entries[-1].wire)
    assert wire > 100_000
    assert len(topic.entries) * wire <= 8_000_000
    assert topic.size <= 8_000_000


def test_a_full_log_of_small_tokens_is_counted_as_large_as_it_is() -> None:
    tracemalloc.start()
    topic = EventLog(SESSION)
    for number in range(3_000):
        topic.add(token(number))
        assert topic.entries[-1].wire
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.5 < topic.size / taken < 2


def test_quiet_sessions_together_are_kept_small_and_the_oldest_go_first() -> None:
    bus = InProcessBus(kept_bytes=1_000_000)
    for number in range(20):
        bus.open(f"s{number}", "r", 1)
        bus.publish(f"s{number}", 1, [Token(message_id="m", text="x" * 100_000), END])
    assert [number for number in range(20) if bus.run_of(f"s{number}")] == [16, 17, 18, 19]


def test_a_session_that_is_only_watched_leaves_no_log_behind() -> None:
    async def watch_all() -> None:
        for number in range(50):
            follower = bus.follow(f"s{number}", forever=True)
            assert await anext(follower) == []
            await follower.aclose()

    bus = InProcessBus(heartbeat=0.0, kept_topics=10)
    asyncio.run(watch_all())
    assert bus.topic_count <= 11


async def test_one_more_session_is_served_while_all_that_are_kept_are_busy() -> None:
    bus = InProcessBus(kept_topics=2)
    for session in ("s1", "s2", "s3"):
        bus.open(session, "r", 1)
        bus.publish(session, 1, [token(1)])
    reader = bus.follow("s4", forever=True)
    waiting = asyncio.create_task(anext(reader))
    await asyncio.sleep(0)  # the reader waits before the run begins
    bus.open("s4", "r", 1)
    bus.publish("s4", 1, [token(4)])
    assert [entry.stamped.id for entry in await waiting] == ["1-1"]
    await reader.aclose()


def test_quiet_sessions_are_forgotten_first() -> None:
    bus = InProcessBus(kept_topics=3)
    for number in range(10):
        bus.open(f"s{number}", "r", 1)
        bus.publish(f"s{number}", 1, [token(1) if number == 0 else END])
    assert bus.run_of("s0") == "r"  # still running
    assert bus.topic_count <= 5
