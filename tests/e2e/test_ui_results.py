"""A table as the result: asked for in the composer, filled by the run, sorted, edited, downloaded, with its pictures."""

from __future__ import annotations

import io
from pathlib import Path

import httpx
import pytest
from openpyxl import load_workbook
from playwright.sync_api import Browser, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import DESKTOP, OpenScreen
from tests.e2e.screen import Screen, keep_still
from tests.support.model_reply import say
from tests.support.model_server import providing
from tests.support.operator_tasks import step_of
from tests.support.scripted_model import act, navigate, stop
from tests.support.server import serving
from tests.support.sites import Site

KETTLES = """<title>Kettles</title><h1>Kettles</h1><ul><li>Amber kettle, €43.90<li>Blue kettle, sold out
<li>Cream kettle, €51.00</ul>"""
ROWS = [
    {"Name": "Amber kettle", "Price": 43.9},
    {"Name": "Blue kettle", "missing": {"Price": "sold out"}},
    {"Name": "Cream kettle", "Price": 15},
]
NARROW = {"width": 360, "height": 740}


def ask_for_columns(screen: Screen) -> None:
    screen.add("As a table")
    name = screen.page.get_by_role("textbox", name="Column name")
    expect(name).to_be_focused()
    name.fill("Name")
    name.press("Enter")
    name.fill("name")
    expect(screen.page.get_by_text("There is already a column name.")).to_be_visible()
    name.fill("Price")
    screen.page.get_by_role("combobox", name="Column type").select_option("number")


def test_columns_are_named_by_keyboard_on_a_narrow_window(open_screen: OpenScreen) -> None:
    screen = open_screen(viewport=NARROW).open()
    screen.button("Add to the message").press("Enter")
    screen.page.get_by_role("menuitemcheckbox", name="As a table").press("Enter")
    name = screen.page.get_by_role("textbox", name="Column name")
    for column in ("Название", "Цена", "Mistake"):
        name.fill(column)
        name.press("Enter")
    name.press("Backspace")
    chips = screen.page.get_by_role("list", name="Columns of the table").get_by_role("listitem")
    expect(chips).to_have_count(2)
    screen.button("Remove column Цена").press("Enter")
    expect(chips).to_have_count(1)
    assert fits(screen.page)
    assert violations(screen.page) == []
    name.press("Escape")
    expect(chips).to_have_count(0)
    screen.add("As a table")
    expect(chips).to_have_count(1)


@pytest.mark.timeout(180)
def test_a_table_is_filled_sorted_edited_and_downloaded_and_opens_its_pictures(
    chromium: Browser, tmp_path: Path
) -> None:
    with Site() as site:
        turns = [navigate(site.add("/kettles", KETTLES)), act("record", rows=ROWS), stop("Three kettles.")]
        with (
            providing([*map(step_of, turns), say("Kettles")]) as provider,
            serving(
                tmp_path, drain_timeout="0", agent_mode="real", agent_model="anthropic:claude-haiku-4-5",
                browser_headless="true", **{name.lower(): value for name, value in provider.env.items()},
            ) as server,
            httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
            chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US") as context,
        ):  # fmt: skip
            context.request.post("/api/auth/login", data={"password": server.token})
            context.set_default_timeout(60_000)
            keep_still(context)
            screen = Screen(context.new_page(), server, api).open()
            ask_for_columns(screen)
            screen.send("List the kettles")
            expect(screen.feed.get_by_text("Three kettles.")).to_be_visible(timeout=90_000)
            screen.wait_idle()
            expect(screen.feed.get_by_text("As a table: Name, Price")).to_be_visible()
            assert violations(screen.page) == []
            sort(screen)
            edit(screen)
            open_picture(screen)
            download(screen, tmp_path)
            screen.page.set_viewport_size(NARROW)
            screen.wait_until(lambda: fits(screen.page), bool, "the layout is narrow")
            expect(screen.feed.get_by_role("table")).to_be_visible()
            assert screen.errors == []
        assert provider.refusals == []


def names(screen: Screen) -> list[str]:
    rows = screen.feed.get_by_role("table").locator("tbody tr")
    return [text.strip() for text in rows.locator("td:first-child").all_inner_texts()]


def sort(screen: Screen) -> None:
    heading = screen.feed.get_by_role("columnheader", name="Price")
    recorded = ["Amber kettle", "Blue kettle", "Cream kettle"]
    orders = (
        ("ascending", ["Cream kettle", "Amber kettle", "Blue kettle"]),
        ("descending", ["Amber kettle", "Cream kettle", "Blue kettle"]),
    )
    assert names(screen) == recorded
    for direction, shown in orders:
        heading.get_by_role("button").press("Enter")
        expect(heading).to_have_attribute("aria-sort", direction)
        assert names(screen) == shown
    heading.get_by_role("button").press("Enter")
    expect(heading).not_to_have_attribute("aria-sort", "descending")
    assert names(screen) == recorded


def edit(screen: Screen) -> None:
    dialog = screen.page.get_by_role("dialog")
    screen.feed.get_by_role("button", name="no value (sold out)").press("Enter")
    expect(dialog.get_by_text("There is no value: sold out")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    doubtful = screen.feed.get_by_role("button", name="15 (not found in what the agent was shown)")
    doubtful.press("Enter")
    value = dialog.get_by_role("textbox", name="Value")
    expect(value).to_have_value("15")
    assert violations(screen.page) == []
    value.fill("dear")
    value.press("Enter")
    expect(dialog.get_by_role("alert")).to_have_text("This does not fit the type “number”.")
    value.fill("51,00")
    value.press("Enter")
    expect(dialog).to_have_count(0)
    expect(screen.feed.get_by_role("button", name="51 (edited)")).to_be_visible()
    expect(doubtful).to_have_count(0)
    screen.page.reload()
    screen.feed.get_by_role("button", name="51 (edited)").click()
    expect(dialog.get_by_text("You changed it. The agent recorded: 15")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()


def open_picture(screen: Screen) -> None:
    screen.feed.get_by_role("button", name="Amber kettle").click()
    picture = screen.page.get_by_role("dialog").get_by_role("img", name="The page that the row comes from")
    expect(picture).to_be_visible()
    shown = picture.get_attribute("src") or ""
    screen.button("Open the picture that it comes from").click()
    screen.page.wait_for_url("**/replay?step=*")
    viewer = screen.page.locator(f'img[src^="{shown.partition("?")[0]}"]').first
    expect(viewer).to_be_visible()
    screen.page.go_back()
    expect(screen.page.get_by_role("slider", name="Timeline")).to_have_count(0)
    screen.page.keyboard.press("Escape")
    expect(screen.page.get_by_role("dialog")).to_have_count(0)


def download(screen: Screen, folder: Path) -> None:
    for kind in ("CSV", "XLSX", "JSON"):
        screen.button("Download").click()
        with screen.page.expect_download() as waiting:
            screen.page.get_by_role("menuitem", name=kind).click()
        file = folder / f"result.{kind.lower()}"
        waiting.value.save_as(file)
        data = file.read_bytes()
        if kind == "XLSX":
            sheet = load_workbook(io.BytesIO(data)).active
            assert sheet is not None
            assert [cell.value for cell in sheet[4]][:2] == ["Cream kettle", 51]
        else:
            assert "Amber kettle" in data.decode("utf-8-sig")
