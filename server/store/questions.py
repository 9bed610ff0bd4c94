"""Queries for questions to the user."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, bindparam, func, or_, select

from server.database import Database, reading, writing, writing_synced
from server.database.models import FiringRow, InterruptRow, RunRow, SessionRow
from server.errors import Conflict, NotFound
from server.events import Answer, ConfirmQuestion, Question, StartPlan, Usage, now, read_question
from server.ops.json_types import JsonObject
from server.store.automations import BY_RUN, automation_of_run
from server.store.channels import put_question, put_question_off
from server.store.grants import NewGrant, insert_grant
from server.store.lookups import (
    IS_UNFINISHED,
    OF_SESSION,
    is_ours,
    mark_read,
    next_position,
    open_question_of,
    session_of,
)
from server.store.owners import Ownership
from server.store.records import OpenQuestions, new_id
from server.store.rows import change, first, get, insert
from wording.catalogue import sentence

LAST_QUESTION = (
    select(InterruptRow)
    .where(InterruptRow.run_id == bindparam("run_id"))
    .order_by(InterruptRow.created_at.desc())
    .limit(1)
)
MAX_REFERENCE = 64
LAST_MOMENT = select(func.max(InterruptRow.created_at)).where(InterruptRow.session_id == OF_SESSION)


SOONEST_FIRST = (
    InterruptRow.expires_at.is_(None),
    InterruptRow.expires_at,
    InterruptRow.created_at,
    InterruptRow.reference,
)


class QuestionQueries:
    database: Database
    ownership: Ownership

    @writing
    def open_interrupt(
        self,
        db: Connection,
        run: RunRow,
        question: Question,
        *,
        expires_at: datetime | None,
        usage: Usage,
        read_ids: Collection[str] = (),
        again: bool = False,
    ) -> InterruptRow | None:
        """Store a question and set its run to `waiting_user`, in one transaction.

        None if the run was ended or taken over. `read_ids`: ids of the steering messages that the agent has
        read. `again` marks a retry: a question of the run that is open already is returned.
        """
        session = session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return None
        asked = open_question_of(db, session.id) if again else None
        if asked and asked.run_id == run.id:
            return asked
        change(
            db,
            run,
            status="waiting_user",
            owner=None,
            lease_until=None,
            doing=None,
            doing_parts=None,
            usage=usage.model_dump(),
        )
        change(db, session, status="waiting_user", unread=True, updated_at=now())
        mark_read(db, run.id, read_ids)
        payload = question.to_json()
        if "automation" in payload.get("scopes", ()) and not first(db, FiringRow, BY_RUN, run_id=run.id):
            payload["scopes"] = [scope for scope in payload["scopes"] if scope != "automation"]
        row = insert(db, InterruptRow(
            reference=_reference_of(db, question), session_id=run.session_id, run_id=run.id, kind=question.kind,
            status="open", payload=payload, created_at=_next_moment(db, session.id), expires_at=expires_at,
            position=next_position(db, session),
        ))  # fmt: skip
        put_question(db, row, question)
        return row

    @writing
    def edit_plan(self, db: Connection, reference: str, plan: list[str]) -> None:
        """Keep the user's plan with an open question, for the run that resumes there."""
        row = get(db, InterruptRow, reference, lock=True)
        if row is not None:
            change(db, row, payload=row.payload | {"plan": plan})

    @writing
    def put_off(
        self, db: Connection, session_id: str, reference: str, until: datetime, timeout: timedelta
    ) -> InterruptRow:
        """Put an open question off: channels report it again at `until`.

        A question of an automation's run ends when its patience does, all others `timeout` after `until`. Raises
        NotFound, or Conflict `already_decided` or `too_late` if the patience ends before.
        """
        session = session_of(db, session_id, lock=True)
        row = get(db, InterruptRow, reference)
        if row is None or row.session_id != session_id:
            raise NotFound(sentence("question.unknown"), code="reference_unknown")
        if row.status != "open":
            raise Conflict(sentence("question.closed"), code="already_decided")
        automation = automation_of_run(db, session, row.run_id)
        values: JsonObject = {"later_at": until}
        if automation is None:
            values |= {"expires_at": until + timeout} if row.expires_at else {}
        elif until >= row.created_at + timedelta(seconds=automation.patience):
            raise Conflict(sentence("question.later_than_automation"), code="too_late")
        change(db, row, **values)
        put_question_off(db, row, until)
        return row

    @reading
    def pending(self, db: Connection, session_id: str) -> InterruptRow | None:
        """The session's open question."""
        return open_question_of(db, session_id)

    @reading
    def open_questions(self, db: Connection, *, cursor: str | None = None, limit: int = 50) -> OpenQuestions:
        """A page of the open questions of all sessions: the next to expire first, those without expiry last.

        Raises NotFound for a malformed cursor.
        """
        found = (
            select(InterruptRow.reference, SessionRow.title)
            .join(SessionRow, SessionRow.id == InterruptRow.session_id)
            .where(InterruptRow.status == "open")
            .order_by(*SOONEST_FIRST)
            .limit(limit + 1)
        )
        if cursor:
            found = found.where(_after_cursor(cursor))
        listed = [(get(db, InterruptRow, reference), title) for reference, title in db.execute(found).all()]
        rows = [(row, title) for row, title in listed if row]
        total = db.scalar(select(func.count()).where(InterruptRow.status == "open")) or 0
        last = rows[limit - 1][0] if len(rows) > limit else None
        return OpenQuestions(rows[:limit], total, _cursor_of(last) if last else None)

    @reading
    def decided_questions(self, db: Connection, since: datetime, *, limit: int = 50) -> OpenQuestions:
        """The newest questions of all sessions that were decided at `since` or later, the newest first."""
        found = (
            select(InterruptRow.reference, SessionRow.title)
            .join(SessionRow, SessionRow.id == InterruptRow.session_id)
            .where(InterruptRow.status == "decided", InterruptRow.decided_at >= since)
            .order_by(InterruptRow.decided_at.desc(), InterruptRow.reference)
            .limit(limit)
        )
        listed = [(get(db, InterruptRow, reference), title) for reference, title in db.execute(found).all()]
        rows = [(row, title) for row, title in listed if row]
        return OpenQuestions(rows, len(rows), None)

    @reading
    def waiting_runs(self, db: Connection) -> list[tuple[RunRow, InterruptRow]]:
        """The runs that wait for the user, each with its open question."""
        questions = db.execute(
            select(InterruptRow.reference, InterruptRow.run_id)
            .join(RunRow, InterruptRow.run_id == RunRow.id)
            .where(IS_UNFINISHED, RunRow.status == "waiting_user", InterruptRow.status == "open")
        )
        found = [
            (get(db, RunRow, row.run_id), get(db, InterruptRow, row.reference)) for row in questions.all()
        ]
        return [(run, question) for run, question in found if run and question]

    @writing_synced
    def decide(
        self,
        db: Connection,
        session_id: str,
        answer: Answer,
        *,
        grant_of: Callable[[Question], NewGrant | None] = lambda _: None,
        late: bool | None = None,
        again: bool = False,
    ) -> InterruptRow:
        """Answer a question; only the first answer counts.

        Raises NotFound for an unknown question, Conflict `already_decided` or `approval_expired` for a closed
        one. The status of the result is `expired` if the answer came too late: `late` decides that, with None
        the wall clock does. A yes in time also stores the grant that `grant_of` derives from the question. `again` marks a retry: if the same answer was committed before, the question is returned
        unchanged.
        """
        session_of(db, session_id, lock=True)
        row = get(db, InterruptRow, answer.reference or "")
        if row is None or row.session_id != session_id:
            raise NotFound(sentence("question.unknown"), code="reference_unknown")
        is_answered_so = row.status == "expired" or (
            row.status == "decided" and row.confirmed == answer.confirmed
        )
        if again and is_answered_so:
            return row
        if row.status != "open":
            code = "approval_expired" if row.status == "expired" else "already_decided"
            raise Conflict(sentence("question.closed"), code=code)
        run = get(db, RunRow, row.run_id)
        close_question(db, row, run, self.ownership, answer, late=late)
        is_yes = row.status == "decided" and answer.confirmed
        if run and is_yes and (grant := grant_of(read_question(row.payload))):
            insert_grant(db, grant, run)
        return row


