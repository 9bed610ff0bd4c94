"""The meanings of words on controls, in some two dozen languages.

Each `<language>.toml` maps a concept (`act.pay`, `calm.look`, `scene.charge` ...) to comma-separated
patterns. A pattern is one or more consecutive words: `delete` matches that word, `delet*` a prefix,
`*verlauf` a suffix; `step ~ of` allows up to four words in between, `=ok` matches the whole text, `^no` its
beginning. Chinese, Japanese, Korean and Thai patterns match inside words and across spaces. README.md
describes the concepts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from server.agent.policy.lexicon.finder import Lexicon
from server.agent.policy.lexicon.patterns import Hit, Pattern, parse

__all__ = ["Hit", "Lexicon", "Pattern", "icon_meaning", "languages", "lexicon", "read_patterns", "vocabulary"]

_FOLDER = Path(__file__).parent


@cache
def lexicon() -> Lexicon:
    """All languages in one lexicon, since a page does not reliably declare its language."""
    return Lexicon(read_patterns())


def languages() -> tuple[str, ...]:
    """The codes of the languages in the lexicon."""
    return tuple(file.stem for file in _language_files())


def read_patterns(only: str | None = None) -> Iterator[Pattern]:
    """Yield the patterns of all languages, or only of the language `only`."""
    for file in _language_files():
        if only in (None, file.stem):
            yield from parse(file.stem, tomllib.loads(file.read_text(encoding="utf-8")))


@cache
def vocabulary() -> dict[str, frozenset[str]]:
    """The languages that contain each word."""
    known: dict[str, frozenset[str]] = {}
    for pattern in lexicon().patterns():
        for word in pattern.words:
            if not word.startswith("*"):
                word = word.removesuffix("*")
                known[word] = _and(known.get(word, frozenset()), pattern.language)
    return known


@cache
def _and(languages: frozenset[str], another: str) -> frozenset[str]:
    """A cached union, so that words of the same languages share one set. Most words are in one language."""
    return languages | {another}


def icon_meaning(text: str) -> str:
    """The concept of the first icon character that has one, "" if none has."""
    return next((_icons()[char] for char in text if char in _icons()), "")


@cache
def _icons() -> dict[str, str]:
    groups = tomllib.loads((_FOLDER.parent / "icons.toml").read_text(encoding="utf-8"))
    return {
        char: f"{group}.{kind}"
        for group, kinds in groups.items()
        for kind, chars in kinds.items()
        for char in chars
    }  # fmt: skip


def _language_files() -> list[Path]:
    return sorted(_FOLDER.glob("*.toml"))
