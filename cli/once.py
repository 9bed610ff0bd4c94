"""Execute one line without a prompt: show the run until it ends, return an exit code."""

from __future__ import annotations

import sys
from contextlib import aclosing
from typing import TextIO

from cli.client import api_types as api
from cli.client.client import Client, Event
from cli.commands.parser import parse
from cli.commands.syntax import Answer, Call, Message
from cli.conversation import Conversation
from cli.screen.items import Note
from cli.words import t

ANSWERS = frozenset({"yes", "no", "done", "resume"})
"""Commands after which a run continues."""


async def run_line(conversation: Conversation, line: str, *, waits: bool, lines: TextIO | None = None) -> int:
    """Send or execute `line`. Returns 0 on success, 1 if the run failed or waits for the user.

    With `waits`, waits while a question is open, since another client may answer it. With `lines`, every
    event is written there as a line of JSON, and nothing else.
    """
    entry = parse(line, "chat")
    if entry is None:
        return 0
    session = await conversation.attach(silently=True)
    answer = await conversation.do(entry) or {}
    run_id = _run_to_follow(entry, session, answer)
    return await _watch(conversation, run_id, waits, lines) if run_id else 0


def _run_to_follow(entry: Message | Call, session: api.SessionDetail | None, answer: Answer) -> str:
    if isinstance(entry, Message):
        return str(answer["run_id"])
    if session is None or answer.get("session_id", session["id"]) != session["id"]:
        return ""  # the question of another session was answered
    run = session["run"] if entry.name in ANSWERS else None
    return run["id"] if run else ""


async def _watch(conversation: Conversation, run_id: str, waits: bool, lines: TextIO | None) -> int:
    events = conversation.client.follow(str(conversation.session_id), run_id)
    async with aclosing(events):
        async for event in events:
            if lines is not None:
                write_line(event, lines)
                conversation.view.apply(event.data)
            else:
                await conversation.take(event)
            if event.type == "interrupt" and not waits and await _is_open(conversation, event):
                conversation.screen.show(Note(_how_to_answer(conversation), "warning"))
                return 1
            if event.type in ("done", "error"):
                return int(event.type == "error")
    return 1


async def watch_all(client: Client, session_id: str, lines: TextIO) -> None:
    """Write every event of a session as a line of JSON, until interrupted."""
    async with aclosing(client.follow(session_id)) as events:
        async for event in events:
            write_line(event, lines)


def write_line(event: Event, lines: TextIO) -> None:
    if event.raw:
        lines.write(event.raw + "\n")
        lines.flush()
    elif event.data.get("lost"):
        print(t("The connection is lost; trying again."), file=sys.stderr)


async def _is_open(conversation: Conversation, event: Event) -> bool:
    """Whether the question of an event, which may be a replayed one, is still open."""
    session = await conversation.client.session(str(conversation.session_id))
    pending = session["pending"]
    return pending is not None and pending["reference"] == event.data["reference"]


def _how_to_answer(conversation: Conversation) -> str:
    pending = conversation.view.pending
    wanted = "WORDS" if pending and pending.wants == "answer" else "/done"
    answer = f'"{wanted}"' if pending and pending.kind == "manual" else '"/yes"'
    return t(
        "It waits for a person. Answer with: pilothouse chat {session} -m {answer}",
        session=conversation.session_id,
        answer=answer,
    )
