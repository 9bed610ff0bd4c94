"""A session's events: numbered, fenced, kept for a while, replayed from an id and then followed live.

Each session has one log. Readers hold a place in the log instead of a queue of their own: a slow reader
costs nothing, and one that falls behind the log's beginning is told to `resync`. The run never waits.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from server.events import Event, SessionChanged, Stamped
from server.stream.event_log import KEPT_ENTRIES, Entry, EventId, EventLog, until_end

KEPT_QUIET_TOPICS = 200
KEPT_QUIET_BYTES = 64_000_000
"""Of all quiet topics together."""


class Fenced(Exception):
    """A writer with an older epoch tried to write: its run was taken over or ended."""


class EventBus(Protocol):
    def open(self, session_id: str, run_id: str, epoch: int) -> None:
        """From now on only writers of this epoch may publish in the session."""
        ...

    def publish(self, session_id: str, epoch: int | None, events: Sequence[Event]) -> list[Stamped]:
        """Number the events and give them to all readers. Raises Fenced. Epoch None: the present one."""
        ...

    def last_id(self, session_id: str) -> str | None: ...

    def run_of(self, session_id: str) -> str | None:
        """The run whose events are kept for the session."""
        ...

    def follow(
        self,
        session_id: str,
        *,
        run_id: str | None = None,
        after: EventId | None = None,
        forever: bool = False,
    ) -> AsyncIterator[list[Entry]]:
        """The events after `after`, or from the run's beginning, then live ones, in batches of all that wait.

        Ends after the terminal event of the run, by default the present one, unless `forever`; with `run_id` the
        others' events are left out until then. Yields an empty list every `heartbeat` seconds without events, so
        that a reader can show that it lives.
        """
        ...

    def watch(self) -> AsyncIterator[list[SessionChanged]]: ...

    def announce(self, change: SessionChanged) -> None: ...


class InProcessBus:
    def __init__(
        self,
        *,
        heartbeat: float = 10.0,
        kept_entries: int = KEPT_ENTRIES,
        kept_topics: int = KEPT_QUIET_TOPICS,
        kept_bytes: int = KEPT_QUIET_BYTES,
    ) -> None:
        self._topics: OrderedDict[str, EventLog] = OrderedDict()
        self._watchers: set[_Watcher] = set()
        self._heartbeat = heartbeat
        self._kept_entries = kept_entries
        self._kept_topics = kept_topics
        self._kept_bytes = kept_bytes
        self._closed = False
        self.listeners: list[Callable[[Stamped], None]] = []

    def open(self, session_id: str, run_id: str, epoch: int) -> None:
        topic = self._topic(session_id)
        if epoch < topic.epoch:
            raise Fenced(session_id)
        if epoch == topic.epoch and run_id == topic.run_id:
            return
        topic.epoch, topic.seq, topic.run_id, topic.ended = epoch, 0, run_id, False

    def publish(self, session_id: str, epoch: int | None, events: Sequence[Event]) -> list[Stamped]:
        topic = self._topic(session_id)
        if epoch is not None and epoch != topic.epoch:
            raise Fenced(session_id)
        stamped = [self._add(topic, event) for event in events]
        topic.wake()
        if topic.ended:
            self._drop_quiet_topics()
        return stamped

    def _add(self, topic: EventLog, event: Event) -> Stamped:
        stamped = topic.add(event)
        for listener in self.listeners:
            listener(stamped)
        return stamped

    def last_id(self, session_id: str) -> str | None:
        topic = self._topics.get(session_id)
        return f"{topic.epoch}-{topic.seq}" if topic and topic.run_id else None

    def run_of(self, session_id: str) -> str | None:
        topic = self._topics.get(session_id)
        return topic.run_id if topic and topic.entries else None

    def keeps(self, session_id: str, run_id: str) -> bool:
        """Is the beginning of this run still here?"""
        topic = self._topics.get(session_id)
        return topic is not None and (topic.start_of(run_id) is not None or topic.run_id == run_id)

    def has_ended(self, session_id: str) -> bool:
        topic = self._topics.get(session_id)
        return topic is None or topic.ended or topic.run_id is None

    async def follow(
        self,
        session_id: str,
        *,
        run_id: str | None = None,
        after: EventId | None = None,
        forever: bool = False,
    ) -> AsyncIterator[list[Entry]]:
        topic = self._topic(session_id)
        run = run_id or topic.run_id
        wake = asyncio.Event()
        topic.waiting.add(wake)  # subscribe first, then read the backlog: nothing falls between
        try:
            place = topic.place_after(after) if after else topic.start_of(run)
            if place is None and (after or topic.has_begun(run)):
                yield [topic.resync()]
                place = topic.end
            place = topic.end if place is None else place
            is_over = not forever and topic.is_over(run, place)
            while not (self._closed or topic.gone or is_over):
                if place < topic.first:
                    yield [topic.resync()]
                    return
                entries = topic.since(place)
                place = topic.end
                wake.clear()
                if not forever:
                    entries, is_over = until_end(entries, run)
                    entries = [entry for entry in entries if run_id in (None, entry.stamped.run_id)]
                if entries:
                    yield entries
                if place == topic.end and not is_over and not await _wait(wake, self._heartbeat):
                    yield []
        finally:
            topic.waiting.discard(wake)

    @property
    def reader_count(self) -> int:
        return len(self._watchers) + sum(len(topic.waiting) for topic in self._topics.values())

    @property
    def topic_count(self) -> int:
        return len(self._topics)

    @property
    def is_watched(self) -> bool:
        return bool(self._watchers)

    def announce(self, change: SessionChanged) -> None:
        for watcher in self._watchers:
            watcher.add(change)

    async def watch(self) -> AsyncIterator[list[SessionChanged]]:
        watcher = _Watcher()
        self._watchers.add(watcher)
        try:
            while not self._closed:
                await _wait(watcher.wake, self._heartbeat)
                yield watcher.take()
        finally:
            self._watchers.discard(watcher)

    def forget(self, session_id: str) -> None:
        topic = self._topics.pop(session_id, None)
        if topic:
            topic.gone = True
            topic.wake()

    def close(self) -> None:
        """End every reader: the server goes down."""
        self._closed = True
        for topic in self._topics.values():
            topic.wake()
        for watcher in self._watchers:
            watcher.wake.set()

    def _topic(self, session_id: str) -> EventLog:
        topic = self._topics.get(session_id)
        if topic is None:
            topic = self._topics[session_id] = EventLog(session_id, kept=self._kept_entries)
            self._drop_quiet_topics()
        self._topics.move_to_end(session_id)
        return topic

    def _drop_quiet_topics(self) -> None:
        """The oldest quiet topics go, until there are few enough and they are small enough together."""
        excess = len(self._topics) - self._kept_topics
        quiet = [topic for topic in self._topics.values() if topic.is_quiet]
        size = sum(topic.size for topic in quiet)
        for topic in quiet:
            if excess <= 0 and size <= self._kept_bytes:
                return
            del self._topics[topic.session_id]
            excess -= 1
            size -= topic.size


class _Watcher:
    """What one reader of the session list has not seen yet: the newest change of each session."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self._changes: dict[str, SessionChanged] = {}

    def add(self, change: SessionChanged) -> None:
        self._changes[change.session_id] = change
        self.wake.set()

    def take(self) -> list[SessionChanged]:
        self.wake.clear()
        changes, self._changes = list(self._changes.values()), {}
        return changes


async def _wait(wake: asyncio.Event, seconds: float) -> bool:
    """False when nothing came in time."""
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        return False
    return True
