"""How the set-up runs other programs: quietly, into a log, and with a plain word when they fail."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOG = ROOT / ".cache" / "setup.log"


class SetupError(Exception):
    """Something is missing; the text says what, and what to do about it."""


def run(*command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> None:
    """Run a program to its end, its output in the log. Raises SetupError with the log's last lines."""
    line = shlex.join(str(word) for word in command)
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("ab") as log:
        log.write(f"\n$ {line}\n".encode())
        log.flush()
        start = log.tell()
        try:
            done = subprocess.run(
                [str(word) for word in command],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise SetupError(f"`{line}` cannot be started: {error}") from error
    if done.returncode:
        raise SetupError(f"`{line}` failed ({done.returncode}):\n{_tail(start)}")


def succeeds(*command: str | Path) -> bool:
    try:
        run(*command)
    except SetupError:
        return False
    return True


def _tail(start: int, lines: int = 15) -> str:
    written = LOG.read_bytes()[start:].decode(errors="replace").strip().splitlines()
    return "\n".join(f"    {line}" for line in written[-lines:])
