"""The event bus: numbers a session's events, fences writers, buffers, replays from an id, then follows live.

Each session has one log. A reader has a position in the log instead of its own queue, so a slow reader uses
no extra memory; a reader that falls behind the start of the log receives `resync`. Publishing never blocks.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from server.events import Event, SessionChanged, Stamped
from server.stream.event_log import KEPT_ENTRIES, Entry, EventId, EventLog, until_end

KEPT_QUIET_TOPICS = 200
KEPT_QUIET_BYTES = 64_000_000
"""Total size of all quiet topics."""


class Fenced(Exception):
    """A writer published with an outdated epoch: its run was taken over or ended."""


class EventBus(Protocol):
    """The bus of one process (`InProcessBus`) or of several (`server/extras/cluster/redis_bus.py`)."""

    def open(self, session_id: str, run_id: str, epoch: int) -> None:
        """Start the run's stream: only this epoch may publish from now on. Raises Fenced for an older one."""
        ...

    def publish(self, session_id: str, epoch: int | None, events: Sequence[Event]) -> object:
        """Number the events and deliver them to all readers. Epoch None: the current one. Raises Fenced.

        A bus of several processes numbers them later; it raises Fenced at the first call after Redis has refused one.
        """
        ...

    def loaded(self, session_id: str) -> AbstractAsyncContextManager[object]:
        """While the block runs, the four questions below are answered from the session's current state."""
        ...

    def last_id(self, session_id: str) -> str | None: ...

    def run_of(self, session_id: str) -> str | None:
        """The session's last opened run; None if no events are buffered."""
        ...

    def keeps(self, session_id: str, run_id: str) -> bool:
        """Whether the start of this run is still buffered."""
        ...

    def has_ended(self, session_id: str) -> bool: ...

    def follow(
        self,
        session_id: str,
        *,
        run_id: str | None = None,
        after: EventId | None = None,
        forever: bool = False,
    ) -> AsyncIterator[list[Entry]]:
        """Yield the events after `after`, or from the start of the run, then live ones, in batches.

        Ends after the terminal event of the run, by default the current one, unless `forever`; with `run_id`
        events of other runs are left out. Yields an empty list after `heartbeat` seconds without events, for
        the reader's keep-alive.
        """
        ...

    @property
    def is_watched(self) -> bool:
        """Whether there may be readers of the announcements."""
        ...

    def watch(self) -> AsyncIterator[list[SessionChanged]]: ...

    def announce(self, change: SessionChanged) -> None: ...

    def forget(self, session_id: str) -> None:
        """Delete the session's events; its readers end."""
        ...

    @property
    def reader_count(self) -> int: ...

    @property
    def topic_count(self) -> int: ...

    def close(self) -> None:
        """End all readers."""
        ...


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
        self._size = 0
        """Bytes of all topics."""
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
        size = topic.size
        topic.begin(run_id, epoch)
        self._size += topic.size - size

    def publish(self, session_id: str, epoch: int | None, events: Sequence[Event]) -> list[Stamped]:
        topic = self._topic(session_id)
        if epoch is not None and epoch != topic.epoch:
            raise Fenced(session_id)
        size = topic.size
        stamped = [self._add(topic, event) for event in events]
        self._size += topic.size - size
        topic.wake()
        if topic.ended:
            self._drop_quiet_topics()
        return stamped

    def _add(self, topic: EventLog, event: Event) -> Stamped:
        stamped = topic.add(event)
        for listener in self.listeners:
            listener(stamped)
        return stamped

    def deliver(self, events: Sequence[Stamped]) -> None:
        """Append events of one session that another process has numbered; those that are known are left out.

        Behind a gap the log begins again: readers before it receive `resync`.
        """
        topic = self._topic(events[0].session_id)
        size = topic.size
        for stamped in events:
            if topic.take(stamped):
                for listener in self.listeners:
                    listener(stamped)
        self._size += topic.size - size
        topic.wake()
        if topic.ended:
            self._drop_quiet_topics()

    def loaded(self, session_id: str) -> AbstractAsyncContextManager[object]:
        return nullcontext()

    def last_id(self, session_id: str) -> str | None:
        topic = self._topics.get(session_id)
        return f"{topic.epoch}-{topic.seq}" if topic and topic.run_id else None

    def run_of(self, session_id: str) -> str | None:
        topic = self._topics.get(session_id)
        return topic.run_id if topic and topic.entries else None

    def keeps(self, session_id: str, run_id: str) -> bool:
        """Whether the start of this run is still buffered."""
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
        topic.waiting.add(wake)  # subscribe before reading the backlog, so that no event is missed
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
            self._size -= topic.size
            topic.gone = True
            topic.wake()

    def close(self) -> None:
        """End all readers, at shutdown."""
        self._closed = True
        for topic in self._topics.values():
            topic.wake()
        for watcher in self._watchers:
            watcher.wake.set()

    def _topic(self, session_id: str) -> EventLog:
        topic = self._topics.get(session_id)
        if topic is None:
            self._drop_quiet_topics()  # before this one is there, which looks quiet
            topic = self._topics[session_id] = EventLog(session_id, kept=self._kept_entries)
        self._topics.move_to_end(session_id)
        return topic

    def _drop_quiet_topics(self) -> None:
        """Drop the oldest quiet topics until their number and size are within the limits."""
        if len(self._topics) <= self._kept_topics and self._size <= self._kept_bytes:
            return
        quiet = [topic for topic in self._topics.values() if topic.is_quiet]
        excess = len(quiet) - self._kept_topics
        size = sum(topic.size for topic in quiet)
        for topic in quiet:
            if excess <= 0 and size <= self._kept_bytes:
                return
            del self._topics[topic.session_id]
            self._size -= topic.size
            excess -= 1
            size -= topic.size


class _Watcher:
    """Pending changes for one reader of the session list: the newest of each session."""

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
    """Wait for the event; False on timeout."""
    try:
        async with asyncio.timeout(seconds):
            await wake.wait()
    except TimeoutError:
        return False
    return True
