"""What a run costs is shown while it runs; at its budget the run ends with a summary and a question."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.played_model import screen_of
from tests.e2e.screen import Screen
from tests.support.model_reply import Reply, call, say

CALL = (100_000, 2_000)
"""Tokens in and out of each call: $0.11 at the price of the model."""
SUMMARY = "I waited twice and found nothing yet. Shall I go on?"


def wait() -> Reply:
    return call("act", {"reason": "it loads", "action": "wait", "ms": 1}, usage=CALL, before=0.5)


def stop(answer: str) -> Reply:
    return call("act", {"reason": "done", "action": "stop", "final_response": answer}, usage=CALL)


def meter_tells(screen: Screen, *told: str) -> None:
    """Open the details behind the meter until they show this text, then close them. A blank is any white space."""
    screen.button(re.compile(r"model calls: \d+$")).click()
    details = screen.page.get_by_role("dialog")
    for text in (*told, "Change the limits"):
        words = r"\s*".join(map(re.escape, text.split()))
        expect(details).to_contain_text(re.compile(words), use_inner_text=True)
    screen.page.keyboard.press("Escape")
    expect(details).to_have_count(0)


@pytest.mark.timeout(120)
def test_a_run_at_its_cost_budget_sums_up_and_asks_and_the_session_adds_up(
    chromium: Browser, tmp_path: Path
) -> None:
    script = [wait(), wait(), say(SUMMARY, usage=CALL), stop("Here it is."), say("A title")]
    with screen_of(chromium, tmp_path, script, cost_budget="0.20") as screen:
        screen.begin("Find it")
        expect(screen.feed.get_by_text(SUMMARY)).to_be_visible(timeout=30_000)
        screen.wait_idle()
        expect(screen.button(re.compile("model calls: 3$"))).to_contain_text("306K tokens · $0.33")
        meter_tells(screen, "$0.33 of $0.20", "Whole session Tokens 306,000 Cost $0.33")
        assert screen.stored(screen.session_id)["run"]["status"] == "completed"

        screen.button("Continue").click()
        expect(screen.feed.get_by_text("Here it is.")).to_be_visible()
        screen.wait_idle()
        expect(screen.button("Continue")).to_have_count(0)
        meter_tells(screen, "$0.11 of $0.20", "Whole session Tokens 408,000 Cost $0.44")


@pytest.mark.timeout(120)
def test_while_a_run_goes_on_the_session_counts_it_and_a_token_budget_ends_it_too(
    chromium: Browser, tmp_path: Path
) -> None:
    may_go_on = threading.Event()
    script = [wait(), wait().but(held=may_go_on), say(SUMMARY, usage=CALL), say("A title")]
    with screen_of(chromium, tmp_path, script, token_budget="150000") as screen:
        screen.begin("Find it")
        expect(screen.button(re.compile("model calls: 1$"))).to_contain_text("102K tokens · $0.11")
        meter_tells(screen, "102,000 of 150,000", "Whole session Tokens 102,000 Cost $0.11")
        may_go_on.set()
        expect(screen.feed.get_by_text(SUMMARY)).to_be_visible(timeout=30_000)
        expect(screen.button("Continue")).to_be_visible()
