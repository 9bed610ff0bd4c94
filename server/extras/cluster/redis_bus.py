"""The event bus of several processes, on Redis Streams. Any process may read and publish; Redis may lose all data.

Each session has a stream, whose entry ids are the events' `<epoch>-<seq>`, and a hash with the newest epoch, run and
seq. A script appends: it numbers the events, and refuses an older epoch, so that a process whose run was taken over
cannot write after its successor. Each publisher counts what it sends; the script remembers its last number and leaves
out what it has already stored, so that a batch whose reply was lost can be sent again.

A reader is served from a copy of the log in its process (`InProcessBus`), which one subscriber connection fills; only
sessions with readers in the process are subscribed. A message that was missed shows as a gap in `seq`, and is read from the
stream.

The process that executes a run extends the expiry of its stream. When it finds the stream gone, it opens it again and
publishes `resync`, so that clients reload the session. What they then read of the unfinished message is the keyframe,
which it also stores each time the message has grown.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import logging
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import orjson
from pydantic import BaseModel, ValidationError
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from server.errors import Unavailable
from server.events import Event, Resync, SessionChanged, Stamped, now
from server.extras.cluster.outbox import Outbox, StoredEvent
from server.extras.cluster.redis_hub import Hub, end_tasks
from server.extras.cluster.signals import Signal
from server.ops.background_tasks import BackgroundTasks
from server.ops.json_types import JsonObject
from server.stream.bus import Fenced, InProcessBus
from server.stream.event_log import KEPT_ENTRIES, Entry, EventId, read_event_id
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

EXPIRY = 900
"""Seconds for which Redis keeps a session's events after the last event or renewal."""
RENEWAL = 1.0
"""Seconds between two renewals of the streams of this process's runs; a lost stream is found by them."""
KEYFRAME = 1.5
"""Seconds between two keyframes of a run."""
REDIS_ANSWER_SECONDS = 2.0
"""Timeout of a command."""
LOAD_SECONDS = 3.0
"""How long `loaded` waits for Redis."""
CLOSE_SECONDS = 2.0
"""How long closing waits for Redis to confirm what is published."""
LOADS = 16
"""Streams that are read at the same time."""
REDIS_RETRY_SECONDS = 0.1
"""Seconds between attempts while Redis is away."""

APPEND = """
-- KEYS: stream, hash, keyframe.
-- ARGV: channel, epoch ('' for the current one), run, writer, opens ('1' or ''), floor, expiry, maxlen,
-- then for each event: the writer's number, kind (event, end, keyframe), body.
local epoch, run, writer = tonumber(ARGV[2]), ARGV[3], ARGV[4]
local known = redis.call('HMGET', KEYS[2], 'epoch', 'run', 'seq', writer)
local at, seq, last = tonumber(known[1] or -1), tonumber(known[3] or 0), tonumber(known[4] or 0)
local lines = {}
if not epoch then
    epoch, run = math.max(at, 0), known[2] or ''
elseif epoch < at then
    return {'FENCED', at}
elseif epoch > at or run ~= known[2] then
    if ARGV[5] == '' then return {'LOST', at} end
    if epoch > at then seq = 0 end
    seq = math.max(seq, tonumber(ARGV[6]))
    lines[1] = epoch .. '-' .. seq .. ' ' .. run .. ' '
end
for i = 9, #ARGV, 3 do
    local number, kind, body = tonumber(ARGV[i]), ARGV[i + 1], ARGV[i + 2]
    if number > last then
        last = number
        if kind == 'keyframe' then
            redis.call('SET', KEYS[3], epoch .. '-' .. seq .. ' ' .. body, 'EX', ARGV[7])
        else
            seq = seq + 1
            local id = epoch .. '-' .. seq
            redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[8], id, 'run', run, 'event', body)
            lines[#lines + 1] = id .. ' ' .. run .. ' ' .. body
            if kind == 'end' then
                redis.call('DEL', KEYS[3])
                redis.call('HSET', KEYS[2], 'ended', epoch)
            end
        end
    end
end
redis.call('HSET', KEYS[2], 'epoch', epoch, 'run', run, 'seq', seq, writer, last)
redis.call('EXPIRE', KEYS[2], ARGV[7])
redis.call('EXPIRE', KEYS[1], ARGV[7])
if #lines > 0 then redis.call('PUBLISH', ARGV[1], table.concat(lines, '\\n')) end
return {'OK', seq}
"""

