"""Types of the JSON that the server sends and receives. The API's description defines the keys."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
Json = JsonObject | list[Any] | str | int | float | bool | None
"""`isinstance` says which before it is read."""
