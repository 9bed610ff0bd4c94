"""Which of the two languages that rules speak is the person's: Russian, or English for everybody else."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*\"|\S+[./@]\S+")
"""Names on a page and addresses: they say nothing about who writes."""
READ_CHARS = 1000
"""Of a text; what is written in quotes is looked for in quadratic time."""
_WORD = re.compile(r"[^\W\d_]+")
_RUSSIAN = re.compile("[а-яё]+", re.IGNORECASE)


def speaks_russian(text: str) -> bool:
    """Whether the text begins in Russian or is Russian for the most part; other Cyrillic alphabets are not it."""
    words = _WORD.findall(_QUOTED.sub(" ", text[:READ_CHARS]))
    russian = [bool(_RUSSIAN.fullmatch(word)) for word in words]
    foreign = any(
        "\u0400" <= char <= "\u04ff" for word in words if not _RUSSIAN.fullmatch(word) for char in word
    )
    return bool(words) and not foreign and (russian[0] or 2 * sum(russian) > len(russian))
