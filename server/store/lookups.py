"""What several transactions look for.

Whoever changes a session's runs, messages or questions locks the session first: so they come one after the other, and
never wait for each other crosswise.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, select

from server.errors import NotFound
from server.events import Message, now
from server.models import GrantRow, InterruptRow, MessageRow, RunRow, SessionRow
from server.store.records import new_id
from server.store.rows import change, every, first, get, insert

UNFINISHED = RunRow.finished_at.is_(None)
OF_SESSION: BindParameter[str] = bindparam("session_id")

MESSAGES = select(MessageRow).where(MessageRow.session_id == OF_SESSION).order_by(MessageRow.seq)
GRANTS = select(GrantRow).where(GrantRow.session_id == OF_SESSION).order_by(GrantRow.created_at)
CURRENT_RUN = (
    select(RunRow)
    .where(RunRow.session_id == OF_SESSION, ~RunRow.held)
    .order_by(UNFINISHED.desc(), RunRow.created_at.desc())
    .limit(1)
)
SESSION_OF_RUN = (
    select(SessionRow)
    .join(RunRow, RunRow.session_id == SessionRow.id)
    .where(RunRow.id == bindparam("run_id"))
    .with_for_update(of=SessionRow)
)
OPEN_QUESTION = (
    select(InterruptRow)
    .where(InterruptRow.session_id == OF_SESSION, InterruptRow.status == "open")
    .order_by(InterruptRow.created_at.desc())
    .limit(1)
)


def session_of(db: Connection, session_id: str, *, lock: bool = False) -> SessionRow:
    row = get(db, SessionRow, session_id, lock=lock)
    if row is None:
        raise NotFound("There is no such session.", code="session_unknown")
    return row


def is_ours(db: Connection, run: RunRow) -> bool:
    """Is the run still going on in the execution that `run` was read for? Its session has to be locked."""
    present = get(db, RunRow, run.id)
    return present is not None and present.finished_at is None and present.epoch == run.epoch


def messages_of(db: Connection, session_id: str) -> list[Message]:
    return [
        Message.model_validate(dict(row._mapping)) for row in db.execute(MESSAGES, {"session_id": session_id})
    ]


def current_run_of(db: Connection, session_id: str) -> RunRow | None:
    """The unfinished run of the session, else its last one."""
    return first(db, RunRow, CURRENT_RUN, session_id=session_id)


def open_question_of(db: Connection, session_id: str) -> InterruptRow | None:
    return first(db, InterruptRow, OPEN_QUESTION, session_id=session_id)


def grants_of(db: Connection, session_id: str) -> list[GrantRow]:
    return every(db, GrantRow, GRANTS, session_id=session_id)


def new_message(session: SessionRow, role: str, content: str, **values: Any) -> MessageRow:
    """The session's next message, not yet in the database; `session` has to be locked."""
    known = {"id": new_id(), "session_id": session.id, "seq": session.last_seq + 1, "created_at": now()}
    return MessageRow(role=role, content=content, **(known | values))


def add_message(db: Connection, session: SessionRow, role: str, content: str, **values: Any) -> MessageRow:
    row = insert(db, new_message(session, role, content, **values))
    change(db, session, last_seq=row.seq, updated_at=row.created_at)
    return row
