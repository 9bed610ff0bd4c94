"""Marks external text as untrusted data. Pure functions, linear time."""

from __future__ import annotations

import re
from itertools import count

MAX_CHARS = 12_000


def page_line(url: str | None, title: str | None) -> str:
    """Return the header line of a page: its URL and title."""
    return f"Page: {url}" + (f' "{title}"' if title else "")


def fence(text: str, name: str = "untrusted-page", chars: int = MAX_CHARS) -> str:
    """Return the text between `<name>` and `</name>`, truncated to `chars` characters.

    The text cannot close its fence: if it contains a lookalike of the tag (other case, spaces or brackets),
    the tag becomes `name-N`, with the lowest N from 1 that does not follow the name in the text.
    """
    if len(text) > chars:
        kept = text[:chars].rpartition("\n")[0] or text[:chars]
        more = text.count("\n") - kept.count("\n")
        text = f"{kept}\n... truncated, {more} more lines"
    lookalikes = re.findall(rf"(?i)[^\w\s]\s*{re.escape(name)}(?:-(\d{{1,6}}))?", text)
    taken = {int(number or 0) for number in lookalikes}
    mark = f"{name}-{next(number for number in count(1) if number not in taken)}" if taken else name
    return f"<{mark}>\n{text}\n</{mark}>"
