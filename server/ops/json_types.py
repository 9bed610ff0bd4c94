"""JSON at the edges: what goes to or comes from a client, a tool server, a model or a database column."""

from __future__ import annotations

from typing import Any

JsonObject = dict[str, Any]
