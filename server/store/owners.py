"""Which process executes a run, and whether it still lives."""

from __future__ import annotations

import os
import secrets
import socket
from datetime import datetime, timedelta

from server.events import now

LEASE_SECONDS = 45


def process_name() -> str:
    """This process, in a form that `is_alive` can check: `<host>:<pid>:<random>`."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_alive(owner: str | None) -> bool:
    """False only when the process was on this machine and is gone, or is this one under a former name."""
    host, _, rest = (owner or "").partition(":")
    pid = rest.partition(":")[0]
    if host != socket.gethostname() or not pid.isdigit():
        return bool(owner)
    if int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def lease() -> datetime:
    """Until when a run is this process's, unless it asks for more time."""
    return now() + timedelta(seconds=LEASE_SECONDS)
