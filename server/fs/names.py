"""Names for files that come from outside: harmless, and each of them once."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

NAME_BYTES, SUFFIX_BYTES = 160, 24
"""In UTF-8. A file system takes 255; a number may be added."""


def safe_name(name: str) -> str:
    """No folders, no hidden files; letters and digits of any script, and of the rest what is harmless."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    base = "".join(char if _is_harmless(char) else "_" for char in last).strip("._ ") or "file"
    stem, dot, suffix = base.rpartition(".")
    if not dot:
        return _cut(base, NAME_BYTES)
    return f"{_cut(stem, NAME_BYTES - SUFFIX_BYTES)}.{_cut(suffix, SUFFIX_BYTES - 1)}"


def reserve(folder: Path, name: str, taken: Collection[str]) -> Path:
    """An empty file under a free name: whoever comes at the same moment gets another one."""
    path, number = folder / name, 1
    while True:
        if path.name not in taken:
            with suppress(FileExistsError):
                path.touch(mode=0o600, exist_ok=False)
                return path
        number += 1
        path = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"


def _is_harmless(char: str) -> bool:
    """Letters, the marks that belong to them, digits. Nothing invisible, and nothing that turns text around."""
    return char in "._-() " or unicodedata.category(char)[0] in "LMN"


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore")
