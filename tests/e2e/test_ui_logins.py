"""Stored logins in the settings: added, changed, imported, exported, removed; never shown again."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen

SECRET = "pass-canary-71"
SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
CSV = f"name,url,username,password\nPost,https://post.example/in,bob@mail.example,{SECRET}\nApp,android://x,b,c\n"


@pytest.fixture(autouse=True)
def no_logins(api: httpx.Client) -> Iterator[None]:
    yield
    for login in api.get("/logins").json()["items"]:
        api.delete(f"/logins/{login['id']}").raise_for_status()


def test_a_login_is_added_changed_and_removed(screen: Screen) -> None:
    page = screen.page
    page.goto("/settings/logins")
    expect(page.get_by_text("No logins yet.")).to_be_visible()
    screen.button("Add a login").click()
    page.get_by_label("Site", exact=True).fill("https://www.shop.example/login")
    page.get_by_label("User name", exact=True).fill("ada@mail.example")
    page.get_by_label("Password", exact=True).fill(SECRET)
    page.get_by_label("One-time codes", exact=True).fill(SEED)
    screen.button("Save login").click()
    expect(page.get_by_text("a...@mail.example")).to_be_visible()
    expect(page.get_by_text("Asks each time")).to_be_visible()
    screen.button("Change: www.shop.example").click()
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    page.get_by_label("Title", exact=True).fill("Shop")
    screen.button("Save login").click()
    expect(page.get_by_role("heading", name="Shop")).to_be_visible()
    assert not any(secret in page.content() for secret in (SECRET, SEED, "ada@mail.example"))
    page.get_by_role("button", name=re.compile("^Log")).click()
    expect(page.get_by_text("added", exact=True)).to_be_visible()
    screen.button("Delete: Shop").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("No logins yet.")).to_be_visible()


def test_a_file_is_shown_before_it_is_kept_and_an_export_asks_twice_for_plain_text(screen: Screen) -> None:
    page = screen.page
    screen.expect_errors("403")
    page.goto("/settings/logins")
    file = {"name": "passwords.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    page.get_by_label("Import a file…").set_input_files(file)  # type: ignore[arg-type]
    dialog = page.get_by_role("dialog", name="Import")
    expect(dialog.get_by_text("no site")).to_be_visible()
    dialog.get_by_role("button", name="Import").click()
    expect(page.get_by_text("b...@mail.example")).to_be_visible()
    screen.button("Export…").click()
    page.get_by_label("Password of this server").fill("wrong")
    page.get_by_text("Plain CSV").click()
    screen.button("Export").click()
    screen.button("Export as plain text").click()
    expect(page.get_by_role("alert")).to_contain_text("not the password of this server")
    page.get_by_label("Password of this server").fill(screen.server.token)
    screen.button("Export").click()
    with page.expect_download() as download:
        screen.button("Export as plain text").click()
    assert download.value.suggested_filename == "logins.csv"
    assert SECRET in download.value.path().read_text()


@pytest.mark.parametrize(("scheme", "lang", "width"), [("light", "ru-RU", 360), ("dark", "de-DE", 360)])
def test_the_page_fits_a_phone_in_both_themes(
    open_screen: OpenScreen, api: httpx.Client, scheme: str, lang: str, width: int
) -> None:
    body = {"hosts": ["a-very-long-name-of-a-host.shop.example"], "user": "ada@mail.example", "password": "x"}
    api.post("/logins", json={**body, "totp": SEED}).raise_for_status()
    screen = open_screen(color_scheme=scheme, locale=lang, viewport={"width": width, "height": 800})
    screen.page.goto("/settings/logins")
    expect(screen.page.get_by_text("a...@mail.example")).to_be_visible()
    assert fits(screen.page)
    assert violations(screen.page) == []