def close_question(
    db: Connection,
    row: InterruptRow,
    run: RunRow | None,
    ownership: Ownership,
    answer: Answer,
    *,
    late: bool | None,
) -> None:
    """Close an open question as answered or expired, and queue its run.

    The answer is stored in the question's payload, where the next execution reads it. After a yes the action
    is stored as the run's `doing`, so that it is not repeated after a power cut.
    """
    if late is None or row.later_at is not None:  # a process may know only the former expiry
        late = row.expires_at is not None and row.expires_at <= now()
    question = read_question(row.payload)
    valid_until = row.expires_at if row.later_at else None
    given = answer.model_copy(update={"reference": question.reference, "valid_until": valid_until})
    if late:
        given = given.model_copy(update={"confirmed": False, "expired": True})
    change(
        db, row, status="expired" if late else "decided", decided_at=now(),
        confirmed=None if late else answer.confirmed,
        payload=row.payload | {"answer": given.model_dump(mode="json")},
    )  # fmt: skip
    if run is None:
        return
    doing = None
    if question.start and given.confirmed:
        _allow_foreseen(db, run, question.start, given.effects)
    elif isinstance(question, ConfirmQuestion) and given.confirmed:
        doing = _action_of(question)
    change(db, run, status="queued", doing=doing, doing_parts=None, **ownership.waiting())
    ownership.put_job(db, run)


