"""Brings everything that Pilothouse runs on, and only what is not there yet.

    python3 -m scripts.setup [run | quick | curl | web | test]

Standard library only: this is the first of our programs to run on a machine. What a step makes carries
a stamp of what it was made from, and a step whose stamp is current does nothing: a second run takes
a moment and needs no network.
"""

from __future__ import annotations

import fcntl
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scripts.node_packages import node, playwright_mcp, test_widgets, web, web_packages, zoo
from scripts.programs import (
    browser_use,
    chromium,
    curl,
    headless_shell,
    postgres,
    redis,
    setting,
    strace,
    xvfb,
)
from scripts.python_packages import dev_packages, packages
from scripts.shell import LOG, ROOT, SetupError

Step = Callable[[], str]

PURPOSES: dict[str, list[Step]] = {
    "run": [packages, node, playwright_mcp, chromium, web],
    "quick": [dev_packages],
    "curl": [dev_packages, curl],
    "web": [dev_packages, node, web_packages],
    "test": [
        dev_packages,
        node,
        playwright_mcp,
        chromium,
        web,
        web_packages,
        test_widgets,
        zoo,
        headless_shell,
        browser_use,
        postgres,
        redis,
        curl,
        strace,
        xvfb,
    ],
}


def main(purpose: str = "run") -> int:
    if sys.version_info < (3, 11):  # noqa: UP036  this is where an older Python is refused
        print("Pilothouse needs Python 3.11 or newer: make PYTHON=python3.12 ...", file=sys.stderr)
        return 1
    steps = PURPOSES[purpose] + [browser_use] * (purpose == "run" and setting("BROWSER_MCP") == "browser-use")
    with one_at_a_time():
        LOG.unlink(missing_ok=True)
        failures = take_all(steps)
    for failure in failures:
        print(f"\n{failure}", file=sys.stderr)
    if failures:
        print(f"\nThe set-up is not complete. Its log: {LOG.relative_to(ROOT)}", file=sys.stderr)
    return 1 if failures else 0


def take_all(steps: list[Step]) -> list[str]:
    """Take the steps in order and return what went wrong. All others are made with what the first brings."""
    first, *others = steps
    if failure := take(first):
        return [failure]
    return [failure for failure in map(take, others) if failure]


def take(step: Step) -> str | None:
    """Take one step and say how it went. Returns what went wrong."""
    name = step.__name__.replace("_", " ")
    print(f"  {name:<15}", end="", flush=True)
    started = time.monotonic()
    try:
        result = step()
    except SetupError as error:
        print("failed", flush=True)
        return f"{name}: {error}"
    seconds = time.monotonic() - started
    print(result + (f" ({seconds:.0f} s)" if seconds >= 1 else ""), flush=True)
    return None


@contextmanager
def one_at_a_time() -> Iterator[None]:
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with (LOG.parent / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
