"""Whether the program's files were replaced while it runs, as an upgrade in place does it."""

from __future__ import annotations

import time
from pathlib import Path

PROGRAM = Path(__file__).parents[1]
STARTED = time.time()
WORDS = "The program was replaced by another version while it ran; the server has to be restarted."


def is_replaced(program: Path = PROGRAM, since: float = STARTED) -> bool:
    """True when a file was put there after `since`: what is loaded from now on may not fit what runs.

    Times of content do not tell it: unpacking an archive sets them back.
    """
    files = (path for path in program.rglob("*") if path.suffix in (".py", ".toml", ".html"))
    return any(path.stat().st_ctime > since for path in files)
