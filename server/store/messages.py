"""Stores a message together with its run, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.exc import IntegrityError

from server.database import Database, writing_synced
from server.database.models import ActivityRow, InterruptRow, MessageRow, RunRow, SessionRow
from server.errors import BadRequest, Conflict
from server.events import POINTERS, Answer, now
from server.ops.json_types import JsonObject
from server.results.rows import SCHEMA_KEY, TABLES_BY
from server.store.lookups import (
    IS_UNFINISHED,
    OF_SESSION,
    QUEUED,
    STEER,
    add_message,
    free_title,
    is_queued,
    messages_of,
    new_message,
    new_run,
    next_position,
    open_question_of,
    session_of,
    without_mode,
)
from server.store.owners import Ownership
from server.store.questions import close_question, last_question_of
from server.store.records import AcceptedMessage, StartedRun, new_id, to_message
from server.store.rows import change, first, get, insert
from server.store.titles import title_of
from wording.catalogue import sentence

BY_CLIENT_ID = select(MessageRow).where(
    MessageRow.session_id == OF_SESSION, MessageRow.client_id == bindparam("client_id")
)
PRESENT_RUN = (
    select(RunRow).where(RunRow.session_id == OF_SESSION, IS_UNFINISHED).order_by(RunRow.held).limit(1)
)
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
    ownership: Ownership

    @writing_synced
    def accept(
        self, db: Connection, session_id: str, content: str, *, client_id: str | None = None, mode: str | None = None,
        message_id: str | None = None, read_answer: ReadAnswer | None = None,
        is_late: Callable[[str], bool | None] = lambda _: None, result_schema: JsonObject | None = None,
        pointers: Sequence[JsonObject] = (), begins: bool = False, again: bool = False,
    ) -> AcceptedMessage:  # fmt: skip
        """Store a user message, and the answer or run that results from it, in one transaction.

        The same `client_id` returns the same message and run; raises BadRequest if the content differs. While
        a question is open the message answers it: `read_answer` converts the content, and the question is
        closed with the result. With mode `steer` the message belongs to the unfinished run, if there is one.
        Otherwise it gets a run. Raises Conflict if the session has an unfinished run, unless the mode is
        `queue`: then the new run is held behind that.

        Only a message that gets a run can ask for a table by `result_schema`; raises BadRequest otherwise. `pointers`
        are kept with the message, as JSON of `agent.pointing.pointer.Pointer`.

        `message_id` is the id of the new message. `again` marks a retry: if the earlier call was committed,
        its result is returned. `is_late` by question reference, see `late` of `QuestionQueries.decide`. With
        `begins` a new run that is not held begins with its message: this process executes it now.
        """
        session = session_of(db, session_id, lock=True)
        if again and message_id and (message := get(db, MessageRow, message_id)):
            return _accepted_before(db, session, message, begins=begins)
        if known := _known(db, session, client_id, content, result_schema):
            return known
        question = open_question_of(db, session_id) if session.status == "waiting_user" else None
        present = first(db, RunRow, PRESENT_RUN, session_id=session_id) if mode else None
        steers = present is not None and mode == "steer"
        if result_schema and (question or steers):
            raise BadRequest(sentence("message.no_table_here"), code="result_schema_misplaced")
        pointed: JsonObject = {POINTERS: list(pointers)} if pointers else {}
        new: JsonObject = {"client_id": client_id, "id": message_id or new_id()}
        if question:
            new |= {"meta_json": pointed or None}
            return self._answer(db, session, question, content, read_answer, is_late, new)
        if present and steers:
            message = add_message(
                db, session, "user", content, run_id=present.id, meta_json=STEER | pointed, **new
            )
            return AcceptedMessage(to_message(message), present, session, steers=True)
        asked = _asking_meta(session, result_schema) | pointed or None
        held = present is not None
        return self._start(
            db, session, content, client_id, message_id, asked, held=held, begins=begins and not held
        )

    def _answer(
        self,
        db: Connection,
        session: SessionRow,
        question: InterruptRow,
        content: str,
        read_answer: ReadAnswer | None,
        is_late: Callable[[str], bool | None],
        new: JsonObject,
    ) -> AcceptedMessage:
        """Store a message that answers the open question, and close that. `new` are columns of the message."""
        run = _present_run(db, question.run_id)
        message = add_message(db, session, "user", content, run_id=run.id, **new)
        if read_answer:
            answer = read_answer(question.kind, content)
            close_question(db, question, run, self.ownership, answer, late=is_late(question.reference))
        return AcceptedMessage(to_message(message), run, session, question=question)

    def _start(
        self,
        db: Connection,
        session: SessionRow,
        content: str,
        client_id: str | None,
        message_id: str | None,
        meta: JsonObject | None,
        held: bool,
        begins: bool,
    ) -> AcceptedMessage:
        run = new_run(session, self.ownership, held=held, message_id=message_id)
        if begins:
            run.status, run.attempt, run.started_at = "running", 1, run.created_at
        if held:
            meta = (meta or {}) | QUEUED
        message = new_message(
            session, "user", content, id=run.message_id, run_id=run.id, client_id=client_id, meta_json=meta
        )
        _insert_run(db, run)
        insert(db, message)
        change(
            db, session, title=session.title or free_title(db, title_of(content)), epoch=run.epoch, last_seq=message.seq,
            updated_at=message.created_at, archived_at=None, **({"status": run.status} if begins else {}),
        )  # fmt: skip
        if not held and not begins:
            self.ownership.put_job(db, run)
        started = _started(db, session, run, message) if begins else None
        return AcceptedMessage(to_message(message), run, session, started=started)

    @writing_synced
    def rerun(
        self,
        db: Connection,
        session_id: str,
        *,
        content: str | None = None,
        message_id: str | None = None,
        run_id: str | None = None,
        result_schema: JsonObject | None = None,
        keeps_schema: bool = True,
        again: bool = False,
    ) -> AcceptedMessage:
        """Create a new run for the last user message. With `content`, change it and delete what follows.

        A queued message is only changed. With `keeps_schema` the message still asks for its table, else for that
        of `result_schema`.

        Raises Conflict if `message_id` is not the last one, or if the session has an unfinished run. `run_id`
        is the id of the new run, `again` as in `accept`.
        """
        session = session_of(db, session_id, lock=True)
        changes: JsonObject
        before = get(db, RunRow, run_id) if again and run_id else None
        if before and (repeated := get(db, MessageRow, before.message_id)):
            return AcceptedMessage(to_message(repeated), before, session)
        if message_id and content is not None and (queued := _queued(db, session_id, message_id)):
            waiting, held = queued
            changes = {"content": content}
            if not keeps_schema:
                changes["meta_json"] = _asking_meta(session, result_schema, of=waiting) | QUEUED
            change(db, waiting, **changes)
            return AcceptedMessage(to_message(waiting), held, session)
        message = first(db, MessageRow, LAST_ASKED, session_id=session_id)
        if message is None or (message_id and message.id != message_id):
            raise Conflict(sentence("message.not_last"), code="not_last_message")
        run = _insert_run(db, new_run(session, self.ownership, message_id=message.id, id=run_id))
        changes = {"run_id": run.id}
        if content is not None:
            changes["content"] = content
            if not keeps_schema:
                changes["meta_json"] = _asking_meta(session, result_schema, of=message) or None
            _delete_after(db, session_id, message.seq)
        change(db, message, **changes)
        change(db, session, epoch=run.epoch, updated_at=now())
        self.ownership.put_job(db, run)
        return AcceptedMessage(to_message(message), run, session)

    @writing_synced
    def remove_queued(self, db: Connection, session_id: str, message_id: str) -> None:
        """Delete a queued message and its run. Raises Conflict `not_queued`."""
        session_of(db, session_id, lock=True)
        message, run = _require_queued(db, session_id, message_id)
        db.execute(delete(MessageRow).where(MessageRow.id == message.id))
        db.execute(delete(RunRow).where(RunRow.id == run.id))

    @writing_synced
    def steer_queued(self, db: Connection, session_id: str, message_id: str) -> AcceptedMessage:
        """Pass a queued message to the run in progress. Raises Conflict `not_queued`."""
        session = session_of(db, session_id, lock=True)
        message, held = _require_queued(db, session_id, message_id)
        present = first(db, RunRow, PRESENT_RUN, session_id=session_id)
        if present is None or present.held:
            raise _not_queued()
        if SCHEMA_KEY in (message.meta_json or {}):
            raise BadRequest(sentence("message.no_table_here"), code="result_schema_misplaced")
        db.execute(delete(RunRow).where(RunRow.id == held.id))
        meta = (without_mode(message.meta_json) or {}) | STEER
        change(db, message, run_id=present.id, meta_json=meta, seq=next_position(db, session))
        return AcceptedMessage(to_message(message), present, session, steers=True)


def _delete_after(db: Connection, session_id: str, position: int) -> None:
    """Delete the messages, questions and activities of the session behind this position."""
    for kind, place in (
        (MessageRow, MessageRow.seq),
        (InterruptRow, InterruptRow.position),
        (ActivityRow, ActivityRow.position),
    ):
        db.execute(delete(kind).where(kind.session_id == session_id, place > position))


def _queued(db: Connection, session_id: str, message_id: str) -> tuple[MessageRow, RunRow] | None:
    """A queued message of the session, with the run that is held for it."""
    message = get(db, MessageRow, message_id)
    run = get(db, RunRow, message.run_id or "") if message else None
    if message is None or run is None or message.session_id != session_id:
        return None
    return (message, run) if run.held and run.message_id == message.id else None


def _require_queued(db: Connection, session_id: str, message_id: str) -> tuple[MessageRow, RunRow]:
    queued = _queued(db, session_id, message_id)
    if queued is None:
        raise _not_queued()
    return queued


def _not_queued() -> Conflict:
    return Conflict(sentence("message.not_queued"), code="not_queued")


def _asking_meta(
    session: SessionRow, result_schema: JsonObject | None, of: MessageRow | None = None
) -> JsonObject:
    """The meta of a message that asks for a table, with the pointers `of` the message that is changed.

    Raises BadRequest if the session's agent makes no tables.
    """
    if result_schema and session.agent != "operator":
        raise BadRequest(TABLES_BY, code="result_schema_unsupported")
    pointers = ((of.meta_json if of else None) or {}).get(POINTERS)
    return ({SCHEMA_KEY: result_schema} if result_schema else {}) | ({POINTERS: pointers} if pointers else {})


def _known(
    db: Connection, session: SessionRow, client_id: str | None, content: str, result_schema: JsonObject | None
) -> AcceptedMessage | None:
    if client_id is None:
        return None
    message = first(db, MessageRow, BY_CLIENT_ID, session_id=session.id, client_id=client_id)
    if message is None:
        return None
    if message.content != content or (message.meta_json or {}).get(SCHEMA_KEY) != result_schema:
        raise BadRequest(sentence("message.other_client_id"), code="idempotency_mismatch")
    run = _present_run(db, message.run_id or "")
    question = last_question_of(db, run.id) if run.attempt else None
    return AcceptedMessage(to_message(message), run, session, is_new=False, question=question)


def _accepted_before(
    db: Connection, session: SessionRow, message: MessageRow, *, begins: bool
) -> AcceptedMessage:
    """The result of the `accept` that committed this message."""
    run = _present_run(db, message.run_id or "")
    if run.message_id == message.id:
        started = _started(db, session, run, message) if begins and run.status == "running" else None
        return AcceptedMessage(to_message(message), run, session, started=started)
    if (message.meta_json or {}).get("mode") == STEER["mode"]:
        return AcceptedMessage(to_message(message), run, session, steers=True)
    return AcceptedMessage(to_message(message), run, session, question=last_question_of(db, run.id))


def _started(db: Connection, session: SessionRow, run: RunRow, message: MessageRow) -> StartedRun:
    """A run that has begun with its message: no automation has begun it, and nothing was said or asked in it."""
    is_first = message.seq == 1
    messages = [to_message(message)] if is_first else messages_of(db, session.id)
    messages = [message for message in messages if not is_queued(message)]
    return StartedRun(run, session, messages, unread=[], asks_first=session.ask_first)


def _present_run(db: Connection, run_id: str) -> RunRow:
    run = get(db, RunRow, run_id)
    assert run is not None, "a message's run lives as long as the message"
    return run


def _insert_run(db: Connection, run: RunRow) -> RunRow:
    try:
        return insert(db, run)
    except IntegrityError as error:
        raise Conflict(sentence("session.busy"), code="run_in_progress") from error
