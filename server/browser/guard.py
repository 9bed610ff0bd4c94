"""Ends what the server started when the server itself is gone, even by `kill -9`.

Run as a process of its own. It reads `+<group>` and `-<group>` lines from the server; when the pipe ends,
the server has ended, and the process groups still listed are ended too.
"""

import contextlib
import os
import signal
import sys
import time

GRACE = 2.0
"""Seconds between asking and killing: enough for Chromium to write down its profile."""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        change = groups.add if line[0] == "+" else groups.discard
        change(int(line[1:]))
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group in groups:
            end_group(group, number)
        if groups and number == signal.SIGTERM:
            time.sleep(GRACE)


def end_group(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended by itself
        os.killpg(group, number)


if __name__ == "__main__":
    main()
