"""What a model or a page says, as it can be stored and sent. Pure."""

from __future__ import annotations

from typing import Any


def storable(value: Any) -> Any:
    """The same text, or list or dict of texts: PostgreSQL keeps no NUL and half a surrogate pair has no UTF-8 form,
    so each becomes the replacement character."""
    if isinstance(value, str):
        return value if value.isascii() and "\0" not in value else _mended(value)
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): storable(item) for name, item in value.items()}
    return value


def _mended(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
