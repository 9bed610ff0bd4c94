"""Stamps: what a built thing was built from, written inside the thing, so that both go together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def fingerprint(paths: Iterable[Path], note: str = "") -> str:
    """A digest of the names and contents of files and of all files in folders; missing ones count too."""
    digest = hashlib.sha256(note.encode())
    for path in paths:
        for file in sorted(_files(path)):
            digest.update(f"\0{file.relative_to(path.parent).as_posix()}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _files(path: Path) -> Iterable[Path]:
    return [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path] * path.is_file()


def is_current(stamp: Path, value: str) -> bool:
    return stamp.is_file() and stamp.read_text() == value


def mark(stamp: Path, value: str) -> None:
    stamp.write_text(value)
