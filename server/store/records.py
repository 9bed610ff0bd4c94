"""Results of the transactions."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from server.database.models import ActivityRow, InterruptRow, MessageRow, RunRow, SessionRow
from server.events import ACTIVITY_KINDS, PROVIDER, Activity, Answer, Message, Question
from server.ops.json_types import JsonObject


@dataclass(frozen=True, slots=True)
class AcceptedMessage:
    """A stored message, and the run that answers it."""

    message: Message
    run: RunRow
    session: SessionRow
    is_new: bool = True
    question: InterruptRow | None = None
    """The open question that the message answers."""
    steers: bool = False
    """The message steers a run in progress."""
    started: StartedRun | None = None
    """The run, if it has begun with the message."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that this process executes now, with the data that its execution needs."""

    run: RunRow
    session: SessionRow
    messages: list[Message]
    unread: list[Message]
    """Steering messages of the run that its agent has not read; not in `messages`."""
    question: Question | None = None
    """The question at which it resumes, with its answer; None for a run that begins."""
    continues: bool = False
    """Its former execution may have been in another process, and may have ended anywhere."""
    is_newly_answered: bool = True
    """No execution has begun since the question was answered."""
    budget: JsonObject | None = None
    """Of the automation that began it, see `AutomationRow.budget`."""
    patience: int | None = None
    """Of that automation, in seconds."""
    only_first_model: bool = False
    """No other model than its own is asked."""
    zone: str | None = None
    """Of that automation: the time zone of its days."""
    automation_id: str | None = None
    asks_first: bool = False
    """It may not begin before the person has agreed to its plan."""
    start_words: tuple[Answer, ...] = ()
    """What the person has said to its plans, the oldest first."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that has ended, its answer, and the held run that may start now."""

    run: RunRow
    session: SessionRow
    message: Message | None = None
    next: AcceptedMessage | None = None
    changed: tuple[Message, ...] = ()
    """Steering messages that its agent has not read: queued now, or never to be read."""
    is_reported: bool = False
    """Messages about it wait to be delivered to channels."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A session with everything that a client shows first."""

    session: SessionRow
    messages: list[Message]
    run: RunRow | None
    pending: InterruptRow | None
    questions: list[InterruptRow]
    """All questions of the session, including closed ones."""
    failures: list[RunRow]
    """Runs that failed, or were cancelled or interrupted, and whose message has no newer run."""
    activities: list[Activity]


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of sessions; `next_cursor` selects the next page, None on the last one."""

    rows: list[SessionRow]
    next_cursor: str | None
    matches: dict[str, Message]
    """In a search, by session: the newest matching message."""


@dataclass(frozen=True, slots=True)
class OpenQuestions:
    """A page of questions, each with its session's title; `next_cursor` as in `Listed`."""

    rows: list[tuple[InterruptRow, str]]
    total: int
    """The number of all such questions."""
    next_cursor: str | None


def new_id() -> str:
    return secrets.token_hex(12)


def to_activity(row: ActivityRow) -> Activity:
    what = {"kind": row.kind, **row.details}
    known = {"id": row.id, "run_id": row.run_id, "position": row.position, "created_at": row.created_at}
    return Activity.model_validate({**known, "what": what})


def is_known_activity(row: ActivityRow) -> bool:
    """False for a kind that a newer version has stored, while both use the database."""
    return row.kind in ACTIVITY_KINDS


def to_message(row: MessageRow | Row[Any]) -> Message:
    message, meta = Message.model_validate(row, from_attributes=True), row.meta_json or {}
    if PROVIDER not in meta:
        return message
    shown = {name: value for name, value in meta.items() if name != PROVIDER}
    return message.model_copy(update={"meta_json": shown, "provider": meta[PROVIDER]})
