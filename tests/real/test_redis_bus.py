"""What only a bus on a real Redis has to survive: its loss, its silence, lost replies and lost messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from server.events import Error, Resync, Stamped, Token
from server.extras.cluster.outbox import OutboxItem
from server.extras.cluster.redis_bus import RedisBus
from server.ops.json_types import JsonObject
from tests.support.eventually import eventually
from tests.support.lossy_link import forgetful_link, silent_link
from tests.support.redis import RedisServer, redis_server

SESSION = "s1"
END = Error(code="cancelled", message="Task cancelled")


class Worker:
    """Publishes the tokens of one message, and knows the message so far."""

    def __init__(self, bus: RedisBus) -> None:
        self.bus = bus
        self.text = ""

    def say(self, text: str) -> None:
        self.text += text
        self.bus.publish(SESSION, 1, [Token(message_id="m", text=text)])

    def keyframe(self, session_id: str) -> JsonObject | None:
        return {"text": self.text}


class Reader:
    """A client like the web UI: at `resync` it reads the unfinished message, and continues from there."""

    def __init__(self, bus: RedisBus) -> None:
        self._bus = bus
        self.text = ""
        self.ids: list[str] = []
        self.resyncs = 0
        self.has_ended = False
        self._known = "0-0"
        """The id of the newest event whose text is known."""

    async def read(self) -> None:
        while not self.has_ended:
            after = None
            if self.ids:
                epoch, _, seq = self.ids[-1].partition("-")
                after = int(epoch), int(seq)
            async for batch in self._bus.follow(SESSION, after=after, forever=True):
                for entry in batch:
                    await self._take(entry.stamped)
                if self.has_ended:
                    return

    async def _take(self, stamped: Stamped) -> None:
        at = self.ids[-1] if self.ids else "0-0"
        if _number(stamped.id) <= _number(at):
            assert stamped.event.type == "resync"
        self.ids.append(stamped.id)
        match stamped.event:
            case Token(text=text) if _number(stamped.id) > _number(self._known):
                self.text += text
            case Error():
                self.has_ended = True
            case Resync():
                self.resyncs += 1
                keyframe = await self._bus.keyframe(SESSION)
                if keyframe:
                    self.text, self._known = keyframe["text"], keyframe["event_id"]


def _number(event_id: str) -> tuple[int, ...]:
    return tuple(map(int, event_id.split("-")))


@pytest.fixture
def server() -> Iterator[RedisServer]:
    """A server of its own, since these tests harm it."""
    with redis_server() as server:
        yield server


@asynccontextmanager
async def opened(
    server: RedisServer, url: str = "", **options: int
) -> AsyncIterator[tuple[Worker, RedisBus]]:
    """The bus of a worker that executes a run, and the bus of another process."""
    workers: list[Worker] = []
    async with (
        RedisBus(
            url or server.url,
            keyframe_of=lambda session: workers[0].keyframe(session),
            heartbeat=0.05,
            **options,
        ) as here,
        RedisBus(server.url, heartbeat=0.05, **options) as there,
    ):
        workers.append(Worker(here))
        here.open(SESSION, "r1", 1)
        yield workers[0], there


async def commands(server: RedisServer, *words: str) -> object:
    async with Redis.from_url(server.url) as redis:
        return await redis.execute_command(*words)


async def test_a_run_goes_on_after_redis_was_killed_and_has_lost_all_data(server: RedisServer) -> None:
    async with opened(server) as (worker, there):
        reader = Reader(there)
        task = asyncio.create_task(reader.read())
        worker.say("before ")
        await eventually(lambda: reader.text, lambda it: it == "before ", message="the first token is read")
        server.kill()
        worker.say("meanwhile ")
        server.start()
        worker.say("after ")
        await eventually(
            lambda: reader.text, lambda it: it == "before meanwhile after ", message="the reader goes on"
        )
        late = Reader(there)
        late_task = asyncio.create_task(late.read())
        await eventually(
            lambda: late.text, lambda it: it == reader.text, message="a late reader has the text"
        )
        worker.say("at last ")
        worker.bus.publish(SESSION, 1, [END])
        await asyncio.gather(task, late_task)
        assert reader.text == late.text == worker.text == "before meanwhile after at last "


async def test_news_reach_all_other_processes_also_after_redis_was_killed(server: RedisServer) -> None:
    async with RedisBus(server.url) as one, RedisBus(server.url) as two:
        heard: dict[str, list[bytes]] = {"one": [], "two": []}
        one.on_broadcast("logins", heard["one"].append)
        two.on_broadcast("logins", heard["two"].append)
        await _tell_until_heard(one, heard["two"], b"first")
        server.kill()
        one.broadcast("logins", b"is lost")
        server.start()
        await _tell_until_heard(one, heard["two"], b"second")
        await _tell_until_heard(two, heard["one"], b"back")
        assert set(heard["two"]) == {b"first", b"second"}
        assert set(heard["one"]) == {b"back"}


async def _tell_until_heard(bus: RedisBus, heard: list[bytes], news: bytes) -> None:
    """A subscription may not have begun yet."""

    def tell() -> bool:
        bus.broadcast("logins", news)
        return news in heard

    await eventually(tell, message=f"{news!r} is heard", interval=0.05)


async def test_a_quiet_run_gets_its_stream_back(server: RedisServer) -> None:
    """The run publishes nothing, so only the renewal can find the loss."""
    async with opened(server) as (worker, there):
        reader = Reader(there)
        task = asyncio.create_task(reader.read())
        worker.say("before ")
        await eventually(lambda: reader.text, message="the first token is read")
        # From now on there is nothing to publish, not even a keyframe.
        await eventually(lambda: there.keyframe(SESSION), message="the keyframe is stored")
        await commands(server, "FLUSHALL")
        await eventually(lambda: reader.resyncs, message="the stream begins again")
        assert (reader.text, worker.text) == ("before ", "before ")
        late = Reader(there)
        late_task = asyncio.create_task(late.read())
        await eventually(lambda: late.text, lambda it: it == "before ", message="a late reader has the text")
        worker.say("after ")
        worker.bus.publish(SESSION, 1, [END])
        await asyncio.gather(task, late_task)
        assert reader.text == late.text == worker.text


async def test_a_run_that_ends_after_redis_has_lost_its_events_is_told_to_have_ended(
    server: RedisServer,
) -> None:
    async with opened(server) as (worker, there):
        reader = Reader(there)
        task = asyncio.create_task(reader.read())
        worker.say("before ")
        await eventually(lambda: reader.text, message="the first token is read")
        await commands(server, "FLUSHALL")
        worker.bus.publish(SESSION, 1, [END])  # the renewal brings back no run that has ended
        await task
        assert reader.text == worker.text


async def test_a_reader_goes_on_after_its_connection_was_lost_without_being_closed(
    server: RedisServer,
) -> None:
    """The process only listens, so only asking for a sign of life can find the loss."""
    async with (
        opened(server) as (worker, _),
        silent_link(server.port) as link,
        RedisBus(f"redis://127.0.0.1:{link.port}/0", heartbeat=0.05) as apart,
    ):
        reader = Reader(apart)
        task = asyncio.create_task(reader.read())
        worker.say("before ")
        await eventually(lambda: reader.text, message="the first token is read")
        link.forget_connections()
        worker.say("meanwhile ")
        await eventually(
            lambda: reader.text, lambda it: it == "before meanwhile ", message="the reader goes on"
        )
        worker.bus.publish(SESSION, 1, [END])
        await task
        assert (reader.text, reader.resyncs) == (worker.text, 0)


async def test_a_frozen_redis_only_delays(server: RedisServer) -> None:
    async with opened(server) as (worker, there):
        reader = Reader(there)
        task = asyncio.create_task(reader.read())
        worker.say("0 ")
        await eventually(lambda: reader.text, message="the first token is read")
        server.freeze()
        for number in range(1, 40):
            worker.say(f"{number} ")
            await asyncio.sleep(0.1)  # longer than a command may take
        server.thaw()
        worker.bus.publish(SESSION, 1, [END])
        await task
        assert reader.text == worker.text
        assert reader.resyncs == 0


async def test_a_batch_whose_reply_was_lost_is_stored_once(server: RedisServer) -> None:
    async with forgetful_link(server.port) as link:
        url = f"redis://127.0.0.1:{link.port}/0"
        async with opened(server, url) as (worker, there):
            worker.say("0 ")
            await worker.bus.flush(30)
            for number in range(1, 6):
                link.losing = 2
                worker.say(f"{number} ")
                await worker.bus.flush(30)
                assert link.losing == 0
            worker.bus.publish(SESSION, 1, [END])
            reader = Reader(there)
            await reader.read()
            assert reader.text == worker.text == "0 1 2 3 4 5 "
            assert reader.ids == [f"1-{number}" for number in range(1, 8)]


async def test_messages_missed_by_the_subscriber_are_read_from_the_stream(server: RedisServer) -> None:
    async with opened(server) as (worker, there):
        reader = Reader(there)
        task = asyncio.create_task(reader.read())
        for number in range(200):
            worker.say(f"{number} ")
            await worker.bus.flush(30)
            if number % 20 == 10:
                await commands(server, "CLIENT", "KILL", "TYPE", "pubsub")
        worker.bus.publish(SESSION, 1, [END])
        await task
        assert reader.text == worker.text
        assert reader.ids == [f"1-{number}" for number in range(1, 202)]


class MuteBus(RedisBus):
    """What it publishes is stored, but its messages reach no subscriber."""

    def _channel(self, session_id: str) -> str:
        return f"nowhere:{session_id}"


async def test_a_single_message_that_was_missed_is_read_from_the_stream(server: RedisServer) -> None:
    async with opened(server) as (worker, there), MuteBus(server.url) as mute:
        reader = Reader(there)
        task = asyncio.create_task(reader.read())
        worker.say("0 ")
        await eventually(lambda: reader.text, message="the first token is read")
        mute.publish(SESSION, None, [Token(message_id="n", text="1 ")])
        await mute.flush(30)
        worker.say("2 ")
        worker.bus.publish(SESSION, 1, [END])
        await task
        assert reader.text == "0 1 2 "
        assert reader.ids == ["1-1", "1-2", "1-3", "1-4"]


async def test_a_process_has_one_subscriber_for_the_sessions_that_are_read_there(server: RedisServer) -> None:
    async with opened(server) as (worker, there):
        for number in range(20):
            worker.bus.open(f"other{number}", "r", 1)
        worker.say("x")
        await worker.bus.flush(30)
        readers = [asyncio.create_task(Reader(there).read()) for _ in range(10)]

        async def channels() -> list[bytes]:
            found = await commands(server, "PUBSUB", "CHANNELS", "pilothouse:events:*")
            assert isinstance(found, list)
            return found

        expected = [f"pilothouse:events:{SESSION}".encode()]
        await eventually(channels, lambda it: it == expected, message="only the session that is read")
        clients = await commands(server, "CLIENT", "LIST", "TYPE", "pubsub")
        assert isinstance(clients, bytes)
        assert len(clients.splitlines()) == 2  # of two processes
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        await eventually(channels, lambda it: it == [], message="nobody reads any more")
        assert there.topic_count == 0


async def test_who_fell_out_of_the_buffer_is_told_to_resync(server: RedisServer) -> None:
    """A stream is trimmed in blocks of a hundred entries or so."""
    async with opened(server, kept_entries=10) as (worker, there):
        for number in range(500):
            worker.say(f"{number} ")
            await worker.bus.flush(30)
        late = there.follow(SESSION, after=(1, 3), forever=True)
        async for batch in late:
            if batch:  # without events while the stream is read
                assert [entry.stamped.event.type for entry in batch] == ["resync"]
                break
        await late.aclose()  # type: ignore[attr-defined]


async def test_a_keyframe_is_of_the_moment_of_its_event(server: RedisServer) -> None:
    """Its text, and the tokens behind its id, make the whole message."""
    async with opened(server) as (worker, there):
        worker.say("begin ")
        await worker.bus.flush(30)

        async def keyframe() -> JsonObject | None:
            worker.say("more ")
            return await there.keyframe(SESSION)

        found = await eventually(keyframe, message="a keyframe is stored", interval=0.05)
        assert found
        worker.bus.publish(SESSION, 1, [END])
        epoch, _, seq = str(found["event_id"]).partition("-")
        rest = [
            entry.stamped.event.text
            async for batch in there.follow(SESSION, after=(int(epoch), int(seq)))
            for entry in batch
            if isinstance(entry.stamped.event, Token)
        ]
        assert found["text"] + "".join(rest) == worker.text

        async def gone() -> bool:
            return await there.keyframe(SESSION) is None

        await eventually(gone, message="a run that has ended has no keyframe")


async def test_what_is_too_much_to_keep_for_an_absent_redis_becomes_a_resync(server: RedisServer) -> None:
    async with opened(server) as (worker, there):
        reader = Reader(there)
        task = asyncio.create_task(reader.read())
        worker.say("begin ")
        await eventually(lambda: reader.text, message="the first token is read")
        server.kill()
        for number in range(10):
            worker.bus.publish(SESSION, 1, [Token(message_id=f"m{number}", text="x" * 1_000_000)])
        worker.bus.publish(SESSION, 1, [END])
        server.start()
        await task
        assert reader.resyncs
        assert len(reader.text) < 8_000_000


async def test_the_heartbeat_extends_the_expiry(server: RedisServer) -> None:
    async with opened(server) as (worker, _):
        worker.say("x")
        await worker.bus.flush(30)
        keys = [f"pilothouse:{{{SESSION}}}:{name}" for name in ("events", "state")]
        for key in keys:
            assert await commands(server, "EXPIRE", key, "5") == 1

        async def ages() -> list[int]:
            found = [await commands(server, "TTL", key) for key in keys]
            return [age for age in found if isinstance(age, int)]

        await eventually(ages, lambda it: min(it) > 800, message="the stream lives longer again")


def test_an_event_is_stored_as_json_that_a_person_can_read() -> None:
    number, kind, body = OutboxItem(3, 1, "r1", event=Token(message_id="m", text="ä")).arguments()
    assert (number, kind) == (3, "event")
    assert json.loads(body)["event"] == {"type": "token", "message_id": "m", "text": "ä"}


async def test_what_a_newer_version_publishes_keeps_its_number_and_harms_no_reader(
    server: RedisServer,
) -> None:
    """An event of a type that this version does not know is a `resync`; a signal or a session is left out."""
    future = json.dumps({"ts": "2026-11-24T10:00:00Z", "event": {"type": "hologram", "depth": 3}})
    async with opened(server) as (worker, there):
        reader, signals = Reader(there), there.signals("w1")
        tasks = [asyncio.create_task(reader.read()), asyncio.create_task(anext(signals))]
        worker.say("one ")
        await eventually(lambda: reader.text, lambda it: it == "one ", message="the first token is read")
        await commands(server, "XADD", "pilothouse:{s1}:events", "1-2", "run", "r1", "event", future)
        await commands(server, "HSET", "pilothouse:{s1}:state", "seq", "2")
        await commands(server, "PUBLISH", "pilothouse:events:s1", f"1-2 r1 {future}")
        await commands(server, "PUBLISH", "pilothouse:sessions", '{"session": 1}')
        for kind in ("hologram", "cancel"):
            await commands(
                server, "PUBLISH", "pilothouse:worker:w1", json.dumps({"kind": kind, "session_id": "s1"})
            )
        worker.say("two")
        await eventually(lambda: reader.text, lambda it: it == "one two", message="the reader continues")
        assert (reader.ids, reader.resyncs) == (["1-1", "1-2", "1-3"], 1)
        assert (await tasks[1]).kind == "cancel"
        late = Reader(there)
        tasks.append(asyncio.create_task(late.read()))
        await eventually(
            lambda: late.ids, lambda it: it == ["1-1", "1-2", "1-3"], message="another one reads all"
        )
        await signals.aclose()  # type: ignore[attr-defined]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_events_that_wait_for_redis_show_as_lag(server: RedisServer) -> None:
    async with opened(server) as (worker, _):
        worker.say("one")
        await eventually(lambda: worker.bus.lag, lambda lag: lag == 0, message="it is confirmed")
        server.kill()
        worker.say("two")
        await eventually(lambda: worker.bus.lag, lambda lag: lag > 0.2, message="it waits")
        server.start()
        await eventually(lambda: worker.bus.lag, lambda lag: lag == 0, message="all is confirmed")
