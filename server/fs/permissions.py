"""Folders and files that only the server's own user may read."""

from __future__ import annotations

import logging
import os
import stat
import sys
from pathlib import Path

logger = logging.getLogger(__name__)

OTHERS = stat.S_IRWXG | stat.S_IRWXO
DATABASE_SUFFIXES = ("", "-wal", "-shm", "-journal")


def keep_private(folder: Path) -> None:
    """Make the folder with mode 0700, or take the rights of others away from one that is there.

    A folder of another user, or one that is shared on purpose (sticky, such as /tmp), is left as it is, with a warning.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _tighten(folder)


def keep_database_private(file: Path) -> None:
    """Make an SQLite file with mode 0600, or take the rights of others away; SQLite makes `-wal` and `-shm` alike.

    Raises OSError when the file cannot be made.
    """
    os.close(os.open(file, os.O_RDONLY | os.O_CREAT, 0o600))
    for suffix in DATABASE_SUFFIXES:
        if (part := file.with_name(file.name + suffix)).exists():
            _tighten(part)


def _tighten(path: Path) -> None:
    if sys.platform == "win32":
        return
    status = path.stat()
    if not status.st_mode & OTHERS:
        return
    if status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX:
        logger.warning("other users of this machine can read %s", path)
        return
    path.chmod(stat.S_IMODE(status.st_mode) & ~OTHERS)
