"""Ends what the server started when the server itself is gone, even by `kill -9`.

Run as a process of its own. It reads `+<group>` and `-<group>` lines from the server; when the pipe ends,
the server has ended, and the process groups still listed are ended too.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

GRACE = 2.0
"""Seconds between asking and killing: enough for Chromium to write down its profile."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    groups: dict[int, str | None] = {}
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups[group] = birth_of(group)
        else:
            groups.pop(group, None)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group, born in groups.items():
            end_group(group, born, number)
        if groups and number == signal.SIGTERM:
            time.sleep(GRACE)


def end_group(group: int, born: str | None, number: int) -> None:
    """Signal the process group whose leader began at `born`, also when only its children are left.

    The number of a group is not given to a new process while the group has members. So a process that has the
    number and began at another time means that the group has ended, and is left alone.
    """
    if birth_of(group) not in (born, None):
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended by itself
        os.killpg(group, number)


def birth_of(pid: int) -> str | None:
    """When a process began, in a form that only fits this process; None when there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self").exists() else _birth_by_ps(pid)
    fields = stat.rpartition(") ")[2].split()  # the name before it may hold spaces
    return None if fields[0] == "Z" else fields[19]


def _birth_by_ps(pid: int) -> str | None:
    done = subprocess.run(
        ("ps", "-o", "lstart=", "-p", str(pid)), capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or None


if __name__ == "__main__":
    main()
