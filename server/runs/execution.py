"""One execution of a run in this process: its published events, and the user's input while it runs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from server.agent.context import UserUpdates
from server.agent.event_adapter import EventAdapter
from server.agent.pointing.pointer import Pointer, merged, read_pointers
from server.clock import elapsed
from server.database.models import RunRow
from server.events import Event, Message, RunChanged, RunStatus, StateChanged, Thinking, Token, with_plan
from server.ops.json_types import JsonObject
from server.runs.text_joiner import TextJoiner
from server.stream.bus import EventBus, Fenced
from wording.catalogue import parts_of, sentence

NO_UPDATES = UserUpdates(are_words_old=True, before_answer=True)


class Stopwatch:
    """Sums up the seconds during which it was running."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._before = 0.0
        self._since: float | None = None

    def run(self, runs: bool) -> None:
        """Start or stop."""
        self._before = self.seconds
        self._since = self._clock() if runs else None

    @property
    def seconds(self) -> float:
        return self._before + (self._clock() - self._since if self._since is not None else 0.0)

    def take(self) -> float:
        """The seconds so far; resets the count."""
        seconds = self.seconds
        self._before -= seconds
        return seconds


class RunLease:
    """The time for which this process may act for a run; `seconds` None: for ever, it is the only process."""

    FRESH = 0.8
    """The part of a lease in which acts are begun: the clocks of two machines run at slightly different speeds."""

    def __init__(self, seconds: float | None, clock: Callable[[], float] = elapsed) -> None:
        self._seconds = seconds
        self._clock = clock
        self._renewed_at = clock()
        self._renewed = asyncio.Event()

    @property
    def is_fresh(self) -> bool:
        return self._seconds is None or self._clock() - self._renewed_at < self.FRESH * self._seconds

    def renew(self, moment: float) -> None:
        """The database has renewed it; `moment` of `clock` is when that was asked for."""
        self._renewed_at = max(moment, self._renewed_at)
        self._renewed.set()

    async def hold(self) -> None:
        """Return while it is fresh; else wait until it has been renewed."""
        while not self.is_fresh:
            self._renewed.clear()
            await self._renewed.wait()


