"""The rows of a session in their one order, and those that are no message in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from server.database.models import InterruptRow, RunRow
from server.events import (
    POINTERS,
    Activity,
    Branched,
    ConfirmQuestion,
    Drove,
    Message,
    PlanEdited,
    Resumed,
    read_question,
)
from server.ops.json_types import JsonObject
from wording.catalogue import Value, in_language, sentence
from wording.step_words import step_words

Language = Literal["en", "de", "ru"]
TranscriptRow = Message | InterruptRow | RunRow | Activity


def row_words(language: Language, name: str, **values: Value) -> str:
    return sentence(f"row.{name}", **values).to(language)


def in_order(
    messages: Sequence[Message],
    questions: Sequence[InterruptRow],
    failures: Sequence[RunRow],
    activities: Sequence[Activity] = (),
) -> list[TranscriptRow]:
    """All rows by their number in the session; of equal numbers, which old data has, the message first.

    Queued messages come last.
    """
    queued = [message for message in messages if is_queued(message)]
    rows: list[tuple[int, TranscriptRow]] = [(one.seq, one) for one in messages if not is_queued(one)]
    rows += [(question.position, question) for question in questions]
    rows += [(run.end_position, run) for run in failures]
    rows += [(activity.position, activity) for activity in activities]
    return [*(row for _, row in sorted(rows, key=lambda row: row[0])), *queued]


def is_queued(message: Message) -> bool:
    return bool((message.meta_json or {}).get("mode") == "queue")


def remarks_on(message: Message, language: Language = "en") -> list[str]:
    """What a reader has to know of a message: what it points at; of an answer, that it is a part, that it continues, that
    nothing was looked at."""
    meta = message.meta_json or {}
    pointed = [_pointer_line(one, language) for one in meta.get(POINTERS, ())]
    names = [name for name in ("continues", "without_browser") if meta.get(name)]
    named = [*names, *([f"cut.{meta['cut']}"] if meta.get("cut") else [])]
    return [*pointed, *(row_words(language, name) for name in named)]


def _pointer_line(pointer: JsonObject, language: Language) -> str:
    """Such as `1: button "Add to basket" (Blue kettle) — the cheap one`."""
    target = pointer.get("target") or {}
    near = (target.get("near") or [""])[0]
    words = [
        target.get("role", ""),
        f'"{target["name"]}"' if target.get("name") else "",
        f"({near})" if near else "",
    ]
    what = " ".join(filter(None, words)) or row_words(language, "place")
    line = " — ".join(filter(None, (f"{pointer['n']}: {what}", pointer.get("note"))))
    return " ".join(line.split())


def line_of(row: InterruptRow | RunRow | Activity, language: Language = "en") -> str:
    """A closed question with its answer, the end of a run, or an activity, on one line."""
    if isinstance(row, Activity):
        return " ".join(_activity_line(row, language).split())
    if isinstance(row, RunRow):
        why = in_language(language, row.error or row.status, row.error_parts)
        return " ".join(f"{row_words(language, 'end')}: {why}".split())
    note = read_question(row.payload).note
    said = f" — {row_words(language, 'note', text=note)}" if note else ""
    return " ".join(f"{row_words(language, _answer(row))}: {subject_of(row, language)}{said}".split())


def _activity_line(activity: Activity, language: Language) -> str:
    match activity.what:
        case Drove(seconds=seconds, pages=pages, was_handed_off=was_handed_off):
            name = "someone_drove" if was_handed_off else "drove"
            drove = row_words(language, name, time=time_words(seconds, language))
            return f"{drove}: {', '.join(pages)}" if pages else drove
        case Resumed(seconds=seconds):
            return row_words(language, "resumed", time=time_words(seconds, language))
        case Branched(title=title):
            name = row_words(language, "note", text=title) if title else row_words(language, "untitled")
            return row_words(language, "branched", title=name)
        case PlanEdited(before=before, plan=plan):
            changes = (
                _missing_in(before, plan, "added", language),
                _missing_in(plan, before, "removed", language),
            )
            lines = "; ".join(filter(None, changes))
            return f"{row_words(language, 'plan')}: {lines or row_words(language, 'order')}"


def _missing_in(known: Sequence[str], steps: Sequence[str], change: str, language: Language) -> str:
    """The steps that are not among the known ones, as such a change; "" if there are none."""
    names = [row_words(language, "note", text=step) for step in steps if step not in known]
    return row_words(language, change, steps=", ".join(names)) if names else ""


def time_words(seconds: int, language: Language = "en") -> str:
    """Minutes and seconds, in words."""
    minutes, rest = divmod(seconds, 60)
    parts = [("minutes", minutes)] if minutes else []
    parts += [("seconds", rest)] if rest or not minutes else []
    return " ".join(row_words(language, unit, n=n) for unit, n in parts)


def _answer(row: InterruptRow) -> str:
    if row.status != "decided":
        return "void"
    return read_question(row.payload).outcome(bool(row.confirmed))


def subject_of(row: InterruptRow, language: Language = "en") -> str:
    """What was asked: the action with its target, amount and what it was about to send, or a step for the person."""
    question = read_question(row.payload)
    if not isinstance(question, ConfirmQuestion):
        return question.reason
    would_send = in_language(language, question.would_send or "", question.would_send_parts)
    sends = row_words(language, "sends", text=would_send) if would_send else None
    more = "; ".join(filter(None, (question.amount, sends)))
    act = _act_of(question, language)
    return f"{act} ({more})" if more else act


def _act_of(question: ConfirmQuestion, language: Language) -> str:
    kind, url = str(question.action.get("kind") or ""), question.action.get("url")
    name = question.target.name if question.target else None
    if language != "en":
        kind = "double_click" if question.action.get("double") else kind
        words = step_words(kind, {"target": name, "url": url}).to(language)
        if words:
            return words if language == "de" else words[0].lower() + words[1:]
    target = row_words(language, "note", text=name) if name else url
    return " ".join(str(word) for word in (kind, target) if word)
