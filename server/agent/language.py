"""Choose the language of fixed texts: Russian if the user writes Russian, else English."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*\"|\S+[./@]\S+")
"""Quotations and addresses: they do not show the writer's language."""
READ_CHARS = 1000
"""Maximum characters to read: matching quotations takes quadratic time."""
_WORD = re.compile(r"[^\W\d_]+")
_RUSSIAN = re.compile("[а-яё]+", re.IGNORECASE)


def is_russian(text: str) -> bool:
    """Whether the text begins in Russian or is mostly Russian, without words in other Cyrillic alphabets."""
    words = _WORD.findall(_QUOTED.sub(" ", text[:READ_CHARS]))
    russian = [bool(_RUSSIAN.fullmatch(word)) for word in words]
    foreign = any(
        "\u0400" <= char <= "\u04ff" for word in words if not _RUSSIAN.fullmatch(word) for char in word
    )
    return bool(words) and not foreign and (russian[0] or 2 * sum(russian) > len(russian))
