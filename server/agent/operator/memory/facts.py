"""Working state that outlives a step: plan, progress and facts, without eids and raw page text. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.agent.operator.memory.phrases import phrase
from server.agent.operator.memory.state import NotedFact, PlanProgress
from server.browser.observation import Observation
from server.text import cut

FACT_CHARS = 300
MAX_FACTS = 100
MAX_NEW = 20
"""Maximum number of facts added by one step, so that a flood of them does not evict older ones."""
LEAST_PLAN_ITEMS = 3
PLAN_ITEMS = 6
ITEM_CHARS = 200

_NUMBER = re.compile(r"^(?:step\s+)?\d{1,2}[.):]\s+", re.IGNORECASE)
"""An item's leading number; plans are numbered where they are displayed."""

_EIDS = re.compile(
    r"(?<!\s)\s*(?:\[\s*e\d+(?:\s*[,;]\s*e\d+)*\s*\]|\((?:(?:eid|ref)\W*)?e\d+\)|\beid\s*[=:]?\s*e?\d+\b|\bref\s*=\s*e\d+\b)"
)

_EID_WORDS = re.compile(r"\be\d{1,4}\b(?:\s*(?:,|/|&|\+|and|or|then|и|или)\s*e\d{1,4}\b)*")
_AIMS = re.compile(
    r"(?:click|clic|klick|klik|tap|press|type|typ|fill|enter|select|toggle|hover|focus|scroll|upload|submit|button|btn|link"
    r"|field|box|element|input|checkbox|radio|icon|eid"
    r"|нажм|нажат|нажим|клик|щелк|щёлк|выбер|выбр|введ|ввод|ввест|заполн|кнопк|ссылк|элемент|значок)"
)
"""Word stems next to which `e12` is an element of the page and not a chess move."""
_WORD = re.compile(r"[^\W_]+")
_WORDS_BEFORE, _WORDS_AFTER = 3, 1

VERBATIM_CHARS = 120
"""Maximum characters of page text quoted in a row in a fact, such as a name or a price with its terms."""
VERBATIM_UNSPACED = 40
"""The same for scripts without spaces."""

_ANSWERS = re.compile(
    r"\b(?:answer|repl(?:y|ies)|respond|report|tell|say|summar|inform|present|give|show the user|explain|conclude|deliver"
    r"|provide|final|ответ|отвеч|сообщ|расска[зж]|скаж|сказать|итог|вывод|доложи|отч[её]т|резюм|подытож|відпов|повідом"
    r"|antwort|bericht|zusammenfass|répon|résum|informe[rz]?|respond|respuesta|informar|resum|rispond|rispost|riassum"
    r"|odpowied|podsum|yanıt|cevap|özet|trả lời|jawab)|回答|答复|答覆|告诉|告訴|汇报|总结|報告|报告|答え|伝え|まとめ|답변|대답|보고"
    r"|알려|إجابة|أجب|الرد|उत्तर|जवाब|ตอบ|תשובה|לענות|پاسخ",
    re.IGNORECASE,
)
"""Matches a plan item that gives the answer."""


@dataclass(frozen=True, slots=True)
class PageWords:
    """Page content that must not enter the working state: its eids, and its text verbatim."""

    eids: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    """Words that look like eids but are used by the page or the user ("e4" on a chess page)."""
    text: str = ""
    """Lower case, with single spaces."""


NO_PAGE = PageWords()


def page_words(observation: Observation, reading: str = "", task: str = "") -> PageWords:
    """`reading` is what the last action has read; `task` is in the user's words."""
    elements = observation.interactive
    named = [text for element in elements for text in (element.name, element.value or "")]
    text = _plain(" ".join([*observation.text_blocks, reading]))
    names = frozenset(re.findall(r"\be\d{1,4}\b", f"{text} {_plain(' '.join(named))} {_plain(task)}"))
    return PageWords(frozenset(element.eid for element in elements), names, text)


def merge_facts(
    known: Sequence[NotedFact], new_facts: Sequence[str], url: str, at: str, page: PageWords = NO_PAGE
) -> tuple[NotedFact, ...]:
    """Append the new findings to `known`; a fuller wording of a known fact replaces it."""
    merged = list(known)
    for text in filter(None, (clean_fact(text, page) for text in new_facts[: 2 * MAX_FACTS])):
        if len(merged) >= len(known) + MAX_NEW:
            break
        _merge_one(merged, NotedFact(fact=text, url=url, at=at))
    return tuple(merged[-MAX_FACTS:])


