"""Whether a text that was shown contains a value: numbers by their digits, text by its words. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal

from server.results.columns import Value

_TABLE_WORDS = re.compile(r"[^\W_]+")
_UNSPACED_LETTERS = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts without spaces between words: each counts as a word."""
_NUMBER_IN_TEXT = re.compile(r"\d+(?:[.,' ]\d+)*")
_DIGIT_GROUP = re.compile(r"\d{3}")
MAX_GROUPS = 4
"""Groups of digits that are read together where spaces separate thousands."""


class Evidence:
    """Texts that a model was shown, prepared for many values."""

    def __init__(self, texts: Iterable[str]) -> None:
        lines = [_plain(line) for text in texts for line in text.split("\n")]
        split = [words for line in lines if (words := _words(line))]
        self._lines = [frozenset(words) for words in split]
        self._whole = f" {' '.join(word for words in split for word in words)} "
        self._numbers = frozenset(number for line in lines for number in _numbers(line))

    def supports(self, value: Value) -> bool:
        """Whether the text contains the value: its words in a row, or all within one line.

        A truth value is the model's judgement: there is nothing to find. So is the absence of a value.
        """
        if value is None or isinstance(value, bool):
            return True
        if isinstance(value, int | float):
            whole, _, fraction = format(Decimal(repr(abs(value))), "f").partition(".")
            return _number(whole, fraction) in self._numbers
        words = _words(_plain(value))
        if not words:  # signs only, such as "★★★": there is no word to look for
            return False
        return f" {' '.join(words)} " in self._whole or any(line.issuperset(words) for line in self._lines)


def _plain(text: str) -> str:
    """Lower case, common forms of letters, and digits of any script as 0 to 9."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    if folded.isascii():
        return folded
    return "".join(str(unicodedata.decimal(char, char)) if char.isdecimal() else char for char in folded)


def _words(plain: str) -> list[str]:
    return _TABLE_WORDS.findall(_UNSPACED_LETTERS.sub(lambda found: f" {found[0]} ", plain))


def _numbers(plain: str) -> Iterator[str]:
    """All numbers that the line can mean: "1 299,00" is 1299, and 1 and 299."""
    for found in _NUMBER_IN_TEXT.finditer(plain):
        parts = found[0].split(" ")
        spans = (
            (first, last)
            for first in range(len(parts))
            for last in range(first, min(first + MAX_GROUPS, len(parts)))
        )
        for first, last in spans:
            between = parts[first + 1 : last]
            is_one = last == first or (
                len(parts[first]) <= 3
                and parts[first].isdecimal()
                and all(map(_DIGIT_GROUP.fullmatch, between))
                and re.fullmatch(r"\d{3}(?:[.,]\d+)?", parts[last])
            )
            if is_one:
                yield from _readings("".join(parts[first : last + 1]))


def _readings(text: str) -> Iterator[str]:
    """A number without spaces: the last sign may separate decimals, and all of them thousands."""
    pieces, signs = re.split(r"[.,']", text), re.findall(r"[.,']", text)
    are_groups = len(pieces[0]) <= 3 and all(map(_DIGIT_GROUP.fullmatch, pieces[1:]))
    if are_groups and len(set(signs)) <= 1:
        yield _number("".join(pieces))
    if not signs:
        yield _number(text)
        return
    has_decimals = signs[-1] != "'" and signs[-1] not in signs[:-1] and len(set(signs[:-1])) <= 1
    if has_decimals and all(map(_DIGIT_GROUP.fullmatch, pieces[1:-1])):
        yield _number("".join(pieces[:-1]), pieces[-1])
        return
    if not are_groups:  # a date, a version
        yield from map(_number, pieces)


def _number(whole: str, fraction: str = "") -> str:
    """Without zeros that mean nothing."""
    rest = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")
