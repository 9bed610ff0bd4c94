"""What a process publishes in one session, kept in order until Redis confirms it. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from pydantic import BaseModel

from server.events import Event, Resync, Thinking, Token, now
from server.stream.event_log import size_of

OUTBOX_BATCH = 500
"""Events of a session that are sent at once."""
KEPT_UNSENT_BYTES = 8_000_000
"""Of a session, while Redis is away; beyond that they are replaced by `resync`."""
LOST_NUMBERS = 1_000
"""After a loss the next number is larger by this than the last known one: others may have published since."""


class StoredEvent(BaseModel):
    """The stored form of an event."""

    ts: datetime
    event: Event


@dataclass
class OutboxItem:
    """Something to send: an event, a keyframe, or the opening of a run."""

    number: int
    epoch: int | None
    run_id: str
    event: Event | None = None
    keyframe: bytes = b""
    opens: bool = False
    floor: int = 0
    """Of an opening: the numbers begin above it."""
    ts: datetime = field(default_factory=now)

    @property
    def size(self) -> int:
        return size_of(self.event) if self.event else len(self.keyframe)

    @property
    def must_stay(self) -> bool:
        """Whether `resync` cannot take its place."""
        return self.opens or (self.event is not None and self.event.is_terminal)

    def arguments(self) -> tuple[int, str, bytes]:
        if self.event is None:
            return self.number, "keyframe", self.keyframe
        body = StoredEvent.model_construct(ts=self.ts, event=self.event)
        return self.number, "end" if self.event.is_terminal else "event", body.model_dump_json().encode()


class Outbox:
    """What this process publishes in one session, in order. A batch stays the same until Redis confirms it."""

    def __init__(self, session_id: str, writer: str) -> None:
        self.session_id = session_id
        self.writer = writer
        """Its name for the script; never used twice, because its numbers begin again."""
        self.epoch: int | None = None
        """Of the run that this process has opened last."""
        self.run_id = ""
        self.is_fenced = False
        self.has_ended = False
        self.has_grown = False
        """Events were published since the last keyframe."""
        self.seq = 0
        """The newest number in this epoch that Redis has confirmed."""
        self.batch: list[OutboxItem] = []
        self._unsent: list[OutboxItem] = []
        self._size = 0
        self._numbers = itertools.count(1)

    @property
    def is_owner(self) -> bool:
        """Whether a run that this process has opened is in progress: it keeps the stream alive."""
        return self.epoch is not None and not self.is_fenced and not self.has_ended

    @property
    def is_dirty(self) -> bool:
        return bool(self.batch or self._unsent)

    @property
    def is_opening(self) -> bool:
        return any(item.opens for item in (*self.batch, *self._unsent))

    def open(self, run_id: str, epoch: int) -> None:
        self.epoch, self.run_id, self.seq = epoch, run_id, 0
        self.is_fenced = self.has_ended = False
        self._add(OutboxItem(0, epoch, run_id, opens=True))

    def publish(self, event: Event, epoch: int | None) -> None:
        if not self._joins(event, epoch):
            self._add(OutboxItem(0, epoch, self.run_id, event=event))
        self.has_grown = True
        self.has_ended = self.has_ended or (event.is_terminal and epoch is not None)

    def keep(self, keyframe: bytes) -> None:
        self._add(OutboxItem(0, self.epoch, self.run_id, keyframe=keyframe))
        self.has_grown = False

    def _add(self, item: OutboxItem) -> None:
        item.number = next(self._numbers)
        self._unsent.append(item)
        self._size += item.size
        if self._size > KEPT_UNSENT_BYTES:
            self._unsent = list(self._without_excess())
            self._renumber()

    def _without_excess(self) -> Iterator[OutboxItem]:
        """What is unsent, with one `resync` for each run in the place of its events, except the terminal one."""
        replaced: set[tuple[int | None, str]] = set()
        for item in self._unsent:
            if item.must_stay:
                yield item
            elif (item.epoch, item.run_id) not in replaced:
                replaced.add((item.epoch, item.run_id))
                yield OutboxItem(0, item.epoch, item.run_id, event=Resync())

    def _joins(self, event: Event, epoch: int | None) -> bool:
        """Add the text to the last unsent event, if that is of the same message."""
        last = self._unsent[-1] if self._unsent else None
        if last is None or last.epoch != epoch or not isinstance(event, Token | Thinking):
            return False
        if not isinstance(last.event, type(event)) or last.event.message_id != event.message_id:
            return False
        last.event = event.model_copy(update={"text": last.event.text + event.text})
        self._size += 2 * len(event.text)
        return True

    def _renumber(self) -> None:
        for item in (*self.batch, *self._unsent):
            item.number = next(self._numbers)
        self._size = sum(item.size for item in self._unsent)

    @property
    def oldest(self) -> datetime | None:
        """When the first item that Redis has not confirmed was published."""
        first = next(iter(self.batch or self._unsent), None)
        return first.ts if first else None

    def freeze(self) -> None:
        """Choose the next batch: of one run, an opening only as its first item."""
        if self.batch or not self._unsent:
            return
        first = self._unsent[0]
        kind = (first.epoch, first.run_id)
        length = next(
            (
                at
                for at, one in enumerate(self._unsent)
                if at and (one.opens or (one.epoch, one.run_id) != kind)
            ),
            len(self._unsent),
        )
        length = min(length, OUTBOX_BATCH)
        self.batch, self._unsent = self._unsent[:length], self._unsent[length:]
        self._size = sum(item.size for item in self._unsent)

    def confirm(self, seq: int) -> None:
        """Redis has stored the batch; `seq` is the newest number in its epoch."""
        if self.batch and self.batch[0].epoch == self.epoch:
            self.seq = seq
        self.batch = []

    def fence(self) -> None:
        """Redis has refused the batch: another process has a newer epoch."""
        epoch = self.batch[0].epoch
        self.is_fenced = self.is_fenced or epoch == self.epoch
        self.batch = []
        self._unsent = [item for item in self._unsent if item.epoch != epoch]

    def reopen(self, keyframe: bytes | None) -> None:
        """Redis has lost the stream: begin it again, before what is unsent.

        The keyframe is of this moment: it takes the place of the unsent events, except the terminal one.
        """
        unsent = [*self.batch, *self._unsent]
        epoch, run_id = (unsent[0].epoch, unsent[0].run_id) if self.batch else (self.epoch, self.run_id)
        again = [OutboxItem(0, epoch, run_id, opens=True, floor=self.seq + LOST_NUMBERS)]
        if keyframe:
            again.append(OutboxItem(0, epoch, run_id, keyframe=keyframe))
            unsent = [item for item in unsent if item.epoch != epoch or item.must_stay]
        self._unsent = [*again, OutboxItem(0, epoch, run_id, event=Resync()), *unsent]
        self.batch = []
        self._renumber()
