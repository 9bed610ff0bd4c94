"""What goes in and out of a session, and what it has of its own: files, exports, permissions, branches, surroundings."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.e2e.axe import fits, violations
from tests.e2e.conftest import OpenScreen
from tests.e2e.screen import Screen

NOTE = {"name": "note.txt", "mimeType": "text/plain", "buffer": b"remember the milk"}


def session_menu(screen: Screen, item: str) -> Locator:
    screen.button("More about this session").click()
    return screen.page.get_by_role("menuitem", name=item)


def test_a_file_goes_with_a_message_and_is_kept_fetched_and_deleted(screen: Screen, tmp_path: Path) -> None:
    screen.open()
    screen.page.locator("input[type=file]").first.set_input_files([NOTE])  # type: ignore[list-item]
    expect(screen.page.get_by_role("list", name="Attached files")).to_contain_text("note.txt")
    screen.send("hello with a file")
    screen.page.wait_for_url("**/s/*")
    expect(screen.feed.get_by_role("list", name="Attached files")).to_have_text("note.txt")
    expect(screen.feed.get_by_text("hello with a file", exact=True)).to_be_visible()
    expect(screen.feed.get_by_text("Attached files:")).to_have_count(0)
    screen.page.get_by_role("tab", name="Files").click()
    item = screen.page.get_by_role("list", name="Files", exact=True).get_by_role("listitem")
    expect(item).to_contain_text(re.compile("note.txt.*added by you"))
    with screen.page.expect_download() as download:
        item.get_by_role("button", name="Download note.txt").click()
    assert Path(download.value.path()).read_bytes() == NOTE["buffer"]
    assert violations(screen.page) == []
    item.get_by_role("button", name="Delete note.txt").click()
    item.get_by_role("button", name="Delete for good?").click()
    expect(screen.page.get_by_text("No files yet.")).to_be_visible()
    screen.wait_idle()


def test_what_the_browser_downloaded_is_listed_and_can_be_had(screen: Screen) -> None:
    session = screen.new_session()
    address = f"/api/sessions/{session}/files/offer.pdf"
    listed = {
        "name": "offer.pdf",
        "size": 160_000,
        "origin": "download",
        "created_at": "2026-01-01T12:00:00Z",
        "url": address,
    }
    screen.page.route(
        f"**/api/sessions/{session}/files", lambda route: route.fulfill(json={"items": [listed]})
    )
    head = {"content-disposition": 'attachment; filename="offer.pdf"'}
    screen.page.route(f"**{address}", lambda route: route.fulfill(body=b"%PDF", headers=head))
    screen.open(session)
    screen.page.get_by_role("tab", name="Files").click()
    expect(screen.page.get_by_text(re.compile(r"^160 kB · downloaded"))).to_be_visible()
    with screen.page.expect_download() as download:
        screen.button("Download offer.pdf").click()
    assert download.value.suggested_filename == "offer.pdf"


def test_a_file_that_is_not_taken_says_so_and_the_message_stays(screen: Screen) -> None:
    screen.expect_errors("413")
    refusal = {"title": "Too large", "status": 413, "code": "too_large", "detail": "At most 25 MB."}
    session = screen.new_session()
    screen.page.route(
        f"**/api/sessions/{session}/files", lambda route: route.fulfill(status=413, json=refusal)
    )
    screen.open(session)
    screen.composer.fill("look at this")
    screen.page.locator("input[type=file]").first.set_input_files([NOTE])  # type: ignore[list-item]
    chip = screen.page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chip).to_contain_text("At most 25 MB.")
    chip.get_by_role("button", name="Remove note.txt").click()
    expect(chip).to_have_count(0)
    expect(screen.composer).to_have_value("look at this")


def test_a_session_is_taken_along_in_three_forms(screen: Screen) -> None:
    screen.open(screen.finished("think about boats"))
    expect(screen.feed.get_by_text("Boats float")).to_be_visible()
    taken = {}
    for form, name in (("md", "Markdown"), ("json", "JSON"), ("html", "a replay (HTML)")):
        with screen.page.expect_download() as download:
            session_menu(screen, f"Export as {name}").click()
        assert download.value.suggested_filename.endswith(f".{form}")
        taken[form] = Path(download.value.path()).read_text()
    assert taken["md"].startswith("# think about boats")
    assert [row["role"] for row in json.loads(taken["json"])["messages"]] == ["user", "assistant"]
    assert "Boats float" in taken["html"]
    assert not zipfile.is_zipfile(download.value.path())


def test_what_was_allowed_for_good_is_listed_and_taken_back(screen: Screen) -> None:
    session = screen.asking()
    screen.open(session)
    expect(screen.button("Approve")).to_be_visible()
    scope = screen.page.get_by_label("Allow this kind of action on this site")
    scope.select_option("In this session")
    screen.button("Approve for this session").click()
    screen.wait_idle()
    session_menu(screen, "Permissions of this session").click()
    dialog = screen.page.get_by_role("dialog", name="Permissions of this session")
    expect(dialog).to_contain_text("Place orders and bookings")
    expect(dialog).to_contain_text("shop.example")
    assert violations(screen.page) == []
    dialog.get_by_role("button", name="Revoke: Place orders and bookings on shop.example").click()
    expect(dialog.get_by_text("Nothing is allowed without asking in this session.")).to_be_visible()
    assert screen.api.get(f"/sessions/{session}/grants").json() == {"items": []}


def test_a_branch_begins_with_what_was_said_up_to_there(open_screen: OpenScreen) -> None:
    screen = open_screen()
    session = screen.finished("think about boats")
    screen.open(session)
    expect(screen.feed.get_by_text("Boats float")).to_be_visible()
    screen.send("hello")
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
    screen.wait_idle()
    answer = screen.feed.get_by_role("article").filter(has_text="Boats float")
    answer.hover()
    answer.get_by_role("button", name="Branch from here").click()
    screen.page.wait_for_url(lambda url: "/s/" in url and session not in url)
    expect(screen.page.get_by_text("Its browser starts fresh")).to_be_visible()
    expect(screen.feed.get_by_text("Boats float")).to_be_visible()
    expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_have_count(0)
    assert len(screen.stored(session)["messages"]) == 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_sessions_browser_has_surroundings_of_its_own(open_screen: OpenScreen, scheme: str) -> None:
    narrow = {"width": 360, "height": 740}
    screen = open_screen(color_scheme=scheme, **({"viewport": narrow} if scheme == "dark" else {}))
    screen.expect_errors("422")
    session = screen.new_session(title="Tokyo")
    session_menu(screen.open(session), "Surroundings of the browser…").click()
    dialog = screen.page.get_by_role("dialog", name="Surroundings of the browser")
    save, password = dialog.get_by_role("button", name="Save"), dialog.get_by_label("Password")
    address = dialog.get_by_role("textbox", name="Proxy")
    dialog.get_by_label("Time zone").select_option("Asia/Tokyo")
    dialog.get_by_label("Language").fill("pt-BR")
    address.fill("ftp://proxy.example")
    dialog.get_by_label("User name").fill("ann")
    password.fill("a proxy's word")
    save.click()
    expect(address).to_have_accessible_description("A proxy's address begins with http:// or socks5://.")
    expect(password).to_have_value("a proxy's word")
    assert violations(screen.page) == []
    assert fits(screen.page)
    address.fill("socks5://proxy.example:1080")
    save.click()
    expect(dialog).to_have_count(0)
    session_menu(screen, "Surroundings of the browser…").click()
    expect(dialog.get_by_label("Time zone")).to_have_value("Asia/Tokyo")
    expect(password).to_have_value("")
    expect(password).to_have_accessible_description("A password is stored. Empty: it stays.")
    dialog.get_by_label("Language").fill("")
    save.click()
    expect(dialog).to_have_count(0)
    assert screen.api.get(f"/sessions/{session}/surroundings").json() == {
        "time_zone": "Asia/Tokyo", "locale": None,
        "proxy": {"address": "socks5://proxy.example:1080", "user": "ann", "has_password": True},
    }  # fmt: skip
