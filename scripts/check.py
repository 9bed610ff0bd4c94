"""Runs the checks by name and sums up.

    python -m scripts.check lint web curl quick real e2e
    python -m scripts.check lint web daily story

Those that leave a core idle run side by side, the others one after the other. All of them run, also after
a failure. The summary names the failed tests. The exit code is 0 only when every check passed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TextIO

from scripts.node_packages import WEB, npm_environment
from scripts.shell import ROOT

REPORTS = ROOT / ".cache"
LIMIT = 30 * 60
"""Seconds that one command may take before it is ended: far above what any of them needs."""

RUFF, MYPY, PYTEST = ((sys.executable, "-m", name) for name in ("ruff", "mypy", "pytest"))
CORES = os.cpu_count() or 1
WORKERS, MORE_WORKERS = max(2, min(4, CORES + 1)), max(3, min(6, CORES + 2))
"""The second is for the tests of the real parts, which wait for a third of their time."""
WORDS = (sys.executable, "-m", "scripts.words")
SETTINGS = (sys.executable, "-m", "scripts.describe_settings", "--check")
TEST, REAL_TEST = ((*PYTEST, f"--numprocesses={workers}") for workers in (WORKERS, MORE_WORKERS))
BY_FILE, BY_TEST = "--dist=loadfile", "--dist=worksteal"
WEB_TEST = ("npm", "test")
CURL_TEST = "tests/real/test_curl_e2e.py"
STORIES = (
    "tests/real/test_main_job.py::test_the_operator_clicks_in_the_page_and_streams_its_answer",
    "tests/e2e/test_ui_approvals.py::test_the_card_says_what_where_how_much_and_why_with_the_place_outlined",
    "tests/e2e/test_ui_approvals.py::test_yes_does_that_very_thing_once",
    "tests/e2e/test_ui_approvals.py::test_a_no_with_a_note_reaches_the_agent_and_stays_in_the_transcript",
    "tests/e2e/test_ui_approvals.py::test_a_reload_shows_the_open_question_again",
)
"""The main job on real parts, and an approval in the web UI."""

CHECKS: dict[str, list[tuple[str, ...]]] = {
    "lint": [(*RUFF, "check", "."), (*RUFF, "format", "--check", "."), WORDS, SETTINGS, MYPY],
    "web": [*(("npm", "run", name) for name in ("types:check", "check", "lint", "format:check")), WEB_TEST],
    "curl": [(*PYTEST, CURL_TEST)],
    "quick": [(*TEST, BY_FILE, "tests/unit")],
    "daily": [(*TEST, BY_FILE, "-m", "not sweep", "tests/unit")],
    "real": [(*REAL_TEST, BY_FILE, "tests/real", f"--ignore={CURL_TEST}")],
    "e2e": [(*TEST, BY_TEST, "tests/e2e")],
    "cluster": [(*PYTEST, "tests/cluster")],
    "story": [(*TEST, BY_FILE, *STORIES)],
}
SIDE_BY_SIDE = ("lint", "web", "curl")


@dataclass(frozen=True)
class Result:
    """How one command went. One that runs no tests counts as one test itself."""

    check: str
    command: str
    ok: bool
    passed: int
    failed: int
    seconds: float
    failures: tuple[str, ...] = ()


def main(*names: str) -> int:
    beside = [name for name in names if name in SIDE_BY_SIDE]
    results = side_by_side(beside) if len(beside) > 1 else []
    taken = {result.check for result in results}
    results += [run(name, command) for name in names if name not in taken for command in CHECKS[name]]
    summarize(results)
    return 0 if results and all(result.ok for result in results) else 1


def side_by_side(names: list[str]) -> list[Result]:
    print(f"\n=== side by side: {', '.join(names)}", flush=True)

    def take(name: str) -> list[Result]:
        return [run(name, command, prints_at_end=True) for command in CHECKS[name]]

    with ThreadPoolExecutor() as pool:
        return [result for results in pool.map(take, names) for result in results]


def run(check: str, command: tuple[str, ...], *, prints_at_end: bool = False) -> Result:
    report = REPORTS / f"{check}.xml"
    report.unlink(missing_ok=True)
    shown = " ".join(command).replace(f"{sys.executable} -m ", "").replace(f"{ROOT}/", "")
    started = time.monotonic()
    title = f"\n=== {check}: {shown}"
    with (
        TemporaryFile("w+", encoding="utf-8", errors="replace") if prints_at_end else nullcontext() as output
    ):
        if not output:
            print(title, flush=True)
        ok = _succeeds(command + _reporting(command, report), check == "web", output)
        if output:
            output.seek(0)
            print(f"{title}\n{output.read()}", end="", flush=True)
    passed, failed = _counts(ok, report)
    return Result(check, shown, ok, passed, failed, time.monotonic() - started, _failures(report))


def _reporting(command: tuple[str, ...], report: Path) -> tuple[str, ...]:
    """What makes a test runner write its report."""
    if command[:3] == PYTEST:
        return (f"--junit-xml={report}",)
    if command == WEB_TEST:
        return ("--", "--reporter=default", "--reporter=junit", f"--outputFile.junit={report}")
    return ()


def _succeeds(command: tuple[str, ...], is_web: bool, output: TextIO | None) -> bool:
    folder, environment = (WEB, npm_environment()) if is_web else (ROOT, {})
    environment = {**os.environ, **environment}
    # Containers often set it. Each of our processes would compile the server and the tests again, 10 s of CPU time.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, timeout=LIMIT,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        print(error, file=output, flush=True)
        return False
    return done.returncode == 0


def _counts(ok: bool, report: Path) -> tuple[int, int]:
    """Passed and failed tests by the report, where there is one. A command that failed has at least one."""
    if not report.is_file():
        return int(ok), int(not ok)
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))
    names = ("tests", "failures", "errors", "skipped")
    tests, failures, errors, skipped = (_total(suites, name) for name in names)
    failed = failures + errors
    return tests - failed - skipped, max(failed, int(not ok))


def _failures(report: Path) -> tuple[str, ...]:
    """The failed tests of the report, each with the first line of its error."""
    if not report.is_file():
        return ()
    return tuple(
        f"{case.get('classname')}::{case.get('name')}: {_first_line(outcome)}"
        for case in ElementTree.parse(report).getroot().iter("testcase")
        for outcome in case
        if outcome.tag in ("failure", "error")
    )


def _first_line(outcome: ElementTree.Element) -> str:
    return next(iter(outcome.get("message", "").splitlines()), "")


def _total(suites: list[ElementTree.Element], name: str) -> int:
    return sum(int(suite.get(name, 0)) for suite in suites)


def summarize(results: list[Result]) -> None:
    print("\n=== summary")
    for result in results:
        mark = "ok    " if result.ok else "FAILED"
        counts = f"{result.passed} passed, {result.failed} failed"
        words = " ".join(word for word in result.command.split() if not word.startswith("-"))
        print(f"  {mark} {result.check:<6} {words:<38} {counts:<24} {result.seconds:6.1f} s")
    for result in results:
        for failure in result.failures:
            print(f"  FAILED {result.check:<6} {failure}")
    passed, failed = sum(result.passed for result in results), sum(result.failed for result in results)
    print(f"\n{passed} passed, {failed} failed", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
