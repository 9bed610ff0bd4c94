"""The rows of a session in their one order, and those that are no message in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from server.database.models import InterruptRow, RunRow
from server.events import (
    Activity,
    Branched,
    ConfirmQuestion,
    Drove,
    Message,
    PlanEdited,
    Resumed,
    read_question,
)
from wording.catalogue import in_language
from wording.step_words import step_words

Language = Literal["en", "ru"]
TranscriptRow = Message | InterruptRow | RunRow | Activity

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "yes": "Approved", "no": "Denied", "done": "Done by you", "answered": "You answered the question",
        "replan": "You asked for another plan", "void": "No longer asked",
        "end": "Ended without an answer", "note": "“{text}”", "queued": "queued",
        "drove": "You drove the browser for {time}", "resumed": "You resumed it after {time}",
        "plan": "You changed the plan", "added": "added {steps}", "removed": "removed {steps}", "order": "another order",
        "branched": "Branched from {title}", "untitled": "a session", "seconds": "{n} s", "minutes": "{n} min",
        "sends": "about to send {text}",
        "cut.length": "Cut off at the length limit", "cut.stream": "Cut off: the connection to the model broke",
        "continues": "Goes on from the cut answer before", "without_browser": "Answered without the browser",
    },
    "ru": {
        "yes": "Разрешено", "no": "Отклонено", "done": "Сделано вами", "answered": "Вы ответили на вопрос",
        "replan": "Вы попросили другой план", "void": "Вопрос снят",
        "end": "Закончилось без ответа", "note": "«{text}»", "queued": "в очереди",
        "drove": "Вы управляли браузером {time}", "resumed": "Вы продолжили работу через {time}",
        "plan": "Вы изменили план", "added": "добавлено {steps}", "removed": "убрано {steps}", "order": "другой порядок",
        "branched": "Ответвление от {title}", "untitled": "другой сессии", "seconds": "{n} с", "minutes": "{n} мин",
        "sends": "к отправке: {text}",
        "cut.length": "Оборвано на пределе длины", "cut.stream": "Оборвано: связь с моделью прервалась",
        "continues": "Продолжение оборванного ответа выше", "without_browser": "Ответ дан без браузера",
    },
}  # fmt: skip


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
    """What a reader has to know of an answer: that it is a part, that it continues, that nothing was looked at."""
    meta, words = message.meta_json or {}, WORDS[language]
    names = [name for name in ("continues", "without_browser") if meta.get(name)]
    return [words[name] for name in [*names, *([f"cut.{meta['cut']}"] if meta.get("cut") else [])]]


def line_of(row: InterruptRow | RunRow | Activity, language: Language = "en") -> str:
    """A closed question with its answer, the end of a run, or an activity, on one line."""
    words = WORDS[language]
    if isinstance(row, Activity):
        return " ".join(_activity_line(row, language).split())
    if isinstance(row, RunRow):
        why = in_language(language, row.error or row.status, row.error_parts)
        return " ".join(f"{words['end']}: {why}".split())
    note = read_question(row.payload).note
    said = f" — {words['note'].format(text=note)}" if note else ""
    return " ".join(f"{words[_answer(row)]}: {subject_of(row, language)}{said}".split())


def _activity_line(activity: Activity, language: Language) -> str:
    words = WORDS[language]
    match activity.what:
        case Drove(seconds=seconds, pages=pages):
            drove = words["drove"].format(time=time_words(seconds, language))
            return f"{drove}: {', '.join(pages)}" if pages else drove
        case Resumed(seconds=seconds):
            return words["resumed"].format(time=time_words(seconds, language))
        case Branched(title=title):
            return words["branched"].format(
                title=words["note"].format(text=title) if title else words["untitled"]
            )
        case PlanEdited(before=before, plan=plan):
            changes = [
                (words["added"], [step for step in plan if step not in before]),
                (words["removed"], [step for step in before if step not in plan]),
            ]
            lines = [
                template.format(steps=", ".join(words["note"].format(text=step) for step in steps))
                for template, steps in changes
                if steps
            ]
            return f"{words['plan']}: {'; '.join(lines) or words['order']}"


def time_words(seconds: int, language: Language = "en") -> str:
    """Minutes and seconds, in words."""
    words = WORDS[language]
    minutes, rest = divmod(seconds, 60)
    parts = [("minutes", minutes)] if minutes else []
    parts += [("seconds", rest)] if rest or not minutes else []
    return " ".join(words[unit].format(n=n) for unit, n in parts)


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
    sends = WORDS[language]["sends"].format(text=would_send) if would_send else None
    more = "; ".join(filter(None, (question.amount, sends)))
    act = _act_of(question, language)
    return f"{act} ({more})" if more else act


def _act_of(question: ConfirmQuestion, language: Language) -> str:
    kind, url = str(question.action.get("kind") or ""), question.action.get("url")
    name = question.target.name if question.target else None
    if language == "ru":
        kind = "double_click" if question.action.get("double") else kind
        russian = step_words(kind, {"target": name, "url": url}).to("ru")
        if russian:
            return russian[0].lower() + russian[1:]
    target = WORDS[language]["note"].format(text=name) if name else url
    return " ".join(str(word) for word in (kind, target) if word)
