"""The scripts that run in pages. Each is one JavaScript expression, such as a function; a few are parts of others."""

from __future__ import annotations

import re
from pathlib import Path

SCRIPTS_FOLDER = Path(__file__).parent


def script(name: str, **parts: str) -> str:
    """The JavaScript of `<name>.js`, with each word that `parts` names replaced by that part.

    A word alone on its line stands for statements, any other for an expression.
    """
    source = (SCRIPTS_FOLDER / f"{name}.js").read_text(encoding="utf-8").strip().strip(";")
    for word, part in parts.items():
        source = re.sub(rf"(?m)^\s*{word}$", lambda _, part=part: part, source)  # type: ignore[misc]
        source = re.sub(rf"\b{word}\b", lambda _, part=part: f"({part})", source)  # type: ignore[misc]
    return source
