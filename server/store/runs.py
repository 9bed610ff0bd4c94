"""Queries for a run, from its start to its end. Each step is one transaction, fenced by the run's epoch.

`again` marks a retry: the connection was lost before the reply, so the earlier attempt may have been
committed. Its result is returned then, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from sqlalchemy import Connection, bindparam, select, update

from server.database import Database, reading, writing, writing_synced
from server.database.models import InterruptRow, MessageRow, RunRow, SessionRow
from server.errors import NotFound
from server.events import Answer, Message, Usage, now, read_question, sum_usage
from server.ops.json_types import JsonObject
from server.results.changes import Change
from server.store.automations import automation_of_run, settle_firing
from server.store.channels import put_end
from server.store.lookups import (
    IS_UNFINISHED,
    OF_RUN,
    OF_SESSION,
    QUEUED,
    SESSION_OF_RUN,
    STEERING,
    current_run_of,
    is_ours,
    is_queued,
    is_unread,
    mark_read,
    messages_of,
    new_message,
    new_run,
    next_position,
    session_of,
    without_mode,
)
from server.store.owners import LeaseWatch, Ownership, is_gone
from server.store.questions import last_question_of
from server.store.records import AcceptedMessage, FinishedRun, StartedRun, to_message
from server.store.results import note_result
from server.store.rows import change, every, first, get, insert
from wording.catalogue import parts_of, sentence

NEXT_HELD = (
    select(RunRow)
    .join(MessageRow, MessageRow.id == RunRow.message_id)
    .where(RunRow.session_id == OF_SESSION, IS_UNFINISHED, RunRow.held)
    .order_by(MessageRow.seq)
    .limit(1)
)
NEXT_FREED = (
    select(RunRow)
    .where(RunRow.session_id == OF_SESSION, IS_UNFINISHED, ~RunRow.held, RunRow.attempt == 0)
    .limit(1)
)
EXECUTED = (
    select(RunRow.id)
    .where(RunRow.session_id == OF_SESSION, RunRow.epoch == bindparam("epoch"), RunRow.attempt > 0)
    .where(RunRow.owner == bindparam("owner"))
    .with_for_update(read=True)
)
QUESTIONS_OF_RUN = select(InterruptRow).where(InterruptRow.run_id == OF_RUN).order_by(InterruptRow.created_at)
LAST_CALL = (
    select(MessageRow)
    .where(MessageRow.run_id == OF_RUN, MessageRow.role == "tool")
    .order_by(MessageRow.seq.desc())
    .limit(1)
)


class RunQueries:
    database: Database
    owner: str
    ownership: Ownership
    leases: LeaseWatch
    is_alone: bool

    @reading
    def run(self, db: Connection, run_id: str) -> RunRow:
        row = get(db, RunRow, run_id)
        if row is None:
            raise NotFound(sentence("run.unknown"), code="run_unknown")
        return row

    @reading
    def current_run(self, db: Connection, session_id: str) -> RunRow | None:
        """The session's unfinished run that is not held, else its last run. Raises NotFound."""
        return current_run_of(db, session_of(db, session_id).id)

    @writing
    def begin_execution(self, db: Connection, run_id: str, *, again: bool = False) -> StartedRun | None:
        """Take the run and load the data for its execution. None if it is not queued or is held.

        With several processes also a run whose owner's lease has ended; raises LeaseHeld while it has not.
        """
        session, run = _session_and_run(db, run_id)
        if session is None or run is None or run.held:
            return None
        is_taken = again and run.status == "running" and run.owner == self.owner
        if not is_taken and not self.ownership.may_take(db, run):
            return None
        self._take(db, session, run, "running")
        question = last_question_of(db, run_id) if run.attempt > 1 else None
        messages: list[Message] = []
        unread: list[Message] = []
        for message in messages_of(db, session.id):
            if is_queued(message):
                continue
            is_new = message.run_id == run_id and is_unread(message)
            (unread if is_new else messages).append(message)
        resumed = read_question(question.payload) if question else None
        automation = automation_of_run(db, session, run_id)
        started = StartedRun(
            run, session, messages, unread, resumed, budget=automation.budget if automation else None,
            patience=automation.patience if automation else None,
            automation_id=automation.id if automation else None,
            only_first_model=automation.only_first_model if automation else False,
            zone=automation.zone if automation else None,
            asks_first=automation.ask_first if automation else session.ask_first,
            start_words=_start_words(db, run_id) if resumed and resumed.start else (),
        )  # fmt: skip
        if not self.ownership.continues or run.attempt == 1:
            return started
        known, reference = run.wishes or {}, question.reference if question else None
        is_new = reference is not None and known.get("resumed") != reference
        change(db, run, wishes={**known, "resumed": reference})
        return replace(started, continues=True, is_newly_answered=is_new)

    @writing
    def take_run(
        self, db: Connection, run_id: str, status: str, *, attempt: int | None = None
    ) -> RunRow | None:
        """Acquire the run for this process; its epoch and attempt grow.

        None if it is finished or held, or if its attempt differs from `attempt`.
        """
        session, run = _session_and_run(db, run_id)
        if session is None or run is None or run.finished_at or run.held:
            return None
        if attempt not in (None, run.attempt):
            return None
        self._take(db, session, run, status)
        return run

    @writing
    def requeue_run(self, db: Connection, orphan: RunRow) -> RunRow | None:
        """Let a run of a process that is gone wait for this one to continue it. None if it has ended or is executed."""
        session, run = _session_and_run(db, orphan.id)
        if session is None or run is None or run.finished_at or run.held:
            return None
        if (run.owner, run.epoch) != (orphan.owner, orphan.epoch):
            return None
        change(db, run, status="queued", **self.ownership.waiting())
        change(db, session, status="queued")
        return run

    def _take(self, db: Connection, session: SessionRow, run: RunRow, status: str) -> None:
        """Take the run. The first execution keeps the run's epoch, each later one gets a new one."""
        epoch = session.epoch + (1 if run.attempt else 0)
        change(db, session, epoch=epoch, status=status)
        change(
            db, run, epoch=epoch, attempt=run.attempt + 1, status=status, owner=self.owner,
            lease_until=self.ownership.end_of_lease(db), started_at=run.started_at or now(),
        )  # fmt: skip

    @writing
    def begin_call(
        self, db: Connection, run: RunRow, action: str, *, usage: Usage | None = None
    ) -> int | None:
        """Store the tool call in progress; return its position among the session's rows.

        `usage` is that of the run until now: another process that continues it counts on from there.
        None if the run was finished or taken over.
        """
        session = session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return None
        change(db, run, doing=action, doing_parts=parts_of(action), **_used(usage))
        return next_position(db, session)

    @writing
    def set_run_status(self, db: Connection, run: RunRow, status: str) -> bool:
        """Set the status of the run and its session. False if the run was finished or taken over."""
        session = session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return False
        change(db, run, status=status)
        change(db, session, status=status)
        return True

    @writing
    def add_tool_message(
        self, db: Connection, run: RunRow, content: str, meta: JsonObject, *, position: int | None = None,
        usage: Usage | None = None, again: bool = False,
    ) -> Message | None:  # fmt: skip
        """Store the result of a tool call and clear `doing`. None if the run was finished or taken over.

        `position`: of `begin_call`; without it the row becomes the last one. `usage` as for `begin_call`.
        """
        session = session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return None
        kept = first(db, MessageRow, LAST_CALL, run_id=run.id) if again else None
        if kept and (kept.meta_json or {}).get("call_id") == meta.get("call_id"):
            return to_message(kept)
        seq = position or next_position(db, session)
        message = new_message(session, "tool", content, run_id=run.id, meta_json=meta, seq=seq)
        row = insert(db, message)
        change(db, session, updated_at=row.created_at)
        change(db, run, doing=None, doing_parts=None, **_used(usage))
        return to_message(row)

    @writing_synced
    def finish_run(
        self, db: Connection, run_id: str, status: str, *, epoch: int | None = None, answer: str | None = None,
        answer_meta: JsonObject | None = None, error_code: str | None = None, error: str | None = None,
        usage: Usage | None = None, read_ids: Collection[str] = (), start_next: bool = False, again: bool = False,
        unanswered: str | None = None, receipt: JsonObject | None = None,
    ) -> FinishedRun | None:  # fmt: skip
        """End the run and store its answer, in one transaction. None if it was ended or taken over already.

        `unanswered`: the question that the run waits at; None, too, if that is not open any more. `receipt`: what
        the run has done and what is left.

        This process becomes its owner: the process that executed it before saves nothing more of it. Steering
        messages that are not in `read_ids` get runs of their own, if the status is `completed` or `failed`. With
        `start_next` the oldest run that is held behind it may start.
        """
        session, run = _session_and_run(db, run_id)
        if session is None or run is None or (epoch is not None and run.epoch != epoch):
            return None
        if run.finished_at:
            return _ended(db, session, run) if again and run.status == status else None
        question = get(db, InterruptRow, unanswered) if unanswered else None
        if unanswered and (question is None or question.status != "open"):
            return None
        moment = now()
        ending: JsonObject = {
            "status": status, "finished_at": moment, "held": False, "error_code": error_code, "error": error,
            "error_parts": parts_of(error or ""), "doing": None, "doing_parts": None, "owner": self.owner, **_used(usage),
        }  # fmt: skip
        changes: JsonObject = {"status": "error" if status == "failed" else "idle"}
        changes |= {"unread": True, "updated_at": moment, **_total(session, ending.get("usage", run.usage))}
        message, moved, difference = None, list[MessageRow](), None
        if answer is not None:
            message, difference = _add_answer(db, session, run, status, answer, answer_meta)
            changes["last_seq"] = message.seq
            if difference:
                changes["unread"] = session.unread or difference.kind != "same"
            if status == "failed":  # a part of an answer, then the failure
                change(db, session, last_seq=message.seq)
                changes["last_seq"] = ending["end_position"] = next_position(db, session)
        else:
            if status not in ("completed", "failed"):
                moved = self._leave_unread(db, session, run_id, read_ids)
            ending["end_position"] = next_position(db, session)
        change(db, run, **ending)
        change(db, session, **changes)
        is_reported = put_end(db, run, question, difference)
        settle_firing(db, session, run, receipt, difference)
        if status in ("completed", "failed"):
            moved = self._hold_unread(db, session, run_id, read_ids)
        if run.attempt > 1 or question:  # a former execution may have left an open question
            _cancel_questions(db, run_id)
        following = self._free_next(db, session) if start_next else None
        return FinishedRun(run, session, message, following, tuple(map(to_message, moved)), is_reported)

    def _free_next(self, db: Connection, session: SessionRow) -> AcceptedMessage | None:
        """Release the session's oldest held run; its message becomes the last one."""
        run = first(db, RunRow, NEXT_HELD, session_id=session.id)
        message = get(db, MessageRow, run.message_id) if run else None
        if run is None or message is None:
            return None
        change(db, run, held=False, epoch=session.epoch + 1, **self.ownership.waiting())
        change(db, message, seq=session.last_seq + 1, meta_json=without_mode(message.meta_json))
        change(db, session, epoch=run.epoch, last_seq=message.seq)
        self.ownership.put_job(db, run)
        return AcceptedMessage(to_message(message), run, session)

    def _hold_unread(
        self, db: Connection, session: SessionRow, run_id: str, read_ids: Collection[str]
    ) -> list[MessageRow]:
        """Create a held run for each steering message that the agent has not read; return these messages."""
        unread = mark_read(db, run_id, read_ids)
        for message in unread:
            run = new_run(session, self.ownership, held=True, message_id=message.id)
            insert(db, run)
            change(db, message, run_id=run.id, meta_json=(message.meta_json or {}) | QUEUED)
        return unread

    def _leave_unread(
        self, db: Connection, session: SessionRow, run_id: str, read_ids: Collection[str]
    ) -> list[MessageRow]:
        """Mark the steering messages that the agent will not read any more; they become the last rows."""
        unread = mark_read(db, run_id, read_ids)
        for message in unread:
            meta = (message.meta_json or {}) | {"heard": False}
            change(db, message, meta_json=meta, seq=next_position(db, session))
        return unread

    @writing
    def mark_read_by_agent(self, db: Connection, run: RunRow, read_ids: Collection[str]) -> list[Message]:
        """Mark steering messages that the agent has just read: they are placed where it read them.

        Returns them; none if the run was finished or taken over.
        """
        session = session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return []
        read = [row for row in every(db, MessageRow, STEERING, run_id=run.id) if row.id in read_ids]
        for row in read:
            if is_unread(row):
                meta = (row.meta_json or {}) | {"heard": True}
                change(db, row, meta_json=meta, seq=next_position(db, session))
        return [to_message(row) for row in read]

    async def orphaned_runs(self, lost: Collection[str] = ()) -> list[RunRow]:
        """Unfinished runs that no process executes: owner gone, lease expired, or id in `lost`."""
        rows = await self._unfinished_of_others(lost)
        ended = self.leases.ended({row.id: row.lease_until for row in rows})
        return [
            row
            for row in rows
            if self.is_alone or row.id in lost or row.id in ended or is_gone(row.owner, self.owner)
        ]

    @reading
    def _unfinished_of_others(self, db: Connection, lost: Collection[str]) -> list[RunRow]:
        is_mine = (RunRow.owner == self.owner) & RunRow.id.not_in(lost)
        return every(
            db,
            RunRow,
            select(RunRow)
            .where(IS_UNFINISHED, RunRow.status != "waiting_user", RunRow.owner.is_not(None), ~is_mine)
            .order_by(RunRow.created_at),
        )

    @reading
    def unbegun_runs(self, db: Connection) -> list[AcceptedMessage]:
        """Runs of this process that are queued, for the first time or after their question."""
        waiting = (IS_UNFINISHED, ~RunRow.held, RunRow.owner == self.owner, RunRow.status == "queued")
        found = []
        for run in every(db, RunRow, select(RunRow).where(*waiting)):
            session, message = get(db, SessionRow, run.session_id), get(db, MessageRow, run.message_id)
            question = last_question_of(db, run.id) if run.attempt else None
            if session and message:
                found.append(AcceptedMessage(to_message(message), run, session, question=question))
        return found

    def is_executed_here(self, db: Connection, session_id: str, epoch: int) -> bool:
        """Whether this process owns the run of this epoch, finished or not. Locks it until `db` commits."""
        values = {"session_id": session_id, "epoch": epoch, "owner": self.owner}
        return db.execute(EXECUTED, values).first() is not None

    @writing
    def keep_leases(self, db: Connection, executed: Collection[str] | None = None) -> dict[str, int]:
        """Renew the leases of this process's unfinished runs, by default all; return their epochs by id."""
        mine = [RunRow.owner == self.owner, IS_UNFINISHED]
        if executed is not None:
            mine.append(RunRow.id.in_(executed))
        db.execute(update(RunRow).where(*mine).values(lease_until=self.ownership.end_of_lease(db)))
        return {row.id: row.epoch for row in db.execute(select(RunRow.id, RunRow.epoch).where(*mine))}


