"""Runs the checks by name, one after the other, and sums up.

    python -m scripts.check lint quick real web curl e2e

All of them run, also after a failure. The exit code is 0 only when every one of them passed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from scripts.node_packages import WEB, npm_environment
from scripts.shell import ROOT

REPORT = ROOT / ".cache" / "report.xml"
LIMIT = 30 * 60
"""Seconds that one command may take before it is ended: far above what any of them needs."""

RUFF, MYPY, PYTEST = ((sys.executable, "-m", name) for name in ("ruff", "mypy", "pytest"))
WORKERS = max(2, min(4, (os.cpu_count() or 1) + 1))
"""One more than there are cores: a test of the real parts waits for half of its time."""
TEST = (*PYTEST, f"--junit-xml={REPORT}", f"--numprocesses={WORKERS}", "--dist=loadfile")
SECOND_TRY = ("--reruns=1", "-rR")
"""A machine that is busy with something else may make a browser miss a deadline. What needed it is listed."""
WEB_TEST = ("npm", "test", "--", "--reporter=default", "--reporter=junit", f"--outputFile.junit={REPORT}")
CURL_TEST = "tests/real/test_curl_e2e.py"

CHECKS: dict[str, list[tuple[str, ...]]] = {
    "lint": [(*RUFF, "check", "."), (*RUFF, "format", "--check", "."), MYPY],
    "quick": [(*TEST, "tests/unit")],
    "real": [(*TEST, *SECOND_TRY, "tests/real", f"--ignore={CURL_TEST}")],
    "web": [("npm", "run", "types:check"), ("npm", "run", "check"), ("npm", "run", "lint"), WEB_TEST],
    "curl": [(*TEST, CURL_TEST)],
    "e2e": [(*TEST, *SECOND_TRY, "tests/e2e")],
}


@dataclass(frozen=True)
class Result:
    """How one command went. One that runs no tests counts as one test itself."""

    check: str
    command: str
    ok: bool
    passed: int
    failed: int
    seconds: float


def main(*names: str) -> int:
    results = [run(name, command) for name in names for command in CHECKS[name]]
    summarize(results)
    return 0 if results and all(result.ok for result in results) else 1


def run(check: str, command: tuple[str, ...]) -> Result:
    REPORT.unlink(missing_ok=True)
    shown = " ".join(command).replace(f"{sys.executable} -m ", "").replace(f"{ROOT}/", "")
    print(f"\n=== {check}: {shown}", flush=True)
    started = time.monotonic()
    ok = _succeeds(command, *((WEB, npm_environment()) if check == "web" else (ROOT, {})))
    passed, failed = _counts(ok)
    return Result(check, shown, ok, passed, failed, time.monotonic() - started)


def _succeeds(command: tuple[str, ...], folder: Path, environment: dict[str, str]) -> bool:
    environment = {**os.environ, **environment}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, flush=True)
        return False
    return done.returncode == 0


def _counts(ok: bool) -> tuple[int, int]:
    """Passed and failed tests by the report, where there is one. A command that failed has at least one."""
    if not REPORT.is_file():
        return int(ok), int(not ok)
    suites = list(ElementTree.parse(REPORT).getroot().iter("testsuite"))
    names = ("tests", "failures", "errors", "skipped")
    tests, failures, errors, skipped = (_total(suites, name) for name in names)
    failed = failures + errors
    return tests - failed - skipped, max(failed, int(not ok))


def _total(suites: list[ElementTree.Element], name: str) -> int:
    return sum(int(suite.get(name, 0)) for suite in suites)


def summarize(results: list[Result]) -> None:
    print("\n=== summary")
    for result in results:
        mark = "ok    " if result.ok else "FAILED"
        counts = f"{result.passed} passed, {result.failed} failed"
        words = " ".join(word for word in result.command.split() if not word.startswith("-"))
        print(f"  {mark} {result.check:<6} {words:<38} {counts:<24} {result.seconds:6.1f} s")
    passed, failed = sum(result.passed for result in results), sum(result.failed for result in results)
    print(f"\n{passed} passed, {failed} failed", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
