"""Find lexicon patterns in a folded text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from server.agent.policy.lexicon.patterns import GAP, Hit, Pattern
from server.agent.policy.lexicon.table import Kind, PatternTable
from server.agent.policy.text import WORD, fold, has_tones, is_dense, plain

_LONGEST_GAP = 4
_SKIP = "skip.words"
_FAMILIES = {"act": "name", "deed": "name", "weak": "name", "lean": "name", "soft": "name", "calm": "name"}
_CALMING = {"calm", "ease", "soft"}
_COMMITTING = {"act", "deed", "weak", "claim"}
_SHORTEST_FOREIGN = 4
_DENSE_LANGUAGES = {"ja", "ko", "th", "zh"}
_PREFIXED = re.compile("[והבלמשכ][\u05d0-\u05ea]{2,}")
"""A Hebrew word that may have a prefix: `and`, `the`, `in`, `to`, `from`, `that` or `as`."""


@dataclass(frozen=True, slots=True)
class _Word:
    forms: tuple[str, ...]
    start: int
    end: int


class Lexicon:
    """Patterns, indexed by their first word."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._skipped: dict[str, set[str]] = {}
        self._languages: set[str] = set()
        self._table = PatternTable(self._without_skipped(patterns))
        # Copies: the first ones lie between objects that are freed now, whose memory they would keep from the system.
        self._skipped = {word.encode().decode(): {*found} for word, found in self._skipped.items()}

    def _without_skipped(self, patterns: Iterable[Pattern]) -> Iterator[Pattern]:
        for pattern in patterns:
            self._languages.add(pattern.language)
            if pattern.concept == _SKIP:
                self._skipped.setdefault(pattern.words[0], set()).add(pattern.language)
            else:
                yield pattern

    def languages_of(self, word: str) -> list[str]:
        """The languages whose patterns contain this word, except as one to skip."""
        return self._table.languages_of(word)

    def significant(self, text: str) -> str:
        """The words of a text, normalised and without the words to skip."""
        return " ".join(word for word in WORD.findall(plain(fold(text))) if word not in self._skipped)

    def find(self, text: str, language: str = "") -> list[Hit]:
        """Find the concepts in a folded text, left to right.

        Of overlapping patterns of a family the longest wins. With a known `language`, a word matched in that
        language, or else in English, has no meanings of other languages. All other words keep their meanings
        of every language, except short words and, for concepts that do not commit, words matched by prefix or
        suffix only.
        """
        return list(self._find(text, language))

    @lru_cache(maxsize=2048)  # noqa: B019 - the one lexicon lives as long as the process
    def _find(self, text: str, language: str) -> tuple[Hit, ...]:
        words = [_Word(_forms(match.group()), match.start(), match.end()) for match in WORD.finditer(text)]
        hits = {*self._find_words(words), *self._find_dense(text)}
        families: dict[str, list[Hit]] = {}
        is_known = language in self._languages
        found_here = self._at_home(hits, words, language) if is_known else _without_chance(hits)
        for hit in found_here:
            families.setdefault(_FAMILIES.get(hit.group, hit.group), []).append(hit)
        found = {hit.place: hit for family in families.values() for hit in _longest(family)}
        return tuple(found[place] for place in sorted(found))

    def _find_words(self, words: list[_Word]) -> Iterator[Hit]:
        counted = [i for i, word in enumerate(words) if not self._is_skipped(word)] or [0, len(words) - 1]
        bounds = counted[0], counted[-1] + 1
        for i, word in enumerate(words):
            for pattern in chain.from_iterable(map(self._begin_with, word.forms)):
                end = self._match(pattern.words, words, i)
                if end is not None and _is_placed(pattern, i, end, bounds):
                    yield _hit(pattern, word.start, words[end - 1].end)

    @lru_cache(maxsize=1024)  # noqa: B019 - as above; pages repeat their words
    def _begin_with(self, form: str) -> tuple[Pattern, ...]:
        """The patterns whose first word is this one, or its beginning or end."""
        found = [*self._table.starting(form, Kind.WORD)]
        for length in range(1, len(form) + 1):
            found += self._table.starting(form[:length], Kind.STEM)
        for length in range(1, min(len(form), self._table.longest_tail) + 1):
            found += self._table.starting(form[-length:], Kind.TAIL)
        return tuple(found)

    def _match(self, wanted: tuple[str, ...], words: list[_Word], start: int) -> int | None:
        """The index after a match of the pattern that starts at this word, or None."""
        i, gap = start + 1, 0  # the first word has led to the pattern
        for piece in wanted[1:]:
            if piece == GAP:
                gap = _LONGEST_GAP
                continue
            while i < len(words) and not _fits(piece, words[i]) and (gap or self._is_skipped(words[i])):
                i, gap = i + 1, gap if self._is_skipped(words[i]) else gap - 1
            if i >= len(words) or not _fits(piece, words[i]):
                return None
            i, gap = i + 1, 0
        return i

    def _at_home(self, hits: Iterable[Hit], words: list[_Word], language: str) -> Iterator[Hit]:
        """Drop hits on words that a nearer language matches: the page's own first, then English."""
        small = (
            word for word in words if any(language in self._skipped.get(form, ()) for form in word.forms)
        )
        taken = [(word.start, word.end) for word in small]
        rest = list(hits)
        for near in dict.fromkeys((language, "en")):
            own = [hit for hit in rest if hit.language == near and (near == language or _is_free(hit, taken))]
            rest = [hit for hit in rest if hit.language != near]
            taken += [(hit.start, hit.end) for hit in own]
            yield from own
        yield from (hit for hit in rest if _is_free(hit, taken) and _counts_in_foreign_text(hit))

    def _is_skipped(self, word: _Word) -> bool:
        return any(form in self._skipped for form in word.forms)

    def _find_dense(self, text: str) -> Iterator[Hit]:
        if not is_dense(text):
            return
        places = [i for i, char in enumerate(text) if not char.isspace()]
        dense = "".join(text[i] for i in places)
        bare = "".join(WORD.findall(dense))
        first = next((i for i, char in enumerate(dense) if char.isalnum()), 0)
        for i, char in enumerate(dense):
            for pattern in self._table.starting(char, Kind.DENSE):
                wanted = pattern.words[0]
                if (pattern.whole and bare != wanted) or (pattern.at_start and i > first):
                    continue
                if dense.startswith(wanted, i):
                    yield _hit(pattern, places[i], places[i + len(wanted) - 1] + 1)


