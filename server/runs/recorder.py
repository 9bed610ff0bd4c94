"""Persists a run's progress, then publishes the matching event."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Literal, TypeVar

from server.browser.takeover.browser_view import Drive
from server.clock import elapsed
from server.database.models import RunRow, SessionRow
from server.errors import Unavailable
from server.events import (
    PROVIDER,
    ActivityAdded,
    Done,
    Drove,
    Event,
    MessageAdded,
    Question,
    ToolEnd,
    ToolStart,
    What,
    now,
)
from server.runs.events import ENDINGS, describe, interruption, to_change, to_error, to_interrupt
from server.runs.execution import Execution
from server.settings import Settings
from server.store import AcceptedMessage, FinishedRun, StartedRun, Store
from server.stream.bus import EventBus, Fenced
from wording.catalogue import Wording, joined, parts_of, sentence

logger = logging.getLogger(__name__)

T = TypeVar("T")

RECORD_RETRY_SECONDS = 30.0
"""Seconds for which a run retries while the database is unavailable."""
PICTURE_NOT_SAVED = sentence("note.picture_not_saved")
CUT_BY: Mapping[str, Literal["length", "stream"]] = {
    "llm_stream_cut": "stream", "llm_timeout": "stream", "llm_unavailable": "stream", "llm_rate_limited": "stream",
    "output_limit": "length",
}  # fmt: skip
"""By the code of a failure: why the answer that was streamed before it is only a part. It is kept, and marked as cut."""
HANDED_BACK = sentence("run.handed_back")


class RunRecorder:
    def __init__(
        self,
        settings: Settings,
        store: Store,
        bus: EventBus,
        *,
        patience: float = RECORD_RETRY_SECONDS,
        clock: Callable[[], float] = elapsed,
    ) -> None:
        self._settings = settings
        self._store = store
        self._bus = bus
        self._patience = patience
        self._clock = clock
        self._expires: dict[str, float] = {}
        """By question: its expiry in seconds of `clock`, which changes of the system time do not affect."""
        self._reading: dict[str, object] = {}
        """By session: a token, set while its row is read, removed when a newer state is announced."""
        self._lost: set[str] = set()
        """Runs of this process that could not begin or end because the database was unavailable too long."""
        self._starts_next = True
        self.page_listeners: list[Callable[[str, str | None], None]] = []
        """Called after each step with the session's id and the URL of the page that the step ended on."""
        self.end_listeners: list[Callable[[FinishedRun], None]] = []
        """Called with each run that has ended, after its terminal event."""

    async def with_retry(self, query: Callable[[bool], Awaitable[T]]) -> T:
        """Retry `query` every 0.5 s while the database is unavailable, up to `patience` seconds.

        Raises Unavailable after that.

        `query` gets True on a retry: an earlier attempt may have been committed, with only its reply lost.
        """
        deadline = asyncio.get_running_loop().time() + self._patience
        again = False
        while True:
            try:
                return await query(again)
            except Unavailable:
                if asyncio.get_running_loop().time() > deadline:
                    raise
                again = True
                await asyncio.sleep(0.5)

    # The list of sessions

    def announce(self, session: SessionRow, queue_place: int | None = None) -> None:
        """Publish the state of this session to the clients that watch the list of sessions."""
        self._reading.pop(session.id, None)
        if self._bus.is_watched:
            self._bus.announce(to_change(session, queue_place))

    def _note_end(self, ended: FinishedRun) -> None:
        self.announce(ended.session)
        for listener in self.end_listeners:
            listener(ended)

    async def read_and_announce(self, session_id: str, queue_place: int | None = None) -> None:
        while self._bus.is_watched:
            reading = self._reading.setdefault(session_id, object())
            session = await self._store.session(session_id)
            if self._reading.get(session_id) is reading:
                self.announce(session, queue_place)
                return

    # Progress of a run

    async def begin(self, run_id: str) -> StartedRun | None:
        """Take a submitted run for execution; None if it has ended, was taken over, or cannot begin."""
        try:
            started = await self.with_retry(lambda again: self._store.begin_execution(run_id, again=again))
        except Unavailable as error:
            if self._store.ownership.is_shared:
                raise  # its job comes again
            logger.warning("run %s does not begin: %s", run_id, error.detail)
            self._lost.add(run_id)
            return None
        if started:
            self.announce(started.session)
        return started

    def publish_accepted(self, accepted: AcceptedMessage) -> None:
        """Publish a stored message; open its run's stream for readers, unless the run is held."""
        run = accepted.run
        self.announce(accepted.session)
        if not run.held:
            self._bus.open(run.session_id, run.id, run.epoch)
        self._bus.publish(run.session_id, None, [MessageAdded(message=accepted.message)])

    async def add_activity(self, session_id: str, what: What, execution: Execution | None) -> None:
        """Store and publish it as a row of the session; it is left out if the database is unavailable."""
        run_id = execution.run.id if execution else None
        try:
            activity = await self._store.add_activity(session_id, what, run_id=run_id)
        except Unavailable as error:
            logger.warning("an activity of session %s is not kept: %s", session_id, error.detail)
            return
        added = ActivityAdded(activity=activity)
        if execution:
            execution.publish(added)
        else:
            self._bus.publish(session_id, None, [added])

    async def add_drive(
        self,
        session_id: str,
        drive: Drive | None,
        execution: Execution | None,
        *,
        was_handed_off: bool = False,
    ) -> None:
        """Add the row of a takeover that has ended, if there was one."""
        if drive:
            drove = Drove(
                seconds=round(drive.seconds), pages=list(drive.pages), was_handed_off=was_handed_off
            )
            await self.add_activity(session_id, drove, execution)

    async def take(self, execution: Execution, event: Event) -> None:
        """Persist an event of the agent where it has to last, then publish it."""
        match event:
            case ToolStart():
                await shielded(self._take_tool_start(execution, event))
            case ToolEnd():
                await shielded(self._take_tool_end(execution, event))
            case _:
                execution.publish(event)

    async def _take_tool_start(self, execution: Execution, event: ToolStart) -> None:
        doing, usage = describe(event), execution.adapter.usage
        position = await self.with_retry(lambda _: self._store.begin_call(execution.run, doing, usage=usage))
        if position is None:
            execution.stop("interrupted")  # the run was ended or taken over
        else:
            execution.positions[event.call_id] = position
        execution.publish(event.model_copy(update={"position": position}))

    async def _take_tool_end(self, execution: Execution, event: ToolEnd) -> None:
        if execution.take_lost_picture():
            said = joined((Wording.stored(event.summary, event.summary_parts), PICTURE_NOT_SAVED))
            event = event.model_copy(update={"summary": str.__str__(said), "summary_parts": parts_of(said)})
        args = execution.adapter.args_of(event.call_id)
        meta = event.model_dump(exclude={"type", "summary"}, exclude_none=True) | {"args": dict(args)}
        meta |= {"tool_name": event.name, "tool_call_id": event.call_id}
        meta["status"] = "ok" if event.ok else "error"
        if provider := execution.adapter.provider_of(event.call_id):
            meta[PROVIDER] = provider
        position, usage = execution.positions.get(event.call_id), execution.adapter.usage
        message = await self.with_retry(
            lambda again: self._store.add_tool_message(
                execution.run, event.summary, meta, position=position, usage=usage, again=again
            )
        )
        execution.publish(event.model_copy(update={"trail": None, "result": None}))
        for listener in self.page_listeners:
            listener(execution.run.session_id, event.url)
        if message:
            execution.publish(MessageAdded(message=message))
        else:
            execution.stop("interrupted")  # the run was ended or taken over

    async def take_all(self, execution: Execution, events: Iterable[Event]) -> None:
        """`take` each event; before them, which of the user's messages the agent has read since the last call."""
        if ids := execution.take_just_read():
            await shielded(self._note_read(execution, ids))
        for event in events:
            await self.take(execution, event)

    async def _note_read(self, execution: Execution, ids: Collection[str]) -> None:
        for message in await self.with_retry(lambda _: self._store.mark_read_by_agent(execution.run, ids)):
            execution.publish(MessageAdded(message=message))

    async def show_status(self, execution: Execution) -> None:
        """Commit and publish the current status, unless the execution is stopped or waits for the user."""
        async with execution.commit_lock:
            status = execution.doing
            if execution.stopped.is_set() or execution.status == "waiting_user":
                return
            if await self._store.set_run_status(execution.run, status):
                execution.publish(execution.changed(status))
            await self.read_and_announce(execution.run.session_id, execution.queue_place)

    async def ask(self, execution: Execution, question: Question) -> None:
        """Persist and publish the question; the run waits for the user, and its execution ends."""
        run, adapter = execution.run, execution.adapter
        question = question.model_copy(update={"said": adapter.answer, "step": adapter.step})
        expires_at, began = None, self._clock()
        patience = execution.patience or self._settings.decision_timeout
        if question.kind != "manual":
            expires_at = now() + timedelta(seconds=patience)
        async with execution.commit_lock:
            row = await self.with_retry(
                lambda again: self._store.open_interrupt(
                    run,
                    question,
                    expires_at=expires_at,
                    usage=adapter.usage,
                    read_ids=execution.read_ids,
                    again=again,
                )
            )
            if row:
                if expires_at:
                    spent = self._clock() - began  # the commit may have been retried
                    self.expect_answer(row.reference, patience - spent)
                execution.publish(execution.changed("waiting_user"))
                execution.publish(to_interrupt(row))
        await self.read_and_announce(run.session_id)

    @property
    def patience_of_answers(self) -> float:
        """Seconds for which an approval is valid, where no automation has its own."""
        return self._settings.decision_timeout

    def expect_answer(self, reference: str, seconds: float) -> None:
        """Let the question expire in `seconds` from now, independent of the wall clock."""
        self._expires[reference] = self._clock() + seconds

    def is_late(self, reference: str) -> bool | None:
        """Whether the question has expired; None if its expiry is not known in this process."""
        moment = self._expires.get(reference)
        return None if moment is None else self._clock() >= moment

    def forget_question(self, reference: str) -> None:
        self._expires.pop(reference, None)

    async def hand_back(self, execution: Execution) -> bool:
        """Leave the run to another process. False if it was ended or taken over already."""
        for event in execution.adapter.flush(HANDED_BACK, "interrupted"):
            execution.publish(event)
        if not await self.with_retry(
            lambda _: self._store.hand_back_run(execution.run, execution.adapter.usage)
        ):
            return False
        execution.queue_place = None
        execution.publish(execution.changed("queued", HANDED_BACK))
        await self.read_and_announce(execution.run.session_id)
        return True

    # End of a run. Each returns None if the run was ended or taken over already.

    def start_no_next(self) -> None:
        """For a shutdown: the end of a run does not start the run that is held behind it."""
        self._starts_next = False

    async def complete(self, execution: Execution) -> FinishedRun | None:
        adapter = execution.adapter
        if not adapter.answer.strip():
            return await self.fail(execution, "llm_bad_response", sentence("model.empty_answer"))
        ended = await self._commit(
            execution, "completed", answer=adapter.answer, answer_meta=adapter.answer_meta
        )
        if ended and ended.message:
            execution.publish(MessageAdded(message=ended.message))
            for message in ended.changed:
                execution.publish(MessageAdded(message=message))
            execution.publish(Done(message=ended.message, usage=adapter.usage))
            self._note_end(ended)
        return ended

    async def fail(self, execution: Execution, code: str, text: str) -> FinishedRun | None:
        for event in execution.adapter.flush(text, code):
            await self.take(execution, event)
        status = code if code in ("cancelled", "interrupted") else "failed"
        adapter, kept = execution.adapter, dict[str, Any]()
        if code in CUT_BY and adapter.answer.strip():
            adapter.cut = CUT_BY[code]
            kept = {"answer": adapter.answer, "answer_meta": adapter.answer_meta}
        ended = await self._commit(execution, status, error_code=code, error=text, **kept)
        if ended:
            if ended.message:
                execution.publish(MessageAdded(message=ended.message))
            for message in ended.changed:
                execution.publish(MessageAdded(message=message))
            execution.publish(to_error(ended.run))
            self._note_end(ended)
        return ended

    async def _commit(self, execution: Execution, status: str, **values: Any) -> FinishedRun | None:
        run = execution.run
        values |= {"epoch": run.epoch, "usage": execution.adapter.usage, "read_ids": execution.read_ids}
        return await self.with_retry(
            lambda again: self._store.finish_run(
                run.id, status, start_next=self._starts_next, again=again, **values
            )
        )

    async def end_unexecuted(
        self, run: RunRow, status: str, code: str, text: str, *, read_ids: Collection[str] = (), **values: Any
    ) -> FinishedRun | None:
        """End a run that has no execution, or whose execution raised. `values` as for `finish_run`."""
        ended = await self._store.finish_run(
            run.id,
            status,
            epoch=run.epoch,
            error_code=code,
            error=text,
            read_ids=read_ids,
            start_next=self._starts_next,
            **values,
        )
        if ended:
            with suppress(Fenced):  # the session has a newer run
                self._bus.open(run.session_id, run.id, run.epoch)
                self._bus.publish(run.session_id, run.epoch, _last_events(ended))
            self._note_end(ended)
        return ended

    async def end_broken(self, run: RunRow, read_ids: Collection[str]) -> FinishedRun | None:
        """End a run whose execution raised, so that it does not stay unfinished."""
        try:
            return await self.end_unexecuted(
                run, "failed", "internal", ENDINGS["internal"], read_ids=read_ids
            )
        except Unavailable:
            self._lost.add(run.id)
            return None

    def is_lost(self, run_id: str) -> bool:
        """Whether the run could not begin or end here, and `end_orphans` has not ended it yet."""
        return run_id in self._lost

    async def end_orphans(self) -> list[FinishedRun]:
        """End the runs that no process executes as interrupted; no run is repeated without the user."""
        found = [await self._end_orphan(run) for run in await self._store.orphaned_runs(self._lost)]
        return [ended for ended in found if ended]

    async def _end_orphan(self, run: RunRow) -> FinishedRun | None:
        is_lost = run.id in self._lost
        code = "db_unavailable" if is_lost else "server_restart"
        text = ENDINGS[code] if is_lost else interruption(run)
        logger.warning("run %s is interrupted: %s", run.id, text)
        ended = await self._store.finish_run(
            run.id, "interrupted", epoch=run.epoch, error_code=code, error=text, start_next=is_lost
        )
        self._lost.discard(run.id)
        if ended:
            if self._bus.run_of(run.session_id) == run.id:
                self._bus.publish(run.session_id, None, _last_events(ended))
            self._note_end(ended)
        return ended

    async def cancel_unexecuted(self, run: RunRow) -> FinishedRun | None:
        """Cancel a run that is not executed. Also None if its execution has begun since `run` was read."""
        taken = await self._store.take_run(run.id, "running", attempt=run.attempt)
        if taken is None:
            return None
        return await self.end_unexecuted(taken, "cancelled", "cancelled", ENDINGS["cancelled"])


def _last_events(ended: FinishedRun) -> list[Event]:
    """Of a run that ended without an answer; the terminal one is the last."""
    return [*(MessageAdded(message=message) for message in ended.changed), to_error(ended.run)]


async def shielded(part: Coroutine[Any, Any, T]) -> T:
    """Shield `part` from cancellation, so that what is committed is also published.

    CancelledError is raised after `part` has ended, never during.
    """
    task = asyncio.ensure_future(part)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
