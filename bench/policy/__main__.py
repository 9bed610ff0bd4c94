"""What the risk policy costs, and how well it judges.

    python -m bench.policy [--rows FILE ...]

Times are printed as multiples of one yardstick that is measured in the same run: parsing the row's own JSON. They
compare runs on any machine. A row is cold when none of its words were seen before, warm the second time.
"""

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from server.agent.policy import Subject, Verdict, assess, guess_language, warm_up
from server.agent.policy.__main__ import read_subject
from server.agent.policy.lexicon import languages, lexicon, read_patterns

DATA = Path(__file__).parents[2] / "tests" / "data" / "policy"
PAGE = 60
"""Rows whose words make up a page of usual size."""


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def p95(values: Sequence[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def measure(rows: Sequence[dict[str, Any]]) -> None:
    lines = [json.dumps(row) for row in rows]
    subjects = [read_subject(row) for row in rows]
    load = timed(lexicon)
    twice = [(timed(lambda s=subject: assess(s)), timed(lambda s=subject: assess(s))) for subject in subjects]  # type: ignore[misc]
    cold, warm = zip(*twice, strict=True)
    yardstick = median(timed(lambda text=line: json.loads(text)) for line in lines)  # type: ignore[misc]
    warm_up()
    page = "\n".join(f"{subject.name}\n{subject.context}" for subject in subjects[:PAGE])
    guess = timed(lambda: guess_language(page))
    patterns = sum(1 for _ in read_patterns())
    print(
        f"{len(rows)} actions, {len(languages())} languages, {patterns} patterns; one yardstick is {yardstick * 1e6:.1f} µs"
    )
    for label, seconds in (
        ("load the lexicon, once", load), ("verdict, cold, median", median(cold)), ("verdict, cold, p95", p95(cold)),
        ("verdict, warm, median", median(warm)), ("verdict, warm, p95", p95(warm)), ("language of a page", guess),
    ):  # fmt: skip
        print(f"{label:24}{seconds / yardstick:>12,.0f} x{seconds * 1000:>10.2f} ms")


def score(name: str, rows: Sequence[dict[str, Any]]) -> None:
    asked: dict[str, Counter[str]] = {"destructive": Counter(), "safe": Counter()}
    for row in rows:
        if row["label"] in asked and "borderline" not in row["tags"]:
            asked[row["label"]][outcome(read_subject(row))] += 1
    print(f"{name:24}{shares('caught', asked['destructive'])}; {shares('false alarms', asked['safe'])}")


def outcome(subject: Subject) -> str:
    """`left`: asked, but left to what the act sends where a browser holds that."""
    judgement = assess(subject)
    if judgement.verdict is Verdict.ALLOW:
        return "allowed"
    return "left" if judgement.is_guess else "asked"


def shares(what: str, found: Counter[str]) -> str:
    asked, all_rows = found["asked"] + found["left"], found.total()
    return f"{what} {asked}/{all_rows} ({asked / all_rows:.1%}), {found['left']} of them left to what is sent"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, nargs="+", default=sorted(DATA.glob("*.jsonl")))
    sets = {
        file.stem: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for file in parser.parse_args().rows
    }
    measure([row for rows in sets.values() for row in rows])
    for name, rows in sets.items():
        score(name, rows)


if __name__ == "__main__":
    main()
