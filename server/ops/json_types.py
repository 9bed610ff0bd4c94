"""Types of JSON at the edges: HTTP bodies, MCP arguments and results, DevTools messages, JSON columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object with keys that nothing here guarantees, or that another program defines."""

Json = JsonObject | list[Any] | str | int | float | bool | None
"""A JSON value of any kind; `isinstance` says which before it is read."""

JsonView = Mapping[str, Any]
"""A JSON object that is only read, such as the arguments of a tool call."""
