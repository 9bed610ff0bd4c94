"""What the web UI costs: its weight, the first paint, an answer streamed, a long history, live pictures, acts.

    python -m bench.ui [--rounds 3] [--tries 20] [--only felt]

The built UI in a real Chromium on a server in mock mode, its events staged. Times are CPU times of the page's main
thread, so they hold on a busy machine, but for the rows in plain ms, which are wall clock. The table shows medians over
the rounds, of what a person waits for over 20 tries; below it is the load of the machine, which wall clock depends on.
`--only felt` measures nothing but these waits.
"""

from __future__ import annotations

import argparse
import os
import statistics
import uuid

from playwright.sync_api import expect

from bench.ui.felt import (
    AIMS,
    approve_orders,
    decide_elsewhere,
    reload_pages,
    send_messages,
    switch_sessions,
    take_over,
)
from bench.ui.scenes import (
    FRAMES,
    SHOW_FRAMES,
    TIME_TO_BOX,
    TIME_TO_HIT,
    TIME_TO_ROW,
    TIME_TO_STEP,
    TOKENS,
    answer,
    learn,
    open_live,
    play,
)
from bench.ui.thread import Thread, traced_tasks
from bench.ui.weight import weigh
from tests.e2e.staged import Stage, history
from tests.e2e.studio import Studio, open_studio

ROWS = 1500
LONG = 50.0
"""CPU milliseconds from which a task is felt."""
FIRST_PAINT = """async () => {
    for (;;) {
        const paint = performance.getEntriesByName('first-contentful-paint')[0]
        if (paint) return paint.startTime
        await new Promise(requestAnimationFrame)
    }
}"""
IS_PREFETCHED = "() => performance.getEntriesByType('resource').some(it => it.name.includes('/CommandHits-'))"
GOALS = {
    "first paint ms, empty cache": 1000, "first paint ms, warm cache": 400,
    "message shown ms": 50, "sign of life ms": 100, "step opened ms": 200, "Ctrl+K ms, first time": 50, "first search hit ms": 200,
    "initial JS, kB gzip": 220, "largest lazy chunk, kB gzip": 40, "CSS, kB gzip": 15,
    "script CPU-s / 1,000 tok, with steps": 0.30, "script CPU-s / 1,000 tok, one answer": 0.30,
    "tasks over 50 ms while streaming": 0,
    "longest task CPU ms, opening 1,500 rows": 150, "DOM nodes in the feed, 1,500 rows": 1500,
    "main thread CPU ms / live picture": 4,
} | AIMS  # fmt: skip
"""The most a figure may be."""


class Table:
    """Figures by row over the rounds."""

    def __init__(self) -> None:
        self.figures: dict[str, list[float]] = {}

    def add(self, row: str, value: float) -> None:
        self.figures.setdefault(row, []).append(value)

    def print(self) -> None:
        width = max(map(len, self.figures)) + 2
        print(f"{'':{width}}{'median':>10}{'worst':>10}{'at most':>10}")
        for row, values in self.figures.items():
            goal = GOALS.get(row, "")
            print(f"{row:{width}}{statistics.median(values):>10.4g}{max(values):>10.4g}{goal:>10}")
        load = " ".join(f"{one:.1f}" for one in os.getloadavg())
        print(f"load over 1, 5 and 15 minutes: {load}; {os.cpu_count()} cores")


def add_weight(table: Table) -> None:
    weight = weigh()
    table.add("initial JS, kB gzip", weight.initial)
    table.add("largest lazy chunk, kB gzip", weight.largest_lazy)
    table.add("CSS, kB gzip", weight.style)


def open_start(table: Table, studio: Studio) -> None:
    """The start page, twice in one browser context. Wall clock."""
    with studio.screen() as screen:
        for row in ("empty cache", "warm cache"):
            screen.page.goto("/")
            expect(screen.composer).to_be_visible()
            table.add(f"first paint ms, {row}", screen.page.evaluate(FIRST_PAINT))


