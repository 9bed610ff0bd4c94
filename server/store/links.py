"""Queries for links that are used without a login. Of their secrets only the SHA-256 is stored."""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select, update

from server.database import Database, reading, writing
from server.database.models import HandoffRow, InterruptRow, QuestionLinkRow, ReplayLinkRow, SessionRow
from server.errors import NotFound, Unauthorized
from server.events import now
from server.store.lookups import session_of
from server.store.records import new_id
from server.store.rows import every, first, insert
from wording.catalogue import sentence

LINKED_QUESTION = (
    select(InterruptRow)
    .join(QuestionLinkRow, QuestionLinkRow.reference == InterruptRow.reference)
    .where(QuestionLinkRow.digest == bindparam("digest"), InterruptRow.status == "open")
)
CLOSED = select(InterruptRow.reference).where(InterruptRow.status != "open")
VALID = HandoffRow.expires_at > bindparam("moment")
HANDOFF_OF_SESSION = select(HandoffRow).where(HandoffRow.session_id == bindparam("session_id"), VALID)
UNEXPIRED = ReplayLinkRow.expires_at > bindparam("moment")
REPLAY_LINKS = (
    select(ReplayLinkRow)
    .where(ReplayLinkRow.session_id == bindparam("session_id"), UNEXPIRED)
    .order_by(ReplayLinkRow.created_at, ReplayLinkRow.id)
)
REPLAY_LINK = (
    select(ReplayLinkRow)
    .join(SessionRow, SessionRow.id == ReplayLinkRow.session_id)
    .where(ReplayLinkRow.digest == bindparam("digest"), UNEXPIRED, SessionRow.archived_at.is_(None))
)
OF_HOLDER = select(HandoffRow).where(HandoffRow.holder == bindparam("digest"), VALID)


class LinkQueries:
    database: Database

    @writing
    def add_question_link(self, db: Connection, secret: str, reference: str) -> None:
        insert(db, QuestionLinkRow(digest=digest_of(secret), reference=reference))

    @reading
    def question_of_link(self, db: Connection, secret: str) -> tuple[InterruptRow, str]:
        """The open question that the link is for, and the title of its session. Raises Unauthorized if there is none."""
        row = first(db, InterruptRow, LINKED_QUESTION, digest=digest_of(secret))
        if row is None:
            raise no_such_link()
        title = db.scalar(select(SessionRow.title).where(SessionRow.id == row.session_id))
        return row, title or ""

    @writing
    def add_handoff(self, db: Connection, session_id: str, secret: str, expires_at: datetime) -> HandoffRow:
        """Hand the session's browser off; a former hand-off of it ends."""
        session_of(db, session_id, lock=True)
        db.execute(delete(HandoffRow).where(HandoffRow.session_id == session_id))
        return insert(db, HandoffRow(
            id=new_id(), session_id=session_id, digest=digest_of(secret), expires_at=expires_at, created_at=now(),
        ))  # fmt: skip

    @reading
    def handoff_of(self, db: Connection, session_id: str) -> HandoffRow | None:
        """The hand-off of the session that is valid now."""
        return first(db, HandoffRow, HANDOFF_OF_SESSION, session_id=session_id, moment=now())

    @writing
    def open_handoff(self, db: Connection, secret: str, token: str) -> HandoffRow:
        """Give the link to the first who opens it, who shows `token` from then on. Raises Unauthorized."""
        opened = db.execute(
            update(HandoffRow)
            .where(HandoffRow.digest == digest_of(secret), HandoffRow.holder.is_(None), VALID)
            .values(holder=digest_of(token), opened_at=now()),
            {"moment": now()},
        )
        row = first(db, HandoffRow, OF_HOLDER, digest=digest_of(token), moment=now())
        if not opened.rowcount or row is None:
            raise no_such_link()
        return row

    @reading
    def held_handoff(self, db: Connection, token: str) -> HandoffRow | None:
        """What the holder of the token has; None if it has ended."""
        return first(db, HandoffRow, OF_HOLDER, digest=digest_of(token), moment=now())

    @writing
    def end_handoff(self, db: Connection, session_id: str, *, if_opened: bool = False) -> bool:
        """Whether there was one."""
        ended = delete(HandoffRow).where(HandoffRow.session_id == session_id)
        return bool(
            db.execute(ended.where(HandoffRow.opened_at.is_not(None)) if if_opened else ended).rowcount
        )

    @writing
    def add_replay_link(
        self, db: Connection, session_id: str, secret: str, expires_at: datetime, *, with_files: bool
    ) -> ReplayLinkRow:
        session = session_of(db, session_id, lock=True)
        return insert(db, ReplayLinkRow(
            id=new_id(), session_id=session_id, digest=digest_of(secret), last_position=session.last_seq,
            with_files=with_files, created_at=now(), expires_at=expires_at,
        ))  # fmt: skip

    @reading
    def replay_links(self, db: Connection, session_id: str) -> list[ReplayLinkRow]:
        """Those of the session that are valid now, the oldest first."""
        session_of(db, session_id)
        return every(db, ReplayLinkRow, REPLAY_LINKS, session_id=session_id, moment=now())

    @reading
    def replay_link(self, db: Connection, secret: str) -> ReplayLinkRow:
        """Raises Unauthorized if there is none that is valid; the links of a deleted session are not."""
        row = first(db, ReplayLinkRow, REPLAY_LINK, digest=digest_of(secret), moment=now())
        if row is None:
            raise no_such_link()
        return row

    @writing
    def end_replay_link(self, db: Connection, session_id: str, link_id: str) -> None:
        """It opens no more. Raises NotFound for one that is not there."""
        link = (ReplayLinkRow.id == link_id) & (ReplayLinkRow.session_id == session_id)
        if not db.execute(delete(ReplayLinkRow).where(link)).rowcount:
            raise NotFound(sentence("link.unknown"), code="link_unknown")

    @writing
    def forget_links(self, db: Connection) -> None:
        """Remove what is not valid any more."""
        db.execute(delete(QuestionLinkRow).where(QuestionLinkRow.reference.in_(CLOSED)))
        for kind in (HandoffRow, ReplayLinkRow):
            db.execute(delete(kind).where(kind.expires_at <= now()))


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def no_such_link() -> Unauthorized:
    return Unauthorized(sentence("link.not_valid"), code="link_unknown")
