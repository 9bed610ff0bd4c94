"""Parses the replies of the browser-use MCP server. Pure functions."""

from __future__ import annotations

import json
import re
from typing import Any

from mcp.types import CallToolResult, TextContent

from server.browser.browser import Tab
from server.browser.chromium.watched_page import TITLE_CHARS, short_url

LINE_CHARS, MOST_TABS = 2000, 50
_FAILED = re.compile(
    r"^(error|failed|invalid|unknown tool|no browser|no active|unable|cannot)\b|\bnot found$|\bnot set\b|timed out",
    re.IGNORECASE,
)


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent)).strip()


def is_failure(text: str) -> bool:
    """Whether the text reports an error: browser-use returns most failures without `isError`."""
    return _FAILED.search(text.partition("\n")[0][:LINE_CHARS]) is not None


def is_timeout(text: str) -> bool:
    return "timed out" in text.partition("\n")[0][:LINE_CHARS].lower()


def read_tabs(text: str) -> list[Tab]:
    """Parse a list of tabs. None is marked active: the server does not report the current one."""
    tabs = [tab for tab in read_json(text, list)[:MOST_TABS] if isinstance(tab, dict)]
    return [
        Tab(at, str(tab.get("title", ""))[:TITLE_CHARS], short_url(str(tab.get("url", ""))), False)
        for at, tab in enumerate(tabs)
    ]


def read_json(text: str, kind: type) -> Any:
    """Parse JSON of type `kind`, `dict` or `list`; returns an empty one for anything else."""
    try:
        value = json.loads(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()
