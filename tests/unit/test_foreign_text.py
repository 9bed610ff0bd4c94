"""Text that others wrote is cut into lines at `\\n` alone.

`str.splitlines()` also cuts at eight other characters, U+2028 and U+0085 among them. A page can write those into a title
or a header and so begin a line of its own in our text.
"""

from __future__ import annotations

import ast
from pathlib import Path

SERVER = Path(__file__).parents[2] / "server"

OURS = {
    "agent/models/ollama.py": "bytes of a stream, which are cut at CR and LF only",
    "agent/models/openai.py": "bytes of a stream, which are cut at CR and LF only",
    "browser/chromium/chromium.py": "the file in which Chromium writes its port",
    "database/database.py": "what a database driver says, shortened for the log",
    "extras/move/rows.py": "what a database driver says, shortened for the person who moves it",
}
"""Where the text is not foreign, and what it is."""


def callers_of(name: str) -> set[str]:
    return {
        str(path.relative_to(SERVER))
        for path in SERVER.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == name
    }


def test_no_foreign_text_is_cut_by_splitlines() -> None:
    assert callers_of("splitlines") <= OURS.keys()


def test_it_would_be_seen() -> None:
    assert "browser/observation/snapshot.py" in callers_of("split")
