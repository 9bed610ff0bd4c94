"""How fast it is, where a promise has a figure. On a busy machine one of a few tries has to keep a wall-clock promise."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Browser, expect

from bench.ui.__main__ import FIRST_PAINT, LONG
from bench.ui.scenes import TOKENS, answer, learn, play
from bench.ui.thread import Thread, traced_tasks
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage, history

TRIES = 6
SHIFT = """() => new Promise(done => { let sum = 0;
    new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value })
        .observe({type: 'layout-shift', buffered: true});
    setTimeout(() => done(sum), 100) })"""


def best(measure: Callable[[], float], limit: float) -> float:
    """The best of a few tries; the first one that keeps the limit ends them."""
    tried: list[float] = []
    while len(tried) < TRIES and (not tried or min(tried) > limit):
        tried.append(measure())
    return min(tried)


def first_paint(screen: Screen) -> float:
    screen.page.goto("/")
    expect(screen.composer).to_be_focused()
    return float(screen.page.evaluate(FIRST_PAINT))


def test_the_first_paint_of_an_empty_cache_takes_less_than_a_second(open_screen: OpenScreen) -> None:
    assert best(lambda: first_paint(open_screen()), 1000) < 1000


def test_the_first_paint_of_a_warm_cache_takes_less_than_400_ms_and_nothing_moves(screen: Screen) -> None:
    first_paint(screen)
    assert best(lambda: first_paint(screen), 400) < 400
    assert screen.page.evaluate(SHIFT) < 0.02


def test_a_fast_stream_costs_little_script(open_screen: OpenScreen) -> None:
    """240 tokens a second, a step after every 66. CPU time, which other programs hardly change."""

    def seconds_for_1000_tokens() -> float:
        screen = open_screen()
        stage = Stage(screen, history(30))
        screen.wait_at_end()
        stage.begin()
        learn(stage, answer(stage, TOKENS, with_steps=True))
        thread = Thread(screen.page)
        before = thread.seconds("ScriptDuration")
        play(stage)
        return 1000 * (thread.seconds("ScriptDuration") - before) / TOKENS

    assert best(seconds_for_1000_tokens, 0.35) <= 0.35


def test_no_task_of_a_fast_stream_is_felt(open_screen: OpenScreen, chromium: Browser) -> None:
    def longest_task() -> float:
        screen = open_screen()
        stage = Stage(screen, history(30))
        screen.wait_at_end()
        stage.begin()
        learn(stage, answer(stage, TOKENS, with_steps=True))
        with traced_tasks(chromium, screen.page) as tasks:
            play(stage)
        return max(tasks)

    assert best(longest_task, LONG) <= LONG
