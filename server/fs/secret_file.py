"""Files that only their owner can read, and that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def load_or_make(path: Path, make: Callable[[], str]) -> tuple[str, bool]:
    """The secret and whether it was made just now. An empty file, as a full disk leaves, holds none."""
    if path.exists() and (secret := path.read_text().strip()):
        return secret, False
    secret = make()
    write(path, secret + "\n")
    return secret, True


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    unfinished.unlink(missing_ok=True)
    unfinished.touch(mode=0o600)
    unfinished.write_text(text)
    unfinished.replace(path)