def _hit(pattern: Pattern, start: int, end: int) -> Hit:
    return Hit(start, end, pattern.concept, pattern.last, pattern.weight, pattern.language, pattern.exact)


def _forms(word: str) -> tuple[str, ...]:
    """The readings of a word: as it is, without accents, without a Hebrew prefix."""
    if _PREFIXED.fullmatch(word):
        return word, word[1:]
    return (word,) if word.isascii() or has_tones(word) else tuple({word, plain(word)})


def _fits(piece: str, word: _Word) -> bool:
    if piece.startswith("*"):
        return any(form.endswith(piece[1:]) for form in word.forms)
    if piece.endswith("*"):
        return any(form.startswith(piece[:-1]) for form in word.forms)
    return piece in word.forms


def _is_placed(pattern: Pattern, start: int, end: int, bounds: tuple[int, int]) -> bool:
    """Whether a match is at a permitted position. `bounds` are the range of words that are not skipped."""
    begins = start <= bounds[0]
    if pattern.whole:
        return begins and end >= bounds[1]
    return begins or not pattern.at_start


def _without_chance(hits: set[Hit]) -> list[Hit]:
    """Drop calming hits by prefix or suffix on words that another language matches exactly as not calming."""
    known = [hit for hit in hits if hit.exact and hit.group not in _CALMING]
    return [
        hit
        for hit in hits
        if hit.exact
        or hit.group not in _CALMING
        or not any(k.language != hit.language and k.start < hit.end and hit.start < k.end for k in known)
    ]


def _counts_in_foreign_text(hit: Hit) -> bool:
    """Whether a hit also counts on a page of another language: not for short words, nor most partial matches.

    Short exact hits in Chinese, Japanese, Korean and Thai do count: Chinese and Japanese share characters.
    """
    length = hit.end - hit.start
    commits = hit.group in _COMMITTING and length >= _SHORTEST_FOREIGN
    return commits or (hit.exact and (length > _SHORTEST_FOREIGN or hit.language in _DENSE_LANGUAGES))


def _is_free(hit: Hit, taken: list[tuple[int, int]]) -> bool:
    return all(hit.end <= start or end <= hit.start for start, end in taken)


def _longest(hits: list[Hit]) -> list[Hit]:
    """Resolve overlaps: the longest hit wins, then the one with the greatest weight, then the leftmost."""
    taken: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (h.start - h.end, -h.weight, h.place)):
        overlapping = [t for t in taken if hit.start < t.end and t.start < hit.end]
        if all((t.start, t.end, t.weight) == (hit.start, hit.end, hit.weight) for t in overlapping):
            taken.append(hit)
    return taken
