"""Text for a terminal: sanitised, shortened, with readable times."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, overload

from cli.client.api_types import ModelUsage, Usage
from cli.words import t

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@overload
def clean(value: str) -> str: ...
@overload
def clean(value: Any) -> Any: ...
def clean(value: Any) -> Any:
    """Remove control characters and bidirectional overrides from all strings of a JSON value.

    Page titles and tool results are untrusted: an escape sequence in them must not reach the terminal, nor a
    bidirectional override in the name of a button that the user is to approve.
    """
    if isinstance(value, str):
        return _UNSAFE.sub("", value)
    if isinstance(value, list):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    return value


def cut(text: str, limit: int) -> str:
    """Truncate to one line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def duration(seconds: float) -> str:
    if seconds < 59.95:
        return t("{n} s", n=f"{seconds:.1f}")
    minutes, rest = divmod(round(seconds), 60)
    return t("{n} min {rest} s", n=minutes, rest=f"{rest:02}")


def count(number: int) -> str:
    """1234 -> 1.2k."""
    if number < 1000:
        return str(number)
    return f"{number / 1000:.1f}k" if number < 999_950 else f"{number / 1_000_000:.1f}M"


def moment(text: str | None) -> datetime | None:
    """Parse an ISO time of the server; without a time zone it is UTC. None if it is invalid."""
    if not text:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def ago(then: datetime | None, now: datetime) -> str:
    if then is None:
        return ""
    seconds = (now - then).total_seconds()
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return t(f"{{n}} {unit} ago", n=int(seconds // size))
    return t("now")


def spent(usage: Usage | ModelUsage | None) -> str:
    """Tokens and cost of a run as a short text, "" if no tokens were used."""
    tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0) if usage else 0
    if usage is None or not tokens:
        return ""
    cost = usage.get("cost")
    return t("{n} tokens", n=count(tokens)) + (f" · ${cost:.4f}" if cost is not None else "")


def whole_text(text: str) -> str:
    """Replace bytes that are not UTF-8, as a pipe or an argument may contain, with replacement characters."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
