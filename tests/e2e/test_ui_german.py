"""The page in German, the language with the longest words: nothing is cut off or left in English, also on a narrow phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import fits
from tests.e2e.conftest import OpenScreen

NARROW = {"width": 360, "height": 740}
CUT = """() => [...document.querySelectorAll('button, a, label, h1, h2, h3, [role=tab], [role=radio]')]
    .filter(one => one.checkVisibility() && one.clientWidth > 1 && !one.closest('.truncate, nav') && !one.querySelector('.truncate, input, select'))
    .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
    .map(one => one.innerText)"""
"""Texts of controls and headings that are wider than their box. What is shortened on purpose is named elsewhere."""
TEXTS = """() => [...document.querySelectorAll('body *')].filter(one => !one.closest('nav li, [data-note], li:has(> a[href*="/s/"]), script, style, noscript, kbd'))
    .flatMap(one => [...[...one.childNodes].filter(it => it.nodeType === 3).map(it => it.textContent),
        ...['aria-label', 'title', 'placeholder', 'alt'].map(name => one.getAttribute(name) || '')])"""
"""What was decided today has the words of the sessions and pages of other tests."""
ENGLISH = re.compile(
    r"\b(?:the|and|of|is|are|with|you|your|this|that|for|when|what|which|not|it|has|have|to)\b"
)


def check(page: Page, place: str) -> None:
    assert fits(page), place
    assert page.evaluate(CUT) == [], place
    assert [text for text in page.evaluate(TEXTS) if ENGLISH.search(text)] == [], place


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_start_page_the_settings_and_the_other_pages_are_whole(
    open_screen: OpenScreen, scheme: str
) -> None:
    screen = open_screen(locale="de-DE", viewport=NARROW, color_scheme=scheme, has_touch=True)
    page = screen.page
    page.goto("/")
    expect(page.get_by_role("textbox", name="Nachricht")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    check(page, "start")
    for tab in ("models", "limits", "browser", "notifications", "appearance", "data", "about"):
        page.goto(f"/settings/{tab}")
        expect(page.get_by_role("tabpanel").locator("h2, label, dl").first).to_be_visible()
        check(page, tab)
    for place, title in (
        ("automations", "Automatisierungen"),
        ("grants", "Berechtigungen"),
        ("inbox", "Eingang"),
    ):
        page.goto(f"/{place}")
        expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
        check(page, place)


def test_the_card_of_an_approval_is_whole_and_german(open_screen: OpenScreen) -> None:
    screen = open_screen(locale="de-DE", viewport=NARROW, color_scheme="dark", has_touch=True)
    session = screen.asking()
    screen.page.goto(f"/s/{session}")
    approve = screen.button("Erlauben")
    card = screen.page.get_by_role("region").filter(has=approve)
    expect(approve).to_be_visible()
    expect(card.first).to_contain_text("gibt eine Bestellung oder Buchung auf")
    assert fits(screen.page)
    assert screen.page.evaluate(CUT) == []
    scope = screen.page.get_by_role("combobox").last
    scope.select_option(index=2)
    expect(screen.button("Für diese Sitzung erlauben")).to_be_visible()
    assert screen.page.evaluate(CUT) == []
    screen.cancel(session)
