"""Queries and row helpers that several transactions share.

A transaction that changes a session's runs, messages or questions locks the session row first. This
serialises them and prevents deadlocks.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import BindParameter, Connection, bindparam, func, or_, select

from server.database.models import InterruptRow, MessageRow, RunRow, SessionRow
from server.errors import NotFound
from server.events import Message, now
from server.ops.json_types import JsonObject
from server.store.owners import Ownership
from server.store.records import new_id, to_message
from server.store.rows import change, every, first, get, insert
from server.store.titles import number_of, numbered, pattern_of, with_number
from wording.catalogue import sentence

IS_UNFINISHED = RunRow.finished_at.is_(None)
STEER: JsonObject = {"mode": "steer"}
"""In `meta_json` of a steering message; `heard` is added when it is known whether the agent of its run has read it."""
QUEUED: JsonObject = {"mode": "queue"}
"""In `meta_json` of a message whose run is held behind another one."""
OF_SESSION: BindParameter[str] = bindparam("session_id")
OF_RUN: BindParameter[str] = bindparam("run_id")

MESSAGES = select(MessageRow).where(MessageRow.session_id == OF_SESSION).order_by(MessageRow.seq)
CURRENT_RUN = (
    select(RunRow)
    .where(RunRow.session_id == OF_SESSION, ~RunRow.held)
    .order_by(IS_UNFINISHED.desc(), RunRow.epoch.desc(), RunRow.created_at.desc())
    .limit(1)
)
SESSION_OF_RUN = (
    select(SessionRow)
    .join(RunRow, RunRow.session_id == SessionRow.id)
    .where(RunRow.id == OF_RUN)
    .with_for_update(of=SessionRow)
)
STEERING = (
    select(MessageRow)
    .where(MessageRow.run_id == OF_RUN, MessageRow.role == "user", MessageRow.meta_json.is_not(None))
    .order_by(MessageRow.seq)
)
OPEN_QUESTION = (
    select(InterruptRow)
    .where(InterruptRow.session_id == OF_SESSION, InterruptRow.status == "open")
    .order_by(InterruptRow.created_at.desc())
    .limit(1)
)
ALIKE = select(SessionRow.title).where(
    or_(SessionRow.title == bindparam("title"), SessionRow.title.like(bindparam("pattern"), escape="/"))
)
HIGHEST_ALIKE = ALIKE.order_by(func.length(SessionRow.title).desc(), SessionRow.title.desc()).limit(1)
OF_TITLE = select(SessionRow.id).where(SessionRow.title == bindparam("title")).limit(1)


def session_of(db: Connection, session_id: str, *, lock: bool = False) -> SessionRow:
    row = get(db, SessionRow, session_id, lock=lock)
    if row is None:
        raise NotFound(sentence("session.unknown"), code="session_unknown")
    return row


def is_ours(db: Connection, run: RunRow) -> bool:
    """Whether the run is unfinished and still has the epoch of `run`. The session must be locked."""
    present = get(db, RunRow, run.id)
    return present is not None and present.finished_at is None and present.epoch == run.epoch


def messages_of(db: Connection, session_id: str) -> list[Message]:
    return [to_message(row) for row in db.execute(MESSAGES, {"session_id": session_id})]


def current_run_of(db: Connection, session_id: str) -> RunRow | None:
    """The session's unfinished run that is not held, else its last run."""
    return first(db, RunRow, CURRENT_RUN, session_id=session_id)


def open_question_of(db: Connection, session_id: str) -> InterruptRow | None:
    return first(db, InterruptRow, OPEN_QUESTION, session_id=session_id)


def mark_read(db: Connection, run_id: str, read_ids: Collection[str]) -> list[MessageRow]:
    """Mark the run's steering messages with these ids as read by the agent; return its unread ones."""
    unread = [row for row in every(db, MessageRow, STEERING, run_id=run_id) if is_unread(row)]
    for row in unread:
        if row.id in read_ids:
            change(db, row, meta_json=(row.meta_json or {}) | {"heard": True})
    return [row for row in unread if row.id not in read_ids]


def is_unread(message: Message | MessageRow) -> bool:
    """Whether it is a steering message that the agent of its run has not read, and may still read."""
    meta = message.meta_json or {}
    return meta.get("mode") == STEER["mode"] and "heard" not in meta


def is_queued(message: Message | MessageRow) -> bool:
    return bool((message.meta_json or {}).get("mode") == QUEUED["mode"])


def without_mode(meta: JsonObject | None) -> JsonObject | None:
    """The meta of a user message that is neither queued nor for a run in progress."""
    return {name: value for name, value in (meta or {}).items() if name not in ("mode", "heard")} or None


def new_message(session: SessionRow, role: str, content: str, **values: object) -> MessageRow:
    """The session's next message, not yet inserted. The session must be locked."""
    known = {"id": new_id(), "session_id": session.id, "seq": session.last_seq + 1, "created_at": now()}
    return MessageRow(role=role, content=content, **(known | values))


def next_position(db: Connection, session: SessionRow) -> int:
    """Take the next number in the session's one sequence of rows. The session must be locked."""
    position = session.last_seq + 1
    change(db, session, last_seq=position)
    return position


def add_message(db: Connection, session: SessionRow, role: str, content: str, **values: object) -> MessageRow:
    row = insert(db, new_message(session, role, content, **values))
    change(db, session, last_seq=row.seq, updated_at=row.created_at)
    return row


def new_run(
    session: SessionRow,
    ownership: Ownership,
    *,
    held: bool = False,
    message_id: str | None = None,
    id: str | None = None,
) -> RunRow:
    """A run, not yet inserted. Its epoch is set here, so that its stream can be opened before it begins."""
    return RunRow(
        id=id or new_id(), session_id=session.id, message_id=message_id or new_id(), answer_id=new_id(),
        agent=session.agent, model=session.model, status="queued", held=held, usage={}, attempt=0,
        epoch=session.epoch + (0 if held else 1), created_at=now(), **ownership.waiting(),
    )  # fmt: skip


def free_title(db: Connection, title: str) -> str:
    """The title, with a number if a session has it already: the highest one plus 1, else the lowest free one.

    There can be thousands of sessions of one title, which are not all read.
    """
    values = {"title": title, "pattern": pattern_of(title)}
    highest = db.scalar(HIGHEST_ALIKE, values) if title else None
    if highest is None:
        return title
    if number := number_of(highest, title):
        way = with_number(title, number + 1)
        if db.scalar(OF_TITLE, {"title": way}) is None:
            return way
    return numbered(title, set(db.scalars(ALIKE, values).all()))
