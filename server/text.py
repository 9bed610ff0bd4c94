"""Text cut to a length, and messages without the line that names their files."""

from __future__ import annotations

import re


def cut(text: str, chars: int) -> str:
    """At most `chars` characters; a text that was cut ends with an ellipsis."""
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"


_ATTACHED = re.compile(r"(?:^|\n\n)(?:Attached files|Приложенные файлы): ([^\n]+)\Z")
"""The last paragraph of a message with files, as clients write it (web/src/lib/attached.ts)."""


def split_attached(message: str) -> tuple[str, tuple[str, ...]]:
    """The words of a message and the names of the files that were attached to it."""
    match = _ATTACHED.search(message.rstrip())  # here and not in the pattern, which would take quadratic time
    if match is None:
        return message, ()
    return message[: match.start()].rstrip(), tuple(match[1].strip().split(", "))


def with_words(changes: str, words: str | None) -> str:
    """What changed in a browser, and what the person said when they handed it back."""
    return " ".join(part for part in (changes, f'The person says: "{words}"' if words else "") if part)