class Execution:
    """The state of a run in progress; also the agent's inbox."""

    def __init__(
        self,
        run: RunRow,
        adapter: EventAdapter,
        bus: EventBus,
        *,
        max_steps: int,
        clock: Callable[[], float] = time.monotonic,
        lease: RunLease | None = None,
        patience: int | None = None,
        only_first_model: bool = False,
    ) -> None:
        self.run = run
        self.patience = patience
        """Seconds that its questions wait for an answer; None: as the server is set."""
        self.only_first_model = only_first_model
        self.lease = lease or RunLease(None)
        self.adapter = adapter
        self.max_steps = max_steps
        self.status: RunStatus = "running"
        self.state: StateChanged | None = None
        self.stop_reason: str | None = None
        """Set once: why it is ended before its agent has finished (cancelled, interrupted, time_limit, handed_back)."""
        self.stopped = asyncio.Event()
        self.ended = asyncio.Event()
        self._bus = bus
        self._published: tuple[int, str | None] = (0, None)
        self._joiner = TextJoiner(self._publish)
        self._unread = NO_UPDATES
        self._unread_ids: set[str] = set()
        self._said: set[str] = set()
        self.read_ids: set[str] = set()
        """The ids of the steering messages that the agent has read."""
        self._just_read: set[str] = set()
        self.pointers: tuple[Pointer, ...] = ()
        """What the user points at in the messages that the agent has, or is about to read."""
        self.positions: dict[str, int] = {}
        """By tool call: the position of its row among the session's rows."""
        self.is_over = False
        """The agent has ended: it reads no more input."""
        self._paused = self._held = self._is_leaving = False
        self.is_between_steps = asyncio.Event()
        self._has_lost_picture = False
        self.queue_place: int | None = None
        """Its position in the queue for a browser, from 1; None if it does not wait for one."""
        self.commit_lock = asyncio.Lock()
        """Serialises commit and publish, so that the last published status is the stored one."""
        self._going = asyncio.Event()
        self._going.set()
        self._clock = clock
        self._started = self._paused_at = clock()
        self._resting = Stopwatch(clock)
        self._queueing = Stopwatch(clock)

    # Publishing

    def publish(self, event: Event) -> None:
        """Publish an event; dropped if the execution has ended. Stops the execution if it is fenced."""
        if isinstance(event, Token | Thinking):
            self._joiner.add(event)
            return
        self._joiner.flush()
        if isinstance(event, StateChanged):
            event = self.state = self._with_edits(event)
        self._publish(event)

    def _with_edits(self, state: StateChanged) -> StateChanged:
        """The state with the user's edits that the agent has not read yet."""
        plan, dismissed = self._unread.plan, self._unread.dismissed
        if plan is not None:
            state = with_plan(state, plan)
        if dismissed is not None and list(dismissed) == state.proposed_plan:
            state = state.model_copy(update={"proposed_plan": []})
        return state

    def _publish(self, event: Event) -> None:
        if self.ended.is_set():
            return
        try:
            self._bus.publish(self.run.session_id, self.run.epoch, [event])
        except Fenced:
            self.stop("interrupted")

    def flush(self) -> None:
        self._joiner.flush()

    def unfinished(self) -> JsonObject:
        """Text, thinking and tool calls that are published but not yet stored as messages."""
        self.flush()
        return {
            "message_id": self.adapter.message_id,
            "text": self.adapter.answer,
            "thinking": self.adapter.thinking,
            "tools": [
                call.model_dump(exclude={"type"}) | {"position": self.positions.get(call.call_id)}
                for call in self.adapter.open_calls
            ],
        }

    def changed(self, status: RunStatus, note: str | None = None) -> RunChanged:
        self.status = status
        place = self.queue_place if status == "queued" else None
        note = sentence("waiting.queue_place", place=place) if place else note
        return RunChanged(
            status=status, agent=self.run.agent, model=self.run.model, step=self.adapter.step,
            max_steps=self.max_steps, note=note, note_parts=parts_of(note or ""), queue_place=place,
        )  # fmt: skip

    def show_progress(self) -> None:
        """Publish the status if the step or the note has changed since the last call."""
        progress = (self.adapter.step, self.adapter.note)
        if progress != self._published:
            self._published = progress
            self.publish(self.changed(self.status, self.adapter.note))

    def note_lost_picture(self) -> None:
        """A screenshot of the tool call in progress could not be saved."""
        self._has_lost_picture = True

    def take_lost_picture(self) -> bool:
        """Whether a screenshot was lost since the last call."""
        was_lost, self._has_lost_picture = self._has_lost_picture, False
        return was_lost

    def stop(self, reason: str) -> None:
        """End it before its agent has finished. The agent begins no further step: its task will be cancelled."""
        self.stop_reason = self.stop_reason or reason
        self.stopped.set()
        self._going.clear()

    # Input from the user

    def point(self, messages: Sequence[Message]) -> None:
        """Take the pointers of the run's messages."""
        for message in messages:
            if message.id == self.run.message_id or (
                message.run_id == self.run.id and message.role == "user"
            ):
                self.pointers = merged(self.pointers, read_pointers(message.meta_json))

    def steer(self, message: Message, *, is_old: bool = False) -> None:
        """`is_old`: it came before the answer to the question at which the run resumes."""
        if message.id not in self._said:
            self._said.add(message.id)
            self._unread_ids.add(message.id)
            self.point([message])
            messages = (*self._unread.messages, message.content)
            are_old = self._unread.are_words_old and is_old
            self._unread = replace(self._unread, messages=messages, are_words_old=are_old)

    def edit_plan(self, plan: Sequence[str], *, is_old: bool = False) -> None:
        """`is_old` as in `steer`."""
        are_old = self._unread.are_words_old and is_old
        self._unread = replace(self._unread, plan=tuple(plan), are_words_old=are_old)

    def dismiss_plan(self, proposed: Sequence[str]) -> None:
        """Pass on that the user rejected the plan that the agent proposed."""
        self._unread = replace(self._unread, dismissed=tuple(proposed))

    def close_inbox(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        """Take no more edits of the plan. Returns what the agent has not read: the user's plan, and the
        proposed plan that they dismissed."""
        self.is_over = True
        return self._unread.plan, self._unread.dismissed

    @property
    def has_own_pause(self) -> bool:
        """Paused by the user, not only by a takeover."""
        return self._paused

    def stop_before_next_step(self) -> None:
        """For a hand-back: the agent begins no further step. `is_between_steps` is set when it waits for one."""
        self._is_leaving = True
        self._keep_time()

    def pause(self) -> None:
        if not self._paused:
            self._paused_at = self._clock()
        self._paused = True
        self._keep_time()

    def resume(self) -> int | None:
        """Returns for how many seconds it was paused; None if only a takeover had paused it."""
        seconds = round(self._clock() - self._paused_at) if self._paused else None
        self._paused = False
        self._keep_time()
        return seconds

    def hold(self) -> None:
        """Pause the agent until `release`, because the user took control of the browser."""
        self._held = True
        self._keep_time()

    def release(self, changes: str | None, *, before_answer: bool = False) -> None:
        self._held = False
        takeover = " ".join(filter(None, (self._unread.takeover, changes)))
        before_answer = before_answer and self._unread.before_answer
        self._unread = replace(self._unread, takeover=takeover, before_answer=before_answer)
        self._keep_time()

    def queue(self, place: int | None) -> None:
        """Set its position in the queue for a browser; None if it does not wait for one any more."""
        self.queue_place = place
        self._keep_time()

    def take_queued(self) -> float:
        """Seconds that it waited for a free browser since the last call."""
        return self._queueing.take()

    @property
    def is_paused(self) -> bool:
        return self._paused or self._held

    @property
    def doing(self) -> RunStatus:
        """The current status, which may differ from the last published one."""
        if self.is_paused:
            return "paused"
        return "queued" if self.queue_place else "running"

    async def take_updates(self) -> UserUpdates:
        self.is_between_steps.set()
        await self._going.wait()
        self.is_between_steps.clear()
        self._just_read |= self._unread_ids
        self.read_ids |= self._unread_ids
        updates, self._unread, self._unread_ids = self._unread, NO_UPDATES, set()
        return updates

    def take_just_read(self) -> set[str]:
        """The ids of the steering messages that the agent has read since the last call."""
        read, self._just_read = self._just_read, set()
        return read

    def _keep_time(self) -> None:
        """Do not count time while paused or queued; block the agent's next step while paused and after a stop."""
        if self.is_paused or self._is_leaving or self.stopped.is_set():
            self._going.clear()
        else:
            self._going.set()
        self._queueing.run(self.queue_place is not None)
        self._resting.run(self.is_paused or self.queue_place is not None)

    @property
    def active_seconds(self) -> float:
        """Seconds since the start, without pauses and time in the queue: these do not count as run time."""
        return self._clock() - self._started - self._resting.seconds


async def current_execution(executions: Mapping[str, Execution], session_id: str) -> Execution | None:
    """The session's execution, if its agent still works; waits for the end of one whose agent has ended."""
    while (execution := executions.get(session_id)) and execution.is_over:
        await execution.ended.wait()
    return execution
