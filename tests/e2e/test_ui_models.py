"""What a model's server can do, an answer that was cut, and the second model, as a person sees them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.played_model import screen_of
from tests.e2e.test_ui_cost import meter_tells
from tests.support.model_reply import Asked, Reply, call, fail, say

SECOND = "openai:some-model"


@pytest.mark.timeout(120)
def test_a_cut_answer_says_so_and_is_continued(chromium: Browser, tmp_path: Path) -> None:
    script = [say("The harbour has three", stop="length"), say(" piers and a light.")]
    with screen_of(chromium, tmp_path, script, default_agent="assistant", summary_model="off") as screen:
        screen.begin("Describe the harbour")
        screen.wait_idle()
        expect(screen.feed.get_by_text("Cut off at the length limit")).to_be_visible()
        screen.button("Continue").click()
        expect(screen.feed.get_by_text("piers and a light.")).to_be_visible()
        screen.wait_idle()
        expect(screen.feed.get_by_text("Goes on from the cut answer above")).to_be_visible()
        expect(screen.button("Continue")).to_have_count(0)
        screen.page.reload()
        expect(screen.feed.get_by_text("Cut off at the length limit")).to_be_visible()
        expect(screen.feed.get_by_text("Goes on from the cut answer above")).to_be_visible()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("agent", ["operator", "assistant"])
def test_the_second_model_answers_in_sight(chromium: Browser, tmp_path: Path, agent: str) -> None:
    def answers(asked: Asked) -> Reply:
        if asked.wire == "anthropic":
            return fail(401)
        if agent == "assistant":
            return say("Here it is.", usage=(1000, 20))
        return call(
            "act", {"reason": "done", "action": "stop", "final_response": "Here it is."}, usage=(1000, 20)
        )

    with screen_of(
        chromium, tmp_path, answers, default_agent=agent, fallback_model=SECOND, summary_model="off"
    ) as screen:
        screen.begin("Find it")
        expect(screen.feed.get_by_text("Here it is.")).to_be_visible()
        screen.wait_idle()
        expect(screen.feed.get_by_text("The second model answers")).to_be_visible()
        meter_tells(screen, f"of which {SECOND}: 1,020")
        screen.page.reload()
        expect(screen.feed.get_by_text("The second model answers")).to_be_visible()


@pytest.mark.timeout(120)
def test_a_models_test_says_what_its_server_can_do(chromium: Browser, tmp_path: Path) -> None:
    def server(asked: Asked) -> Reply:
        if asked.body.get("tool_choice") not in (None, "auto"):
            return fail(400, "tool_choice is not supported")
        if asked.tools:
            return call("report", {"colour": "blue"})
        return say("one two three four", delay=0.02)

    with screen_of(chromium, tmp_path, server, agent_model=SECOND, summary_model="off") as screen:
        screen.page.goto("/settings/models")
        screen.button("Test").click()
        for line in (
            "Answers word by word: works",
            "Calls a tool by itself: works",
            "Calls a tool that is named: does not work",
            "Calls some tool when it has to: does not work",
            "Sees pictures: does not work",
            "Context: not known",
        ):
            expect(screen.page.get_by_role("listitem").filter(has_text=line)).to_be_visible()
