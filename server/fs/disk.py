"""Free disk space, and the size of folders."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from wording.catalogue import Wording, sentence

MEGABYTE = 1_000_000


def shortage(folder: Path, floor: int) -> Wording | None:
    """A description if the disk of `folder` has less than `floor` MB free or cannot be read; else None."""
    try:
        free = shutil.disk_usage(folder).free // MEGABYTE
    except OSError as error:
        return sentence("disk.unreadable", why=str(error.strerror))
    if free >= floor:
        return None
    return sentence("disk.short", n=free, kept=floor)


def size_of(folder: Path) -> int:
    """Bytes on disk of all files below `folder`; symbolic links are not followed."""
    total = 0
    pending = [os.fspath(folder)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:  # removed concurrently
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total
