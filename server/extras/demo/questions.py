"""Parse what a user asks about a page: a summary, a list or a number of its parts, or words to find; and greetings.

Pure.
"""

from __future__ import annotations

import re
from typing import Literal, cast

from server.extras.demo.grammar import GRAMMAR, alternatives, listed, pattern, regex
from server.extras.demo.stems import asked_words, words_of

Part = Literal["links", "buttons", "fields", "headings", "rows", "items", "title"]
"""Parts of a page that can be listed and counted."""

Courtesy = Literal["hello", "thanks", "praise", "bye"]
_LONGEST_COURTESY = 80

_PART_PATTERNS = alternatives("page_parts")
_BESIDE = listed("beside")
"""Words next to the name of a part that do not say what to look for."""
_COUNTS = pattern("counts")


def part_asked(question: str) -> Part | None:
    """The part of the page that the question is about, if it asks for nothing more than that."""
    found = {word: part for word in words_of(question) if (part := _part(word))}
    rest = [word for word in asked_words(question) if word not in found and word not in _BESIDE]
    if not found or any(not _COUNTS.fullmatch(word) for word in rest):
        return None
    return next((part for word, part in found.items() if word not in ("list", "lists")), "items")


def _part(word: str) -> Part | None:
    return next((cast(Part, part) for part, known in _PART_PATTERNS if known.fullmatch(word)), None)


def is_count(question: str) -> bool:
    return bool(_COUNTS.search(question))


_COURTESIES: dict[Courtesy, str] = {kind: "".join(words) for kind, words in GRAMMAR["courtesies"].items()}
_POLITE_ONLY = regex(
    f"%addressed%(?:(?:{'|'.join(f'(?P<{kind}>{words})' for kind, words in _COURTESIES.items())})\\b%addressed%)+"
)


def courtesy(text: str) -> Courtesy | None:
    """What a message says that is a greeting, thanks, praise or a good-bye and nothing else; None for all other messages."""
    found = _POLITE_ONLY.fullmatch(text.strip()) if len(text) <= _LONGEST_COURTESY else None
    return next((kind for kind in _COURTESIES if found and found[kind]), None)


_ORDINALS: list[str] = GRAMMAR["tables"]["ordinals"]
_ORDINAL = re.compile(
    r"(?:(?:the|den|die|das|der)\s+|number\s+|n[or]\.?\s*|номер\s+)?(?:"
    + "|".join(f"(?P<n{at}>{forms})" for at, forms in enumerate(_ORDINALS, 1))
    + r"|(?P<last>last|letzte\w*|последн\w+)|(?P<digits>\d{1,3})(?:\.|th|st|nd|rd|-?(?:й|ю|я|е|ую|ая|ое))?)(?!\w)\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)


def ordinal(text: str) -> tuple[int, str]:
    """The number that a text begins with and the text after it; -1 for the last one, 0 without a number.

    A bare number counts only if nothing follows: `3 items` is a name.
    """
    match = _ORDINAL.fullmatch(text.strip().rstrip(".!"))
    if match is None:
        return 0, text
    rest = re.sub(r"^(?:one|вариант)\b\s*", "", match["rest"]).strip()
    if match["last"]:
        return -1, rest
    if match["digits"]:
        is_bare = match["digits"] == text.strip().rstrip(".!")
        has_ending = re.match(
            r"\s*(?:(?:the|den|die|das)\s+)?\d+(?:\s*-?[^\W\d]|\.\s)", text
        ) and not re.match(r"\s*(?:the\s+)?\d+\s", text)
        return (int(match["digits"]), rest) if is_bare or has_ending else (0, text)
    return next(at for at in range(1, len(_ORDINALS) + 1) if match[f"n{at}"]), rest
