"""The inbox: the questions of all sessions on one page, decided there."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen

pytestmark = pytest.mark.usefixtures("leaves_no_question")


def item(screen: Screen, title: str) -> Locator:
    return screen.page.get_by_role("article", name=title)


def clicks_on_order(screen: Screen, session: str) -> int:
    messages = screen.stored(session)["messages"]
    return sum(one["role"] == "tool" and "Place order" in one["content"] for one in messages)


def test_questions_of_all_sessions_are_decided_in_one_place(open_screen: OpenScreen) -> None:
    screen = open_screen()
    screen.open()
    mail = screen.asking("log in to my mail", title="Mail")
    red, blue = screen.asking(title="Red"), screen.asking(title="Blue")
    link = screen.sidebar.get_by_role("link", name="Inbox")
    expect(link).to_contain_text("3")
    expect(screen.page).to_have_title("(3) Pilothouse")
    expect(screen.page.locator("link[rel=icon]")).to_have_attribute(
        "href", re.compile("^data:image/svg.*%3E3%3C")
    )
    link.click()
    expect(screen.page.get_by_role("article")).to_have_count(3)
    headings = [heading.text_content() for heading in screen.page.get_by_role("heading", level=2).all()]
    assert [text for text in headings if text in ("Red", "Blue", "Mail")] == ["Red", "Blue", "Mail"]
    item(screen, "Red").get_by_role("button", name="Approve").click()
    expect(item(screen, "Red")).to_have_count(0)
    expect(screen.page.get_by_role("heading", name="Inbox")).to_be_focused()
    screen.hear_out(red)
    assert clicks_on_order(screen, red) == 1
    card = item(screen, "Blue")
    screen.deny_with_note(card)
    card.get_by_role("textbox").fill("leave it")
    card.get_by_role("textbox").press("Enter")
    expect(card).to_have_count(0)
    today = screen.page.get_by_role("region", name="Decided today").get_by_role("listitem")
    expect(today.filter(has=screen.page.get_by_text("Red", exact=True))).to_contain_text("Approved")
    expect(today.filter(has=screen.page.get_by_text("Blue", exact=True))).to_contain_text("“leave it”")
    screen.hear_out(blue)
    assert clicks_on_order(screen, blue) == 0
    expect(screen.page).to_have_title("⚠ Inbox – Pilothouse")
    item(screen, "Mail").get_by_role("button", name="I’m done").click()
    expect(screen.page.get_by_text("Nothing waits for you.")).to_be_visible()
    expect(screen.page).to_have_title("Inbox – Pilothouse")
    expect(screen.page.locator("link[rel=icon]")).to_have_attribute("href", "/favicon.svg")
    screen.hear_out(mail)


def test_a_card_that_moves_up_does_nothing_at_first(screen: Screen) -> None:
    """A second click that was meant for the card above must not approve what took its place."""
    first, second = screen.asking(title="First"), screen.asking(title="Second")
    screen.page.clock.install()
    screen.page.goto("/inbox")
    approve = item(screen, "Second").get_by_role("button", name="Approve")
    screen.page.clock.run_for(600)
    expect(approve).to_be_enabled()
    screen.pause_clock()
    screen.api.post(f"/sessions/{first}/cancel").raise_for_status()

    def cards_after_a_moment() -> int:
        screen.page.clock.run_for(10)
        return screen.page.get_by_role("article").count()

    screen.wait_until(cards_after_a_moment, lambda count: count == 1, "the first card leaves")
    expect(approve).to_be_disabled()
    screen.page.clock.run_for(470)
    expect(approve).to_be_disabled()
    screen.page.clock.run_for(40)
    expect(approve).to_be_enabled()
    screen.cancel(second)


def test_what_was_decided_in_another_tab_leaves_the_inbox(open_screen: OpenScreen, screen: Screen) -> None:
    session = screen.asking(title="Twice")
    other = open_screen()
    for one in (screen, other):
        one.page.goto("/inbox")
        expect(item(one, "Twice")).to_be_visible()
    item(screen, "Twice").get_by_role("button", name="Approve").click()
    for one in (screen, other):
        expect(item(one, "Twice")).to_have_count(0)
    screen.hear_out(session)
    assert clicks_on_order(screen, session) == 1


@pytest.mark.parametrize(("scheme", "lang", "width"), [("light", "ru-RU", 360), ("dark", "en-US", 1440)])
def test_the_inbox_is_accessible_and_fits(
    open_screen: OpenScreen, scheme: str, lang: str, width: int
) -> None:
    screen = open_screen(color_scheme=scheme, locale=lang, viewport={"width": width, "height": 800})
    session = screen.asking(title="A kettle with a long title that does not fit into one line of a phone")
    screen.page.goto("/inbox")
    expect(screen.page.get_by_role("article")).to_have_count(1)
    assert violations(screen.page) == []
    assert fits(screen.page)
    screen.page.keyboard.press("j")
    expect(screen.page.get_by_role("article")).to_be_focused()
    screen.cancel(session)
    expect(screen.page.get_by_role("article")).to_have_count(0)
    assert violations(screen.page) == []


def test_a_question_is_put_off_and_can_be_answered_before(screen: Screen) -> None:
    session = screen.asking(title="Evening")
    screen.page.goto("/inbox")
    card = item(screen, "Evening")
    card.get_by_role("button", name="More about this question").click()
    screen.page.get_by_role("menuitem", name="Remind me later").click()
    card.get_by_label("Ask me again at").fill("18:00")
    assert violations(screen.page) == []
    card.get_by_role("button", name="Put off").click()
    expect(card.get_by_text("Put off until")).to_be_visible()
    assert screen.stored(session)["pending"]["later_at"]
    card.get_by_role("button", name="Approve").click()
    expect(card).to_have_count(0)
    screen.hear_out(session)
    assert clicks_on_order(screen, session) == 1
