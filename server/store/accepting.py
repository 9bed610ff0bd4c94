"""Stores a message together with its run, in one transaction."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.exc import IntegrityError

from server.database import Database, writing_synced
from server.database.models import MessageRow, RunRow, SessionRow
from server.errors import BadRequest, Conflict
from server.events import Answer, now
from server.ops.json_types import JsonObject
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
from server.store.questions import close_question, last_question_of
from server.store.records import AcceptedMessage, new_id, title_of, to_message
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


ReadAnswer = Callable[[str, str], Answer]
"""Converts a question's kind and the user's message to the answer."""


class MessageQueries:
    database: Database
    owner: str

    @writing_synced
    def accept(
        self,
        db: Connection,
        session_id: str,
        content: str,
        *,
        client_id: str | None = None,
        mode: str | None = None,
        message_id: str | None = None,
        read_answer: ReadAnswer | None = None,
        is_late: Callable[[str], bool | None] = lambda _: None,
        again: bool = False,
    ) -> AcceptedMessage:
        """Store a user message, and the answer or run that results from it, in one transaction.

        The same `client_id` returns the same message and run; raises BadRequest if the content differs. While
        a question is open the message answers it: `read_answer` converts the content, and the question is
        closed with the result. With mode `steer` the message belongs to the unfinished run, if there is one.
        Otherwise it gets a run. Raises Conflict if the session has an unfinished run, unless the mode is
        `queue`: then the new run is held behind that.

        `message_id` is the id of the new message. `again` marks a retry: if the earlier call was committed,
        its result is returned. `is_late` by question reference, see `late` of `QuestionQueries.decide`.
        """
        session = session_of(db, session_id, lock=True)
        if again and message_id and (message := get(db, MessageRow, message_id)):
            return _accepted_before(db, session, message)
        if known := _known(db, session, client_id, content):
            return known
        question = open_question_of(db, session_id) if session.status == "waiting_user" else None
        if question:
            run = _present_run(db, question.run_id)
            message = add_message(
                db, session, "user", content, run_id=run.id, client_id=client_id, id=message_id or new_id()
            )
            if read_answer:
                answer = read_answer(question.kind, content)
                close_question(db, question, run, self.owner, answer, late=is_late(question.reference))
            return AcceptedMessage(to_message(message), run, session, question=question)
        present = first(db, RunRow, PRESENT_RUN, session_id=session_id) if mode else None
        if present and mode == "steer":
            message = add_message(
                db, session, "user", content, run_id=present.id, client_id=client_id, meta_json=STEER,
                id=message_id or new_id(),
            )  # fmt: skip
            return AcceptedMessage(to_message(message), present, session, steers=True)
        return self._start(db, session, content, client_id, message_id, held=present is not None)

    def _start(
        self,
        db: Connection,
        session: SessionRow,
        content: str,
        client_id: str | None,
        message_id: str | None,
        held: bool,
    ) -> AcceptedMessage:
        run = new_run(session, self.owner, held=held, message_id=message_id)
        message = new_message(session, "user", content, id=run.message_id, run_id=run.id, client_id=client_id)
        _insert_run(db, run)
        insert(db, message)
        change(
            db, session, title=session.title or title_of(content), epoch=run.epoch, last_seq=message.seq,
            updated_at=message.created_at, archived_at=None,
        )  # fmt: skip
        return AcceptedMessage(to_message(message), run, session)

    @writing_synced
    def rerun(
        self,
        db: Connection,
        session_id: str,
        *,
        content: str | None = None,
        message_id: str | None = None,
        run_id: str | None = None,
        again: bool = False,
    ) -> AcceptedMessage:
        """Create a new run for the last user message. With `content`, change it and delete what follows.

        Raises Conflict if `message_id` is not the last one, or if the session has an unfinished run. `run_id`
        is the id of the new run, `again` as in `accept`.
        """
        session = session_of(db, session_id, lock=True)
        before = get(db, RunRow, run_id) if again and run_id else None
        if before and (repeated := get(db, MessageRow, before.message_id)):
            return AcceptedMessage(to_message(repeated), before, session)
        message = first(db, MessageRow, LAST_ASKED, session_id=session_id)
        if message is None or (message_id and message.id != message_id):
            raise Conflict("Only the last message can be changed.", code="not_last_message")
        run = _insert_run(db, new_run(session, self.owner, message_id=message.id, id=run_id))
        changes: JsonObject = {"run_id": run.id}
        if content is not None:
            changes["content"] = content
            later = (MessageRow.session_id == session_id, MessageRow.seq > message.seq)
            db.execute(delete(MessageRow).where(*later))
        change(db, message, **changes)
        change(db, session, epoch=run.epoch, updated_at=now())
        return AcceptedMessage(to_message(message), run, session)


def _known(
    db: Connection, session: SessionRow, client_id: str | None, content: str
) -> AcceptedMessage | None:
    if client_id is None:
        return None
    message = first(db, MessageRow, BY_CLIENT_ID, session_id=session.id, client_id=client_id)
    if message is None:
        return None
    if message.content != content:
        raise BadRequest("This client_id belongs to another message.", code="idempotency_mismatch")
    run = _present_run(db, message.run_id or "")
    question = last_question_of(db, run.id) if run.attempt else None
    return AcceptedMessage(to_message(message), run, session, is_new=False, question=question)


def _accepted_before(db: Connection, session: SessionRow, message: MessageRow) -> AcceptedMessage:
    """The result of the `accept` that committed this message."""
    run = _present_run(db, message.run_id or "")
    if run.message_id == message.id:
        return AcceptedMessage(to_message(message), run, session)
    if (message.meta_json or {}).get("mode") == STEER["mode"]:
        return AcceptedMessage(to_message(message), run, session, steers=True)
    return AcceptedMessage(to_message(message), run, session, question=last_question_of(db, run.id))


def _present_run(db: Connection, run_id: str) -> RunRow:
    run = get(db, RunRow, run_id)
    assert run is not None, "a message's run lives as long as the message"
    return run


def _insert_run(db: Connection, run: RunRow) -> RunRow:
    try:
        return insert(db, run)
    except IntegrityError as error:
        raise Conflict("This session has a run in progress.", code="run_in_progress") from error