def _used(usage: Usage | None) -> JsonObject:
    """The column of a run for it; none to leave what is stored."""
    return {"usage": usage.model_dump()} if usage else {}


def _total(session: SessionRow, spent: JsonObject | None) -> JsonObject:
    """The column of a session, with what a run has used; none if that is nothing."""
    if not spent:
        return {}
    total = sum_usage(Usage.model_validate(session.usage or {}), Usage.model_validate(spent))
    return {"usage": total.model_dump()}


def _add_answer(
    db: Connection, session: SessionRow, run: RunRow, status: str, answer: str, meta: JsonObject | None
) -> tuple[Message, Change | None]:
    """Insert the run's answer. If the task was done, also return how its result differs from the last one."""
    is_done = status == "completed" and "outcome" not in (meta or {})
    difference = note_result(db, session, run, answer) if is_done else None
    if difference:
        meta = (meta or {}) | {"change": difference.to_json()}
    message = new_message(session, "assistant", answer, id=run.answer_id, run_id=run.id, meta_json=meta)
    return to_message(insert(db, message)), difference


def _cancel_questions(db: Connection, run_id: str) -> None:
    is_open = (InterruptRow.run_id == run_id, InterruptRow.status == "open")
    db.execute(update(InterruptRow).where(*is_open).values(status="cancelled", decided_at=now()))


def _session_and_run(db: Connection, run_id: str) -> tuple[SessionRow | None, RunRow | None]:
    """The run and its session, which is locked."""
    return first(db, SessionRow, SESSION_OF_RUN, run_id=run_id), get(db, RunRow, run_id)


def _start_words(db: Connection, run_id: str) -> tuple[Answer, ...]:
    """The answers that wanted another plan of the run."""
    asked = [read_question(row.payload) for row in every(db, InterruptRow, QUESTIONS_OF_RUN, run_id=run_id)]
    answers = [one.answer for one in asked if one.answer and one.start]
    return tuple(answer for answer in answers if answer.message.strip() and not answer.confirmed)


def _ended(db: Connection, session: SessionRow, run: RunRow) -> FinishedRun:
    """The result of the `finish_run` that ended the run."""
    answer = get(db, MessageRow, run.answer_id)
    freed = first(db, RunRow, NEXT_FREED, session_id=session.id)
    asked = get(db, MessageRow, freed.message_id) if freed else None
    following = AcceptedMessage(to_message(asked), freed, session) if freed and asked else None
    return FinishedRun(run, session, to_message(answer) if answer else None, following, is_reported=True)
