"""The identity of a server's data folder, held by the one process that works on it."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = "server.lock"


@contextmanager
def owned_installation(folder: Path) -> Iterator[str]:
    """A name that only one live process has at a time, and that is the same after its restart.

    A process that holds it knows that all earlier holders are gone, also when it runs in a new container, under
    another host name or in another PID namespace. Where the folder is held already, or cannot be locked, the name is
    a new one each time. The inode is part of the name: a copy of the folder is another installation.
    """
    descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _identity(descriptor) if _lock(descriptor) else secrets.token_hex(8)
    finally:
        os.close(descriptor)  # releases the lock


@contextmanager
def held(file: Path) -> Iterator[bool]:
    """Whether this process has the lock file for itself until the block is left."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _lock(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _identity(descriptor: int) -> str:
    text = os.pread(descriptor, 16, 0).decode("ascii", errors="replace")
    if len(text) != 16:
        text = secrets.token_hex(8)
        os.pwrite(descriptor, text.encode(), 0)
    return f"{text}-{os.fstat(descriptor).st_ino:x}"
