"""Suites that others wrote for what the product speaks, one line each: how many of their checks hold, and what misses.

What is expected to miss is listed by the suite's own names, with the reason; anything else that misses fails its line.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from bench.world.install import Place, install
from scripts.shell import ROOT, SetupError
from tests.support.server import Server, environment_of, serving

SECONDS = 900.0
"""For one suite."""
NEWEST_ONLY = "the saver keeps the newest checkpoint of a thread only"
NO_LIST = "the check reads the history, which is not kept"


@dataclass(frozen=True)
class Found:
    held: int
    missed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Suite:
    name: str
    run: Callable[[Place, Path], Found]
    expected: Mapping[str, str] = field(default_factory=dict)
    """What misses by design, with the reason."""

    def line(self, found: Found) -> tuple[bool, str]:
        new = sorted(found.missed - self.expected.keys())
        known = sorted(found.missed & self.expected.keys())
        said = [f"{found.held} hold", *(f"misses by design: {', '.join(known)}" for _ in known[:1])]
        return not new, f"{self.name:<42} " + "; ".join(
            [*said, *(f"MISSED: {', '.join(new)}" for _ in new[:1])]
        )


class CannotRun(Exception):
    """Its text is what the suite said instead of a result."""


def _output(command: Sequence[str | Path], cwd: Path) -> str:
    """What it prints; suites end with another code than 0 when something misses."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment_of({}), capture_output=True, text=True, timeout=SECONDS,
        check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


@contextmanager
def _server(folder: Path) -> Iterator[Server]:
    with serving(folder / "product", program=(), wrapper=(), migrated=True) as server:
        yield server


def checkpoints(place: Place, folder: Path) -> Found:
    site = next(place.bin.parent.glob("lib/python*/site-packages"))
    said = _output([sys.executable, "-m", "bench.world.foreign.checkpoints", site], ROOT)
    lines = [line for line in said.splitlines() if line.startswith('{"held"')]
    if not lines:
        raise CannotRun(said.strip()[-400:])
    found = json.loads(lines[-1])
    return Found(found["held"], frozenset(found["missed"]))


def openapi(place: Place, folder: Path) -> Found:
    with _server(folder) as server:
        text = httpx.get(f"{server.url}/openapi.json", headers=server.headers, trust_env=False).text
    (folder / "openapi.json").write_text(text)
    said = _output([place.bin / "openapi-spec-validator", folder / "openapi.json"], folder)
    return Found(1) if re.search(r": OK\b", said) else Found(0, frozenset({said.strip()[-300:]}))


def schemathesis(place: Place, folder: Path) -> Found:
    """Examples and boundary values; left out is what streams, logs in, or posts to made-up addresses."""
    with _server(folder) as server:
        said = _output(
            [
                place.bin / "schemathesis", "run", f"{server.url}/openapi.json", "--header",
                f"Authorization: {server.headers['Authorization']}", "--phases", "examples,coverage", "--checks",
                "not_a_server_error,content_type_conformance,response_schema_conformance", "--exclude-path-regex",
                "stream|events|login|logout|channels|hooks|live|presence|/q/|/h/", "--generation-deterministic",
                "--request-timeout", "20", "--no-color",
            ],
            folder,
        )  # fmt: skip
    cases = re.search(r"(\d+) generated", said)
    if cases is None:
        raise CannotRun(said.strip()[-400:])
    return Found(int(cases[1]), frozenset(re.findall(r"^_+ (\w+ /\S+) _+$", said, re.MULTILINE)))


def readers(place: Place, folder: Path) -> Found:
    """Both streams of a session, read by httpx-sse, cut off after every event."""
    with _server(folder) as server:
        script = Path(__file__).parent / "foreign" / "reader.py"
        said = _output([place.bin / "python", script, server.url, server.token], folder)
    lines = [line for line in said.splitlines() if line.startswith('{"held"')]
    if not lines:
        raise CannotRun(said.strip()[-400:])
    found = json.loads(lines[-1])
    return Found(found["held"], frozenset(found["missed"]))


SUITES = (
    Suite("langgraph-checkpoint-conformance, 4 ways", checkpoints, {
        "put_multiple_checkpoints_same_thread": NEWEST_ONLY, "put_incremental_channel_update": NEWEST_ONLY,
        "get_tuple_specific_checkpoint_id": NEWEST_ONLY, "delete_thread_removes_checkpoints": NO_LIST,
    }),
    Suite("openapi-spec-validator", openapi),
    Suite("schemathesis, examples and coverage", schemathesis),
    Suite("httpx-sse, stream cut at every event", readers),
)  # fmt: skip


def run_suites() -> bool:
    """Print a line for each; whether all that is not expected to miss holds."""
    try:
        place = install("suites")
    except SetupError as error:
        print(f"suites skipped, cannot be installed: {error}")
        return True
    holds = True
    for suite in SUITES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                is_right, line = suite.line(suite.run(place, Path(folder)))
            except (CannotRun, subprocess.TimeoutExpired) as error:
                is_right, line = False, f"{suite.name:<42} CANNOT RUN: {error}"
        holds &= is_right
        print(line, flush=True)
    return holds
