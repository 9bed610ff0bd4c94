"""What the words on controls mean, in some two dozen languages.

Each `<language>.toml` maps a concept (`act.pay`, `calm.look`, `scene.charge` ...) to patterns, separated
by commas. A pattern is one or more words in a row: `delete` is that word, `delet*` any word that begins
so, `step ~ of` allows up to four words between, `=ok` is the whole text, `^no` its beginning. Chinese,
Japanese, Korean and Thai patterns are found inside words and across spaces. README.md tells the concepts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from server.agent.policy.text import WORD, fold, is_dense

_GAP = "~"
_LONGEST_GAP = 4
_PIECE = re.compile(rf"{WORD.pattern}\*?|{_GAP}")


@dataclass(frozen=True, slots=True)
class Hit:
    """A concept found in a folded text, at these characters."""

    start: int
    end: int
    concept: str
    last: bool
    """Whether the pattern's language puts the verb last, as in `Konto löschen`."""

    @property
    def group(self) -> str:
        return self.concept.partition(".")[0]

    @property
    def kind(self) -> str:
        return self.concept.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What to find and what it means."""

    words: tuple[str, ...]
    concept: str
    last: bool
    at_start: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int


class Lexicon:
    """Patterns, indexed by how they begin."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[Pattern]] = {}
        self._by_stem: dict[str, list[Pattern]] = {}
        self._dense: dict[str, list[Pattern]] = {}

    def add(self, pattern: Pattern) -> None:
        """Take one more pattern into the index."""
        first = pattern.words[0]
        if is_dense(first):
            self._dense.setdefault(first[0], []).append(pattern)
        elif first.endswith("*"):
            self._by_stem.setdefault(first[:-1], []).append(pattern)
        else:
            self._by_word.setdefault(first, []).append(pattern)

    def find(self, text: str) -> list[Hit]:
        """The concepts in a folded text, left to right; where patterns overlap, the longest counts."""
        words = [_Word(match.group(), match.start(), match.end()) for match in WORD.finditer(text)]
        hits = [*self._find_words(words), *self._find_dense(text)]
        return _longest(hits)

    def _find_words(self, words: list[_Word]) -> Iterator[Hit]:
        for i, word in enumerate(words):
            for pattern in self._begin_with(word.text):
                end = _match(pattern.words, words, i)
                if end is not None and _is_placed(pattern, i, end, len(words)):
                    yield Hit(word.start, words[end - 1].end, pattern.concept, pattern.last)

    def _begin_with(self, word: str) -> Iterator[Pattern]:
        yield from self._by_word.get(word, ())
        for length in range(1, len(word) + 1):
            yield from self._by_stem.get(word[:length], ())

    def _find_dense(self, text: str) -> Iterator[Hit]:
        if not is_dense(text):
            return
        places = [i for i, char in enumerate(text) if not char.isspace()]
        dense = "".join(text[i] for i in places)
        bare = "".join(WORD.findall(dense))
        for i, char in enumerate(dense):
            for pattern in self._dense.get(char, ()):
                wanted = pattern.words[0]
                if pattern.whole and bare != wanted or pattern.at_start and i:
                    continue
                if dense.startswith(wanted, i):
                    yield Hit(places[i], places[i + len(wanted) - 1] + 1, pattern.concept, pattern.last)


@cache
def lexicon() -> Lexicon:
    """All languages in one: a page does not tell reliably which it is written in."""
    words = Lexicon()
    for pattern in read_patterns():
        words.add(pattern)
    return words


def languages() -> tuple[str, ...]:
    """The codes of the languages that are known."""
    return tuple(file.stem for file in _language_files())


def read_patterns(only: str | None = None) -> Iterator[Pattern]:
    """Every pattern of every language, or of the one named."""
    for file in _language_files():
        if only in (None, file.stem):
            yield from _parse(tomllib.loads(file.read_text(encoding="utf-8")))


def _language_files() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*.toml"))


def _parse(language: dict[str, Any]) -> Iterator[Pattern]:
    last = bool(language.pop("verb_last", False))
    for group, kinds in language.items():
        for kind, patterns in kinds.items():
            for written in patterns.split(","):
                yield from _spell(written.strip(), f"{group}.{kind}", last)


def _spell(written: str, concept: str, last: bool) -> Iterator[Pattern]:
    at_start, whole = written.startswith("^"), written.startswith("=")
    folded = fold(written.lstrip("^="))
    if is_dense(folded):
        yield Pattern(("".join(WORD.findall(folded)),), concept, last, at_start, whole)
        return
    words = tuple(_PIECE.findall(folded))
    if words:
        yield Pattern(words, concept, last, at_start, whole)
    if len(words) > 1 and _GAP not in words and len("".join(words)) >= 6 and not at_start:
        yield Pattern(("".join(words).replace("*", "") + "*",), concept, last)


def _match(wanted: tuple[str, ...], words: list[_Word], start: int) -> int | None:
    """Where the pattern ends that begins at this word, or None."""
    i, gap = start, 0
    for piece in wanted:
        if piece == _GAP:
            gap = _LONGEST_GAP
            continue
        while i < len(words) and gap and not _fits(piece, words[i].text):
            i, gap = i + 1, gap - 1
        if i >= len(words) or not _fits(piece, words[i].text):
            return None
        i, gap = i + 1, 0
    return i


def _fits(piece: str, word: str) -> bool:
    return word.startswith(piece[:-1]) if piece.endswith("*") else word == piece


def _is_placed(pattern: Pattern, start: int, end: int, count: int) -> bool:
    if pattern.whole:
        return start == 0 and end == count
    return not (pattern.at_start and start)


def _longest(hits: list[Hit]) -> list[Hit]:
    taken: list[Hit] = []
    for hit in sorted(set(hits), key=lambda h: (h.start - h.end, h.start, h.concept)):
        if all(hit.end <= t.start or t.end <= hit.start or (hit.start, hit.end) == (t.start, t.end) for t in taken):
            taken.append(hit)
    return sorted(taken, key=lambda h: (h.start, h.end))
