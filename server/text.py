"""Text cut to a length, text without invisible characters, and messages without the line that names their files."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, quote_plus


def cut(text: str, chars: int) -> str:
    """At most `chars` characters, as `cut_whole` cuts them; a text that was cut ends with an ellipsis."""
    return text if len(text) <= chars else cut_whole(text, chars - 1) + "…"


def cut_whole(text: str, length: int) -> str:
    """At most `length` characters, cut between two of what a person sees as characters."""
    if len(text) <= length:
        return text
    end = length
    while end > 0 and _is_inside(text, end):
        end -= 1
    return text[:end].rstrip() or text[:length]


def _is_inside(text: str, at: int) -> bool:
    """Whether a cut before this place would split a letter from its marks, a family of emoji or a flag."""
    before, after = text[at - 1], text[at]
    if unicodedata.combining(after) or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if after in _JOINERS or before == "\u200d" or "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    flags = 0
    while flags < at and "\U0001f1e6" <= text[at - 1 - flags] <= "\U0001f1ff":
        flags += 1
    return flags % 2 == 1 and "\U0001f1e6" <= after <= "\U0001f1ff"


_JOINERS = ("\u200d", "\ufe0f", "\u20e3")


_JOINED = "\u0590-\u1fff\u2190-\u27bf\u2b00-\u2bff\ua840-\uabff\ufb50-\ufdff\ufe0f\ufe70-\ufefc\U0001f000-\U0001faff"
"""Letters and emoji between which one joiner or non-joiner (U+200D, U+200C) changes what is shown."""
_PICTURED = "0-9#*\xa9\xae\u203c-\u3299\U0001f000-\U0001faff"
"""Signs of which one variation selector (U+FE0E, U+FE0F) chooses the look."""
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
    f"|(?<![{_PICTURED}])[\ufe0e\ufe0f]"
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
)


_OVERRIDDEN = re.compile("[\u202d\u202e][^\u202c]*\u202c?")
OVERRIDE = "\ufffd"
"""Stands on both sides of letters whose direction was overridden."""


def visible(text: str) -> str:
    """The text without what no person sees: control and format characters, tags, surplus selectors and joiners.

    A page, a file or a caller can hide words for a model in them. White space stays.
    """
    return _INVISIBLE.sub("", text)


def parted(text: str) -> str:
    """The text with spaces in place of what no person sees: some of it parts words for a model."""
    return _INVISIBLE.sub(" ", text)


def in_addresses(value: str) -> set[str]:
    """How a text is spelled in an address: encoded as a whole, as a form sends it, as a browser writes a path or fragment;
    in an address that is a parameter of another, and as servers write it that encode in small letters."""
    light = "!$&'()*+,;=:@/?-._~"
    encoded = (quote(value, safe="", errors="replace"), quote_plus(value, errors="replace"))
    found = {
        *encoded,
        *map(quote, encoded),
        quote(value, safe=light, errors="replace"),
        quote(value, safe=light + "#[]{}|^`", errors="replace"),
    }
    return found | {_ENCODED.sub(lambda sign: sign[0].lower(), one) for one in found}


_ENCODED = re.compile("%(?:25)*[0-9A-F]{2}")


def in_order_of_sight(text: str) -> str:
    """The text with what overrides the direction of its letters as a person sees it, between two `OVERRIDE`."""
    return _OVERRIDDEN.sub(_turn, text)


def _turn(part: re.Match[str]) -> str:
    letters = part.group()[1:].removesuffix("\u202c")
    return OVERRIDE + (letters[::-1] if part.group()[0] == "\u202e" else letters) + OVERRIDE


_ATTACHED_FILES = re.compile(r"(?:^|\n\n)(?:Attached files|Приложенные файлы): ([^\n]+)\Z")
"""The last paragraph of a message with files, as clients write it (web/src/lib/attached.ts)."""


def split_attached(message: str) -> tuple[str, tuple[str, ...]]:
    """The words of a message and the names of the files that were attached to it."""
    match = _ATTACHED_FILES.search(
        message.rstrip()
    )  # here and not in the pattern, which would take quadratic time
    if match is None:
        return message, ()
    return message[: match.start()].rstrip(), tuple(match[1].strip().split(", "))


def with_words(changes: str, words: str | None) -> str:
    """What changed in a browser, and what the person said when they handed it back."""
    return " ".join(part for part in (changes, f'The person says: "{words}"' if words else "") if part)
