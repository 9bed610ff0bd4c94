"""Reads the replies of the browser-use MCP server. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent

_FAILED = re.compile(
    r"^(error|failed|invalid|unknown tool|no browser|no active|unable|cannot)\b|\bnot found$|\bnot set\b|timed out",
    re.IGNORECASE,
)


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent)).strip()


def is_failure(text: str) -> bool:
    """Most failures come as success with an error text."""
    return _FAILED.search(text.partition("\n")[0]) is not None


def read_json(text: str, kind: type) -> Any:
    """The value of this kind, `dict` or `list`; an empty one for anything else."""
    try:
        value = json.loads(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()


def lines_of(state: Mapping[str, Any]) -> list[str]:
    """The state in a third of the room: `[20] input placeholder="Where you live"`."""
    lines = []
    for element in state.get("interactive_elements", ()):
        words = [f"[{element.get('index')}] {element.get('tag', '')}"]
        text = " ".join(str(element.get("text", "")).split())
        words += [f'"{text}"'] if text else []
        words += [f'{name}="{element[name]}"' for name in ("placeholder", "href") if element.get(name)]
        lines.append(" ".join(words))
    return lines
