"""Converts rows to events, and holds the texts for the endings of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from server.events import (
    Decision,
    Error,
    Interrupt,
    ManualQuestion,
    SessionChanged,
    ToolStart,
    Usage,
    read_question,
)
from wording.catalogue import Wording, joined, sentence, shortened
from wording.step_words import step_words

if TYPE_CHECKING:
    from server.database.models import InterruptRow, RunRow, SessionRow

ENDINGS = {
    "cancelled": sentence("run.cancelled"),
    "interrupted": sentence("run.interrupted"),
    "time_limit": sentence("run.time_used_up"),
    "internal": sentence("internal"),
    "db_unavailable": sentence("database.away"),
}


def interruption(run: RunRow) -> Wording:
    step = Wording.stored(run.doing or "", run.doing_parts)
    return joined((ENDINGS["interrupted"], sentence("run.doubtful_step", step=step) if step else ""))


def describe(event: ToolStart) -> str:
    """What the call does, in plain words such as `Clicked “Place order”`; at most 300 characters."""
    if known := step_words(event.name, event.args):
        return shortened(known, 300)
    words = " ".join(str(value) for value in event.args.values() if isinstance(value, str | int))
    return f"{event.name} {words}".strip()[:300]


def to_change(session: SessionRow, queue_place: int | None = None) -> SessionChanged:
    return SessionChanged(
        session_id=session.id, status=session.status, title=session.title, unread=session.unread,
        updated_at=session.updated_at, queue_place=queue_place, icon=session.icon, usage=Usage.model_validate(session.usage or {}),
    )  # fmt: skip


def deleted_session(session_id: str) -> SessionChanged:
    return SessionChanged(session_id=session_id, status="idle", title="", deleted=True)


def to_interrupt(row: InterruptRow) -> Interrupt:
    """The event of a question. Its reference and expiry are the row's, which may differ from the agent's."""
    question = read_question(row.payload)
    known = row.payload | {
        "reference": row.reference, "expires_at": row.expires_at, "later_at": row.later_at, "position": row.position,
        "wants": question.wanted if isinstance(question, ManualQuestion) else None,
    }  # fmt: skip
    return Interrupt.model_validate(known)


def to_decision(row: InterruptRow) -> Decision:
    question, is_yes = read_question(row.payload), bool(row.confirmed)
    return Decision(
        reference=row.reference, confirmed=is_yes, outcome=question.outcome(is_yes), message=question.note
    )


def to_error(run: RunRow) -> Error:
    """The terminal event of a run that has ended without an answer."""
    code = run.error_code or run.status
    message = run.error or run.status
    return Error(code=code, message=message, message_parts=run.error_parts, position=run.end_position)
