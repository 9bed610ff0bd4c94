"""The box of sessions, messages and commands, and the list of keys."""

from __future__ import annotations

import re
import string
import uuid

import pytest
from playwright.sync_api import Locator, Route, expect

from tests.e2e.axe import violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.live_stage import LiveStage
from tests.e2e.screen import Screen
from tests.e2e.staged import Stage, history


def opened_menu(screen: Screen) -> Locator:
    screen.page.keyboard.press("Control+k")
    box = screen.page.get_by_role("combobox")
    expect(box).to_be_focused()
    return box


def test_a_message_of_another_session_is_found_and_opened_at_its_row(screen: Screen) -> None:
    word = f"lynx{uuid.uuid4().hex[:6]}"
    session = screen.new_session(title="Animals of the north")
    screen.tell(session, f"hello {word}")
    screen.open()
    opened_menu(screen).fill(word)
    expect(
        screen.page.get_by_role("option", name=re.compile(f"{word}.*Animals of the north"))
    ).to_be_visible()
    screen.page.keyboard.press("Enter")
    screen.page.wait_for_url(f"**/s/{session}*")
    expect(screen.feed.get_by_role("article").filter(has_text=word)).to_be_focused()


def test_a_row_of_this_session_is_found_however_far_away(screen: Screen) -> None:
    Stage(screen, history(300))
    expect(screen.feed.get_by_text("Page 300 says")).to_be_in_viewport()
    opened_menu(screen).fill("please look at page 7")
    expect(screen.page.get_by_role("group", name="In this session")).to_be_visible()
    screen.page.get_by_role("option", name="Please look at page 7", exact=True).click()
    expect(screen.feed.get_by_text("Please look at page 7", exact=True)).to_be_in_viewport()


def test_commands_are_done_by_name_with_keys_alone(screen: Screen) -> None:
    """Also when sessions are found after the command was chosen, which move it down."""
    held: list[Route] = []
    screen.page.route("**/api/sessions?*q=theme*", lambda route: held.append(route))
    screen.new_session(title="Theme park")
    for number in range(8):  # as many as are listed at first
        screen.new_session(title=f"Harbour {number}")
    screen.open()
    box = opened_menu(screen)
    expect(screen.page.get_by_role("group", name="Sessions")).to_be_visible()
    box.fill("theme")
    themes = screen.page.get_by_role("option", name="Theme: ")
    expect(themes).to_have_count(3)
    screen.wait_until(lambda: held, bool, "sessions are looked for")
    screen.page.keyboard.press("ArrowDown")
    screen.page.keyboard.press("ArrowDown")
    expect(themes.nth(2)).to_have_attribute("aria-selected", "true")
    for route in held:
        route.continue_()
    expect(screen.page.get_by_role("option", name="Theme park")).to_be_visible()
    expect(themes.nth(2)).to_have_attribute("aria-selected", "true")
    expect(box).to_have_attribute("aria-activedescendant", themes.nth(2).get_attribute("id") or "")
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator("html")).to_have_attribute("data-theme", "dark")
    opened_menu(screen).fill(f"nothing {uuid.uuid4().hex}")
    expect(screen.page.get_by_text("Nothing found for")).to_be_visible()
    screen.page.keyboard.press("Escape")
    expect(screen.composer).to_be_focused()


def test_what_is_found_nowhere_can_be_begun_as_a_task(screen: Screen) -> None:
    screen.open()
    opened_menu(screen).fill("ping pomelo")
    expect(screen.page.get_by_role("option", name="Start a task: “ping pomelo”")).to_be_visible()
    screen.page.keyboard.press("Enter")
    expect(screen.feed.get_by_text("ping pomelo", exact=True)).to_be_visible()
    screen.wait_idle()


def test_nothing_is_said_to_be_missing_before_the_search_has_answered(screen: Screen) -> None:
    held: list[Route] = []
    screen.page.route("**/api/sessions?*q=quince*", lambda route: held.append(route))
    screen.new_session(title="Harbour dues")
    screen.open()
    box = opened_menu(screen)
    box.fill("quince")
    screen.wait_until(lambda: held, bool, "sessions are looked for")
    expect(screen.page.get_by_role("listbox").get_by_text("Searching…")).to_be_visible()
    expect(screen.page.get_by_text("Nothing found")).to_have_count(0)
    for route in held:
        route.continue_()
    expect(screen.page.get_by_text("Nothing found for “quince”")).to_be_visible()


