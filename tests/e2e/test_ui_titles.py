"""A session begins with its first words as its name and gets a better one, on a server with a scripted model."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.played_model import screen_of
from tests.support.model_reply import Reply, call, say

WORDS = "please find out which of these kettles boils fastest"
BETTER = "Fastest kettle"


def answered() -> Reply:
    return call(
        "act", {"reason": "known", "action": "stop", "final_response": "The steel one."}, usage=(50, 5)
    )


@pytest.mark.timeout(180)
def test_a_better_title_replaces_the_first_words_after_the_answer(chromium: Browser, tmp_path: Path) -> None:
    may_name = threading.Event()
    script = [answered(), say(BETTER, usage=(7, 2), held=may_name)]
    with screen_of(chromium, tmp_path, script, summary_model="") as screen:
        session = screen.begin(WORDS)
        heading = screen.page.get_by_role("heading", level=1)
        expect(screen.feed.get_by_text("The steel one.")).to_be_visible()
        screen.wait_idle()
        stored = screen.stored(session)  # the run has ended, its title is still being made
        assert (stored["run"]["status"], stored["title"]) == ("completed", WORDS)
        screen.composer.press_sequentially("and which is")
        may_name.set()
        expect(heading).to_have_text(BETTER)
        expect(screen.composer).to_be_focused()
        expect(screen.composer).to_have_value("and which is")
        expect(screen.sidebar.get_by_text(BETTER)).to_be_visible()
        usage = screen.stored(session)["usage"]
        assert (usage["input_tokens"], usage["output_tokens"], usage["model_calls"]) == (57, 7, 2)


@pytest.mark.timeout(180)
def test_a_name_that_the_person_gave_stays(chromium: Browser, tmp_path: Path) -> None:
    may_name = threading.Event()
    script = [answered(), say(BETTER, usage=(7, 2), held=may_name)]
    with screen_of(chromium, tmp_path, script, summary_model="") as screen:
        session = screen.begin(WORDS)
        expect(screen.feed.get_by_text("The steel one.")).to_be_visible()
        screen.wait_idle()
        screen.api.patch(f"/sessions/{session}", json={"title": "Mine"}).raise_for_status()
        may_name.set()
        heading = screen.page.get_by_role("heading", level=1)
        expect(heading).to_have_text("Mine")
        screen.wait_until(
            lambda: screen.stored(session)["usage"],
            lambda it: it["model_calls"] >= 2,
            "the better title comes, too late",
            timeout=30,
        )
        assert screen.stored(session)["title"] == "Mine"
        expect(heading).to_have_text("Mine")
