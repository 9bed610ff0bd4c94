"""The tools of other servers as a prompt of the operator lists them: a name, its arguments and a few words each. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.browser.browser import ToolSpec
from server.ops.json_types import JsonObject
from server.text import cut

MAX_LINES = 40
TOOL_LINE_CHARS = 160
ALL_CHARS = 4_000
"""Some 1,000 tokens; each turn has them."""


def tool_lines(specs: Sequence[ToolSpec]) -> list[str]:
    lines: list[str] = []
    for spec in specs[:MAX_LINES]:
        line = _line(spec)
        if sum(map(len, lines)) + len(line) > ALL_CHARS:
            break
        lines.append(line)
    left = len(specs) - len(lines)
    return lines + ([f"... {left} more are left out"] if left else [])


def _line(spec: ToolSpec) -> str:
    """`files_read(path, lines?: integer) – Reads a file`. A kind is written where it is no text."""
    schema: JsonObject = spec.schema
    needed = schema.get("required") or []
    arguments = ", ".join(
        f"{name}{'' if name in needed else '?'}{_kind(part)}"
        for name, part in (schema.get("properties") or {}).items()
    )
    about = " ".join(spec.description.split())
    return cut(
        f"{cut(f'{spec.name}({arguments})', TOOL_LINE_CHARS)} – {about}", TOOL_LINE_CHARS + len(spec.name)
    )


def _kind(part: object) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    options = part.get("enum") if isinstance(part, dict) else None
    if isinstance(options, list) and options:
        return f": {'|'.join(map(str, options[:6]))}"
    return f": {kind}" if isinstance(kind, str) and kind != "string" else ""
