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


_CHANGES = (
    "The browser is closed.", "The page is now ", "Its title is ", "Appeared: ", "A value was entered", "Values were entered",
    "No change can be seen.",
)  # fmt: skip
"""How `describe_changes` of `browser/takeover/handover.py` begins."""
_SAYS = ' The person says: "'


def with_words(changes: str, words: str | None) -> str:
    """What changed, and what the person said when the browser was handed back."""
    return f'{changes}{_SAYS}{words}"' if words else changes


def words_in(note: str) -> str:
    """What the person said; "" if the note is only what changed."""
    if _SAYS in note:
        return note.partition(_SAYS)[2].removesuffix('"')
    return "" if note.startswith(_CHANGES) or " tabs are open, " in note else note
