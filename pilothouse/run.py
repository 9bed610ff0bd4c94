"""`python -P -m pilothouse.run MODULE [ARGUMENT ...]`: runs a module of the program, such as `server`, from any folder.

-P: a folder named `pilothouse` in the current one is another program's.
"""

from __future__ import annotations

import runpy
import sys


def command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module in a process of its own. PYTHONPATH would reach the programs that it starts, too."""
    return [sys.executable, "-P", "-m", __name__, module, *arguments]


if __name__ == "__main__":
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
