"""Make text of a model or a page storable and sendable. Pure."""

from __future__ import annotations

from typing import overload

from server.ops.json_types import Json, JsonObject


@overload
def storable(value: str) -> str: ...
@overload
def storable(value: JsonObject) -> JsonObject: ...
@overload
def storable(value: Json) -> Json: ...
def storable(value: Json) -> Json:
    """Replace in a text, or a list or dict of texts, what PostgreSQL or UTF-8 rejects: NUL and half a
    surrogate pair become the replacement character."""
    if isinstance(value, str):
        if value.isascii() and "\0" not in value:
            return value
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")
    if isinstance(value, list):
        return [storable(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): storable(item) for name, item in value.items()}
    return value
