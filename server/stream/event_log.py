"""The log of one session: its newest events, each with its id and its wire format."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from dataclasses import dataclass, field
from itertools import islice

from pydantic import BaseModel

from server.events import Event, Resync, Stamped, Thinking, Token, now, to_sse

KEPT_ENTRIES = 5_000
KEPT_BYTES = 8_000_000
ENTRY_BYTES = 1_000
"""Approximate memory of an entry with its event and wire bytes, without the text of its fields."""
FIELD_CHARACTERS = 20
"""For each field or item, in addition to its name and text."""

Container = BaseModel | dict[str, object] | list[object] | tuple[object, ...]


def size_of(event: Event) -> int:
    """Approximate bytes of its entry: ENTRY_BYTES, plus the text of all fields twice (object and wire)."""
    if isinstance(event, Token | Thinking):  # fast path for the most frequent events
        return ENTRY_BYTES + 2 * len(event.text)
    return ENTRY_BYTES + 2 * _weight(event)


def _weight(value: Container) -> int:
    """Characters of all names and texts in it, and FIELD_CHARACTERS for each field or item."""
    if isinstance(value, BaseModel):
        value = value.__dict__
    inside = value.values() if isinstance(value, dict) else value
    weight = FIELD_CHARACTERS * len(inside)
    if isinstance(value, dict):
        weight += sum(map(len, value))
    for inner in inside:
        if isinstance(inner, str):
            weight += len(inner)
        elif isinstance(inner, BaseModel | dict | list | tuple):
            weight += _weight(inner)
    return weight


class Entry:
    """A stamped event with its wire bytes, which are rendered at the first access and cached."""

    __slots__ = ("_wire", "size", "stamped")

    def __init__(self, stamped: Stamped, size: int) -> None:
        self.stamped = stamped
        self.size = size
        self._wire: bytes | None = None

    @property
    def wire(self) -> bytes:
        if self._wire is None:
            self._wire = to_sse(self.stamped)
        return self._wire

    def ends(self, run_id: str | None) -> bool:
        """Whether it is this run's terminal event."""
        return self.stamped.run_id == run_id and self.stamped.event.is_terminal


def until_end(entries: list[Entry], run_id: str | None) -> tuple[list[Entry], bool]:
    """The entries up to the run's terminal event, and whether that was found."""
    for count, entry in enumerate(entries, start=1):
        if entry.ends(run_id):
            return entries[:count], True
    return entries, False


EventId = tuple[int, int]


_EVENT_ID = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


def read_event_id(text: str | None) -> EventId | None:
    """Parse `<epoch>-<seq>`, each of at most 15 digits, which a JSON number can hold. None if invalid."""
    found = _EVENT_ID.fullmatch(text or "")
    return (int(found[1]), int(found[2])) if found else None


@dataclass
class EventLog:
    """The events of a session. `epoch` and `seq` are those of the newest event."""

    session_id: str
    epoch: int = 0
    seq: int = 0
    run_id: str | None = None
    entries: deque[Entry] = field(default_factory=deque)
    first: int = 0
    """The position of entries[0], counted from the start of the log."""
    kept: int = KEPT_ENTRIES
    size: int = 0
    ended: bool = False
    gone: bool = False
    waiting: set[asyncio.Event] = field(default_factory=set)

    @property
    def is_quiet(self) -> bool:
        """True if it has no readers and no run in progress: it is only kept for clients that reconnect."""
        return not self.waiting and (self.ended or not self.entries)

    @property
    def end(self) -> int:
        return self.first + len(self.entries)

    def begin(self, run_id: str, epoch: int) -> None:
        """Start a run, or go on with one under a new epoch."""
        self._change_run(run_id)
        self.epoch, self.seq, self.ended = epoch, 0, False

    def _change_run(self, run_id: str) -> None:
        """Of the runs before a new one only the last is kept: a reader further behind loads the messages anyway."""
        if run_id != self.run_id:
            while self.entries and self.entries[0].stamped.run_id not in (run_id, self.run_id or ""):
                self._drop_first()
            self.run_id = run_id

    def add(self, event: Event) -> Stamped:
        """Number and store the event; drops the oldest ones beyond the limits."""
        self.seq += 1
        stamped = self._stamp(event)
        self._append(Entry(stamped, size_of(event)))
        self.ended = self.ended or event.is_terminal
        return stamped

    def take(self, stamped: Stamped) -> bool:
        """Store an event that was numbered elsewhere. False if it is known or older.

        Only a `resync` event may follow a gap; before any other event the log is emptied.
        """
        if (stamped.epoch, stamped.seq) <= (self.epoch, self.seq):
            return False
        before = self.seq if stamped.epoch == self.epoch else 0
        has_ended = self.ended and stamped.epoch == self.epoch
        if stamped.seq != before + 1 and not isinstance(stamped.event, Resync):
            self.first = self.end + 1  # one position more, so that every reader is before it
            self.entries.clear()
            self.size = 0
        self._change_run(stamped.run_id)
        self.epoch, self.seq = stamped.epoch, stamped.seq
        self._append(Entry(stamped, size_of(stamped.event)))
        self.ended = has_ended or stamped.event.is_terminal
        return True

    def resync(self) -> Entry:
        """A `resync` entry for a reader whose position is not buffered any more; not stored in the log."""
        return Entry(self._stamp(Resync()), ENTRY_BYTES)

    def _stamp(self, event: Event) -> Stamped:
        return Stamped(
            session_id=self.session_id, run_id=self.run_id or "", epoch=self.epoch, seq=self.seq,
            ts=now(), event=event,
        )  # fmt: skip

    def _append(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.size += entry.size
        while len(self.entries) > self.kept or (self.size > KEPT_BYTES and len(self.entries) > 1):
            self._drop_first()

    def _drop_first(self) -> None:
        self.size -= self.entries.popleft().size
        self.first += 1

    def wake(self) -> None:
        for waiting in self.waiting:
            waiting.set()

    def since(self, place: int) -> list[Entry]:
        return [self.entries[at - self.first] for at in range(place, self.end)]

    def start_of(self, run_id: str | None) -> int | None:
        """The position of the run's first entry; None if that is not buffered."""
        for place, entry in enumerate(self.entries):
            if entry.stamped.run_id == run_id:
                is_whole = place > 0 or entry.stamped.seq == 1
                return self.first + place if is_whole else None
        return None

    def has_begun(self, run_id: str | None) -> bool:
        return self.run_id == run_id and self.seq > 0

    def is_over(self, run_id: str | None, place: int) -> bool:
        """Whether the run's terminal event is before this position."""
        if self.run_id == run_id and (place == self.end or not self.ended):
            return self.ended
        return any(entry.ends(run_id) for entry in islice(self.entries, max(0, place - self.first)))

    def place_after(self, event_id: EventId) -> int | None:
        """The position after this id; None if that is not buffered."""
        if event_id == (self.epoch, self.seq):
            return self.end
        for place, entry in enumerate(self.entries):
            at = (entry.stamped.epoch, entry.stamped.seq)
            if at == event_id:
                return self.first + place + 1
            if at > event_id:
                return None if place == 0 and event_id[1] > 0 else self.first + place
        return None
