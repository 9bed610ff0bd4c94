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

REPORTS = ROOT / ".cache" / "reports"
LIMIT = 30 * 60
"""Seconds that one command may take before it is ended: far above what any of them needs."""

RUFF, MYPY, PYTEST = ((sys.executable, "-m", name) for name in ("ruff", "mypy", "pytest"))

CHECKS: dict[str, list[tuple[str, ...]]] = {
    "lint": [(*RUFF, "check", "."), (*RUFF, "format", "--check", "."), MYPY],
    "quick": [(*PYTEST, "tests/unit")],
    "real": [(*PYTEST, "tests/real", "--ignore=tests/real/test_curl_e2e.py")],
    "web": [("npm", "test")],
    "curl": [(*PYTEST, "tests/real/test_curl_e2e.py")],
    "e2e": [(*PYTEST, "tests/e2e")],
}


@dataclass(frozen=True)
class Result:
    """How one command went. A command that is no pytest run counts as one test."""

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
    shown = " ".join(command).replace(f"{sys.executable} -m ", "")
    print(f"\n=== {check}: {shown}", flush=True)
    is_web = check == "web"
    report = REPORTS / f"{check}.xml"
    report.unlink(missing_ok=True)
    wanted = ("--junit-xml", str(report)) if "pytest" in command else ()
    environment = {**os.environ, **(npm_environment() if is_web else {})}
    started = time.monotonic()
    ok = _succeeds((*command, *wanted), cwd=WEB if is_web else ROOT, env=environment)
    passed, failed = _counts(report) if wanted else (int(ok), int(not ok))
    return Result(check, shown, ok, passed, max(failed, int(not ok)), time.monotonic() - started)


def _succeeds(command: tuple[str, ...], cwd: Path, env: dict[str, str]) -> bool:
    try:
        done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, timeout=LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, flush=True)
        return False
    return done.returncode == 0


def _counts(report: Path) -> tuple[int, int]:
    """Passed and failed tests of a JUnit report; (0, 0) when pytest did not come to write one."""
    if not report.is_file():
        return 0, 0
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    counts = {
        name: sum(int(suite.get(name, 0)) for suite in suites)
        for name in ("tests", "failures", "errors", "skipped")
    }
    failed = counts["failures"] + counts["errors"]
    return counts["tests"] - failed - counts["skipped"], failed


def summarize(results: list[Result]) -> None:
    print("\n=== summary")
    for result in results:
        mark = "ok    " if result.ok else "FAILED"
        counts = f"{result.passed} passed, {result.failed} failed"
        print(f"  {mark} {result.check:<6} {counts:<26} {result.seconds:6.1f} s")
    passed, failed = sum(result.passed for result in results), sum(result.failed for result in results)
    print(f"\n{passed} passed, {failed} failed", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
