"""Ends the processes that the server started after the server itself has ended, even by `kill -9`.

Runs as a separate process. It reads `+<group> <folder>` and `-<group>` lines from the server; at the end of the pipe
the server has ended, the remaining process groups are terminated, and their temporary folders removed.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

OWN_END = 3.0
"""Seconds in which the processes may end by themselves. At the end of its DevTools pipe Chromium saves its profile and
ends; a SIGTERM before that loses the cookies of up to 30 seconds."""
TERM_GRACE = 0.5
"""Seconds between SIGTERM and SIGKILL."""
PARENT_POLL_SECONDS = 0.05


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    groups: dict[int, str | None] = {}
    folders: dict[int, str] = {}
    for line in sys.stdin:
        number_of_group, _, folder = line[1:].rstrip("\n").partition(" ")
        group = int(number_of_group)
        if line[0] == "+":
            groups[group], folders[group] = start_time_of(group), folder
        else:
            groups.pop(group, None)
            folders.pop(group, None)
    _wait_for_end(groups, OWN_END)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group, born in groups.items():
            end_group(group, born, number)
        if number == signal.SIGTERM:
            _wait_for_end(groups, TERM_GRACE)
    for folder in filter(None, folders.values()):
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for_end(groups: dict[int, str | None], seconds: float) -> None:
    """Return when no process of the groups is left, or after `seconds`."""
    until = time.monotonic() + seconds
    while any(end_group(group, born, 0) for group, born in groups.items()) and time.monotonic() < until:
        time.sleep(PARENT_POLL_SECONDS)


def end_group(group: int, born: str | None, number: int) -> bool:
    """Signal the process group whose leader was started at `born`, also if only its children are left.

    Returns whether there was one.

    The kernel does not reuse a group's number as a process id while the group has members. So if a process
    with this number was started at another time, the group has ended, and no signal is sent.
    """
    leader = start_time_of(group)
    if leader not in (born, None) or (leader is None and not has_living(group)):
        return False
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has already ended
        os.killpg(group, number)
        return True
    return False


def has_living(group: int) -> bool:
    """Whether a process of the group runs: one that has ended takes signals until its parent has asked for its end."""
    if not Path("/proc/self").exists():
        return True
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, member_of, *_ = stat.read_text().rpartition(") ")[2].split()
            if int(member_of) == group and state not in ("Z", "X"):
                return True
    return False


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
