"""Finds a target again on a page, by its words: exactly one fits, or none is taken. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from server.agent.trail import TargetWords, words_of
from server.browser.observation import Element, Observation

Level = Literal["exact", "same", "loose", "ambiguous", "missing"]
"""`exact`: one alone has the name and the words that distinguish it from its twins. `same`: the only one of its name then and
now, with other words around it. `loose`: as `same`, its name differs in case, spaces or a count."""

_COUNT = re.compile(r"\(?\b\d+\b\)?")


@dataclass(frozen=True, slots=True)
class Match:
    level: Level
    found: tuple[Element, ...] = ()
    """One unless `ambiguous`, where there may be none or several, or `missing`."""
    differs: tuple[str, ...] = ()
    """Names of the words that are others now."""

    @property
    def only(self) -> Element | None:
        """The element, if exactly one fits."""
        return self.found[0] if self.level in ("exact", "same", "loose") else None


def resolve(target: TargetWords, page: Observation, *, alone: bool = True) -> Match:
    """The element that the target names on this page; its place there decides nothing.

    `alone`: whether its words fitted no other element of the page that it was taken from. If they did, they name none.
    """
    there = [
        (element, words_of(element, page))
        for element in page.interactive
        if element.role == target.role and element.frame == target.frame
    ]
    named = [(element, words) for element, words in there if words.name == target.name]
    exact = tuple(element for element, words in named if not _differences(target, words))
    if len(exact) == 1 and alone:
        return Match("exact", exact)
    if exact:
        return Match("ambiguous", exact)
    if len(named) == 1 and _is_the_same(target, named[0][1]):
        element, words = named[0]
        return Match("same", (element,), _differences(target, words))
    if named:
        return Match("ambiguous", tuple(element for element, _ in named))
    alike = [(element, words) for element, words in there if _plain(words.name) == _plain(target.name)]
    if len(alike) == 1 and _is_the_same(target, alike[0][1]):
        element, words = alike[0]
        return Match("loose", (element,), ("name", *_differences(target, words)))
    return Match("ambiguous", tuple(element for element, _ in alike)) if alike else Match("missing")


def _differences(target: TargetWords, words: TargetWords) -> tuple[str, ...]:
    pairs = {
        "near": (target.near[:1], words.near[:1]), "form": (target.form, words.form),
        "leads_to": (target.leads_to, words.leads_to),
    }  # fmt: skip
    return tuple(name for name, (was, now) in pairs.items() if was != now)


def _is_the_same(target: TargetWords, words: TargetWords) -> bool:
    """Whether the only one of its name is the only one that was there, by something else that agrees."""
    agrees = (
        bool(set(target.near) & set(words.near))
        or bool(target.form and target.form == words.form)
        or bool(target.leads_to and target.leads_to == words.leads_to)
    )
    return target.of == 1 and words.of == 1 and agrees


def _plain(name: str) -> str:
    return " ".join(_COUNT.sub(" ", name).casefold().split())
