"""The person points: at a twin in a list, by mouse, by keyboard and on the phone, and that very one is pressed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.axe import fits, violations
from tests.e2e.phone import PHONE
from tests.e2e.played_model import screen_of
from tests.e2e.screen import Screen, keep_still
from tests.support.model_reply import Asked, Reply, call, say
from tests.support.sites import Site

ROWS = "".join(
    f"<li>{name} kettle <button onclick=\"mark('{name}')\">Compare</button>"
    for name in ("Blue", "Red", "Green")
)
KETTLES = f"""<title>Kettles</title><h1>Kettles</h1><p id=said>Nothing yet</p><ul>{ROWS}</ul>
<script>const mark = name => {{ said.textContent = 'Compared: ' + name }}</script>"""


def player(address: str) -> Any:
    """Opens the page first, then presses what number 1 is, and says what the page says."""

    def play(asked: Asked) -> Reply:
        text = asked.text
        if not asked.tools:
            return say("Kettles")
        pointed = re.search(r"^1: is (e\d+)$", text, re.MULTILINE)
        steps = text.partition("Steps so far:")[2].partition("<page")[0]
        if "open" in text.partition("Task: ")[2].partition("\n")[0] and "navigate" not in steps:
            return call("act", {"reason": "as asked", "action": "navigate", "url": address})
        if pointed and "click" not in steps:
            return call("act", {"reason": "pointed at", "action": "click", "eid": pointed[1]})
        said = re.search(r"(Nothing yet|Compared: \w+)", text.rpartition("<page")[2])
        return call("act", {"reason": "done", "action": "stop", "final_response": f"{said and said[1]}."})

    return play


@contextmanager
def kettles(chromium: Browser, folder: Path) -> Iterator[Screen]:
    """A session whose agent has opened the list."""
    with Site() as site, screen_of(chromium, folder, player(site.add("/kettles", KETTLES))) as screen:
        screen.begin("open the kettles")
        expect(screen.feed.get_by_text("Nothing yet.")).to_be_visible(timeout=60_000)
        screen.wait_idle()
        yield screen


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Point at something")


def spot(page: Page, name: str) -> tuple[float, float]:
    """Where the row's button is on the picture."""
    number = ("Blue", "Red", "Green").index(name)
    page.wait_for_function("() => document.querySelector('[data-pointing] img')?.naturalWidth > 0")
    dialog(page).get_by_role("button", name=re.compile(rf"Compare.*{name} kettle")).hover()
    lit = page.locator("[data-lit]").locator("xpath=preceding-sibling::span").bounding_box()
    assert lit, number
    return lit["x"] + lit["width"] / 2, lit["y"] + lit["height"] / 2


@pytest.mark.timeout(240)
def test_the_pointed_twin_is_pressed_from_the_desktop_and_from_the_phone(
    chromium: Browser, tmp_path: Path
) -> None:
    with kettles(chromium, tmp_path) as screen:
        page = screen.page
        page.locator("body").click(position={"x": 5, "y": 5})
        page.keyboard.press(".")
        x, y = spot(page, "Red")
        page.mouse.move(x, y)
        expect(page.locator("[data-lit]")).to_have_text('button "Compare" (Red kettle)')
        page.mouse.click(x, y)
        note = dialog(page).get_by_role("textbox", name="Note on 1")
        note.fill("the cheap one")
        assert violations(page) == []
        screen.button("Add to message").click()
        chip = page.get_by_role("list", name="Pointed at").get_by_role("listitem")
        expect(chip).to_have_text('1button "Compare" (Red kettle)')
        screen.send("press 1")
        expect(screen.feed.get_by_text("Compared: Red.")).to_be_visible(timeout=60_000)
        screen.wait_idle()
        page.reload()
        expect(screen.feed.get_by_role("list", name="Pointed at")).to_contain_text("the cheap one")

        with chromium.new_context(
            base_url=screen.server.url, viewport=PHONE, locale="en-US", has_touch=True, is_mobile=True,
            storage_state=page.context.storage_state(),
        ) as context:  # fmt: skip
            keep_still(context)
            phone = Screen(context.new_page(), screen.server, screen.api)
            phone.open(screen.session_id)
            phone.add("Point at something")
            phone.page.touchscreen.tap(*spot(phone.page, "Green"))
            expect(phone.page.locator("[data-mark='1']")).to_be_visible()
            assert fits(phone.page)
            assert violations(phone.page) == []
            phone.button("Add to message").tap()
            phone.send("press 1")
            expect(phone.feed.get_by_text("Compared: Green.")).to_be_visible(timeout=60_000)
            assert phone.errors == []


@pytest.mark.timeout(180)
def test_numbers_stay_a_frame_is_a_place_and_the_keyboard_alone_will_do(
    chromium: Browser, tmp_path: Path
) -> None:
    with kettles(chromium, tmp_path) as screen:
        page = screen.page
        screen.button("Point").first.press("Enter")
        for name in ("Blue", "Red"):
            dialog(page).get_by_role("button", name=re.compile(f"Compare.*{name} kettle")).press("Enter")
        box = page.locator("[data-pointing]").bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.5)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.8, steps=4)
        page.mouse.up()
        screen.button("Remove mark 1").click()
        marks = dialog(page).get_by_role("list", name="Your marks").get_by_role("listitem")
        expect(marks).to_have_text([re.compile('^2button "Compare"'), re.compile("^3place on the picture")])
        screen.button("Add to message").press("Enter")
        expect(screen.composer).to_be_focused()
        screen.send("press the first of them")
        screen.wait_idle()
        stored = [it for it in screen.stored(screen.session_id)["messages"] if it["role"] == "user"][-1]
        second, third = stored["meta_json"]["pointers"]
        assert (second["n"], second["target"]["near"][0]) == (2, "Red kettle")
        assert (third["n"], third["box"]) == (3, pytest.approx([50, 50, 20, 30], abs=1))
