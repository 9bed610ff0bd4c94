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
    STEER,
    UNFINISHED,
    add_message,
    new_message,
    new_run,
    open_question_of,
    session_of,
)
from server.store.records import Accepted, title_of, to_message
from server.store.rows import change, first, get, insert

BY_CLIENT_ID = select(MessageRow).where(
    MessageRow.session_id == OF_SESSION, MessageRow.client_id == bindparam("client_id")
)
PRESENT_RUN = select(RunRow).where(RunRow.session_id == OF_SESSION, UNFINISHED).order_by(RunRow.held).limit(1)
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
        mode: str | None = None,
    ) -> Accepted:
        """Save a user message and what becomes of it in one transaction.

        The same `client_id` again gives the same message and run; with other words it raises BadRequest. While a
        question is open the message answers it. With mode `steer` it belongs to the unfinished run, if there is one.
        Else it gets a run; raises Conflict when the session has an unfinished one, unless the mode is `queue`: then
        it waits behind that.
        """
        session = session_of(db, session_id, lock=True)
        if known := _known(db, session, client_id, content):
            return known
        question = open_question_of(db, session_id) if session.status == "waiting_user" else None
        if question:
            run = _present_run(db, question.run_id)
            message = add_message(db, session, "user", content, run_id=run.id, client_id=client_id)
            return Accepted(to_message(message), run, session, question=question)
        present = first(db, RunRow, PRESENT_RUN, session_id=session_id) if mode else None
        if present and mode == "steer":
            message = add_message(
                db, session, "user", content, run_id=present.id, client_id=client_id, meta_json=STEER
            )
            return Accepted(to_message(message), present, session, steers=True)
        return self._start(db, session, content, client_id, held=present is not None)

    def _start(
        self, db: Connection, session: SessionRow, content: str, client_id: str | None, held: bool
    ) -> Accepted:
        run = new_run(session, self.owner, held=held)
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
        run = _insert_run(db, new_run(session, self.owner, message_id=message.id))
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


def _insert_run(db: Connection, run: RunRow) -> RunRow:
    try:
        return insert(db, run)
    except IntegrityError as error:
        raise Conflict("This session has a run in progress.", code="run_in_progress") from error
