"""Restricts folders and files to the server's own OS user."""

from __future__ import annotations

import logging
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

logger = logging.getLogger(__name__)

GROUP_AND_OTHERS = stat.S_IRWXG | stat.S_IRWXO
DATABASE_SUFFIXES = ("", "-wal", "-shm", "-journal")


def keep_private(folder: Path) -> None:
    """Create the folder with mode 0700, or remove the permissions of others from an existing one.

    A folder of another user, or with the sticky bit (such as /tmp), is left unchanged, with a warning.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _tighten(folder)


def keep_database_private(file: Path) -> None:
    """Create an SQLite file with mode 0600, or remove the permissions of others, also from its `-wal` etc.

    SQLite creates those with the mode of the database file. Raises OSError if the file cannot be created.

    An existing file is never opened: closing it would release the locks of all this process's connections to it, and
    the next program that reads the database would delete the `-wal` that they write to.
    """
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))
    for suffix in DATABASE_SUFFIXES:
        if (part := file.with_name(file.name + suffix)).exists():
            _tighten(part)


def _tighten(path: Path) -> None:
    if sys.platform == "win32":
        return
    status = path.stat()
    if not status.st_mode & GROUP_AND_OTHERS:
        return
    if status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX:
        logger.warning("other users of this machine can read %s", path)
        return
    path.chmod(stat.S_IMODE(status.st_mode) & ~GROUP_AND_OTHERS)
