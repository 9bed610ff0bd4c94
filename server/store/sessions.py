"""Queries to create, find, change and delete sessions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, Text, cast, delete, func, or_, select, union_all
from sqlalchemy.exc import IntegrityError

from server.database import Database, reading, writing
from server.database.models import InterruptRow, MessageRow, NoteRow, RunRow, SessionRow
from server.errors import Conflict, NotFound
from server.events import Branched, Message, Usage, now, sum_usage
from server.ops.json_types import JsonObject
from server.store.activities import activities_of, add_activity
from server.store.lookups import (
    MESSAGES,
    OF_SESSION,
    add_message,
    current_run_of,
    free_title,
    is_queued,
    messages_of,
    open_question_of,
    session_of,
    without_mode,
)
from server.store.records import Listed, Overview, new_id
from server.store.rows import change, every, insert
from server.store.searching import forget_deleted, matches_of, matching_sessions
from server.store.titles import without_number
from wording.catalogue import sentence

PICTURE_NAMES = re.compile(r"\b[0-9a-f]{40}\.(?:jpg|png|webp)\b")
_KEEPS_PLACE = {"unread", "status", "icon", "title", "archived_at"}
"""Changes that are no activity: a renamed session, or one whose deletion is undone, stays where it was in the list."""
NEWEST_FIRST = (SessionRow.pinned.desc(), SessionRow.updated_at.desc(), SessionRow.id.desc())
SESSION_QUESTIONS = (
    select(InterruptRow).where(InterruptRow.session_id == OF_SESSION).order_by(InterruptRow.created_at)
)
FAILURES = (
    select(RunRow)
    .join(MessageRow, (MessageRow.id == RunRow.message_id) & (MessageRow.run_id == RunRow.id))
    .where(RunRow.session_id == OF_SESSION, RunRow.status.in_(("failed", "cancelled", "interrupted")))
    .order_by(RunRow.finished_at)
)


class SessionQueries:
    database: Database

    @writing
    def create_session(
        self,
        db: Connection,
        *,
        id: str | None,
        title: str | None,
        agent: str,
        model: str,
        max_tool_steps: int,
        ask_first: bool = False,
        instructions: str | None = None,
    ) -> SessionRow:
        """Create a session. Raises Conflict if the id exists."""
        session = new_session(
            id=id, title=title, agent=agent, model=model, max_tool_steps=max_tool_steps, ask_first=ask_first,
            instructions=instructions,
        )  # fmt: skip
        try:
            return insert(db, session)
        except IntegrityError as error:
            raise Conflict(sentence("session.exists", id=session.id), code="session_exists") from error

    @reading
    def session(self, db: Connection, session_id: str) -> SessionRow:
        return session_of(db, session_id)

    @reading
    def overview(self, db: Connection, session_id: str) -> Overview:
        """The session with everything that a client shows first, from one snapshot of the database."""
        return Overview(
            session_of(db, session_id),
            messages_of(db, session_id),
            current_run_of(db, session_id),
            open_question_of(db, session_id),
            every(db, InterruptRow, SESSION_QUESTIONS, session_id=session_id),
            every(db, RunRow, FAILURES, session_id=session_id),
            activities_of(db, session_id),
        )

    @reading
    def messages(self, db: Connection, session_id: str) -> list[Message]:
        return messages_of(db, session_id)

    @reading
    def sessions(
        self, db: Connection, *, query: str | None, archived: bool, cursor: str | None, limit: int
    ) -> Listed:
        """A page of sessions, pinned ones first, then by last change, newest first."""
        found = select(SessionRow).where(
            SessionRow.archived_at.is_not(None) if archived else SessionRow.archived_at.is_(None)
        )
        if query:
            found = found.where(matching_sessions(query, is_sqlite=db.dialect.name == "sqlite"))
        if cursor:
            found = found.where(_after_cursor(cursor))
        rows = every(db, SessionRow, found.order_by(*NEWEST_FIRST).limit(limit + 1))
        shown = rows[:limit]
        matches = matches_of(db, [row.id for row in shown], query) if query else {}
        last = shown[-1] if len(rows) > limit else None
        cursor = f"{int(last.pinned)}|{last.updated_at.isoformat()}|{last.id}" if last else None
        return Listed(shown, cursor, matches)

    @writing
    def change_session(self, db: Connection, session_id: str, /, **values: object) -> SessionRow:
        row = session_of(db, session_id, lock=True)
        if values.keys() - _KEEPS_PLACE:
            values["updated_at"] = now()
        if values:
            change(db, row, **values)
        return row

    @writing
    def name_session(
        self, db: Connection, session_id: str, *, old: str, new: str | None, usage: Usage
    ) -> SessionRow:
        """Rename the session to `new` if its title is still `old`; add `usage` to the session's usage."""
        row = session_of(db, session_id, lock=True)
        total = sum_usage(Usage.model_validate(row.usage or {}), usage)
        change(db, row, usage=total.model_dump(), title=new if new and row.title == old else row.title)
        return row

    @writing
    def purge_session(self, db: Connection, session_id: str) -> None:
        session_of(db, session_id, lock=True)
        db.execute(delete(NoteRow).where(NoteRow.session_id == session_id, NoteRow.confirmed_at.is_(None)))
        db.execute(delete(SessionRow).where(SessionRow.id == session_id))

    async def erase_deleted(self) -> None:
        """Remove deleted data from SQLite's files. Does nothing on PostgreSQL, where vacuum does it."""
        if self.database.is_sqlite:
            await self.database.write(forget_deleted)
            await self.database.flush(empty=True)

    @reading
    def session_ids(self, db: Connection) -> list[str]:
        """The ids of all sessions, archived and pinned ones included, oldest first."""
        return list(db.scalars(select(SessionRow.id).order_by(SessionRow.created_at, SessionRow.id)))

    @reading
    def sessions_untouched_since(self, db: Connection, moment: datetime) -> list[str]:
        """Ids of the sessions that were last changed before `moment`, without pinned ones, which are kept."""
        found = select(SessionRow.id).where(SessionRow.updated_at < moment, ~SessionRow.pinned)
        return list(db.scalars(found))

    @reading
    def last_touched(self, db: Connection) -> datetime | None:
        """The time of the last change of any session; None if there is no session."""
        return db.scalar(select(func.max(SessionRow.updated_at)))

    @reading
    def picture_names(self, db: Connection) -> set[str]:
        """File names of all screenshots that messages and questions refer to."""
        texts = union_all(
            select(cast(MessageRow.meta_json, Text)),
            select(cast(InterruptRow.payload, Text)),
            select(cast(SessionRow.icon, Text)),
        )
        rows = db.execute(texts.execution_options(yield_per=1000))
        return {name for (text,) in rows for name in PICTURE_NAMES.findall(text or "")}

    @writing
    def branch(
        self,
        db: Connection,
        session_id: str,
        message_id: str,
        *,
        id: str | None = None,
        copy_meta: Callable[[JsonObject], JsonObject] = dict,
    ) -> SessionRow:
        """Create session `id` with copies of the messages up to `message_id`; `copy_meta` maps their meta."""
        old = session_of(db, session_id)
        rows = every(db, MessageRow, MESSAGES, session_id=session_id)
        ids = [row.id for row in rows]
        if message_id not in ids:
            raise NotFound(sentence("message.unknown"), code="message_unknown")
        session = insert(db, new_session(
            id=id, title=free_title(db, without_number(old.title)), agent=old.agent, model=old.model,
            max_tool_steps=old.max_tool_steps, ask_first=old.ask_first, instructions=old.instructions,
        ))  # fmt: skip
        for row in rows[: ids.index(message_id) + 1]:
            if is_queued(row):
                continue
            meta = without_mode(row.meta_json) if row.role == "user" else row.meta_json
            add_message(db, session, row.role, row.content, meta_json=meta and copy_meta(meta))
        add_activity(db, session, Branched(session_id=old.id, title=old.title))
        return session