def act(table: Table, studio: Studio) -> None:
    """From a key or a click to what it shows. Wall clock, too."""
    with studio.screen() as screen:
        word = f"lynx{uuid.uuid4().hex[:6]}"
        screen.open(screen.new_session(title="Animals of the north"))
        screen.composer.fill(f"hello there {word}")
        row, sign = screen.page.evaluate(TIME_TO_ROW)
        table.add("message shown ms", row)
        table.add("sign of life ms", sign)
        screen.wait_idle()
        screen.page.keyboard.press("Control+k")
        expect(screen.page.get_by_role("combobox")).to_be_focused()
        table.add("first search hit ms", screen.page.evaluate(TIME_TO_HIT, word))
        screen.begin("shop for a kettle")
        expect(screen.button("Approve")).to_be_visible()
        table.add("step opened ms", screen.page.evaluate(TIME_TO_STEP))


def feel(table: Table, studio: Studio, tries: int) -> None:
    call_box(table, studio, tries)
    for measure in (
        switch_sessions,
        reload_pages,
        decide_elsewhere,
        send_messages,
        approve_orders,
        take_over,
    ):
        measure(table.add, studio, tries)


def call_box(table: Table, studio: Studio, tries: int) -> None:
    """Ctrl+K in a tab where it was not called before. Wall clock."""
    for _ in range(tries):
        with studio.screen() as screen:
            screen.open()
            screen.page.wait_for_function(IS_PREFETCHED)
            focused, painted = screen.page.evaluate(TIME_TO_BOX)
        table.add("Ctrl+K ms, first time, keys go there", focused)
        table.add("Ctrl+K ms, first time", painted)


def stream(table: Table, studio: Studio, row: str, *, rows: int = 30, with_steps: bool = False) -> None:
    """An answer of 2,000 tokens at 240 a second under a history."""
    with studio.screen() as screen:
        stage = Stage(screen, history(rows))
        screen.wait_at_end()
        stage.begin()
        learn(stage, answer(stage, TOKENS, with_steps=with_steps))
        thread = Thread(screen.page)
        before = thread.seconds("ScriptDuration")
        play(stage)
        spent = thread.seconds("ScriptDuration") - before
    table.add(f"script CPU-s / 1,000 tok, {row}", spent / TOKENS * 1000)


def stream_traced(table: Table, studio: Studio) -> None:
    """The same, watched task by task: that costs time of its own, so only the tasks are counted."""
    with studio.screen() as screen:
        stage = Stage(screen, history(30))
        screen.wait_at_end()
        stage.begin()
        learn(stage, answer(stage, TOKENS, with_steps=True))
        with traced_tasks(studio.chromium, screen.page) as tasks:
            play(stage)
    table.add("tasks over 50 ms while streaming", sum(task > LONG for task in tasks))
    table.add("longest task CPU ms while streaming", max(tasks))


def open_history(table: Table, studio: Studio) -> None:
    """A session of 1,500 rows, from the address to its last row; the whole app is loaded, too."""
    with studio.screen() as screen, traced_tasks(studio.chromium, screen.page) as tasks:
        thread = Thread(screen.page)
        Stage(screen, history(ROWS))
        expect(screen.feed.get_by_text(f"Page {ROWS} says")).to_be_in_viewport()
        table.add("main thread CPU ms, opening 1,500 rows", thread.seconds() * 1000)
        nodes = screen.feed.evaluate("feed => feed.querySelectorAll('*').length")
        table.add("DOM nodes in the feed, 1,500 rows", nodes)
    table.add("longest task CPU ms, opening 1,500 rows", max(tasks))


def watch(table: Table, studio: Studio) -> None:
    with studio.screen() as screen:
        open_live(screen, screen.new_session(title="Pictures"))
        thread = Thread(screen.page)
        before = thread.seconds()
        screen.page.evaluate(SHOW_FRAMES, FRAMES)
        table.add("main thread CPU ms / live picture", (thread.seconds() - before) / FRAMES * 1000)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--only", choices=["felt"])
    options = parser.parse_args()
    table = Table()
    add_weight(table)
    with open_studio() as studio:
        feel(table, studio, options.tries)
        for _ in range(0 if options.only else options.rounds):
            open_start(table, studio)
            act(table, studio)
            stream(table, studio, "with steps", with_steps=True)
            stream(table, studio, "one answer")
            stream(table, studio, "after 1,500 rows", rows=ROWS, with_steps=True)
            stream_traced(table, studio)
            open_history(table, studio)
            watch(table, studio)
    table.print()


if __name__ == "__main__":
    main()
