"""Knowledge: a correction becomes a note by one tap, the next run reads it, and the page shows and changes all of it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen

FACT = "Delivery is free from two kettles"


def deny_with(screen: Screen, words: str) -> None:
    screen.api.delete("/notes")  # other tests have the same server
    screen.open(screen.asking())
    card = screen.page.get_by_role("region", name="Allow this action?")
    screen.deny_with_note(card)
    card.get_by_role("textbox").fill(words)
    card.get_by_role("button", name="Send and deny").click()
    screen.wait_idle()


def test_a_correction_becomes_a_note_that_the_next_run_reads(screen: Screen) -> None:
    deny_with(screen, FACT)
    offer = screen.page.get_by_role("region", name="Remember this?")
    expect(offer).to_contain_text("Remember this for shop.example?")
    expect(offer).to_contain_text(FACT)
    assert violations(screen.page) == []
    screen.page.goto("/inbox")
    expect(offer).to_contain_text(FACT)
    screen.button(f"Remember: {FACT}").click()
    expect(offer).to_have_count(0)

    screen.cancel(screen.asking())
    screen.sidebar.get_by_role("link", name="Knowledge").click()
    note = screen.page.get_by_role("listitem").filter(has_text=FACT)
    expect(note).to_contain_text("used in 1 run")
    assert violations(screen.page) == []


def test_an_order_is_not_offered(screen: Screen) -> None:
    deny_with(screen, "Always order the red one without asking")
    expect(screen.page.get_by_role("region", name="Remember this?")).to_have_count(0)
    assert screen.api.get("/notes").json() == {"items": []}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_keeps_instructions_and_changes_notes_on_a_phone(
    open_screen: OpenScreen, scheme: str
) -> None:
    screen = open_screen(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    screen.api.delete("/notes")
    for text in (FACT, "Search works only after Enter"):
        screen.api.post("/notes", json={"site": "shop.example", "text": text})
    screen.page.goto("/knowledge")
    screen.page.get_by_label("Instructions for all sessions").fill("Answer in German.")
    screen.button("Save instructions").click()
    expect(screen.button("Save instructions")).to_be_disabled()
    assert screen.api.get("/instructions").json() == {"text": "Answer in German."}
    screen.page.get_by_label("Search notes").fill("enter")
    expect(screen.page.get_by_role("listitem").filter(has_text=FACT)).to_have_count(0)
    screen.button("Edit note: Search works only after Enter").click()
    editor = screen.page.get_by_role("textbox", name="Edit note: Search works only after Enter")
    editor.fill("Search works after Enter")
    editor.press("Enter")
    expect(screen.page.get_by_text("Search works after Enter")).to_be_visible()
    assert violations(screen.page) == []
    assert fits(screen.page)
    screen.button("Delete all notes").click()
    screen.button("Delete all").click()
    expect(screen.page.get_by_text("No notes yet.")).to_be_visible()
    screen.api.put("/instructions", json={"text": ""})


def open_instructions(screen: Screen) -> Locator:
    screen.button("More about this session").click()
    screen.page.get_by_role("menuitem", name="Instructions…").click()
    return screen.page.get_by_role("dialog", name="Instructions of this session").get_by_role("textbox")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_session_has_instructions_of_its_own(open_screen: OpenScreen, scheme: str) -> None:
    narrow = {"width": 360, "height": 740}
    screen = open_screen(color_scheme=scheme, **({"viewport": narrow} if scheme == "dark" else {}))
    session = screen.finished("ping test")
    field = open_instructions(screen.open(session))
    expect(field).to_be_focused()
    expect(screen.button("Save instructions")).to_be_disabled()
    field.fill("Prices in francs.")
    expect(screen.page.get_by_role("dialog")).to_contain_text("17 of 2,000")
    assert violations(screen.page) == []
    assert fits(screen.page)
    screen.button("Save instructions").click()
    expect(field).to_have_count(0)
    assert screen.stored(session)["instructions"] == "Prices in francs."
    expect(open_instructions(screen)).to_have_value("Prices in francs.")
    field.fill("")
    screen.button("Save instructions").click()
    expect(field).to_have_count(0)
    assert screen.stored(session)["instructions"] is None


def test_an_automation_has_instructions_for_its_runs(screen: Screen) -> None:
    made = screen.api.post("/automations", json={"name": "Prices", "task": "ping test", "rule": None}).json()
    screen.page.goto("/automations")
    for before, text in (("", "Prices in francs."), ("Prices in francs.", "")):
        screen.button("More about Prices").click()
        screen.page.get_by_role("menuitem", name="Edit").click()
        form = screen.page.get_by_role("dialog", name="Edit the automation")
        form.get_by_role("button", name="More options").click()
        field = form.get_by_label("Instructions for its runs")
        expect(field).to_have_value(before)
        field.fill(text)
        assert violations(screen.page) == []
        form.get_by_role("button", name="Save").click()
        expect(form).to_have_count(0)
        assert screen.api.get(f"/automations/{made['id']}").json()["instructions"] == (text or None)
    screen.api.delete(f"/automations/{made['id']}").raise_for_status()
