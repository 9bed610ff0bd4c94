"""Files with mode 0600 that are written atomically."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def load_or_make(path: Path, make: Callable[[], str]) -> tuple[str, bool]:
    """The secret, and whether it was created now. An empty file, left by a full disk, counts as missing."""
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