def new_session(
    *,
    id: str | None = None,
    title: str | None,
    agent: str,
    model: str,
    max_tool_steps: int,
    ask_first: bool = False,
    instructions: str | None = None,
) -> SessionRow:
    moment = now()
    return SessionRow(
        id=id or new_id(), title=title or "", pinned=False, unread=False, agent=agent, model=model,
        max_tool_steps=max_tool_steps, status="idle", epoch=0, last_seq=0, usage={}, ask_first=ask_first,
        instructions=instructions, created_at=moment, updated_at=moment,
    )  # fmt: skip


def _after_cursor(cursor: str) -> ColumnElement[bool]:
    """A condition for rows after the cursor `pinned|updated_at|id`. Raises NotFound if it is malformed."""
    try:
        pinned, moment, session_id = cursor.split("|")
        is_pinned, updated_at = bool(int(pinned)), datetime.fromisoformat(moment)
    except ValueError as error:
        raise NotFound(sentence("cursor.unknown"), code="cursor_unknown") from error
    later = or_(
        SessionRow.updated_at < updated_at,
        (SessionRow.updated_at == updated_at) & (SessionRow.id < session_id),
    )
    same_group = (SessionRow.pinned == is_pinned) & later
    return or_(same_group, ~SessionRow.pinned) if is_pinned else same_group
