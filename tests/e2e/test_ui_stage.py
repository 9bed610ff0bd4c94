"""The live view next to the chat while a run works: large, with the agent's act, streamed only while it is visible."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.fingers import Fingers
from tests.e2e.live_stage import LiveStage, frame_is_shown
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def acting(screen: Screen, *, browser: str = "open") -> tuple[Stage, LiveStage]:
    """A run whose first step opens a page."""
    live = LiveStage(screen.page, browser=browser)
    run = Stage(screen)
    run.begin()
    act(run, "navigate", url="https://example.org/contact?from=start")
    return run, live


def act(run: Stage, name: str, **args: str) -> None:
    """A step that has begun and not ended."""
    run.play(run.event("tool_start", call_id=f"{name}-{args}", name=name, args=args))


def end(run: Stage) -> None:
    message = {
        "id": "m1", "session_id": "staged", "run_id": "run", "seq": 1, "role": "assistant", "content": "Sent.",
        "meta_json": None, "client_id": None, "created_at": "2026-01-01T12:00:00Z",
    }  # fmt: skip
    run.play(run.event("done", message=message))


def browser(page: Page) -> Locator:
    return page.get_by_role("region", name="Browser", exact=True)


def caption(page: Page) -> Locator:
    return page.locator("[data-caption]").first


def width(place: Locator) -> float:
    box = place.bounding_box()
    assert box
    return box["width"]


def grows_to(screen: Screen, place: Locator, least: float) -> None:
    screen.wait_until(lambda: width(place), lambda it: it > least, f"it is wider than {least}")


def test_a_run_brings_the_browser_large_beside_the_chat(screen: Screen) -> None:
    run, live = acting(screen)
    frame_is_shown(screen.page)
    grows_to(screen, screen.page.locator("canvas"), 600)  # text of a page can be read
    expect(caption(screen.page)).to_have_text("Opening example.org/contact")
    expect(screen.page.get_by_text("Live", exact=True)).to_be_visible()
    act(run, "click", element='button "Send"')
    live.send({"type": "target", "box": [40, 50, 20, 10], "label": 'button "Send"'})
    expect(caption(screen.page)).to_have_text("Clicking Send")
    pointer = screen.page.locator("[data-agent-pointer=aiming]")
    expect(pointer).to_have_attribute("style", re.compile(r"left: 50%; top: 55%"))
    expect(browser(screen.page).locator(".target-mark")).to_be_visible()
    assert violations(screen.page) == []
    end(run)
    expect(browser(screen.page).get_by_text("Ended", exact=True)).to_be_visible()
    expect(screen.page.get_by_text("Live", exact=True)).to_have_count(0)
    expect(screen.page.get_by_text(re.compile(r"\bfps\b"))).to_have_count(0)
    expect(screen.page.locator("[data-stage=live]")).to_be_visible()
    live.tell(browser="closed", url=None, title=None, viewport=None)
    expect(browser(screen.page).get_by_text("Ended", exact=True)).to_be_visible()


def test_the_start_of_the_browser_is_told_within_a_second(screen: Screen) -> None:
    screen.page.clock.install()
    LiveStage(screen.page, browser="closed")
    run = Stage(screen)
    run.begin()
    screen.pause_clock()
    args = {"url": "https://example.org/"}
    run.play(run.event("tool_start", call_id="first", name="navigate", args=args))
    screen.page.clock.run_for(1000)  # all the time that passes on the page
    expect(caption(screen.page)).to_have_text("Starting the browser · Opening example.org")
    expect(browser(screen.page).get_by_text("Starting", exact=True)).to_be_visible()


def test_until_the_first_page_is_there_its_site_stands_in_a_browsers_frame(screen: Screen) -> None:
    _, live = acting(screen)
    frame_is_shown(screen.page)
    expect(screen.page.locator("[data-skeleton]")).to_have_count(0)
    live.tell(url="about:blank", title="")
    expect(screen.page.locator("[data-skeleton]")).to_have_text("example.orgThe first page is loading…")
    live.tell(url="https://example.org/contact", title="Contact")
    expect(screen.page.locator("[data-skeleton]")).to_have_count(0)


def test_a_session_that_is_opened_again_shows_the_last_picture_of_its_browser(screen: Screen) -> None:
    session = screen.asking()
    screen.cancel(session)
    screen.open(session)
    expect(screen.page.locator("[data-stage=last]")).to_contain_text(re.compile("^Last picture · .+"))


def test_a_click_enlarges_it_and_takes_nothing_over(screen: Screen) -> None:
    _, live = acting(screen)
    frame_is_shown(screen.page)
    screen.button("Enlarge the browser").click()
    large = screen.page.get_by_role("dialog", name="The browser, enlarged")
    expect(large.locator("canvas")).to_be_visible()
    grows_to(screen, large.locator("canvas"), 1200)
    expect(large.locator("[data-caption]")).to_have_text("Opening example.org/contact")
    assert violations(screen.page) == []
    screen.page.keyboard.press("Escape")
    expect(large).to_have_count(0)
    expect(screen.page.locator("[data-run=running]")).to_be_visible()
    assert live.said("take") == []
    assert live.opened == 1, "both pictures have one source"


def test_the_line_between_chat_and_browser_is_moved_and_remembered(screen: Screen) -> None:
    run, _ = acting(screen)
    frame_is_shown(screen.page)
    line = screen.page.get_by_role("separator", name="Width of the browser")
    before = width(screen.page.locator("canvas"))
    box = line.bounding_box()
    assert box
    screen.page.mouse.move(box["x"] + 1, 400)
    screen.page.mouse.down()
    screen.page.mouse.move(box["x"] + 150, 400, steps=5)
    screen.page.mouse.up()
    screen.wait_until(
        lambda: width(screen.page.locator("canvas")),
        lambda it: it == pytest.approx(before - 149, abs=12),
        "the picture follows the line",
    )
    line.press("ArrowLeft")
    share = line.get_attribute("aria-valuenow")
    screen.page.reload()
    expect(screen.composer).to_be_visible()
    run.begin()
    act(run, "click", element='button "Send"')
    expect(line).to_have_attribute("aria-valuenow", share or "")


def test_the_chat_becomes_a_strip_and_comes_back_for_a_question(screen: Screen) -> None:
    run, _ = acting(screen)
    frame_is_shown(screen.page)
    line = screen.page.get_by_role("separator", name="Width of the browser")
    line.press("Home")
    expect(screen.composer).to_be_hidden()
    grows_to(screen, browser(screen.page), 1000)
    line.press("ArrowRight")
    expect(screen.composer).to_be_visible()
    screen.choose_layout("Browser only")
    expect(screen.composer).to_be_hidden()
    screen.button("Show the chat").click()
    expect(screen.composer).to_be_visible()
    screen.choose_layout("Browser only")
    run.play(run.event("interrupt", reference="q", kind="manual", reason="Log in, please."))
    expect(screen.feed.get_by_text("Log in, please.")).to_be_visible()
    expect(caption(screen.page)).to_have_text("Waiting for you")


def test_a_hidden_stage_gets_no_frames(screen: Screen) -> None:
    _, live = acting(screen)
    frame_is_shown(screen.page)
    screen.page.keyboard.press("Control+j")
    live.wait_for_close()


def test_it_speaks_russian(screen: Screen) -> None:
    run, _ = acting(screen, browser="closed")
    screen.choose_language("ru")
    screen.page.reload()
    expect(screen.page.get_by_role("textbox", name="Сообщение")).to_be_visible()
    run.begin()
    act(run, "navigate", url="https://example.org/contact")
    expect(caption(screen.page)).to_have_text("Запускает браузер · Открывает example.org/contact")
    act(run, "click", element='button "Отправить"')
    expect(caption(screen.page)).to_have_text("Запускает браузер · Нажимает Отправить")


# On a phone


def test_on_a_phone_it_is_a_sheet_that_is_swiped(open_screen: OpenScreen) -> None:
    screen = open_screen(**PHONE)
    run, live = acting(screen)
    sheet, handle = screen.page.locator("[data-height]"), screen.page.locator("[data-handle]")
    fingers = Fingers(screen.page)
    frame_is_shown(screen.page)
    expect(sheet).to_have_attribute("data-height", "half")
    assert fits(screen.page)
    fingers.swipe(handle, -120)
    expect(sheet).to_have_attribute("data-height", "low")
    live.wait_for_close()
    fingers.swipe(handle, 120)
    expect(sheet).to_have_attribute("data-height", "half")
    fingers.swipe(handle, 120)
    expect(sheet).to_have_attribute("data-height", "full")
    assert width(sheet) == 390
    picture, all_of_it, bar = (it.bounding_box() for it in (screen.page.locator("canvas"), sheet, handle))
    assert picture
    assert all_of_it
    assert bar
    above = picture["y"] - bar["y"] - bar["height"]
    assert abs(above - (all_of_it["height"] - picture["y"] - picture["height"])) < 3  # in the middle
    assert violations(screen.page) == []
    # Clicks, not taps: for Chromium a tap that a busy machine stretches is a long press.
    screen.button("Show less of the browser").click()
    run.play(run.event("interrupt", reference="q", kind="manual", reason="Log in, please."))
    expect(sheet).to_have_attribute("data-height", "low")
    assert live.said("take") == []
    sheet.get_by_role("button", name="Take over").click()
    live.wait_for("take")


def test_on_a_phone_the_answer_has_the_room_of_the_browser(open_screen: OpenScreen) -> None:
    screen = open_screen(**PHONE)
    run, _ = acting(screen)
    sheet = screen.page.locator("[data-height]")
    expect(sheet).to_have_attribute("data-height", "half")
    end(run)
    expect(sheet).to_have_attribute("data-height", "low")


def test_two_fingers_enlarge_the_picture(open_screen: OpenScreen) -> None:
    screen = open_screen(**PHONE)
    acting(screen)
    frame_is_shown(screen.page)
    Fingers(screen.page).pinch(screen.page.locator("canvas"))
    grows_to(screen, screen.page.locator("canvas"), 700)


@pytest.mark.parametrize("window", [PHONE, {}], ids=["phone", "desktop"])
def test_the_stage_is_taken_over_by_one_button(open_screen: OpenScreen, window: dict[str, Any]) -> None:
    screen = open_screen(**window)
    acting(screen)
    frame_is_shown(screen.page)
    expect(screen.page.get_by_text("Working")).to_be_visible()
    expect(screen.button("Take over")).to_have_count(1)


def test_without_the_stage_the_strip_of_the_run_takes_over(screen: Screen) -> None:
    acting(screen)
    screen.hide_panel()
    expect(screen.page.locator("[data-run]").get_by_role("button", name="Take over")).to_be_visible()
