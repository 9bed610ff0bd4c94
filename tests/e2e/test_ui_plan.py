"""The panel next to the feed: the plan that can be changed, the facts that were found."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage, message

OTHER_PLAN = ["Look at the basket", "Compare the price", "Do what is asked", "Tell the result"]
"""What the mock model proposes instead of a plan that the user has edited."""

PLAN = ["Look at the page", "Do what is asked", "Tell the result"]


@pytest.fixture
def steps(screen: Screen) -> Locator:
    """The steps of a run that waits for an answer."""
    screen.open(screen.asking())
    expect(screen.button("Approve")).to_be_visible()
    screen.wait_at_end()
    return screen.page.get_by_role("list", name="Plan").get_by_role("listitem")


def choose(screen: Screen, step: int, action: str) -> None:
    screen.button(f"Change step {step}").click()
    screen.page.get_by_role("menuitem", name=action).click()


def wait_for_plan(screen: Screen, plan: list[str]) -> None:
    """Until the server has it, which the page does not wait for."""
    screen.wait_until(
        lambda: screen.stored(screen.session_id)["state"]["plan"], lambda it: it == plan, "the plan is kept"
    )


def test_a_step_is_reworded_moved_added_and_removed_while_it_works(screen: Screen, steps: Locator) -> None:
    choose(screen, 2, "Edit")
    editor = screen.page.get_by_role("textbox", name="Step of the plan")
    expect(editor).to_have_value(PLAN[1])
    editor.fill("Buy the red one")
    editor.press("Enter")
    expect(steps.nth(1)).to_contain_text("Buy the red one")
    expect(screen.page.get_by_text("The agent follows it from the next step on.")).to_be_visible()
    choose(screen, 3, "Move up")
    expect(steps.nth(1)).to_contain_text(PLAN[2])
    screen.button("Add a step").click()
    editor.fill("Send me the bill")
    editor.press("Enter")
    expect(steps.nth(3)).to_contain_text("Send me the bill")
    choose(screen, 2, "Remove")
    expect(steps).to_have_count(3)
    wait_for_plan(screen, [PLAN[0], "Buy the red one", "Send me the bill"])
    screen.cancel()


def test_a_step_is_dragged_to_its_place(screen: Screen, steps: Locator) -> None:
    steps.nth(2).drag_to(steps.nth(1))
    expect(steps.nth(1)).to_contain_text(PLAN[2])
    expect(steps.nth(2)).to_contain_text(PLAN[1])
    screen.cancel()


def test_escape_leaves_a_step_as_it_was(screen: Screen, steps: Locator) -> None:
    choose(screen, 1, "Edit")
    editor = screen.page.get_by_role("textbox", name="Step of the plan")
    editor.fill("nothing of this")
    editor.press("Escape")
    expect(steps.first).to_contain_text(PLAN[0])
    screen.cancel()


@pytest.fixture
def proposal(screen: Screen, steps: Locator) -> Locator:
    """The agent proposes another plan in addition to the one that the user edited."""
    choose(screen, 2, "Edit")
    editor = screen.page.get_by_role("textbox", name="Step of the plan")
    editor.fill("Buy the red one")
    editor.press("Enter")
    expect(steps.nth(1)).to_contain_text("Buy the red one")
    card = screen.page.get_by_role("region", name="Allow this action?")
    screen.deny_with_note(card)
    card.get_by_role("textbox").fill("look again")
    card.get_by_role("button", name="Send and deny").click()
    region = screen.page.get_by_role("region", name="The agent suggests another plan")
    expect(region).to_be_visible()
    return region


def test_a_proposed_plan_is_used_by_keyboard_and_survives_a_reload(
    screen: Screen, steps: Locator, proposal: Locator
) -> None:
    expect(steps.nth(1)).to_contain_text("Buy the red one")
    expect(proposal).to_contain_text("Your plan is followed until you accept this one.")
    screen.page.reload()
    expect(proposal.get_by_role("listitem")).to_have_text(OTHER_PLAN)
    proposal.get_by_role("button", name="Use this plan").press("Enter")
    expect(proposal).to_have_count(0)
    expect(steps).to_have_count(len(OTHER_PLAN))
    expect(steps.nth(1)).to_contain_text(OTHER_PLAN[1])
    wait_for_plan(screen, OTHER_PLAN)
    expect(screen.page.get_by_role("tabpanel", name="Plan")).to_be_focused()
    screen.cancel()


def test_a_proposed_plan_is_turned_down(screen: Screen, steps: Locator, proposal: Locator) -> None:
    with screen.page.expect_response("**/plan/proposal"):
        proposal.get_by_role("button", name="Keep mine").click()
    expect(proposal).to_have_count(0)
    expect(steps).to_have_count(len(PLAN))
    expect(steps.nth(1)).to_contain_text("Buy the red one")
    screen.page.reload()
    expect(steps.nth(1)).to_contain_text("Buy the red one")
    expect(proposal).to_have_count(0)
    screen.cancel()


def test_plan_and_facts_are_shown_as_they_come(screen: Screen) -> None:
    stage = Stage(screen)
    stage.begin()
    plan = ["Find shops", "Compare prices", "Answer"]
    progress = {"current": 1, "done": ["Find shops"], "blocked": []}
    facts = [{"fact": "The blue kettle costs €43.90", "url": "https://shop.example/kettle"}]
    stage.play(stage.event("state", goal="Buy a kettle", plan=plan, progress=progress, facts=facts))
    steps = screen.page.get_by_role("list", name="Plan").get_by_role("listitem")
    expect(steps.nth(0)).to_contain_text("Done: Find shops")
    expect(steps.nth(1)).to_have_attribute("aria-current", "step")
    expect(screen.page.get_by_role("tab", name="Plan 1/3")).to_be_visible()
    stage.play(
        stage.event(
            "state", goal="Buy a kettle", plan=plan, progress=progress | {"blocked": plan[1:2]}, facts=facts
        )
    )
    expect(steps.nth(1)).to_contain_text("Failed: Compare prices")
    expect(steps.nth(2)).to_contain_text("To do: Answer")
    stage.play(stage.event("error", code="cancelled", message="Task cancelled"))
    expect(steps.nth(2)).to_contain_text("Skipped: Answer")
    screen.page.get_by_role("tab", name="Facts 1").click()
    expect(screen.page.get_by_text("The blue kettle costs")).to_be_visible()
    expect(screen.page.get_by_role("link", name="shop.example")).to_be_visible()


def test_what_is_said_of_a_changed_plan_ends_with_its_run_and_a_finished_plan_is_a_record(
    screen: Screen,
) -> None:
    stage = Stage(screen)
    stage.begin()
    plan = ["Find shops", "Answer"]
    known = {"goal": "Buy", "progress": {"current": 1, "done": plan[:1], "blocked": []}, "facts": []}
    stage.play(stage.event("state", plan=plan, **known))
    screen.page.route(
        "**/plan",
        lambda route: route.fulfill(json=known | {"plan": (route.request.post_data_json or {})["plan"]}),
    )
    screen.button("Add a step").click()
    editor = screen.page.get_by_role("textbox", name="Step of the plan")
    editor.fill("Send the bill")
    editor.press("Enter")
    said = screen.page.get_by_text("The agent follows it from the next step on.")
    expect(said).to_be_visible()
    expect(screen.button("Change step 2")).to_have_count(1)
    finished = [*plan, "Send the bill"]
    over = known | {"plan": finished, "progress": {"current": 3, "done": finished, "blocked": []}}
    stage.play(stage.event("state", **over), stage.event("done", message=message(9, "assistant", "Done.")))
    expect(screen.feed.get_by_text("Done.")).to_be_visible()
    expect(said).to_have_count(0)
    expect(screen.button("Add a step")).to_have_count(0)
    expect(screen.page.get_by_role("button", name=re.compile("^Change step"))).to_have_count(0)
    next_run = {"status": "running", "agent": "operator", "model": "m", "step": 1, "max_steps": 10}
    stage.play(stage.event("run", **next_run) | {"run_id": "next"})
    expect(screen.button("Stop")).to_be_visible()
    expect(said).to_have_count(0)


def test_a_fact_leads_to_its_source_and_to_the_step_that_found_it(open_screen: OpenScreen) -> None:
    screen = open_screen(permissions=["clipboard-read", "clipboard-write"])
    screen.page.clock.install()
    stage = Stage(screen)
    stage.begin()
    stage.tool("Kettles", url="https://shop.example/")
    stage.tool("Blue kettle", url="https://shop.example/kettle")
    fact = {
        "fact": "It costs €43.90.",
        "url": "https://shop.example/kettle",
        "at": datetime.now(UTC).isoformat(),
    }
    stage.play(stage.event("state", goal="Buy", plan=[], progress={}, facts=[fact]))
    screen.page.get_by_role("tab", name="Facts 1").click()
    item = screen.page.get_by_role("tabpanel").get_by_role("listitem")
    expect(item.get_by_role("link", name="shop.example")).to_have_attribute("href", fact["url"])
    screen.pause_clock()  # the word is there for two seconds
    item.hover()
    item.get_by_role("button", name="Copy").click()
    expect(item.get_by_role("button", name="Copied")).to_be_visible()
    screen.page.clock.resume()
    assert screen.page.evaluate("navigator.clipboard.readText()") == fact["fact"]
    item.get_by_role("button", name="step 2").click()
    expect(screen.page.get_by_role("dialog").get_by_role("heading")).to_have_text("Clicked “Blue kettle”")


def test_a_fact_that_is_wrong_is_dropped(screen: Screen) -> None:
    stage = Stage(screen)
    stage.begin()
    facts = [{"fact": "It is blue"}, {"fact": "It is free"}]
    state = {"goal": "Buy", "plan": [], "progress": {}}
    stage.play(stage.event("state", **state, facts=facts))
    screen.page.route("**/facts/1", lambda route: route.fulfill(json=state | {"facts": facts[:1]}))
    screen.page.get_by_role("tab", name="Facts 2").click()
    screen.page.get_by_role("listitem").filter(has_text="It is free").hover()
    screen.page.get_by_role("listitem").filter(has_text="It is free").get_by_role(
        "button", name="Delete"
    ).click()
    expect(screen.page.get_by_text("It is free")).to_have_count(0)
    expect(screen.page.get_by_text("It is blue")).to_be_visible()
