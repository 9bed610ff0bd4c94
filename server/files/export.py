"""Exports a session as Markdown or JSON, and many as one archive. `report.py` exports one as HTML."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from server import clock
from server.events import Activity, Effect, Message, read_question
from server.files.transcript import (
    Language,
    TranscriptRow,
    in_order,
    is_queued,
    line_of,
    remarks_on,
    row_words,
    subject_of,
)
from server.ops.json_types import JsonObject
from server.results.rows import as_of, tables_of
from server.results.sheets import to_markdown as to_markdown_table
from wording.catalogue import Value, sentence

if TYPE_CHECKING:
    from datetime import datetime

    from typing_extensions import Buffer

    from server.database.models import InterruptRow, RunRow, SessionRow

WHO = {"user": "You", "assistant": "Pilothouse", "tool": "Browser"}


@dataclass(frozen=True, slots=True)
class Conversation:
    session: SessionRow
    messages: Sequence[Message]
    state: JsonObject
    questions: Sequence[InterruptRow] = ()
    """Those that are closed."""
    failures: Sequence[RunRow] = ()
    """Runs that ended without an answer."""
    activities: Sequence[Activity] = ()
    grants: Sequence[JsonObject] = ()
    """What is allowed in it without asking."""
    zone: str = "UTC"
    """The person's, in which times are written."""

    @property
    def rows(self) -> list[TranscriptRow]:
        return in_order(self.messages, self.questions, self.failures, self.activities)

    @property
    def title(self) -> str:
        return self.session.title or "Untitled"

    def until(self, position: int, moment: datetime) -> Conversation:
        """What there was when the session's last row had this number, at this moment. Queued messages are left out."""
        facts = [
            fact for fact in self.state.get("facts") or [] if str(fact.get("at", "")) <= moment.isoformat()
        ]
        return replace(
            self,
            messages=[
                as_of(one, moment) for one in self.messages if one.seq <= position and not is_queued(one)
            ],
            state={**self.state, "facts": facts},
            questions=[one for one in self.questions if one.position <= position],
            failures=[one for one in self.failures if one.end_position <= position],
            activities=[one for one in self.activities if one.position <= position],
        )


def to_markdown(conversation: Conversation) -> str:
    created = clock.local(conversation.session.created_at, conversation.zone)[0]
    lines = [f"# {conversation.title}", "", f"{created:%Y-%m-%d %H:%M} {conversation.zone}", ""]
    if conversation.session.instructions:  # named, not repeated
        lines += [f"> {row_words('en', 'instructed')}", ""]
    tables = tables_of(conversation.messages)
    numbers = {message.id: number for number, message in enumerate(conversation.messages)}
    for row in conversation.rows:
        if not isinstance(row, Message):
            lines += [f"> {line_of(row)}", ""]
        elif row.role == "tool":
            number = numbers[row.id]
            lines += [_tool_line(row), ""]
            lines += to_markdown_table(tables[number]) if number in tables else []
        else:
            mark = f" ({row_words('en', 'queued')})" if is_queued(row) else ""
            lines += [f"**{WHO[row.role]}**{mark}", "", row.content, ""]
            lines += [f"> {remark}\n" for remark in remarks_on(row)]
    if receipt := list(_receipt(conversation.messages, conversation.zone)):
        lines += ["## Receipt: what was sent", "", *(f"- {line}" for line in receipt), ""]
    facts = conversation.state.get("facts") or []
    if facts:
        lines += ["## Facts", "", *(_fact_line(fact) for fact in facts), ""]
    return "\n".join(lines)


def _tool_line(message: Message) -> str:
    meta = message.meta_json or {}
    mark = "✓" if meta.get("ok") else "✗"
    where = f" — {meta['url']}" if meta.get("url") else ""
    first_line, _, _ = message.content.partition("\n")
    step = f"> {mark} {first_line or meta.get('name', '')}{where}"
    return "\n> ".join([step, *map(_one_line, effect_lines(meta))])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _receipt(messages: Sequence[Message], zone: str) -> Iterator[str]:
    """One line for each request of an approved act, with its time."""
    for message in messages:
        for line in effect_lines(message.meta_json or {}, page=False):
            at = clock.local(message.created_at, zone)[0]
            yield f"{at:%Y-%m-%d %H:%M:%S} {zone}: {_one_line(line)}"


def effect_lines(meta: JsonObject, language: Language = "en", *, page: bool = True) -> list[str]:
    """What came of an approved act, in words; with `page` also what the page then said. [] for other acts."""
    if not meta.get("effect"):
        return []
    effects = [Effect.model_validate(effect) for effect in meta.get("effects") or []]
    lines = [_effect_line(effect, language) for effect in effects]
    if not lines:
        lines = [_receipt_words(language, "none" if meta["effect"] == "none" else "unseen")]
    says = meta.get("page_says") if page else None
    return [*lines, *([_receipt_words(language, "says", text=says)] if says else [])]


