"""Detects that the program's files were replaced while it runs, as by an upgrade (docs/runbook.md)."""

from __future__ import annotations

import time
from pathlib import Path

from wording.catalogue import sentence

PROGRAM = Path(__file__).parents[1]
STARTED = time.time()
REPLACED_SENTENCE = sentence("server.replaced")


def is_stale(program: Path = PROGRAM, since: float = STARTED) -> bool:
    """True if a program file was installed after `since`: later imports may not match the loaded modules.

    Uses ctime, because unpacking an archive sets old modification times.
    """
    files = (path for path in program.rglob("*") if path.suffix in (".py", ".toml", ".html"))
    return any(path.stat().st_ctime > since for path in files)