def clean_fact(text: str, page: PageWords = NO_PAGE) -> str:
    """One line without eids and long quotations, too short to hold page text."""
    return cut(_generalised(without_eids(text, 2 * FACT_CHARS, page), page), FACT_CHARS)


def without_eids(text: str, chars: int, page: PageWords = NO_PAGE) -> str:
    """One line of at most `chars` characters, without eids: they mean other elements on the next page.

    Eids in brackets are always removed, others if they are known and next to words such as "click".
    """

    def bare(found: re.Match[str]) -> str:
        eids = set(re.findall(r"e\d+", found[0]))
        before = _WORD.findall(found.string[: found.start()].casefold())[-_WORDS_BEFORE:]
        after = _WORD.findall(found.string[found.end() :].casefold())[:_WORDS_AFTER]
        is_aimed = any(_AIMS.match(word) for word in (*before, *after))
        return "" if eids <= page.eids and not eids & page.names and is_aimed else found[0]

    return cut(" ".join(_EID_WORDS.sub(bare, _EIDS.sub("", text)).split()), chars)


def _generalised(text: str, page: PageWords) -> str:
    """Truncate each long passage of page text to its beginning."""
    size = VERBATIM_CHARS if " " in text[:VERBATIM_CHARS].strip() else VERBATIM_UNSPACED
    plain = text.lower()
    if len(plain) != len(text):  # "İ" is longer in lower case, so the indexes would differ
        plain = text
    starts = range(len(text) - size)
    start = next((at for at in starts if plain[at : at + size + 1] in page.text), None)
    if start is None:
        return text
    ends = range(start + size + 1, len(text) + 1)
    end = next((at - 1 for at in ends if plain[start:at] not in page.text), len(text))
    rest = _generalised(text[end:].strip(), page)
    return f"{text[: start + size].rstrip()}… {rest}".rstrip()


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _merge_one(merged: list[NotedFact], new: NotedFact) -> None:
    key = _key(new.fact)
    for place, old in enumerate(merged):
        known = _key(old.fact)
        if key in known:
            return
        if known in key:
            merged[place] = new
            return
    merged.append(new)


def _key(text: str) -> str:
    """Normalised text: facts that differ only in case, spaces and closing punctuation are the same."""
    return f" {' '.join(text.casefold().split()).rstrip('.!;')} "


def tidy_plan(items: Sequence[str]) -> list[str]:
    """Items of one line, at most 300 characters, without empty ones; their number is not limited."""
    return [" ".join(item.split())[:300] for item in items if item.strip()]


def clean_plan(items: Sequence[str], page: PageWords = NO_PAGE) -> list[str]:
    """The model's plan: at most six items; the last one, the answer, is never cut off."""
    plan = [without_eids(_NUMBER.sub("", item), ITEM_CHARS, page) for item in tidy_plan(items)]
    plan = [item for item in plan if item]
    return plan if len(plan) <= PLAN_ITEMS else [*plan[: PLAN_ITEMS - 1], plan[-1]]


def whole_plan(plan: Sequence[str], task: str, *, least: int = LEAST_PLAN_ITEMS) -> list[str]:
    """The plan with `least` to 6 items, the answer last; missing items are added in the task's language."""
    whole = list(plan)
    if not whole or not _ANSWERS.search(whole[-1]):
        whole = [*whole[: PLAN_ITEMS - 1], phrase("plan_answer", task)]
    for name in ("plan_check", "plan_look"):
        if len(whole) < least:
            whole.insert(len(whole) - 1 if name == "plan_check" else 0, phrase(name, task))
    return whole


def next_progress(
    progress: PlanProgress | None,
    plan: Sequence[str],
    *,
    step: int | None,
    done: str | None,
    blocked: str | None,
    page: PageWords = NO_PAGE,
) -> PlanProgress:
    """Progress after a move. `step` counts the plan's items from 1, `current` from 0."""
    known = progress or PlanProgress()
    current = known.current if step is None else step - 1
    return PlanProgress(
        current=max(0, min(current, len(plan) - 1)),
        done=_append(known.done, done, page),
        blocked=_append(known.blocked, blocked, page),
    )


def progress_from_start(progress: PlanProgress | None, plan: Sequence[str]) -> PlanProgress:
    """Progress at the start of `plan`. What else was done earlier stays known."""
    known = progress or PlanProgress()
    done, blocked = (
        tuple(item for item in items if item not in plan) for items in (known.done, known.blocked)
    )
    return PlanProgress(done=done, blocked=blocked)


def _append(items: tuple[str, ...], new: str | None, page: PageWords) -> tuple[str, ...]:
    text = without_eids(new or "", ITEM_CHARS, page)
    return (*items, text)[-20:] if text and text not in items else items