def _receipt_words(language: Language, name: str, **values: Value) -> str:
    return sentence(f"receipt.{name}", **values).to(language)


def _effect_line(effect: Effect, language: Language) -> str:
    is_visit = effect.method == "GET" and effect.outcome == "accepted"
    answer = effect.status or _receipt_words(language, effect.failure or "no_answer")
    times = f", {_receipt_words(language, 'times', n=effect.times)}" if effect.times > 1 else ""
    again = f", {_receipt_words(language, 'repeated')}" if effect.repeated else ""
    what = _receipt_words(language, "opened" if is_visit else effect.outcome)
    return f"{what}: {effect.method} {effect.host}{effect.path} — {answer}{times}{again}"


def _fact_line(fact: JsonObject) -> str:
    return f"- {fact['fact']}" + (f" ({fact['url']})" if fact.get("url") else "")


def to_json(conversation: Conversation) -> str:
    session = conversation.session
    head = {
        "id": session.id,
        "title": session.title,
        "agent": session.agent,
        "model": session.model,
        "created_at": session.created_at.isoformat(),
        "updated_at": session.updated_at.isoformat(),
        "usage": session.usage,
        "has_instructions": bool(session.instructions),  # named, not repeated
        "state": conversation.state,
    }
    messages = [
        message.model_dump(mode="json", exclude={"session_id", "client_id"})
        for message in conversation.messages
    ]
    rows = {
        "messages": messages,
        "questions": [_question_json(row) for row in conversation.questions],
        "grants": list(conversation.grants),
        "failures": [
            {"seq": run.end_position, "run_id": run.id, "status": run.status, "error": run.error}
            for run in conversation.failures
        ],
        "activities": [_activity_json(activity) for activity in conversation.activities],
    }
    return json.dumps(head | rows, ensure_ascii=False, indent=2)


def _question_json(row: InterruptRow) -> JsonObject:
    return {
        "seq": row.position, "reference": row.reference, "run_id": row.run_id, "kind": row.kind, "status": row.status,
        "confirmed": row.confirmed, "note": read_question(row.payload).note, "subject": subject_of(row),
        "created_at": row.created_at.isoformat(),
    }  # fmt: skip


def _activity_json(activity: Activity) -> JsonObject:
    dumped: JsonObject = activity.model_dump(mode="json")
    return {"seq": dumped.pop("position"), **dumped}


def file_stem(conversation: Conversation) -> str:
    """A file name without suffix: the title in lower-case ASCII letters, digits and hyphens, then the id."""
    kept = "".join(char if char.isalnum() and char.isascii() else "-" for char in conversation.title.lower())
    stem = "-".join(part for part in kept.split("-") if part)[:60] or "session"
    return f"{stem}-{conversation.session.id[:8]}"


def file_name(conversation: Conversation, suffix: str) -> str:
    return f"{file_stem(conversation)}.{suffix}"


class Archive:
    """A zip that is written and returned in pieces; it buffers only the session added last.

    archive = Archive()
    for conversation in conversations:
        yield archive.add(conversation)
    yield archive.end()
    """

    def __init__(self) -> None:
        self._out = _Pieces()
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED)
        self._stems: set[str] = set()

    def add(self, conversation: Conversation) -> bytes:
        """Add the session as JSON and Markdown, with unique names from the title; return the new bytes."""
        stem = self._free_stem(file_stem(conversation))
        self._zip.writestr(f"{stem}.json", to_json(conversation))
        self._zip.writestr(f"{stem}.md", to_markdown(conversation))
        return self._out.take()

    def add_document(self, name: str, document: JsonObject) -> bytes:
        """Add it as `name.json`, or under a similar name that is not taken; return the new bytes."""
        text = json.dumps(document, ensure_ascii=False, indent=2)
        self._zip.writestr(f"{self._free_stem(name)}.json", text)
        return self._out.take()

    def end(self) -> bytes:
        self._zip.close()
        return self._out.take()

    def _free_stem(self, wanted: str) -> str:
        """An unused name, compared without case, because some file systems are case-insensitive."""
        stem, number = wanted, 1
        while stem.casefold() in self._stems:
            number += 1
            stem = f"{wanted}-{number}"
        self._stems.add(stem.casefold())
        return stem


class _Pieces(io.RawIOBase):
    """A write-only file whose content so far is removed by `take`."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        return len(piece)

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken
