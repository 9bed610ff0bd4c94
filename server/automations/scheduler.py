"""Begins what is due, and ends runs whose question is not answered in time. The clock is passed in.

A firing is a compare-and-set in the database, so any number of processes may look at the same time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from typing import Protocol

from server.automations.rules import RuleRefused, read_rule
from server.automations.words import content_of, receipt_of, receipt_words
from server.clock import elapsed
from server.database.models import AutomationRow, FiringRow
from server.errors import AppError, Conflict, NotFound, Unavailable
from server.events import StateChanged, now
from server.runs.recorder import RunRecorder, shielded
from server.store import AcceptedMessage, FinishedRun, Store, new_id
from server.store.automations import Due, Fired, Unanswered
from server.store.channels import NEEDS_YOU
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

DUE_POLL_SECONDS = 5.0
"""Between two looks for what other processes have changed."""
STATE_SECONDS = 5.0
"""For reading a run's plan, which its receipt can do without."""
ON_TIME = timedelta(minutes=5)
"""A due time that is found later was missed. Rules have no shorter distance, so at most one is on time."""


class Starter(Protocol):
    """The part of `Dispatch` that begins runs."""

    @property
    def is_draining(self) -> bool: ...

    def submitting(self, session_id: str) -> AbstractContextManager[None]: ...

    def start(self, accepted: AcceptedMessage) -> None: ...

    def start_next(self, ended: FinishedRun | None) -> None: ...


