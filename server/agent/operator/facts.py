"""Pure: the working state that outlives a step. Facts are merged, never repeated and never tied to a page's eids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

FACT_CHARS = 300
MOST_FACTS = 100
MOST_NEWS = 20
"""Facts added by one step: a flood of them must not wash the older ones away."""
PLAN_ITEMS = 6
ITEM_CHARS = 200

_NUMBER = re.compile(r"^(?:step\s+)?\d{1,2}[.):]\s+", re.IGNORECASE)
"""Plans are numbered where they are shown."""

_EIDS = re.compile(
    r"\s*(?:\[\s*e\d+(?:\s*[,;]\s*e\d+)*\s*\]|\((?:(?:eid|ref)\W*)?e\d+\)|\beid\s*[=:]?\s*e?\d+\b|\bref\s*=\s*e\d+\b)"
)

Fact = dict[str, Any]
"""`{fact, url, at}`: a finding in one sentence, the page it came from and the time, ISO 8601 in UTC."""


def merge_facts(known: Sequence[Fact], news: Sequence[str], url: str, at: str) -> list[Fact]:
    """`known` with the new findings appended; a fuller wording of a known fact takes its place."""
    merged = [dict(fact) for fact in known]
    for text in filter(None, map(clean_fact, news[: 2 * MOST_FACTS])):
        if len(merged) < len(known) + MOST_NEWS:
            _merge_one(merged, {"fact": text, "url": url, "at": at})
    return merged[-MOST_FACTS:]


def clean_fact(text: str) -> str:
    """One line, without eids, cut to a length that holds a finding but no page text."""
    return without_eids(text, FACT_CHARS)


def without_eids(text: str, chars: int) -> str:
    """One line of at most `chars` characters; the numbers of a page mean other things on the next one."""
    return cut(" ".join(_EIDS.sub("", text).split()), chars)


def cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"


def _merge_one(merged: list[Fact], new: Fact) -> None:
    key = _key(new["fact"])
    for place, old in enumerate(merged):
        known = _key(old["fact"])
        if key in known:
            return
        if known in key:
            merged[place] = new
            return
    merged.append(new)


def _key(text: str) -> str:
    """Two facts are the same when they differ in case, spaces and a full stop only."""
    return f" {' '.join(text.casefold().split()).rstrip('.!;')} "


def tidy_plan(items: Sequence[str]) -> list[str]:
    """Items of one line, without the empty ones: all of them, as the person wants them."""
    return [" ".join(item.split())[:300] for item in items if item.strip()]


def clean_plan(items: Sequence[str]) -> list[str]:
    """The model's plan: at most six items; the last one, the answer, is never cut off."""
    plan = [without_eids(_NUMBER.sub("", item), ITEM_CHARS) for item in tidy_plan(items)]
    return plan if len(plan) <= PLAN_ITEMS else [*plan[: PLAN_ITEMS - 1], plan[-1]]


def next_progress(
    progress: dict[str, Any], plan: Sequence[str], *, step: int | None, done: str | None, blocked: str | None
) -> dict[str, Any]:
    """Progress after a move. `step` counts the plan's items from 1, `current` from 0."""
    current = progress.get("current", 0) if step is None else step - 1
    return {
        "current": max(0, min(current, len(plan) - 1)),
        "done": _append(progress.get("done", []), done),
        "blocked": _append(progress.get("blocked", []), blocked),
    }


def _append(items: Sequence[str], new: str | None) -> list[str]:
    text = without_eids(new or "", ITEM_CHARS)
    return [*items, text][-20:] if text and text not in items else list(items)
