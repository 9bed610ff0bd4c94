"""Ends the processes that the server started after the server itself has ended, even by `kill -9`.

Runs as a separate process. It reads `+<group>` and `-<group>` lines from the server; at the end of the pipe
the server has ended, and the remaining process groups are terminated.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL: enough for Chromium to save its profile."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    groups: dict[int, str | None] = {}
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups[group] = start_time_of(group)
        else:
            groups.pop(group, None)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group, born in groups.items():
            end_group(group, born, number)
        if groups and number == signal.SIGTERM:
            time.sleep(GRACE)


def end_group(group: int, born: str | None, number: int) -> None:
    """Signal the process group whose leader was started at `born`, also if only its children are left.

    The kernel does not reuse a group's number as a process id while the group has members. So if a process
    with this number was started at another time, the group has ended, and no signal is sent.
    """
    if start_time_of(group) not in (born, None):
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has already ended
        os.killpg(group, number)


def start_time_of(pid: int) -> str | None:
    """Return the start time of a process as an opaque string that identifies it; None if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None if Path("/proc/self").exists() else _start_time_by_ps(pid)
    fields = stat.rpartition(") ")[2].split()  # the process name may contain spaces
    return None if fields[0] == "Z" else fields[19]


def _start_time_by_ps(pid: int) -> str | None:
    done = subprocess.run(
        ("ps", "-o", "lstart=", "-p", str(pid)), capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or None


if __name__ == "__main__":
    main()