APPEND_SHA = hashlib.sha1(APPEND.encode(), usedforsecurity=False).hexdigest()
GONE_MESSAGE = b"gone"
"""Published when a session is purged."""


@dataclass
class _WatchedSession:
    """A session with readers in this process."""

    session_id: str
    readers: int = 0
    is_loading: bool = True
    loaded: asyncio.Event = field(default_factory=asyncio.Event)
    missed: list[_Line] = field(default_factory=list)
    """What arrives while the stream is read."""
    task: asyncio.Task[None] | None = None


Keyframes = Callable[[str], JsonObject | None]
"""By session: output in progress that is not yet a message; None if there is none."""


class RedisBus:
    """An `EventBus`, and the `Signals` of its processes. Enter it as a context manager."""

    def __init__(
        self,
        url: str,
        *,
        keyframe_of: Keyframes = lambda _: None,
        prefix: str = "pilothouse",
        heartbeat: float = 10.0,
        kept_entries: int = KEPT_ENTRIES,
    ) -> None:
        self._redis: Redis = Redis.from_url(
            url, retry=Retry(NoBackoff(), 0), socket_timeout=REDIS_ANSWER_SECONDS, socket_connect_timeout=1.0
        )
        self._prefix = prefix
        self._keyframe_of = keyframe_of
        self._heartbeat = heartbeat
        self._kept_entries = kept_entries
        self._copy = InProcessBus(heartbeat=heartbeat, kept_entries=kept_entries, kept_topics=100_000)
        """The logs of the sessions that are read here."""
        self._process = secrets.token_hex(8)
        self._outboxes: dict[str, Outbox] = {}
        self._created = itertools.count()
        self._announced: dict[str, bytes] = {}
        self._to_publish = asyncio.Event()
        self._watches: dict[str, _WatchedSession] = {}
        self._signalled: dict[str, set[asyncio.Queue[Signal]]] = {}
        self._listeners: dict[str, Callable[[bytes], None]] = {}
        """By channel: what takes the messages of other processes."""
        self._losses = 0
        """How often announcements may have been missed."""
        self._sessions_channel = f"{prefix}:sessions"
        self._hub = Hub(
            self._redis,
            on_message=self._on_message,
            on_subscribed=self._on_subscribed,
            on_lost=self._on_lost,
        )
        self._hub.subscribe(self._sessions_channel)
        self._tasks: list[asyncio.Task[None]] = []
        self._background = BackgroundTasks()
        self._loads = asyncio.Semaphore(LOADS)
        self._is_closed = False

    async def __aenter__(self) -> RedisBus:
        self._tasks = [
            asyncio.create_task(work, name=name)
            for name, work in {
                "redis subscriber": self._hub.run(),
                "redis publisher": self._keep_publishing(),
                "redis renewal": self._keep_alive(),
            }.items()
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        await self.flush(CLOSE_SECONDS)
        tasks = [*self._tasks, *(watch.task for watch in self._watches.values() if watch.task)]
        await end_tasks(tasks)
        await self._redis.aclose()

    def close(self) -> None:
        """End all readers, at shutdown."""
        self._is_closed = True
        self._copy.close()

    async def flush(self, seconds: float) -> None:
        """Wait up to `seconds` until Redis has confirmed everything that is published."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self._announced or any(outbox.is_dirty for outbox in self._outboxes.values()):
            if asyncio.get_running_loop().time() > deadline:
                logger.warning("events are lost: REDIS_URL does not answer")
                return
            await asyncio.sleep(0.005)

    # Publishing

    def open(self, session_id: str, run_id: str, epoch: int) -> None:
        outbox = self._outbox(session_id)
        if outbox.epoch is not None and epoch < outbox.epoch:
            raise Fenced(session_id)
        if (epoch, run_id) != (outbox.epoch, outbox.run_id):
            outbox.open(run_id, epoch)
            self._to_publish.set()

    def publish(self, session_id: str, epoch: int | None, events: Sequence[Event]) -> None:
        outbox = self._outbox(session_id)
        if epoch is not None and (epoch != outbox.epoch or outbox.is_fenced):
            raise Fenced(session_id)
        for event in events:
            outbox.publish(event, epoch)
        self._to_publish.set()

    def _outbox(self, session_id: str) -> Outbox:
        outbox = self._outboxes.get(session_id)
        if outbox is None:
            outbox = Outbox(session_id, f"{self._process}.{next(self._created)}")
            self._outboxes[session_id] = outbox
        return outbox

    async def _keep_publishing(self) -> None:
        is_away = False
        while True:
            await self._to_publish.wait()
            self._to_publish.clear()
            announced, self._announced = self._announced, {}
            try:
                await self._send([box for box in self._outboxes.values() if box.is_dirty], announced)
                is_away = False
            except (RedisError, OSError) as error:
                if not is_away:
                    logger.warning("events wait: REDIS_URL does not answer: %s", error)
                is_away = True
                self._announced = announced | self._announced
                await asyncio.sleep(REDIS_RETRY_SECONDS)
                self._to_publish.set()

    async def _send(self, outboxes: list[Outbox], announced: dict[str, bytes]) -> None:
        """Send one batch of each outbox, all in one round trip. Raises RedisError, OSError."""
        pipe = self._redis.pipeline(transaction=False)
        for outbox in outboxes:
            outbox.freeze()
            pipe.evalsha(APPEND_SHA, 3, *self._keys(outbox.session_id), *self._arguments(outbox))
        for change in announced.values():
            pipe.publish(self._sessions_channel, change)
        replies: list[Any] = await pipe.execute(raise_on_error=False)
        if any(isinstance(reply, NoScriptError) for reply in replies):
            await self._redis.script_load(APPEND)
        faults = []
        for outbox, reply in zip(outboxes, replies, strict=False):
            if not isinstance(reply, Exception):
                self._note_reply(outbox, *reply)
            elif not isinstance(reply, NoScriptError):
                faults.append(reply)
            if outbox.is_dirty:
                self._to_publish.set()
            else:
                self._drop_idle(outbox)
        if faults:
            raise faults[0]

    def _drop_idle(self, outbox: Outbox) -> None:
        is_idle = not outbox.is_dirty and not outbox.is_owner
        if is_idle and self._outboxes.get(outbox.session_id) is outbox:
            del self._outboxes[outbox.session_id]

    def _arguments(self, outbox: Outbox) -> list[Any]:
        first, *others = outbox.batch
        sent = others if first.opens else outbox.batch
        return [
            self._channel(outbox.session_id), "" if first.epoch is None else first.epoch, first.run_id, outbox.writer,
            "1" if first.opens else "", first.floor, EXPIRY, self._kept_entries,
            *itertools.chain.from_iterable(item.arguments() for item in sent),
        ]  # fmt: skip

    def _note_reply(self, outbox: Outbox, word: bytes, number: int) -> None:
        if word == b"OK":
            outbox.confirm(number)
        elif word == b"FENCED":
            logger.info(
                "session %s: epoch %s is refused, the newest is %s", outbox.session_id, outbox.epoch, number
            )
            outbox.fence()
        else:
            self._reopen(outbox)

    def _reopen(self, outbox: Outbox) -> None:
        logger.warning("session %s: Redis has lost its events; they begin again", outbox.session_id)
        outbox.reopen(self._keyframe(outbox.session_id))
        self._to_publish.set()

    def _keyframe(self, session_id: str) -> bytes | None:
        output = self._keyframe_of(session_id)
        return orjson.dumps(output) if output is not None else None

    async def _keep_alive(self) -> None:
        """Renew the streams of the runs in progress, store their keyframes, open lost streams again."""
        since = 0.0
        while True:
            await asyncio.sleep(RENEWAL)
            since += RENEWAL
            try:
                await self._renew()
            except (RedisError, OSError):
                continue  # the publisher logs it
            if since >= KEYFRAME:
                since = 0.0
                self._keep_keyframes()

    async def _renew(self) -> None:
        owned = [box for box in self._outboxes.values() if box.is_owner and not box.is_opening]
        pipe = self._redis.pipeline(transaction=False)
        for outbox in owned:
            _, state, keyframe = self._keys(outbox.session_id)
            pipe.expire(state, EXPIRY)
            pipe.expire(keyframe, EXPIRY)
        for outbox in owned:
            pipe.expire(self._keys(outbox.session_id)[0], EXPIRY)
        for outbox in owned:
            pipe.hmget(self._keys(outbox.session_id)[1], "epoch", "ended")
        found = await pipe.execute() if owned else []
        for at, outbox in enumerate(owned):
            has_state, has_events = found[2 * at], found[2 * len(owned) + at]
            epoch, ended = (int(value or 0) for value in found[3 * len(owned) + at])
            if max(epoch, ended + 1) > (outbox.epoch or 0):
                outbox.has_ended = True  # in another process, or another one executes it
                self._drop_idle(outbox)
                continue
            is_lost = not has_state or (outbox.seq and not has_events)
            if is_lost and outbox.is_owner and not outbox.is_opening and not outbox.batch:
                self._reopen(outbox)

    def _keep_keyframes(self) -> None:
        for outbox in list(self._outboxes.values()):
            if outbox.is_owner and outbox.has_grown:
                keyframe = self._keyframe(outbox.session_id)
                if keyframe is not None and outbox.is_owner:
                    outbox.keep(keyframe)
                    self._to_publish.set()

    async def keyframe(self, session_id: str) -> JsonObject | None:
        """Output in progress that is not yet a message, with the id of the last event in it. Raises Unavailable."""
        stored = await self._ask(self._redis.get(self._keys(session_id)[2]))
        if stored is None:
            return None
        event_id, _, output = stored.partition(b" ")
        found: JsonObject = {"event_id": event_id.decode(), **orjson.loads(output)}
        return found

    async def _ask(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except (RedisError, OSError) as error:
            raise _away() from error

    def _keys(self, session_id: str) -> tuple[str, str, str]:
        """Stream, hash, keyframe. The braces keep them together in a Redis Cluster."""
        head = f"{self._prefix}:{{{session_id}}}"
        return f"{head}:events", f"{head}:state", f"{head}:keyframe"

    def _channel(self, session_id: str) -> str:
        return f"{self._prefix}:events:{session_id}"

    # Reading

    @asynccontextmanager
    async def loaded(self, session_id: str) -> AsyncIterator[None]:
        """Raises Unavailable if Redis does not answer."""
        with self._watching(session_id) as watch:
            try:
                async with asyncio.timeout(LOAD_SECONDS):
                    await watch.loaded.wait()
            except TimeoutError:
                raise _away() from None
            yield

    @contextmanager
    def _watching(self, session_id: str) -> Iterator[_WatchedSession]:
        watch = self._watches.get(session_id)
        if watch is None:
            watch = self._watches[session_id] = _WatchedSession(session_id)
            self._hub.subscribe(self._channel(session_id))
        watch.readers += 1
        try:
            yield watch
        finally:
            watch.readers -= 1
            if not watch.readers:
                del self._watches[session_id]
                if watch.task:
                    watch.task.cancel()
                self._hub.unsubscribe(self._channel(session_id))
                self._copy.forget(session_id)

    async def follow(
        self,
        session_id: str,
        *,
        run_id: str | None = None,
        after: EventId | None = None,
        forever: bool = False,
    ) -> AsyncIterator[list[Entry]]:
        with self._watching(session_id) as watch:
            while not watch.loaded.is_set():
                if self._is_closed:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._heartbeat):
                        await watch.loaded.wait()
                if not watch.loaded.is_set():
                    yield []
            entries = self._copy.follow(session_id, run_id=run_id, after=after, forever=forever)
            async with aclosing(cast("AsyncGenerator[list[Entry]]", entries)):
                async for batch in entries:
                    yield batch

    def last_id(self, session_id: str) -> str | None:
        return self._copy.last_id(session_id)

    def run_of(self, session_id: str) -> str | None:
        return self._copy.run_of(session_id)

    def keeps(self, session_id: str, run_id: str) -> bool:
        return self._copy.keeps(session_id, run_id)

    def has_ended(self, session_id: str) -> bool:
        return self._copy.has_ended(session_id)

    @property
    def reader_count(self) -> int:
        return self._copy.reader_count

    @property
    def topic_count(self) -> int:
        """The sessions to which this process is subscribed."""
        return len(self._watches)

    def _on_lost(self) -> None:
        self._losses += 1
        for watch in self._watches.values():
            watch.is_loading = True  # until its channel is confirmed again

    def _on_subscribed(self, channel: str) -> None:
        watch = self._watch_of(channel)
        if watch:
            self._load(watch)

    def _watch_of(self, channel: str) -> _WatchedSession | None:
        return self._watches.get(channel.removeprefix(self._channel("")))

    def _on_message(self, channel: str, data: bytes) -> None:
        if channel == self._sessions_channel:
            if change := _read(SessionChanged, data):
                self._copy.announce(change)
        elif listener := self._listeners.get(channel):
            sender, _, message = data.partition(b" ")
            if sender != self._process.encode():
                listener(message)
        elif queues := self._signalled.get(channel):
            if signal := _read(Signal, data):
                for queue in queues:
                    queue.put_nowait(signal)
        elif watch := self._watch_of(channel):
            self._take(watch, data)

    def _take(self, watch: _WatchedSession, data: bytes) -> None:
        if data == GONE_MESSAGE:
            self._copy.forget(watch.session_id)
            return
        lines = [_read_line(watch.session_id, line) for line in data.split(b"\n")]
        if watch.is_loading:
            watch.missed += lines
        elif self._misses(watch.session_id, lines[0]):
            self._load(watch)
        else:
            self._deliver(watch.session_id, lines)

    def _misses(self, session_id: str, line: _Line) -> bool:
        """Whether there are events between the copy of the log and this line."""
        known = read_event_id(self._copy.last_id(session_id)) or (0, 0)
        before = line.seq if line.event is None else line.seq - 1
        return (line.epoch, before) > known and before > 0

    def _deliver(self, session_id: str, lines: Sequence[_Line]) -> None:
        for line in lines:
            known = read_event_id(self._copy.last_id(session_id))
            if line.event is not None:
                self._copy.deliver([line.event])
            elif known is None or line.epoch > known[0]:
                self._copy.open(session_id, line.run_id, line.epoch)

    def _load(self, watch: _WatchedSession) -> None:
        """Read the stream behind what is known. Messages that arrive in the meantime wait."""
        watch.is_loading = True
        if watch.task:
            watch.task.cancel()
        watch.task = asyncio.create_task(self._keep_loading(watch), name=f"load {watch.session_id}")

    async def _keep_loading(self, watch: _WatchedSession) -> None:
        while True:
            try:
                async with self._loads:
                    lines = await self._read_stream(watch.session_id)
                break
            except (RedisError, OSError):
                await asyncio.sleep(REDIS_RETRY_SECONDS)
        self._deliver(watch.session_id, [*lines, *watch.missed])
        watch.missed = []
        watch.is_loading = False
        watch.loaded.set()

    async def _read_stream(self, session_id: str) -> list[_Line]:
        events, state, _ = self._keys(session_id)
        known = self._copy.last_id(session_id)
        pipe = self._redis.pipeline(transaction=True)
        pipe.xrange(events, f"({known}" if known and known != "0-0" else "-", "+")
        pipe.hmget(state, "epoch", "run")
        entries, (epoch, run) = await pipe.execute()
        lines = [
            _line(session_id, event_id, fields[b"run"], fields[b"event"]) for event_id, fields in entries
        ]
        if epoch is not None:
            lines.append(_Line(int(epoch), 0, run.decode()))
        return lines

    @property
    def lag(self) -> float:
        """Seconds for which the oldest event of this process has waited for Redis; 0 if none waits."""
        waiting = [outbox.oldest for outbox in self._outboxes.values() if outbox.oldest]
        return max(0.0, (now() - min(waiting)).total_seconds()) if waiting else 0.0

    # The list of sessions

    @property
    def is_watched(self) -> bool:
        return True  # somewhere

    def announce(self, change: SessionChanged) -> None:
        self._announced[change.session_id] = change.model_dump_json().encode()
        self._to_publish.set()

    async def watch(self) -> AsyncIterator[list[SessionChanged]]:
        """Ends when announcements may have been missed: its client connects again, and reads the list."""
        losses = self._losses
        changes = self._copy.watch()
        async with aclosing(cast("AsyncGenerator[list[SessionChanged]]", changes)):
            async for batch in changes:
                if self._losses != losses:
                    return
                yield batch

    def forget(self, session_id: str) -> None:
        self._outboxes.pop(session_id, None)
        self._copy.forget(session_id)
        self._background.start(self._forget(session_id))

    async def _forget(self, session_id: str) -> None:
        try:
            await self._redis.delete(*self._keys(session_id))
            await self._redis.publish(self._channel(session_id), GONE_MESSAGE)
        except (RedisError, OSError) as error:
            logger.warning("session %s: its events expire in %d s: %s", session_id, EXPIRY, error)

    async def ping(self) -> None:
        """Raises Unavailable if Redis does not answer."""
        await self._ask(self._redis.ping())

    # News for all processes

    def broadcast(self, topic: str, message: bytes) -> None:
        """Publish a message for all other processes; it is lost for those that Redis does not reach now."""
        data = self._process.encode() + b" " + message
        self._background.start(self._broadcast(f"{self._prefix}:all:{topic}", data))

    async def _broadcast(self, channel: str, message: bytes) -> None:
        try:
            await self._redis.publish(channel, message)
        except (RedisError, OSError) as error:
            logger.warning("a message for other processes is lost: REDIS_URL does not answer: %s", error)

    def on_broadcast(self, topic: str, listener: Callable[[bytes], None]) -> None:
        """Call `listener` with the messages of the other processes from now on."""
        channel = f"{self._prefix}:all:{topic}"
        self._listeners[channel] = listener
        self._hub.subscribe(channel)

    # Signals

    async def signal(self, worker_id: str, signal: Signal) -> int:
        """Raises Unavailable."""
        sent = self._redis.publish(self._worker_channel(worker_id), signal.model_dump_json())
        return int(await self._ask(sent))

    async def signals(self, worker_id: str) -> AsyncIterator[Signal]:
        channel = self._worker_channel(worker_id)
        queue: asyncio.Queue[Signal] = asyncio.Queue()
        queues = self._signalled.setdefault(channel, set())
        queues.add(queue)
        self._hub.subscribe(channel)
        try:
            while True:
                yield await queue.get()
        finally:
            queues.discard(queue)
            if not queues:
                self._signalled.pop(channel, None)
                self._hub.unsubscribe(channel)

    def _worker_channel(self, worker_id: str) -> str:
        return f"{self._prefix}:worker:{worker_id}"


@dataclass(frozen=True)
class _Line:
    """A published event; without one, the opening of a run."""

    epoch: int
    seq: int
    run_id: str
    event: Stamped | None = None


def _line(session_id: str, event_id: bytes, run: bytes, body: bytes) -> _Line:
    epoch, _, seq = event_id.decode().partition("-")
    at = _Line(int(epoch), int(seq), run.decode())
    if not body:
        return at
    # What this version cannot read keeps its number; clients load the session again.
    known = _read(StoredEvent, body) or StoredEvent(ts=now(), event=Resync(reason="version"))
    event = Stamped(session_id, at.run_id, at.epoch, at.seq, known.ts, known.event)
    return _Line(at.epoch, at.seq, at.run_id, event)


Read = TypeVar("Read", bound=BaseModel)


def _read(kind: type[Read], data: bytes) -> Read | None:
    """None for what a process of another version has sent and this one does not know."""
    try:
        return kind.model_validate_json(data)
    except ValidationError as error:
        logger.warning("%s of another version is left out: %s", kind.__name__, error.errors()[0]["msg"])
        return None


def _read_line(session_id: str, line: bytes) -> _Line:
    event_id, run, body = line.split(b" ", 2)
    return _line(session_id, event_id, run, body)


def _away() -> Unavailable:
    return Unavailable(sentence("redis.no_answer"), code="redis_unavailable", retry_after=5)
