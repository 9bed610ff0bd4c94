"""Text cut to a length."""

from __future__ import annotations


def cut(text: str, chars: int) -> str:
    """At most `chars` characters; a text that was cut ends with an ellipsis."""
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"
