"""From a message to its run, in one transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.exc import IntegrityError

from server.database import Database, writing
from server.errors import BadRequest, Conflict
from server.events import now
from server.models import MessageRow, RunRow, SessionRow
from server.store.lookups import (
    OF_SESSION,
    UNFINISHED,
    add_message,
    new_message,
    open_question_of,
    session_of,
)
from server.store.owners import lease
from server.store.records import Accepted, new_id, title_of, to_message
from server.store.rows import change, first, get, insert

BY_CLIENT_ID = select(MessageRow).where(
    MessageRow.session_id == OF_SESSION, MessageRow.client_id == bindparam("client_id")
)
UNFINISHED_RUN = select(RunRow.id).where(RunRow.session_id == OF_SESSION, UNFINISHED).limit(1)
LAST_ASKED = (
    select(MessageRow)
    .where(MessageRow.session_id == OF_SESSION, MessageRow.role == "user")
    .order_by(MessageRow.seq.desc())
    .limit(1)
)


class Accepting:
    database: Database
    owner: str

    @writing
    def accept(
        self,
        db: Connection,
        session_id: str,
        content: str,
        *,
        client_id: str | None = None,
        held: bool = False,
        steers: str | None = None,
    ) -> Accepted:
        """Save a user message and what becomes of it in one transaction.

        The same `client_id` again gives the same message and run; with other words it raises BadRequest. While a
        question is open the message answers it. While the run `steers` goes on it belongs to that. Else it gets a
        run; raises Conflict when the session has an unfinished one, unless `held`: then it waits behind that.
        """
        session = session_of(db, session_id, lock=True)
        if known := _known(db, session, client_id, content):
            return known
        question = open_question_of(db, session_id) if session.status == "waiting_user" else None
        if question:
            run = _present_run(db, question.run_id)
            message = add_message(db, session, "user", content, run_id=run.id, client_id=client_id)
            return Accepted(to_message(message), run, session, question=question)
        if steers and not (run := _present_run(db, steers)).finished_at:
            message = add_message(
                db, session, "user", content, run_id=run.id, client_id=client_id, meta_json={"mode": "steer"}
            )
            return Accepted(to_message(message), run, session)
        return self._start(db, session, content, client_id, held)

    def _start(
        self, db: Connection, session: SessionRow, content: str, client_id: str | None, held: bool
    ) -> Accepted:
        is_busy = held and db.scalar(UNFINISHED_RUN, {"session_id": session.id}) is not None
        run = _new_run(session, self.owner, held=is_busy)
        message = new_message(session, "user", content, id=run.message_id, run_id=run.id, client_id=client_id)
        _insert_run(db, run)
        insert(db, message)
        change(
            db, session, title=session.title or title_of(content), epoch=run.epoch, last_seq=message.seq,
            updated_at=message.created_at, archived_at=None,
        )  # fmt: skip
        return Accepted(to_message(message), run, session)

    @writing
    def rerun(
        self, db: Connection, session_id: str, *, content: str | None = None, message_id: str | None = None
    ) -> Accepted:
        """A new run for the last user message; with `content` the message is changed and what followed is removed."""
        session = session_of(db, session_id, lock=True)
        message = first(db, MessageRow, LAST_ASKED, session_id=session_id)
        if message is None or (message_id and message.id != message_id):
            raise Conflict("Only the last message can be changed.", code="not_last_message")
        run = _insert_run(db, _new_run(session, self.owner, message_id=message.id))
        changes: dict[str, Any] = {"run_id": run.id}
        if content is not None:
            changes["content"] = content
            later = (MessageRow.session_id == session_id, MessageRow.seq > message.seq)
            db.execute(delete(MessageRow).where(*later))
        change(db, message, **changes)
        change(db, session, epoch=run.epoch, updated_at=now())
        return Accepted(to_message(message), run, session)


def _known(db: Connection, session: SessionRow, client_id: str | None, content: str) -> Accepted | None:
    if client_id is None:
        return None
    message = first(db, MessageRow, BY_CLIENT_ID, session_id=session.id, client_id=client_id)
    if message is None:
        return None
    if message.content != content:
        raise BadRequest("This client_id belongs to another message.", code="idempotency_mismatch")
    run = _present_run(db, message.run_id or "")
    return Accepted(to_message(message), run, session, is_new=False)


def _present_run(db: Connection, run_id: str) -> RunRow:
    run = get(db, RunRow, run_id)
    assert run is not None, "a message's run lives as long as the message"
    return run


def _new_run(session: SessionRow, owner: str, *, held: bool = False, message_id: str | None = None) -> RunRow:
    """Its epoch is fixed here, so that its stream can be opened before its execution begins."""
    return RunRow(
        id=new_id(), session_id=session.id, message_id=message_id or new_id(), answer_id=new_id(),
        agent=session.agent, model=session.model, status="queued", held=held, usage={}, attempt=0,
        epoch=session.epoch + (0 if held else 1), owner=owner, lease_until=lease(), created_at=now(),
    )  # fmt: skip


def _insert_run(db: Connection, run: RunRow) -> RunRow:
    try:
        return insert(db, run)
    except IntegrityError as error:
        raise Conflict("This session has a run in progress.", code="run_in_progress") from error
