"""The identity of a server's data folder, locked by the process that uses it."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

LOCK_FILE = "server.lock"


@contextmanager
def owned_installation(folder: Path) -> Iterator[str]:
    """A name that at most one live process has, and that is the same after a restart.

    While a process holds the lock, all earlier holders are gone, even with a new container, host name or PID
    namespace. If the folder is locked by another process or cannot be locked, the name is random. The inode
    is part of the name, so a copy of the folder is another installation. Raises OSError.
    """
    descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _identity(descriptor) if _lock(descriptor) else secrets.token_hex(8)
    finally:
        os.close(descriptor)  # releases the lock


Holder = Literal["here", "elsewhere", "unknown"]
"""Who has a lock; unknown where the system has no such locks."""


@contextmanager
def held(file: Path) -> Iterator[Holder]:
    """Who has the exclusive lock on `file`: if this process, then until the block exits."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield _holder(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    return _holder(descriptor) == "here"


def _holder(descriptor: int) -> Holder:
    if sys.platform == "win32":
        return "unknown"
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return "elsewhere"
    except OSError:
        return "unknown"
    return "here"


def _identity(descriptor: int) -> str:
    text = os.pread(descriptor, 16, 0).decode("ascii", errors="replace")
    if len(text) != 16:
        text = secrets.token_hex(8)
        os.pwrite(descriptor, text.encode(), 0)
    return f"{text}-{os.fstat(descriptor).st_ino:x}"
