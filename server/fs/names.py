"""Safe and unique names for files from untrusted sources."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

NAME_BYTES, SUFFIX_BYTES = 160, 24
"""Maximum bytes in UTF-8. File systems allow 255; `reserve` may append a number."""


def safe_name(name: str) -> str:
    """A file name without folders or leading dot: letters and digits of any script, and `._-()` or space."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    # No invisible or bidirectional control characters: letters, combining marks and digits only.
    plain = (char if char in "._-() " or unicodedata.category(char)[0] in "LMN" else "_" for char in last)
    base = "".join(plain).strip("._ ") or "file"
    stem, dot, suffix = base.rpartition(".")
    if not dot:
        return _cut(base, NAME_BYTES)
    return f"{_cut(stem, NAME_BYTES - SUFFIX_BYTES)}.{_cut(suffix, SUFFIX_BYTES - 1)}"


def reserve(folder: Path, name: str, taken: Collection[str]) -> Path:
    """Create an empty file under a free name, atomically, so that concurrent callers get different names."""
    path, number = folder / name, 1
    while True:
        if path.name not in taken:
            with suppress(FileExistsError):
                path.touch(mode=0o600, exist_ok=False)
                return path
        number += 1
        path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")
