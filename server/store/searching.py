"""Full-text search: sessions and messages that contain every word of a query, each matched as a prefix."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, Connection, false, func, literal, or_, select, text

from server.database.models import MessageRow, SessionRow
from server.events import Message
from server.store.records import to_message
from server.store.rows import every

MAX_SEARCH_WORDS = 12
"""The number of words of a query that are searched for; the rest is ignored."""
BEFORE, SNIPPET_CHARS = 100, 400
"""Characters of a message in a list of results: before the first word, and in total."""


def matching_sessions(query: str, *, is_sqlite: bool) -> ColumnElement[bool]:
    """A condition for sessions whose title matches, or that have a matching message."""
    words = _words(query)
    if not words:
        return false()
    if is_sqlite:
        found = text(
            "sessions.id IN (SELECT session_id FROM search_titles WHERE search_titles MATCH :terms "
            "UNION SELECT session_id FROM search_messages WHERE search_messages MATCH :terms)"
        )
        return literal(True) & found.bindparams(terms=_fts_terms(words))
    in_title = func.to_tsvector("simple", SessionRow.title).op("@@")(_ts_query(words))
    said = select(MessageRow.session_id).where(_matching_messages(words, is_sqlite=False))
    return or_(in_title, SessionRow.id.in_(said))


def matches_of(db: Connection, session_ids: Collection[str], query: str) -> dict[str, Message]:
    """By session: its newest matching message, the content cut to an excerpt around the first word."""
    words = _words(query)
    if not words or not session_ids:
        return {}
    saying = _matching_messages(words, is_sqlite=db.dialect.name == "sqlite")
    newest = (
        select(MessageRow.session_id, func.max(MessageRow.seq).label("seq"))
        .where(MessageRow.session_id.in_(session_ids), saying)
        .group_by(MessageRow.session_id)
        .subquery()
    )
    is_newest = (MessageRow.session_id == newest.c.session_id) & (MessageRow.seq == newest.c.seq)
    found = map(to_message, every(db, MessageRow, select(MessageRow).join(newest, is_newest)))
    return {
        message.session_id: message.model_copy(update={"content": _around(message.content, words[0])})
        for message in found
    }


def forget_deleted(db: Connection) -> None:
    """Merge the segments of SQLite's search indexes: until then they keep the words of deleted rows."""
    for index in ("search_titles", "search_messages"):
        db.exec_driver_sql(f"INSERT INTO {index} ({index}) VALUES ('optimize')")


def _words(query: str) -> list[str]:
    return re.findall(r"\w+", query)[:MAX_SEARCH_WORDS]


def _matching_messages(words: Sequence[str], *, is_sqlite: bool) -> ColumnElement[bool]:
    if is_sqlite:
        found = text("messages.id IN (SELECT row_id FROM search_messages WHERE search_messages MATCH :terms)")
        return literal(True) & found.bindparams(terms=_fts_terms(words))
    return func.to_tsvector("simple", MessageRow.content).op("@@")(_ts_query(words))


def _fts_terms(words: Sequence[str]) -> str:
    return " ".join(f'"{word}"*' for word in words)


def _ts_query(words: Sequence[str]) -> ColumnElement[str]:
    return func.to_tsquery("simple", " & ".join(f"{word}:*" for word in words))


def _around(content: str, word: str) -> str:
    found = re.search(rf"\b{word}", content, re.IGNORECASE)
    start = max(0, found.start() - BEFORE) if found else 0
    return content[start : start + SNIPPET_CHARS]
