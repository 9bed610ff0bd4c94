"""What transactions give back."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from server.database.models import InterruptRow, MessageRow, RunRow, SessionRow
from server.events import Message

TITLE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class AcceptedMessage:
    """A message that is safe in the database, and the run that answers it."""

    message: Message
    run: RunRow
    session: SessionRow
    is_new: bool = True
    question: InterruptRow | None = None
    """The open question that the message answers."""
    steers: bool = False
    """The message was said into a run in progress."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that this process executes now, with all that its execution needs to know."""

    run: RunRow
    session: SessionRow
    messages: list[Message]
    unheard: list[Message]
    """Said into the run before its execution began; not among the others."""
    grants: set[tuple[str, str]]
    """(site, kind) pairs that the person allowed in this session."""
    before: dict[str, Any] = field(default_factory=dict)
    """The payload of the question after which it goes on."""
    answer: dict[str, Any] | None = None
    """What the person answered to that question; None for a run that begins."""


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that is over, its answer, and the run that waited behind it and may start now."""

    run: RunRow
    session: SessionRow
    message: Message | None = None
    next: AcceptedMessage | None = None


@dataclass(frozen=True, slots=True)
class Overview:
    """A session with all that a client draws first."""

    session: SessionRow
    messages: list[Message]
    run: RunRow | None
    pending: InterruptRow | None
    questions: list[InterruptRow]
    """All that were asked, also those that are closed."""
    failures: list[RunRow]
    """Runs that ended without an answer and were not tried again."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of sessions; `next_cursor` asks for the next one."""

    rows: list[SessionRow]
    next_cursor: str | None
    matches: dict[str, Message]
    """Of a search, by session: the newest message that says it."""


def new_id() -> str:
    return secrets.token_hex(12)


def to_message(row: MessageRow) -> Message:
    return Message.model_validate(row, from_attributes=True)


def title_of(content: str) -> str:
    """The first line of the first message, until somebody gives a better name."""
    line = next((line.strip() for line in content.split("\n") if line.strip()), "")
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"
