"""Room on disks, and how much of it folders take."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEGABYTE = 1_000_000


def shortage(folder: Path, floor: int) -> str | None:
    """In words, when the disk of `folder` has less than `floor` MB free; None when it has more."""
    try:
        free = shutil.disk_usage(folder).free // MEGABYTE
    except OSError as error:
        return f"the disk of DATA_DIR cannot be read: {error.strerror}"
    if free >= floor:
        return None
    return f"the disk of DATA_DIR has {free} MB free, and {floor} MB are kept free (MIN_FREE_DISK)"


def size_of(folder: Path) -> int:
    """Bytes that the files below `folder` take on disk; links are not followed."""
    total = 0
    pending = [os.fspath(folder)]
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:
            continue  # it has just been removed
    return total
