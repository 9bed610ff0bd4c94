"""The rows of a session in their one order, and those that are no message in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from server.database.models import InterruptRow, RunRow
from server.events import ConfirmQuestion, Message, read_question

Language = Literal["en", "ru"]
TranscriptRow = Message | InterruptRow | RunRow

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "yes": "Approved", "no": "Denied", "done": "Done by you", "void": "No longer asked",
        "end": "Ended without an answer", "note": "“{text}”", "queued": "queued",
    },
    "ru": {
        "yes": "Разрешено", "no": "Отклонено", "done": "Сделано вами", "void": "Вопрос снят",
        "end": "Закончилось без ответа", "note": "«{text}»", "queued": "в очереди",
    },
}  # fmt: skip


def in_order(
    messages: Sequence[Message], questions: Sequence[InterruptRow], failures: Sequence[RunRow]
) -> list[TranscriptRow]:
    """All rows by their number in the session; of equal numbers, which old data has, the message first.

    Queued messages come last.
    """
    queued = [message for message in messages if is_queued(message)]
    rows: list[tuple[int, TranscriptRow]] = [(one.seq, one) for one in messages if not is_queued(one)]
    rows += [(question.position, question) for question in questions]
    rows += [(run.end_position, run) for run in failures]
    return [*(row for _, row in sorted(rows, key=lambda row: row[0])), *queued]


def is_queued(message: Message) -> bool:
    return bool((message.meta_json or {}).get("mode") == "queue")


def line_of(row: InterruptRow | RunRow, language: Language = "en") -> str:
    """A closed question with its answer, or the end of a run, on one line."""
    words = WORDS[language]
    if isinstance(row, RunRow):
        return " ".join(f"{words['end']}: {row.error or row.status}".split())
    note = read_question(row.payload).note
    said = f" — {words['note'].format(text=note)}" if note else ""
    return " ".join(f"{words[_answer(row)]}: {subject_of(row)}{said}".split())


def _answer(row: InterruptRow) -> str:
    if row.status != "decided":
        return "void"
    if row.kind == "manual":
        return "done"
    return "yes" if row.confirmed else "no"


def subject_of(row: InterruptRow) -> str:
    """What was asked: the action with its target and amount, or the request for a manual step."""
    question = read_question(row.payload)
    if not isinstance(question, ConfirmQuestion):
        return question.reason
    target = f"“{question.target.name}”" if question.target else question.action.get("url")
    words = [question.action.get("kind"), target, f"({question.amount})" if question.amount else None]
    return " ".join(str(word) for word in words if word)
