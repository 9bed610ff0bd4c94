"""The server with a clock that is SECONDS ahead, or behind: python -m tests.support.shifted_server SECONDS

Only the process's own clock for dates is another one, not the one that it measures waits by.
"""

import runpy
import sys
from datetime import timedelta

import time_machine

if __name__ == "__main__":
    with time_machine.travel(timedelta(seconds=float(sys.argv.pop()))):
        runpy.run_module("server", run_name="__main__", alter_sys=True)