def test_lines_of_the_query_before_are_not_taken_for_found_ones(screen: Screen) -> None:
    """Enter right behind the last letter does the command, though the last sessions were listed before."""
    screen.page.route("**/api/sessions?*q=theme*", lambda route: None)
    screen.new_session(title="Harbour dues")
    screen.open()
    box = opened_menu(screen)
    expect(screen.page.get_by_role("group", name="Sessions")).to_be_visible()
    box.fill("theme dark")
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(screen.page).not_to_have_url(re.compile("/s/"))


FIRST_KEY = """new MutationObserver((_, observer) => {
    if (document.querySelectorAll('[role=option]').length < 2) return
    observer.disconnect()
    document.querySelector('[role=combobox]').dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}))
}).observe(document.body, {childList: true, subtree: true})"""
"""Presses a key as soon as there are lines."""


def test_a_key_counts_as_soon_as_there_are_lines(screen: Screen) -> None:
    held: list[Route] = []
    screen.page.route("**/assets/CommandHits-*.js", lambda route: held.append(route))
    screen.open(screen.new_session())
    screen.page.evaluate(FIRST_KEY)
    screen.page.keyboard.press("Control+k")
    expect(screen.page.get_by_role("combobox")).to_be_focused()
    screen.wait_until(lambda: held, bool, "the code of the results is asked for")
    for route in held:
        route.continue_()
    expect(screen.page.get_by_role("option", selected=True)).to_have_count(1)
    expect(screen.page.get_by_role("option").first).to_have_attribute("aria-selected", "false")


def test_keys_go_to_the_box_from_the_moment_it_is_called(screen: Screen) -> None:
    """Also the first time, before the code of the results is there."""
    word = f"tide{uuid.uuid4().hex[:6]}"
    screen.tell(screen.new_session(title="Kettles"), f"hello {word}")
    held: list[Route] = []
    screen.page.route("**/assets/CommandHits-*.js", lambda route: held.append(route))
    screen.open(screen.new_session())
    screen.composer.blur()
    screen.page.keyboard.press("Control+k")
    screen.page.keyboard.type(f"{word} hel")
    expect(screen.page.get_by_role("combobox")).to_have_value(f"{word} hel")
    expect(screen.page).not_to_have_url(re.compile("view="))
    screen.wait_until(lambda: held, bool, "the code of the results is asked for")
    for route in held:
        route.continue_()
    expect(screen.page.get_by_role("option", name=re.compile(f"{word}.*Kettles"))).to_be_visible()
    screen.page.keyboard.press("Escape")
    expect(screen.composer).to_be_focused()


def test_no_bare_letter_takes_the_browser(screen: Screen) -> None:
    stage = LiveStage(screen.page)
    screen.open(screen.new_session())
    screen.composer.blur()
    for letter in string.ascii_lowercase:
        screen.page.keyboard.press(letter)
    assert "view=" not in screen.page.url
    assert stage.said("take") == []


def test_keys_do_nothing_below_a_dialog_that_is_on_its_way(screen: Screen) -> None:
    held: list[Route] = []
    screen.page.route("**/assets/ShortcutsDialog-*.js", lambda route: held.append(route))
    screen.open(screen.new_session())
    screen.composer.blur()
    screen.page.keyboard.press("?")
    screen.page.keyboard.press("/")
    screen.wait_until(lambda: held, bool, "the dialog's code is asked for")
    expect(screen.composer).not_to_be_focused()
    for route in held:
        route.continue_()
    expect(screen.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_box_and_the_list_of_keys_are_for_everyone(open_screen: OpenScreen, scheme: str) -> None:
    screen = open_screen(color_scheme=scheme)
    screen.open()
    opened_menu(screen).fill("settings")
    expect(screen.page.get_by_role("option").nth(3)).to_be_visible()
    assert violations(screen.page) == []
    screen.page.keyboard.press("Escape")
    expect(screen.composer).to_be_focused()  # it has the focus back
    screen.composer.blur()
    screen.page.keyboard.press("?")
    keys = screen.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_text("Take over the browser")).to_be_visible()
    assert violations(screen.page) == []
