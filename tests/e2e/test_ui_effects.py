"""What an approved step sent: on its card, and in the receipt of folded steps."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage

ORDER = {"method": "POST", "host": "shop.example", "path": "/orders", "times": 1, "repeated": False}
SENT = ORDER | {"status": 201, "outcome": "accepted"}
REFUSED = ORDER | {"status": 403, "outcome": "refused"}


def test_an_order_shows_its_request_and_what_the_page_then_says(screen: Screen) -> None:
    screen.open(screen.asking())
    screen.page.get_by_role("region", name="Allow this action?").get_by_role("button", name="Approve").click()
    sent = screen.feed.get_by_role("list", name="What was sent")
    expect(sent.get_by_text("Sent to shop.example")).to_be_visible()
    expect(sent).to_contain_text("The page then says: “Thank you for your order")
    screen.page.reload()
    expect(sent.get_by_text("Sent to shop.example")).to_be_visible()


AMBER = """(() => {
    const probe = document.createElement('i')
    probe.style.color = 'var(--warn)'
    document.body.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
})()"""
"""The colour of warnings as the browser computes it."""


def test_a_refused_and_a_repeated_request_are_amber_and_kept_in_the_receipt(screen: Screen) -> None:
    stage = Stage(screen)
    stage.begin()
    acts = [{"effect": "refused", "effects": [REFUSED], "page_says": "Not allowed"},
            {"effect": "accepted", "effects": [SENT | {"repeated": True, "times": 2}]},
            {"effect": "none", "effects": []}, {"effect": "unknown", "effects": []}, {}, {}]  # fmt: skip
    for number, act in enumerate(acts):
        stage.tool(f"step {number}", **act)
    amber = screen.page.evaluate(AMBER)
    receipt = screen.feed.get_by_role("region", name="Receipt: what was sent in these steps")
    refused = screen.feed.get_by_text("Refused by shop.example")
    expect(refused).to_have_css("color", amber)
    expect(receipt).to_contain_text("Sent to shop.example · 2 times · the same request as before")
    screen.feed.get_by_role("button", name=re.compile("steps")).first.click()
    expect(receipt).to_be_hidden()
    expect(screen.feed.locator("[data-tool]").first).to_contain_text("refused")
    expect(screen.feed.get_by_text("No request was sent")).to_be_visible()
    expect(screen.feed.get_by_text("What was sent is not known")).to_be_visible()


def test_it_is_told_in_the_language_of_the_page(open_screen: OpenScreen) -> None:
    screen = open_screen(locale="ru-RU")
    session = screen.asking()
    screen.page.goto(f"/s/{session}")
    screen.page.get_by_role("button", name="Разрешить", exact=True).click()
    feed = screen.page.get_by_role("feed")
    expect(feed.get_by_text("Отправлено на shop.example")).to_be_visible()
    expect(feed.get_by_text("Затем на странице: «Thank you for your order")).to_be_visible()
