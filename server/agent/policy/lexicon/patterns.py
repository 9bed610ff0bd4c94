"""The pattern syntax of the language files, and the hits that patterns produce."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from server.agent.policy.text import WORD, fold, has_tones, is_dense, plain

GAP = "~"
_PATTERN_PIECE = re.compile(rf"\*?{WORD.pattern}\*?|{GAP}")
_HEAD_WEIGHT = 50
_SHORTEST_JOINED = 6
_SHORTEST_UNACCENTED = 5
_SHORTEST_INFLECTED = 6
_ENDING = re.compile("[aeiouyáéíóúůýěãõàèìòùâêîôûăıüöаеиоуыяюієїьйαεηιουωάέήίόύώ]$")
_NOUN_GROUPS = {"scene", "ease", "claim", "deed"}
_NOUN_CONCEPTS = {"calm.thing", "calm.topic", "calm.light", "calm.minor"}


class Pattern(NamedTuple):
    """Words to find and the concept they mean. A tuple: 160,000 are made at each start."""

    words: tuple[str, ...]
    concept: str
    last: bool
    """The language puts the verb last, as in `Konto löschen`."""
    at_start: bool = False
    whole: bool = False
    language: str = ""

    @property
    def is_dense(self) -> bool:
        return is_dense(self.words[0])

    @property
    def exact(self) -> bool:
        return "*" not in "".join(self.words)

    @property
    def weight(self) -> int:
        """How specific the pattern is: of two patterns on the same words the one with more weight counts.

        A suffix weighs more than a prefix, since the end of a compound determines its meaning.
        """
        text = "".join(self.words)
        spelled = 2 * len(text.replace("*", "").replace(GAP, "")) - ("*" in text)
        return spelled + _HEAD_WEIGHT * self.words[-1].startswith("*")


@dataclass(frozen=True, slots=True)
class Hit:
    """A concept found in a folded text, with its character range."""

    start: int
    end: int
    concept: str
    last: bool
    weight: int = 0
    language: str = ""
    exact: bool = True
    """Matched by whole words, not by a prefix or suffix."""

    @property
    def place(self) -> tuple[int, int, str, bool]:
        """Position and concept, independent of the language."""
        return self.start, self.end, self.concept, self.last

    @property
    def group(self) -> str:
        return self.concept.partition(".")[0]

    @property
    def kind(self) -> str:
        return self.concept.partition(".")[2]


def parse(code: str, language: Mapping[str, object]) -> Iterator[Pattern]:
    """Yield the patterns of one language file."""
    last, inflects = bool(language.get("verb_last")), bool(language.get("inflects"))
    for group, concept, patterns in _concepts(language):
        inflected = inflects and (group in _NOUN_GROUPS or concept in _NOUN_CONCEPTS)
        for folded in fold(patterns).split(","):
            for words, at_start, whole in _spell(folded.strip(), inflected):
                yield Pattern(words, concept, last, at_start, whole, code)


def _concepts(language: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Yield each concept of one language file with its group and its patterns."""
    for group, kinds in language.items():
        if isinstance(kinds, Mapping):
            yield from ((group, f"{group}.{kind}", patterns) for kind, patterns in kinds.items())


def _spell(folded: str, inflected: bool) -> Iterator[tuple[tuple[str, ...], bool, bool]]:
    """Yield the words of each spelling of a pattern, with its `at_start` and `whole` flags."""
    at_start, whole = folded.startswith("^"), folded.startswith("=")
    folded = folded.lstrip("^=")
    if is_dense(folded):
        yield ("".join(WORD.findall(folded)),), at_start, whole
        return
    for text in _spellings(folded):
        words = tuple(_PATTERN_PIECE.findall(text))
        if words:
            yield words, at_start, whole
        if words and inflected and len(words[-1]) >= _SHORTEST_INFLECTED and words[-1].isalpha():
            yield (*words[:-1], _ENDING.sub("", words[-1]) + "*"), at_start, False
        joined = "".join(words).replace("*", "")
        if len(words) > 1 and GAP not in words and len(joined) >= _SHORTEST_JOINED and not at_start:
            yield (joined + "*",), False, False


def _spellings(folded: str) -> set[str]:
    """As written, and without accents unless the result is a short word that is ambiguous (`lås`)."""
    bare = plain(folded)
    letters = sum(map(str.isalpha, bare))
    is_vague = " " not in folded if has_tones(folded) else letters < _SHORTEST_UNACCENTED
    return {folded} if is_vague else {folded, bare}
