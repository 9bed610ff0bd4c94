"""Fixed texts of the operator, used without the model: Russian if the user writes Russian, else English."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.agent.language import is_russian
from server.events import Effect
from server.ops.json_types import JsonObject

_ENGLISH = {
    "denied": "I may not do this: {reason}. Tell me what to do instead.",
    "cancelled": "All right, I did not do it. What should I do instead?",
    "blocked": "I cannot go on: {n} times in a row the step I chose was not possible on this page. The last one: "
    "{reason}. Tell me what to change, or finish this step in the browser yourself.",
    "limit": "I stopped here: {reason}.",
    "done_so_far": "Done so far",
    "worked": "Found",
    "failed": "Did not work",
    "next": "Next step",
    "go_on": "Shall I go on?",
    "steps": "the limit of {n} steps is reached",
    "tokens": "the token budget of this task is used up",
    "cost": "the cost budget of this task is used up",
    "time": "the time for this task is used up",
    "asks": "I have asked for your approval {n} times in this task. How shall I go on?",
    "stuck": "I am not getting any further: what I try changes nothing on {site}. How shall I go on?",
    "table_empty": "The table is empty: no row was recorded.",
    "table_part": "The table has {n} of {least} rows so far.",
    "plan_look": "Look at the page",
    "plan_check": "Do what is asked and check it",
    "plan_answer": "Give the answer",
    "captcha": "{site} wants to see that a person is there. Please answer its check in the browser, then tell me.",
    "your_turn": "Please do the next step in the browser yourself, then tell me.",
    "refused": "Refused: {request} — {answer}",
    "not_sent_blocked": "not let out of the browser",
    "not_sent_unreachable": "the site could not be reached",
    "not_sent_cors": "not allowed from this page",
}
_RUSSIAN = {
    "denied": "Это мне делать нельзя: {reason}. Скажите, что сделать вместо этого.",
    "cancelled": "Хорошо, я этого не делаю. Что сделать вместо этого?",
    "blocked": "Не могу продолжить: {n} раза подряд выбранный мной шаг оказался невозможен на этой странице. "
    "Последний: {reason}. Скажите, что изменить, или выполните этот шаг в браузере сами.",
    "limit": "Я остановился: {reason}.",
    "done_so_far": "Сделано",
    "worked": "Найдено",
    "failed": "Не получилось",
    "next": "Следующий шаг",
    "go_on": "Продолжать?",
    "steps": "достигнут предел числа шагов ({n})",
    "tokens": "исчерпан запас токенов на эту задачу",
    "cost": "исчерпан денежный лимит на эту задачу",
    "time": "время на эту задачу вышло",
    "asks": "В этой задаче подтверждение уже запрашивалось много раз ({n}). Как продолжать?",
    "stuck": "Дальше не продвигаюсь: мои действия на {site} ничего не меняют. Как продолжать?",
    "table_empty": "Таблица пуста: не записано ни одной строки.",
    "table_part": "В таблице пока {n} из {least} строк.",
    "plan_look": "Посмотреть страницу",
    "plan_check": "Сделать, что нужно, и проверить",
    "plan_answer": "Дать ответ",
    "captcha": "{site} проверяет, что перед экраном человек. Пройдите, пожалуйста, проверку в браузере и скажите мне.",
    "your_turn": "Сделайте, пожалуйста, следующий шаг в браузере сами и скажите мне.",
    "refused": "Отклонено: {request} — {answer}",
    "not_sent_blocked": "запрос не выпущен из браузера",
    "not_sent_unreachable": "сайт недоступен",
    "not_sent_cors": "с этой страницы не разрешено",
}


def phrase(name: str, like: str, **values: object) -> str:
    """The text `name` in the language of `like`, the user's words."""
    return _language(like)[name].format(**values)


def refusal_lines(like: str, refused: Sequence[JsonObject]) -> str:
    """Added to an answer, whatever the model wrote: it may not hide that a request was refused. "" if none was."""
    lines = []
    for effect in map(Effect.model_validate, refused):
        answer = effect.status or phrase(f"not_sent_{effect.failure}", like)
        request = f"{effect.method} {effect.host}{effect.path}"
        lines.append(phrase("refused", like, request=request, answer=answer))
    return "\n\n".join(lines)


def _language(like: str) -> Mapping[str, str]:
    return _RUSSIAN if is_russian(like) else _ENGLISH


def limit_summary(
    like: str,
    reason: str,
    done: Sequence[str],
    facts: Sequence[str],
    failures: Sequence[str],
    following: str | None,
) -> str:
    """Summarise what was done, found and failed, and the next step, and ask whether to continue."""
    words = _language(like)
    parts = [words["limit"].format(reason=reason)]
    for title, items in (("done_so_far", done), ("worked", facts), ("failed", failures)):
        if items:
            parts.append(f"**{words[title]}**\n" + "\n".join(f"- {item}" for item in items))
    if following:
        parts.append(f"**{words['next']}**: {following}")
    return "\n\n".join([*parts, words["go_on"]])
