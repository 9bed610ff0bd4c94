"""The patterns of all languages in a few arrays: a twentieth of what they take as objects."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from enum import IntEnum

from server.agent.policy.lexicon.patterns import Pattern

_SPARSE = 2
"""Slots of the hash table for each word: few words share one."""
_LAST = "last"
_AT_START_BIT, _WHOLE, _KIND_BITS = 4, 8, 3


class Kind(IntEnum):
    """How the first word of a pattern is found: as it is, as the beginning or the end of a word, inside a text."""

    WORD = 0
    STEM = 1
    TAIL = 2
    DENSE = 3

    @classmethod
    def of(cls, pattern: Pattern) -> Kind:
        if pattern.is_dense:
            return cls.DENSE
        first = pattern.words[0]
        return cls.TAIL if first.startswith("*") else cls.STEM if first.endswith("*") else cls.WORD


class Texts:
    """Texts by number, in one block of bytes."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._ends, block = array("I", [0]), bytearray()
        for text in texts:
            block += text.encode()
            self._ends.append(len(block))
        self._block = bytes(block)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def encoded(self, number: int) -> bytes:
        return self._block[self._ends[number] : self._ends[number + 1]]

    def __getitem__(self, number: int) -> str:
        return self.encoded(number).decode()


class Numbers:
    """The numbers of texts: a hash table with open addressing."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._mask = (1 << (_SPARSE * len(texts)).bit_length()) - 1
        self._slots = array("I", bytes(4 * (self._mask + 1)))
        """Slot -> number of its text, counted from 1; 0 if it is empty."""
        for number in range(len(texts)):
            at = hash(texts[number]) & self._mask
            while self._slots[at]:
                at = (at + 1) & self._mask
            self._slots[at] = number + 1

    def find(self, text: str) -> int | None:
        at = hash(text) & self._mask
        while number := self._slots[at]:
            if self._texts.encoded(number - 1) == text.encode("utf-8", "surrogatepass"):
                return number - 1
            at = (at + 1) & self._mask
        return None


class PatternTable:
    """Patterns by their first word, and the languages of all words in them."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        words: dict[str, int] = {}
        rests: dict[str, int] = {}
        meanings: dict[str, int] = {}
        languages: dict[str, int] = {}
        spoken, kinds, firsts = array("I"), array("B"), array("I")
        rows = array("H"), array("B"), array("I")
        self.longest_tail = 0

        def number_of(word: str) -> int:
            if word not in words:
                words[word] = len(words)
                spoken.append(0)
                kinds.append(0)
            return words[word]

        for pattern in patterns:
            kind, (first, *others) = Kind.of(pattern), pattern.words
            language = languages.setdefault(pattern.language, len(languages))
            for word in pattern.words:
                if not word.startswith("*"):
                    spoken[number_of(word.removesuffix("*"))] |= 1 << language
            is_dense = kind is Kind.DENSE
            firsts.append(number_of(first[0] if is_dense else first.strip("*")))
            kinds[firsts[-1]] |= 1 << kind
            if kind is Kind.TAIL:
                self.longest_tail = max(self.longest_tail, len(first) - 1)
            rest, meaning = first if is_dense else " ".join(others), _meaning_of(pattern)
            rows[0].append(meanings.setdefault(meaning, len(meanings)))
            rows[1].append(kind + _AT_START_BIT * pattern.at_start + _WHOLE * pattern.whole)
            rows[2].append(rests.setdefault(rest, len(rests)))
        self._languages, self._meanings = tuple(languages), Texts(meanings)
        self._spoken, self._kinds = spoken, kinds
        self._words, self._rests = Texts(words), Texts(rests)
        self._numbers = Numbers(self._words)
        self._starts, order = _sorted_by(firsts, len(words))
        self._meaning, self._form, self._rest = (
            array(row.typecode, map(row.__getitem__, order)) for row in rows
        )

    def starting(self, first: str, kind: Kind) -> list[Pattern]:
        """The patterns of this kind whose first word, without a star, is `first`; of dense ones its first character."""
        number = self._numbers.find(first)
        if number is None or not self._kinds[number] >> kind & 1:
            return []
        places = range(self._starts[number], self._starts[number + 1])
        return [self._pattern(first, at) for at in places if self._form[at] & _KIND_BITS == kind]

    def languages_of(self, word: str) -> list[str]:
        """The languages whose patterns contain this word."""
        number = self._numbers.find(word)
        spoken, found = 0 if number is None else self._spoken[number], list[str]()
        while spoken:
            found.append(self._languages[spoken.bit_length() - 1])
            spoken ^= 1 << spoken.bit_length() - 1
        return found

    def _pattern(self, first: str, at: int) -> Pattern:
        form, rest = self._form[at], self._rests[self._rest[at]]
        match form & _KIND_BITS:
            case Kind.DENSE:
                words: tuple[str, ...] = (rest,)
            case Kind.STEM:
                words = (f"{first}*", *rest.split())
            case Kind.TAIL:
                words = (f"*{first}", *rest.split())
            case _:
                words = (first, *rest.split())
        concept, language, last = self._meanings[self._meaning[at]].split(" ")
        return Pattern(
            words, concept, last == _LAST, bool(form & _AT_START_BIT), bool(form & _WHOLE), language
        )


def _meaning_of(pattern: Pattern) -> str:
    return f"{pattern.concept} {pattern.language} {_LAST if pattern.last else ''}"


def _sorted_by(keys: array[int], count: int) -> tuple[array[int], array[int]]:
    """The places of `keys` in the order of their values, below `count`, and where each value starts in it."""
    starts = array("I", bytes(4 * (count + 1)))
    for key in keys:
        starts[key + 1] += 1
    for key in range(count):
        starts[key + 1] += starts[key]
    order, free = array("I", bytes(4 * len(keys))), starts[:]
    for place, key in enumerate(keys):
        order[free[key]] = place
        free[key] += 1
    return starts, order