def _allow_foreseen(db: Connection, run: RunRow, start: StartPlan, chosen: Collection[int] | None) -> None:
    """A yes to a run's start: grants for this run for what was chosen, each with the number of acts that was shown.

    A yes that chooses nothing only starts it: what it spends, sends or deletes is asked about, with its amount.
    """
    for at, effect in enumerate(start.effects):
        if at in (chosen or ()):
            grant = NewGrant(scope="run", site=effect.site, kind=effect.kind, count=effect.count)
            insert_grant(db, grant, run)


def _cursor_of(row: InterruptRow) -> str:
    expiry = row.expires_at.isoformat() if row.expires_at else ""
    return f"{expiry}|{row.created_at.isoformat()}|{row.reference}"


def _after_cursor(cursor: str) -> ColumnElement[bool]:
    """A condition for rows after the cursor `expires_at|created_at|reference`. Raises NotFound."""
    try:
        expiry, moment, reference = cursor.split("|", 2)
        expires_at = datetime.fromisoformat(expiry) if expiry else None
        created_at = datetime.fromisoformat(moment)
    except ValueError as error:
        raise NotFound(sentence("cursor.unknown"), code="cursor_unknown") from error
    later = or_(
        InterruptRow.created_at > created_at,
        (InterruptRow.created_at == created_at) & (InterruptRow.reference > reference),
    )
    if expires_at is None:
        return InterruptRow.expires_at.is_(None) & later
    same = (InterruptRow.expires_at == expires_at) & later
    return or_(InterruptRow.expires_at > expires_at, InterruptRow.expires_at.is_(None), same)


def _action_of(question: ConfirmQuestion) -> str | None:
    """The action that a question is about, as text of at most 300 characters."""
    action, target = question.action, question.target
    words = [action.get("kind"), (target.name if target else "") or action.get("url")]
    return " ".join(str(word) for word in words if word)[:300] or None


def _reference_of(db: Connection, question: Question) -> str:
    """The question's own reference unless it is of kind `manual`, if it is valid and unused; else a new id."""
    known = question.reference if question.kind != "manual" else ""
    is_free = 0 < len(known) <= MAX_REFERENCE and get(db, InterruptRow, known) is None
    return known if is_free else new_id()


def _next_moment(db: Connection, session_id: str) -> datetime:
    """Now, but after the session's last question even if the clock was set back: they are ordered by time."""
    last = db.scalar(LAST_MOMENT, {"session_id": session_id})
    return max(now(), last + timedelta(microseconds=1)) if last else now()


def last_question_of(db: Connection, run_id: str) -> InterruptRow | None:
    return first(db, InterruptRow, LAST_QUESTION, run_id=run_id)