class Scheduler:
    def __init__(
        self,
        store: Store,
        starter: Starter,
        recorder: RunRecorder,
        read_state: Callable[[str], Awaitable[StateChanged | None]],
        purge: Callable[[Sequence[str]], Awaitable[None]],
        *,
        clock: Callable[[], datetime] = now,
        steady: Callable[[], float] = elapsed,
    ) -> None:
        """`steady`: seconds that no change of the system time affects."""
        self._store = store
        self._starter = starter
        self._recorder = recorder
        self._read_state = read_state
        self._purge = purge
        self._clock = clock
        self._steady = steady
        self._offset: float | None = None
        """Of the wall clock from the steady one, at the last look."""
        self._news = asyncio.Event()
        self._has_waiting = True
        """Whether a firing may wait for the end of a run."""

    def wake(self) -> None:
        """Look now: an automation was changed."""
        self._news.set()

    def note_end(self, ended: FinishedRun) -> None:
        """Look now if this end may let a firing begin: with most of them none waits."""
        if self._has_waiting or ended.session.automation_id:
            self.wake()

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self._news.clear()
            try:
                await self.look()
                seconds = await self._seconds_left()
            except AppError as error:
                logger.warning("automations begin later: %s", error.detail)
                seconds = DUE_POLL_SECONDS
            except Exception:  # one automation must not end the schedule of all others
                logger.exception("automations begin later")
                seconds = DUE_POLL_SECONDS
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._news.wait()

    async def _seconds_left(self) -> float:
        due = await self._store.next_due()
        left = (due - self._clock()).total_seconds() if due else DUE_POLL_SECONDS
        return min(max(left, 0.05), DUE_POLL_SECONDS)

    async def look(self) -> None:
        """Begin what is due now, and what waited; end the runs that have waited too long for an answer."""
        if self._starter.is_draining:
            return
        moment = self._clock()
        await self._follow_clock(moment)
        for row in await self._store.due_automations(moment):
            await self._fire_due(row, moment)
        waiting = await self._store.waiting_firings()
        self._has_waiting = bool(waiting)
        for firing, is_free in waiting:
            if is_free:
                await self._begin_waiting(firing)
        for one in await self._store.unanswered():
            if one.question.created_at + timedelta(seconds=one.automation.patience) <= moment:
                await self._give_up(one)

    async def _follow_clock(self, moment: datetime) -> None:
        """After the system time was set back: find the next due times again, which lie too far in the future."""
        offset = moment.timestamp() - self._steady()
        if self._offset is not None and offset < self._offset - ON_TIME.total_seconds():
            logger.warning(
                "the clock was set back by %.0f s: due times are worked out again", self._offset - offset
            )
            for row, slots in await self._store.coming_automations(moment):
                try:
                    next_at = await asyncio.to_thread(next_without, row, moment, slots)
                except RuleRefused as refused:
                    logger.error("automation %s has a rule that cannot be read: %s", row.id, refused)
                    continue
                await self._store.move_due(row, next_at)
        self._offset = offset

    async def fire_now(self, automation_id: str, cause: str, data: str | None = None) -> FiringRow:
        """Begin it manually or by its webhook. Raises NotFound, or Conflict if it is paused or just begun."""
        if self._starter.is_draining:
            raise Unavailable(sentence("server.going_down"), code="draining", retry_after=10)
        row = await self._store.automation(automation_id)
        content, moment = content_of(row, data), self._clock()
        fired = await shielded(
            self._start(row, lambda new: self._store.fire_now(row.id, cause, content, new, moment))
        )
        assert fired is not None, "fire_now always returns what it did"
        return fired.rows[-1]

    async def _fire_due(self, row: AutomationRow, moment: datetime) -> None:
        try:
            due = await asyncio.to_thread(due_of, row, moment)
        except RuleRefused as refused:
            logger.error("automation %s has a rule that cannot be read: %s", row.id, refused)
            return
        content = content_of(row)
        with suppress(Conflict, NotFound):  # changed in the meantime: the next look finds it as it is
            await shielded(self._start(row, lambda new: self._store.fire_due(row, due, content, new, moment)))

    async def _begin_waiting(self, firing: FiringRow) -> None:
        with suppress(Conflict, NotFound):
            row = await self._store.automation(firing.automation_id)
            await shielded(self._start(row, lambda new: self._store.begin_waiting(firing.id, new)))

    async def _start(
        self, row: AutomationRow, query: Callable[[str], Awaitable[Fired | None]]
    ) -> Fired | None:
        """Execute `query` with the id of a new session, and start the run that it has begun."""
        new = new_id()
        with self._starter.submitting(row.session_id or new), self._starter.submitting(new):
            fired = await query(new)
            if fired and fired.accepted:
                self._starter.start(fired.accepted)
            elif fired:  # it may wait: the look that this causes finds it, also if a look is in progress
                self._has_waiting = True
                self.wake()
        has_new = fired is not None and fired.accepted is not None and row.session_mode == "new"
        if has_new and (old := await self._store.old_sessions(row.id, row.keep)):
            await self._purge(old)
        return fired

    async def _give_up(self, one: Unanswered) -> None:
        """End a run whose question is not answered, with what it has done and what is left."""
        state = None
        try:
            async with asyncio.timeout(STATE_SECONDS):
                state = await self._read_state(one.run.session_id)
        except (AppError, TimeoutError) as error:
            logger.warning("the receipt of run %s has no plan: %s", one.run.id, error or "it takes too long")
        receipt = receipt_of(one.question, state)
        ended = await shielded(
            self._recorder.end_unexecuted(
                one.run, "interrupted", NEEDS_YOU, receipt_words(receipt, one.automation.patience),
                unanswered=one.question.reference, receipt=receipt,
            )
        )  # fmt: skip
        if ended:
            logger.info("run %s ends: its question was not answered", one.run.id)
            self._recorder.forget_question(one.question.reference)
            self._starter.start_next(ended)


def due_of(row: AutomationRow, moment: datetime) -> Due:
    """What has become due of an automation until `moment`. Raises RuleRefused.

    Of several due times at most one begins a run: the one that is on time, else, with `missed` once, the last.
    """
    expected = row.next_at
    assert expected is not None, "it is due"
    assert row.rule is not None, "only automations with a rule are due"
    rule = read_rule(row.rule, row.zone)
    times = [expected, *rule.between(expected, moment)]
    is_on_time = moment - times[-1] < ON_TIME
    slot = times.pop() if is_on_time or row.missed == "once" else None
    missed = (times[0], times[-1], len(times)) if times else None
    return Due(expected, rule.next_after(max(moment, expected)), slot, missed)


def next_without(row: AutomationRow, moment: datetime, slots: Collection[datetime]) -> datetime | None:
    """The next due time after `moment` that is none of `slots`. Raises RuleRefused."""
    assert row.rule is not None, "only automations with a rule are due"
    rule = read_rule(row.rule, row.zone)
    next_at = rule.next_after(max(moment, row.created_at))
    while next_at and next_at in slots:
        next_at = rule.next_after(next_at)
    return next_at
