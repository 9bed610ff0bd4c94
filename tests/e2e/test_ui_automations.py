"""Automations: made from a finished run, a command or their page; due, run manually, paused, deleted."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen

DAILY = "DTSTART:20260101T080000\nRRULE:FREQ=DAILY"
ZONE = "Intl.DateTimeFormat().resolvedOptions().timeZone"


@pytest.fixture(autouse=True)
def no_automations(api: httpx.Client) -> Iterator[None]:
    yield
    for automation in api.get("/automations").json()["items"]:
        api.delete(f"/automations/{automation['id']}").raise_for_status()


def add(screen: Screen, **body: Any) -> dict[str, Any]:
    known = {"name": "Morning ping", "task": "ping test", "rule": DAILY, "zone": "Europe/Berlin"}
    answer = screen.api.post("/automations", json=known | body)
    answer.raise_for_status()
    return dict(answer.json())


def write(screen: Screen, statement: str, *values: object) -> None:
    """What a clock that has moved on would find in the database."""
    with closing(sqlite3.connect(screen.server.log.with_name("pilothouse.db"), timeout=30)) as db:
        db.execute(statement, values)
        db.commit()


def item(screen: Screen, name: str = "Morning ping") -> Locator:
    return screen.page.get_by_role("article", name=name)


def choose(screen: Screen, name: str, what: str) -> None:
    item(screen, name).get_by_role("button", name=f"More about {name}").click()
    screen.page.get_by_role("menuitem", name=what).click()


def test_a_finished_run_is_repeated_and_runs_when_it_is_due(screen: Screen) -> None:
    page = screen.page
    session = screen.begin("ping test")
    screen.wait_idle()
    screen.button("Repeat this…").click()
    form = page.get_by_role("dialog", name="New automation")
    expect(form.get_by_label("Task")).to_have_value("ping test")
    expect(form.get_by_label("Name")).not_to_have_value("")
    form.get_by_label("Name").fill("Morning ping")
    expect(form.get_by_role("listitem")).to_have_count(5)
    form.get_by_label("Repeats").select_option("Weekdays")
    form.get_by_label("Time", exact=True).fill("07:30")
    expect(form.get_by_role("listitem").first).to_contain_text("07:30")
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    screen.sidebar.get_by_role("link", name="Automations").click()
    expect(page).to_have_title("Automations – Pilothouse")
    expect(item(screen)).to_contain_text("Weekdays, 07:30")
    coming = page.get_by_role("region", name="Coming in the next 14 days")
    expect(coming).to_contain_text("Morning ping")
    expect(coming).to_contain_text(f"In the time of this browser ({page.evaluate(ZONE)})")
    (made,) = screen.api.get("/automations").json()["items"]
    assert made["session_id"] == session
    write(screen, "UPDATE automations SET next_at = ?", f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S.%f}")
    expect(item(screen)).to_contain_text("Done")
    item(screen).get_by_role("button", name="Log").click()
    expect(item(screen)).to_contain_text("by time")
    item(screen).get_by_role("link", name="Open the session").click()
    page.wait_for_url(f"**/s/{session}")
    expect(screen.feed.get_by_text("ping test")).to_have_count(2)


def test_an_automation_is_run_paused_edited_and_deleted(screen: Screen) -> None:
    page = screen.page
    add(screen)
    page.goto("/automations")
    screen.button("Run now: Morning ping").click()
    expect(item(screen)).to_contain_text("Done")
    choose(screen, "Morning ping", "Pause")
    expect(item(screen)).to_contain_text("Paused")
    expect(page.get_by_role("region", name="Coming in")).to_contain_text("Nothing is due.")
    choose(screen, "Morning ping", "Resume")
    expect(item(screen)).to_contain_text(
        "Daily, 08:00 (Europe/Berlin) · Next:"
    )  # not the zone of the browser
    choose(screen, "Morning ping", "Edit")
    form = page.get_by_role("dialog", name="Edit the automation")
    form.get_by_label("Repeats").select_option("Advanced")
    form.get_by_label("Rule").fill("FREQ=MINUTELY")
    expect(form.get_by_text("5 minutes apart").last).to_be_visible()
    screen.expect_errors("422")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("5 minutes apart")
    form.get_by_label("Rule").fill("FREQ=MONTHLY;BYDAY=1MO")
    form.get_by_role("button", name="More options").click()
    form.get_by_label("Wait for my answer").select_option("3 days")
    form.get_by_label("US dollars for a month").fill("2.5")
    form.get_by_role("button", name="Save").click()
    expect(item(screen)).to_contain_text("FREQ=MONTHLY;BYDAY=1MO")
    (changed,) = screen.api.get("/automations").json()["items"]
    assert (changed["patience"], changed["budget"]["month_cost"]) == (3 * 86_400, 2.5)
    choose(screen, "Morning ping", "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No automations yet.")).to_be_visible()


def test_the_command_of_the_composer_opens_the_form(screen: Screen) -> None:
    screen.open().send("/schedule ping test")
    form = screen.page.get_by_role("dialog", name="New automation")
    expect(form.get_by_label("Task")).to_have_value("ping test")
    form.get_by_label("Repeats").select_option("By webhook")
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    (made,) = screen.api.get("/automations").json()["items"]
    assert (made["task"], made["rule"], made["next_at"]) == ("ping test", None, None)


def test_a_webhook_is_made_and_begins_it(screen: Screen) -> None:
    add(screen, rule=None)
    screen.page.goto("/automations")
    choose(screen, "Morning ping", "Webhook")
    dialog = screen.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Make an address").click()
    address = str(dialog.locator("code").text_content())
    assert address.startswith(f"{screen.server.url}/api/hooks/")
    assert httpx.post(address, trust_env=False, content="{}").status_code == 202
    dialog.get_by_role("button", name="Remove the address").click()
    expect(dialog.locator("code")).to_have_count(0)
    assert httpx.post(address, trust_env=False).status_code == 404
    dialog.get_by_role("button", name="Close").click()
    item(screen).get_by_role("button", name="Log").click()
    expect(item(screen)).to_contain_text("by webhook")


def test_an_export_is_imported_and_paused(screen: Screen, tmp_path: Path) -> None:
    add(screen)
    screen.page.goto("/automations")
    with screen.page.expect_download() as download:
        screen.button("Export").click()
    assert download.value.suggested_filename == "automations.json"
    file = tmp_path / "automations.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["automations"][0]["name"] == "Morning ping"
    screen.page.locator("main input[type=file]").set_input_files(file)
    expect(screen.page.get_by_text("1 automation imported. It is paused.")).to_be_visible()
    expect(item(screen)).to_have_count(2)
    file.write_text("no json")
    screen.page.locator("main input[type=file]").set_input_files(file)
    expect(screen.page.get_by_text("This file is not an export of automations.")).to_be_visible()


def test_what_was_not_answered_goes_on_with_one_tap(screen: Screen) -> None:
    made = add(screen, task="log in to my mail", patience=3600)
    firing = screen.api.post(f"/automations/{made['id']}/run").json()
    session = firing["session_id"]
    screen.wait_until(lambda: screen.stored(session)["pending"], bool, "it asks")
    screen.open(session)
    write(screen, "UPDATE automations SET patience = 0")
    note = screen.page.get_by_role("alert").filter(has_text="It needs you, and nobody answered in time")
    expect(note).to_contain_text("It waited for: ")
    before = screen.stored(session)["run"]["id"]
    note.get_by_role("button", name="Continue").click()
    again = screen.wait_until(lambda: screen.stored(session), lambda it: it["pending"], "it asks again")
    assert again["run"]["id"] != before
    expect(note.get_by_role("button")).to_have_count(0)
    screen.cancel(session)
    screen.page.goto("/automations")
    expect(item(screen)).to_contain_text("Needs you")
    item(screen).get_by_role("button", name="Log").click()
    expect(item(screen)).to_contain_text("Waited for: mail.example")


def test_a_run_asks_before_it_starts_and_what_is_left_out_is_asked_about(screen: Screen) -> None:
    page = screen.page
    add(screen, task="shop for a kettle")
    page.goto("/automations")
    choose(screen, "Morning ping", "Edit")
    form = page.get_by_role("dialog", name="Edit the automation")
    form.get_by_role("button", name="More options").click()
    first = form.get_by_role("switch", name="Ask before starting")
    first.focus()
    page.keyboard.press("Space")
    expect(first).to_be_checked()
    form.get_by_role("button", name="Save").click()
    expect(item(screen)).to_contain_text("Ask before starting")
    item(screen).get_by_role("button", name="Run now").click()
    item(screen).get_by_role("link", name="Waits for you").click()
    expect(page).to_have_url(re.compile("/inbox$"))
    card = page.get_by_role("region", name="Start this run?")
    expect(card.get_by_role("list")).to_contain_text("Do what is asked")
    expect(card).to_contain_text("Place orders and bookings, once, on shop.example")
    assert violations(page) == []
    expect(card.get_by_role("checkbox")).not_to_be_checked()
    card.get_by_role("button", name="Start", exact=True).click()
    order = page.get_by_role("region", name="Allow this action?")
    expect(order).to_contain_text("Place order")
    order.get_by_role("button", name="Approve").click()
    page.goto("/automations")
    expect(item(screen)).to_contain_text("Done")


def test_a_session_asks_before_its_runs_start(screen: Screen) -> None:
    page = screen.page
    page.goto("/")
    picker = screen.button(re.compile("^Model: "))
    picker.press("Enter")
    page.get_by_role("menuitemcheckbox", name="Ask before starting").focus()
    page.keyboard.press("Space")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(picker).to_have_accessible_name(re.compile("Agent: Operator, asks before starting$"))
    screen.send("shop for a kettle")
    card = page.get_by_role("region", name="Start this run?")
    expect(card).to_contain_text("Place orders and bookings, once, on shop.example")
    expect(card.get_by_role("button", name="Deny")).to_have_count(0)
    card.get_by_role("button", name="More about this question").click()
    page.get_by_role("menuitem", name="Ask for another plan").click()
    card.get_by_role("textbox", name="What should the plan be like?").fill("shorter")
    card.get_by_role("button", name="Ask for it").click()
    expect(screen.feed.get_by_text("You asked for another plan:")).to_be_visible()
    expect(screen.feed.get_by_text("“shorter”")).to_be_visible()
    expect(card.get_by_role("button", name="Start", exact=True)).to_be_enabled()
    screen.send("without the basket")  # the same wish by a message
    expect(screen.feed.get_by_text("You asked for another plan:")).to_have_count(2)
    expect(screen.feed.get_by_text("Denied:")).to_have_count(0)
    expect(card.get_by_role("button", name="Start", exact=True)).to_be_enabled()
    card.get_by_role("button", name="Start", exact=True).click()
    page.get_by_role("region", name="Allow this action?").get_by_role("button", name="Approve").click()
    expect(screen.feed.get_by_text("The blue kettle is ordered")).to_be_visible()
    session = page.url.rpartition("/")[2]
    picker.click()
    with screen.patched(session):
        page.get_by_role("menuitemcheckbox", name="Ask before starting").click()
    expect(picker).to_have_accessible_name(re.compile("Agent: Operator$"))
    assert screen.stored(session)["ask_first"] is False


@pytest.mark.parametrize(("scheme", "lang", "width"), [("light", "ru-RU", 360), ("dark", "en-US", 1440)])
def test_the_page_and_the_form_are_accessible_and_fit(
    open_screen: OpenScreen, scheme: str, lang: str, width: int, tmp_path: Path
) -> None:
    screen = open_screen(color_scheme=scheme, locale=lang, viewport={"width": width, "height": 800})
    page = screen.page
    page.goto("/automations")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert violations(page) == []
    name = "Prices of kettles with a name that does not fit into one line of a phone"
    made = add(screen, name=name, only_changes=True, ask_first=False)
    add(screen, name="Weekly", rule="DTSTART:20260101T080000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH", enabled=False)
    screen.api.post(f"/automations/{made['id']}/run").raise_for_status()
    expect(page.get_by_role("article")).to_have_count(2)
    log = page.get_by_role("article").first.get_by_role("button", expanded=False).last
    log.click()
    expect(
        page.get_by_role("link", name="Open the session").or_(page.get_by_role("link", name="Открыть сессию"))
    ).to_be_visible()
    assert violations(page) == []
    assert fits(page)
    page.screenshot(path=tmp_path / "list.png")
    page.keyboard.press("j")
    expect(page.get_by_role("article").last).to_be_focused()
    page.locator("header button").last.click()
    form = page.get_by_role("dialog")
    expect(form.get_by_role("listitem")).to_have_count(5)
    form.locator("select").first.select_option("weekly")
    form.locator("button[aria-expanded]").click()
    assert violations(page) == []
    assert fits(page)
    page.screenshot(path=tmp_path / "form.png")
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    asking = add(screen, name="Kettle", task="shop for a kettle", ask_first=True)
    screen.api.post(f"/automations/{asking['id']}/run").raise_for_status()
    page.goto("/inbox")
    expect(page.get_by_role("article", name="Kettle").get_by_role("checkbox")).not_to_be_checked()
    assert violations(page) == []
    assert fits(page)
    page.screenshot(path=tmp_path / "start.png")
    for firing in screen.api.get(f"/automations/{asking['id']}/firings").json()["items"]:
        screen.cancel(firing["session_id"])
