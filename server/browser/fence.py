"""Marks external text as untrusted data. Pure functions, linear time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count

from server.text import visible

MAX_FENCED_CHARS = 12_000
SHOWS_PAGE = re.compile(r"^<untrusted-page(?:-\d{1,6})?>\nPage: (\S*)", re.MULTILINE)
"""Matches a tool result with the whole current page, as `with_page` makes it; group 1 is the page's URL."""


def with_page(text: str, url: str | None, title: str | None, lines: Iterable[str]) -> str:
    """Return the result of a call, and after it the current page in a fence: its URL, title and `lines`."""
    head = f"Page: {url}" + (f' "{title}"' if title else "")
    page = fence("\n".join(filter(None, (head, *lines))))
    return "\n".join(filter(None, (text.strip(), page)))


def fence(text: str, name: str = "untrusted-page", chars: int = MAX_FENCED_CHARS) -> str:
    """Return what is visible of the text between `<name>` and `</name>`, truncated to `chars` characters.

    The text cannot close its fence: if it contains a lookalike of the tag (other case, spaces or brackets),
    the tag becomes `name-N`, with the lowest N from 1 that does not follow the name in the text.
    """
    text = visible(text)
    if len(text) > chars:
        kept = text[:chars].rpartition("\n")[0] or text[:chars]
        more = text.count("\n") - kept.count("\n")
        text = f"{kept}\n... truncated, {more} more lines"
    lookalikes = re.findall(rf"(?i)[^\w\s]\s*{re.escape(name)}(?:-(\d{{1,6}}))?", text)
    taken = {int(number or 0) for number in lookalikes}
    mark = f"{name}-{next(number for number in count(1) if number not in taken)}" if taken else name
    return f"<{mark}>\n{text}\n</{mark}>"
