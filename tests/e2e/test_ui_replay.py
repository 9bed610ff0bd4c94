"""The viewer: one step large, all steps below, at an address of its own; and a link that shows it to others."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.phone import PHONE
from tests.e2e.screen import Screen
from tests.e2e.staged import SESSION, Stage, message
from tests.support.eventually import eventually_sync

PIXEL = "/api/files/screenshots/staged/{}.jpg"
NOTE = ("note.txt", b"remember the milk")


@pytest.fixture(scope="module")
def bought(api: httpx.Client) -> str:
    """The id of a session with four steps and an approval between them. It is looked at only."""
    session = str(api.post("/sessions", json={"title": "A kettle"}).raise_for_status().json()["id"])
    address = f"/sessions/{session}"
    api.post(f"{address}/messages", json={"content": "shop for a kettle"}).raise_for_status()

    def stored() -> dict[str, Any]:
        return dict(api.get(address).raise_for_status().json())

    question = eventually_sync(stored, lambda it: it["pending"], message="it asks")["pending"]
    decision = {"reference": question["reference"], "confirmed": True}
    api.post(f"{address}/decision", json=decision).raise_for_status()
    eventually_sync(stored, lambda it: it["run"]["finished_at"], message="it is over")
    return session


def open_unfolded(screen: Screen, bought: str) -> None:
    screen.open(bought)
    screen.feed.get_by_role("button", name=re.compile("^Worked .*4 steps.*1 approved")).click()


def viewer(page: Page) -> Locator:
    return page.get_by_role("dialog")


def title(page: Page) -> Locator:
    return viewer(page).get_by_role("heading")


def timeline(page: Page) -> Locator:
    return page.get_by_role("slider", name="Timeline")


def stored_steps(count: int) -> list[dict[str, object]]:
    rows = [message(1, "user", "go")]
    for number in range(2, count + 2):
        meta = {
            "name": "click", "args": {"element": f'button "B{number}"'}, "ok": number % 5 != 0, "call_id": f"c{number}",
            "duration_ms": 120, "url": "https://shop.example/", "screenshot": PIXEL.format(number), "box": [10, 20, 30, 10],
        }  # fmt: skip
        rows.append(message(number, "tool", "Clicked", meta_json=meta, run_id="run0"))
    return rows


@pytest.fixture
def staged(screen: Screen) -> Screen:
    """Forty stored steps whose pictures are 1280 by 720."""
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='1280' height='720'><rect width='1280' height='720' fill='#ccd'/></svg>"
    screen.page.route(
        "**/api/files/screenshots/**", lambda route: route.fulfill(body=svg, content_type="image/svg+xml")
    )
    Stage(screen, stored_steps(40))
    return screen


def test_a_thumbnail_opens_its_step_and_gets_the_focus_back(screen: Screen, bought: str) -> None:
    open_unfolded(screen, bought)
    thumb = screen.feed.get_by_role("button", name=re.compile("^Enlarge")).nth(1)
    thumb.click()
    expect(title(screen.page)).to_have_text("Clicked “Blue kettle”")
    expect(screen.page).to_have_url(re.compile(r"/replay\?step=2$"))
    screen.page.keyboard.press("Escape")
    expect(viewer(screen.page)).to_have_count(0)
    expect(thumb).to_be_focused()


def test_it_opens_while_the_server_is_silent(screen: Screen, bought: str) -> None:
    open_unfolded(screen, bought)
    thumb = screen.feed.get_by_role("button", name=re.compile("^Enlarge")).first
    thumb.click()
    expect(viewer(screen.page)).to_be_visible()
    screen.page.keyboard.press("Escape")
    expect(viewer(screen.page)).to_have_count(0)
    screen.page.route("**/*", lambda route: None)
    thumb.click()
    expect(viewer(screen.page).get_by_role("img").first).to_be_visible()
    screen.page.unroute("**/*")


def test_arrows_home_and_end_step_and_space_plays(screen: Screen, bought: str) -> None:
    screen.page.clock.install()
    screen.page.goto(f"/s/{bought}/replay")
    expect(title(screen.page)).to_have_text("Opened “Kettles – Shop”")
    expect(viewer(screen.page)).to_be_focused()
    keys = screen.page.keyboard
    keys.press("ArrowRight")
    expect(title(screen.page)).to_have_text("Clicked “Blue kettle”")
    keys.press("End")
    expect(title(screen.page)).to_have_text("Clicked “Place order”")
    keys.press("ArrowLeft")
    keys.press("Home")
    expect(title(screen.page)).to_have_text("Opened “Kettles – Shop”")
    keys.press("Space")
    expect(screen.button("Pause")).to_be_visible()
    screen.wait_until(lambda: is_over_after(screen, 500), bool, "it has played to the end")
    expect(title(screen.page)).to_have_text("Clicked “Place order”")


def is_over_after(screen: Screen, milliseconds: int) -> bool:
    screen.page.clock.run_for(milliseconds)
    return screen.button("Play").is_visible()


def test_keys_of_a_menu_and_of_the_slider_do_not_step_twice(staged: Screen) -> None:
    page = staged.page
    page.goto(f"/s/{SESSION}/replay?step=3")
    page.get_by_role("button", name="Speed: 1×").click()
    expect(page.get_by_role("menu")).to_be_visible()
    opener = page.locator("[aria-haspopup][aria-expanded=true]")  # where the focus is until the menu takes it
    opener.evaluate("it => it.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))")
    page.keyboard.press("End")
    page.keyboard.press("Escape")
    expect(page.get_by_role("menu")).to_have_count(0)  # the focus is back
    expect(page.get_by_text("Step 3/40")).to_be_visible()
    timeline(page).focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Step 4/40")).to_be_visible()
    expect(timeline(page)).to_have_attribute("aria-valuetext", "Step 4/40: Clicked “B5”")


MARKED = """width => {
    const dialog = document.querySelector('[role=dialog]');
    const [img, mark, dot] = ['img', '.target-mark', '[data-click-dot]'].map(part => dialog?.querySelector(part));
    if (!img?.complete || !mark || !dot || (width && img.clientWidth !== width)) return false;
    const [frame, box, click] = [img, mark, dot].map(part => part.getBoundingClientRect());
    const near = (value, share, by) => Math.abs(value - share) <= by;
    return frame.width > 0
        && near(box.x - frame.x, frame.width * 0.1, 3) && near(box.y - frame.y, frame.height * 0.2, 3)
        && near(box.width, frame.width * 0.3, 4) && near(click.x + click.width / 2 - frame.x, frame.width * 0.25, 3)
}"""
"""Whether the mark and the dot lie on the picture where the step says, with the picture `width` pixels wide."""


def test_the_place_of_the_action_is_marked_at_any_zoom(staged: Screen) -> None:
    page = staged.page
    page.goto(f"/s/{SESSION}/replay?step=2")
    expect(viewer(page)).to_be_focused()
    for key, width in (("0", None), ("+", 640), ("+", 1280), ("+", 2560)):
        page.keyboard.press(key)
        page.wait_for_function(MARKED, arg=width)


def test_a_step_shows_the_page_before_and_after(screen: Screen, bought: str) -> None:
    screen.page.goto(f"/s/{bought}/replay?step=2")
    picture = viewer(screen.page).get_by_role("img", name=re.compile("Clicked"))
    before = picture.get_attribute("src") or ""
    screen.button("After").click()
    expect(viewer(screen.page).locator(".target-mark")).to_have_count(0)
    expect(picture).not_to_have_attribute("src", before)
    screen.page.keyboard.press("o")
    expect(viewer(screen.page).locator(".target-mark")).to_be_visible()
    expect(picture).to_have_attribute("src", before)


def test_failures_and_questions_are_marked(screen: Screen, bought: str) -> None:
    screen.open(bought)
    expect(screen.feed.get_by_text("1 approved")).to_be_visible()
    screen.button("More about this session").click()
    screen.page.get_by_role("menuitem", name="Replay", exact=True).click()
    asked = viewer(screen.page).get_by_role("button", name=re.compile("^Step 4, Asked: Click “Place order”"))
    expect(asked).to_have_accessible_name(re.compile("asked for approval$"))
    asked.click()
    expect(viewer(screen.page).get_by_text("approved", exact=False).first).to_be_visible()


def test_many_steps_stay_light(staged: Screen) -> None:
    page = staged.page
    page.goto(f"/s/{SESSION}/replay?step=40")
    strip = page.get_by_role("group", name="All steps")
    expect(strip.get_by_role("button", name=re.compile("^Step 40, "))).to_be_in_viewport()
    assert strip.get_by_role("button").count() < 32
    expect(strip.get_by_role("button", name=re.compile("^Step 39, .*failed$"))).to_be_visible()


def test_the_address_opens_the_step_again_and_back_leaves(screen: Screen, bought: str) -> None:
    open_unfolded(screen, bought)
    screen.feed.get_by_role("button", name=re.compile("^Enlarge")).first.click()
    expect(viewer(screen.page)).to_be_focused()
    screen.page.keyboard.press("End")
    expect(screen.page.get_by_text("Step 5/5")).to_be_visible()
    screen.page.reload()
    expect(title(screen.page)).to_have_text("Clicked “Place order”")
    screen.page.go_back()
    expect(viewer(screen.page)).to_have_count(0)
    screen.page.goto(f"/s/{bought}/replay?step=999")
    expect(title(screen.page)).to_have_text("Clicked “Place order”")
    screen.button("Close").click()
    screen.page.wait_for_url(f"**/s/{bought}")
    expect(screen.feed).to_be_visible()


def test_details_and_the_picture_can_be_had(screen: Screen, bought: str) -> None:
    screen.page.goto(f"/s/{bought}/replay?step=3")
    viewer(screen.page).get_by_role("button", name=re.compile("example.basket")).click()
    expect(viewer(screen.page).get_by_text("Next: click Add to basket")).to_be_visible()
    with screen.page.expect_download() as download:
        viewer(screen.page).get_by_role("link", name="Download this picture").click()
    assert download.value.suggested_filename.endswith(".jpg")


def test_a_session_without_steps_says_so(screen: Screen) -> None:
    screen.page.goto(f"/s/{screen.new_session()}/replay")
    expect(screen.page.get_by_text("No steps have been taken yet.")).to_be_visible()
    screen.page.keyboard.press("Escape")
    expect(screen.composer).to_be_visible()


def test_new_steps_of_a_running_session_join_the_time_line(screen: Screen) -> None:
    screen.open(screen.asking())
    expect(screen.button("Approve")).to_be_visible()
    screen.feed.get_by_role("button", name=re.compile("^Enlarge")).first.click()
    expect(screen.page.get_by_text("Step 1/4")).to_be_visible()
    pending = screen.stored(screen.session_id.partition("/")[0])["pending"]
    decision = {"reference": pending["reference"], "confirmed": True}
    screen.api.post(f"/sessions/{screen.session_id.partition('/')[0]}/decision", json=decision)
    expect(screen.page.get_by_text("Step 1/5")).to_be_visible()


@pytest.mark.parametrize(("scheme", "lang", "width"), [("light", "ru", 1440), ("dark", "en", 360)])
def test_the_viewer_is_for_everyone(open_screen: OpenScreen, scheme: str, lang: str, width: int) -> None:
    screen = open_screen(color_scheme=scheme, viewport={"width": width, "height": 800})
    screen.expect_errors("404")
    Stage(screen, stored_steps(12))
    screen.choose_language(lang)
    screen.page.goto(f"/s/{SESSION}/replay?step=5")
    expect(viewer(screen.page)).to_be_visible()
    assert violations(screen.page) == []
    assert fits(screen.page)


def test_playing_faster_takes_less_time(staged: Screen) -> None:
    page = staged.page
    page.clock.install()
    page.goto(f"/s/{SESSION}/replay?step=36")
    page.get_by_role("button", name="Speed: 1×").click()
    page.get_by_role("menuitemradio", name="4×").click()
    expect(page.get_by_role("menu")).to_have_count(0)
    page.clock.pause_at(datetime.now() + timedelta(minutes=5))  # from here on time passes only below
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    aim = viewer(page).locator(".target-mark")
    for step in (37, 38, 39, 40):
        expect(aim).to_be_visible()
        page.clock.run_for(250)
        expect(aim).to_have_count(0)  # what came of it
        page.clock.run_for(250)
        expect(page.get_by_text(f"Step {step}/40")).to_be_visible()


TEXTS = """dialog => {
    const middle = box => (box.top + box.bottom) / 2
    const words = text => {
        const walker = document.createTreeWalker(dialog, NodeFilter.SHOW_TEXT)
        while (walker.nextNode()) if (walker.currentNode.textContent.includes(text)) {
            const range = document.createRange()
            range.selectNodeContents(walker.currentNode)
            return middle(range.getBoundingClientRect())
        }
    }
    return ['shop.example', 'Before'].map(words)
}"""
"""Where the middles of the address and of the word Before are, in pixels from the top."""


@pytest.mark.parametrize("width", [360, 1440])
def test_the_details_stand_on_the_line_of_before_and_after(
    open_screen: OpenScreen, bought: str, width: int
) -> None:
    screen = open_screen(
        viewport={"width": width, "height": 740}, has_touch=width < 768, is_mobile=width < 768
    )
    screen.page.goto(f"/s/{bought}/replay?step=3")
    expect(screen.button("Before")).to_be_visible()
    details, choice = viewer(screen.page).evaluate(TEXTS)
    assert abs(details - choice) <= 1


def test_marks_of_the_time_line_stand_right_above_it(open_screen: OpenScreen, bought: str) -> None:
    screen = open_screen(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    screen.page.goto(f"/s/{bought}/replay?step=3")
    line, mark = timeline(screen.page), viewer(screen.page).locator("[data-mark]")
    expect(mark).to_have_count(1)
    middle = line.evaluate(
        "one => { const box = one.getBoundingClientRect(); return box.top + box.height / 2 }"
    )
    assert 8 <= middle - mark.evaluate("one => one.getBoundingClientRect().bottom") <= 10


def test_a_replay_is_shared_with_its_files_and_ended(open_screen: OpenScreen, bought: str) -> None:
    desktop, phone = open_screen(), open_screen(logged_in=False, viewport=PHONE, has_touch=True)
    desktop.api.post(f"/sessions/{bought}/files", files={"file": NOTE}).raise_for_status()
    desktop.open(bought)
    desktop.button("More about this session").click()
    desktop.page.get_by_role("menuitem", name="Share a replay…").click()
    dialog = desktop.page.get_by_role("dialog", name="Share a replay", exact=True)
    dialog.get_by_text("1 day", exact=True).click()
    dialog.get_by_role("switch", name="Files can be downloaded, too").click()
    dialog.get_by_role("button", name="Make a link").click()
    link = str(dialog.get_by_label("Link", exact=True).text_content())
    expect(dialog.get_by_role("list", name="Valid links").get_by_role("listitem")).to_contain_text(
        "with files"
    )
    assert violations(desktop.page) == []

    phone.page.goto(link)
    expect(phone.page.get_by_role("heading", name="Step by step")).to_be_visible()
    assert "#" not in phone.page.url
    expect(phone.page.get_by_text("shop for a kettle").first).to_be_visible()
    assert fits(phone.page)
    phone.button("Next →").click()
    expect(phone.page.locator("output")).to_have_text("1 / 4")
    with phone.page.expect_download() as download:
        phone.page.get_by_role("link", name="note.txt").click()
    assert Path(download.value.path()).read_bytes() == NOTE[1]

    phone.expect_errors("401")
    dialog.get_by_role("button", name="End it").click()
    expect(dialog.get_by_role("list", name="Valid links")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Make a link")).to_be_visible()
    phone.page.reload()
    expect(phone.page.get_by_role("alert")).to_have_text("This link is not valid, or not any more.")
    phone.page.goto(link)
    expect(phone.page.get_by_role("alert")).to_have_text("This link is not valid, or not any more.")
