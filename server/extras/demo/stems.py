"""Words of a text as stems, by the Snowball stemmers for English and Russian, German words by the English one. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from server.extras.demo.grammar import listed

_ENGLISH_STEMMER, _RUSSIAN_STEMMER = snowballstemmer.stemmer("english"), snowballstemmer.stemmer("russian")
_STEM_WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")
"""A word or a number; `0.31` and `don't` are one each."""


def words_of(text: str) -> list[str]:
    """Words and numbers in lower case and in order, without accents; `ё` is `е`."""
    return _STEM_WORD.findall(_folded(text))


def stems_of(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(text)))


def asked_words(question: str) -> list[str]:
    """The words of a question that say what it is about, without repeats; empty if it has none."""
    return [word for word in dict.fromkeys(words_of(question)) if word not in _STOP_FOLDED]


@lru_cache(4096)
def stem(word: str) -> str:
    """The stem of a word in lower case; a number as it is, with a point for a decimal comma."""
    if word[0].isdigit():
        return word.replace(",", ".")
    word = re.sub(r"['’]s?$", "", word)
    stemmer = _RUSSIAN_STEMMER if "а" <= word[:1] <= "я" else _ENGLISH_STEMMER
    return str(stemmer.stemWord(word))


def _folded(text: str) -> str:
    """Accents are removed, except the one of `й`, which is a letter of its own."""
    composed = unicodedata.normalize("NFKC", text).casefold().replace("й", "\ue002")
    bare = "".join(
        sign for sign in unicodedata.normalize("NFKD", composed) if not unicodedata.combining(sign)
    )
    return bare.replace("\ue002", "й")


_STOP_FOLDED = frozenset(map(_folded, listed("stop")))
