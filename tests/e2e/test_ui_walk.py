"""A walk through the product as a new user takes it: a real server, the demo model, a real browser, a small site.

What it once met is what it asserts, on a desktop and on a phone: where both can be at one session, the story runs
once, one of them acts, and both must show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, StorageState, expect

from tests.e2e.axe import fits
from tests.e2e.conftest import DESKTOP
from tests.e2e.live_stage import frame_is_shown
from tests.e2e.screen import Screen, keep_still
from tests.support.server import Server, serving
from tests.support.sites import Site
from tests.support.walk_site import SENTENCE, open_walk

DEMO = {
    "agent_mode": "real",
    "agent_model": "demo",
    "browser_headless": "true",
    "allow_private_network": "true",
    "drain_timeout": "0",
}
DEVICES: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
NOTE = "Use the red kettle"
LONG = ", wait 30 seconds" * 4
"""A part of a task that lasts until it is cancelled, however slow the machine is."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with Site() as site:
        open_walk(site)
        yield site


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("walk"), **DEMO) as server:
        yield server


@pytest.fixture(scope="module")
def signed_in(demo: Server, chromium: Browser) -> StorageState:
    with chromium.new_context(base_url=demo.url) as context:
        assert context.request.post("/api/auth/login", data={"password": demo.token}).ok
        return context.storage_state()


@contextmanager
def opened(device: str, demo: Server, signed_in: StorageState, chromium: Browser) -> Iterator[Screen]:
    options = DEVICES[device] | {"locale": "en-US", "storage_state": signed_in}
    with (
        httpx.Client(base_url=demo.api, headers=demo.headers, trust_env=False, timeout=30) as api,
        chromium.new_context(base_url=demo.url, **options) as context,
    ):
        context.set_default_timeout(45_000)
        keep_still(context)
        screen = Screen(context.new_page(), demo, api)
        yield screen
        assert fits(screen.page), "nothing scrolls sideways"
        if "/s/" in screen.page.url:
            screen.cancel()
        assert screen.errors == []


@pytest.fixture
def desktop(demo: Server, signed_in: StorageState, chromium: Browser) -> Iterator[Screen]:
    with opened("desktop", demo, signed_in, chromium) as screen:
        yield screen


@pytest.fixture
def phone(demo: Server, signed_in: StorageState, chromium: Browser) -> Iterator[Screen]:
    with opened("phone", demo, signed_in, chromium) as screen:
        yield screen


def finish(screen: Screen) -> None:
    """Wait until the session's run has ended, on the server and on the screen."""
    screen.wait_until_stored()
    screen.wait_until(
        lambda: screen.stored(screen.session_id)["run"],
        lambda it: it and it["finished_at"],
        "the run ends",
    )
    screen.wait_idle()


def card_of(screen: Screen) -> Locator:
    card = screen.page.get_by_role("region", name="Allow this action?")
    expect(card).to_be_visible()
    return card


def order(site: Site) -> str:
    return f"open {site.url('/checkout')}, type Ada into Name, click Place order and read the page"


def orders(site: Site) -> int:
    return [effect.name for effect in site.effects].count("order")


@pytest.mark.timeout(180)
def test_an_article_is_read_for_what_was_asked(desktop: Screen, phone: Screen, site: Site) -> None:
    task = f"open {site.url('/article.html')} and tell me what it says about the tariff in 2024"
    session = desktop.finished(task)
    for screen in (desktop.open(session), phone.open(session)):
        expect(screen.feed.get_by_text(SENTENCE).last).to_be_visible()
        expect(screen.feed.get_by_role("row", name="2024 0.31")).to_be_visible()
        expect(screen.feed.get_by_text("part 7 of its history")).to_have_count(0)
        title = screen.page.get_by_role("heading", level=1)
        expect(title).not_to_contain_text("http")
        expect(title).to_contain_text("tariff")


@pytest.mark.timeout(180)
def test_a_no_with_words_is_kept_and_what_was_refused_is_not_asked_again(
    desktop: Screen, phone: Screen, site: Site
) -> None:
    before = orders(site)
    session = phone.begin(order(site))
    card = card_of(phone)
    expect(card).to_contain_text("Place order")
    expect(card).to_contain_text("39.50")
    phone.deny_with_note(card)
    expect(card.get_by_role("button", name="Approve")).to_have_count(0)
    phone.page.get_by_role("textbox", name=re.compile("instead|note", re.IGNORECASE)).first.fill(NOTE)
    phone.page.keyboard.press("Enter")
    expect(phone.feed.get_by_text("Denied:")).to_have_count(1)
    expect(phone.feed.get_by_text(NOTE).first).to_be_visible()
    finish(phone)
    assert orders(site) == before
    phone.send(f"open {site.url('/contact')} and read the page")
    expect(phone.feed.get_by_text("Contact", exact=True).last).to_be_visible()
    finish(phone)
    expect(phone.feed.get_by_text("Denied:")).to_have_count(1)
    phone.wait_at_end()
    shown = places(phone)
    phone.page.reload()
    for screen in (phone, desktop.open(session)):
        expect(screen.feed.get_by_text("Denied:")).to_have_count(1)
        screen.wait_until(
            lambda screen=screen: places(screen), lambda it: it == sorted(it), "task, refusal, second task"
        )
    assert places(phone) == shown
    kinds = [message["role"] for message in phone.stored(session)["messages"]]
    assert kinds[0] == "user"


def places(screen: Screen) -> list[int]:
    """Where each of these stands in the feed: task, refusal, second task."""
    rows = screen.rows()
    words = ("type Ada into Name", "Denied:", "/contact and read")
    return [next(n for n, row in enumerate(rows) if word in row) for word in words]


@pytest.mark.timeout(180)
def test_an_order_is_placed_once_after_the_yes(desktop: Screen, phone: Screen, site: Site) -> None:
    before = orders(site)
    session = desktop.begin(order(site))
    for screen in (desktop, phone.open(session)):
        approve = card_of(screen).get_by_role("button", name="Approve")
        expect(approve).to_be_in_viewport()
        expect(approve).to_be_enabled()
    assert orders(site) == before
    card_of(phone).get_by_role("button", name="Approve").click()
    for screen in (phone, desktop):
        expect(screen.feed.get_by_text("Order number 1001").last).to_be_visible()
        finish(screen)
    assert orders(site) == before + 1


@pytest.mark.timeout(180)
def test_an_attached_file_is_a_chip_and_reaches_the_field(
    desktop: Screen, phone: Screen, site: Site, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("hello", encoding="utf-8")
    phone.open()
    with phone.page.expect_file_chooser() as chooser:
        phone.add("Attach files")
    chooser.value.set_files(note)
    expect(phone.page.get_by_text("note.txt").first).to_be_visible()
    phone.send(f"open {site.url('/upload.html')}, click Your file, click Save and read the page")
    phone.page.wait_for_url("**/s/*")
    phone.wait_until_stored()
    for screen in (phone, desktop.open(phone.session_id)):
        chips = screen.page.get_by_role("list", name="Attached files")
        expect(chips.get_by_text("note.txt")).to_be_visible()
        expect(screen.feed.get_by_text("Attached files:")).to_have_count(0)
        card = card_of(screen)
        expect(card).to_contain_text(re.compile("file|upload", re.IGNORECASE))
        expect(card).not_to_contain_text("binding statement")
    for _ in range(3):
        answered = desktop.feed.get_by_text("The file has arrived").last
        approve = desktop.button("Approve").and_(desktop.page.locator(":enabled"))
        expect(answered.or_(approve).first).to_be_visible()
        if answered.is_visible():
            break
        approve.click()
        expect(approve).to_have_count(0)
    finish(desktop)
    expect(phone.feed.get_by_text("The file has arrived").last).to_be_visible()
    assert "note.txt 5" in [effect.fields.get("file") for effect in site.effects]
    assert "note.txt" not in " ".join(site.paths)


@pytest.mark.timeout(180)
def test_what_is_not_there_is_said_and_what_is_there_twice_is_asked(
    desktop: Screen, phone: Screen, site: Site
) -> None:
    session = desktop.finished(f"open {site.url('/missing.json')} and read the page")
    for screen in (desktop.open(session), phone.open(session)):
        expect(screen.feed.get_by_text("The page was not found (404).").first).to_be_visible()
        expect(screen.feed.get_by_text("no such thing")).to_have_count(0)
    before = len(site.paths)
    phone.send(f"open {site.url('/two')} and click Log in")
    for screen in (phone, desktop):
        expect(screen.feed.get_by_text(re.compile("which", re.IGNORECASE)).last).to_be_visible()
    assert set(site.paths[before:]) <= {"/two", "/favicon.ico"}


@pytest.mark.timeout(180)
def test_the_browser_is_taken_by_hand_after_a_run_and_given_back(
    desktop: Screen, phone: Screen, site: Site
) -> None:
    session = phone.finished(f"open {site.url('/contact')} and read the page")
    phone.open(session)
    phone.button("More about this session").click()
    phone.page.get_by_role("menuitem", name="Take over").click()
    frame_is_shown(phone.page)
    address = phone.page.get_by_role("textbox", name="Address")
    address.fill(f"127.0.0.1:{site.port}/article.html")
    address.press("Enter")
    expect(address).to_have_value(site.url("/article.html"))
    expect(phone.page.get_by_label("The connection is encrypted")).to_have_count(0)
    phone.button("I’m done").click()
    dialog = phone.page.get_by_role("dialog", name="Continue the task?")
    expect(dialog.get_by_text("nothing goes on by itself")).to_be_visible()
    dialog.get_by_role("textbox", name="What to do next").fill("read the page")
    dialog.get_by_role("button", name="Continue the task").click()
    for screen in (phone, desktop.open(session)):
        expect(screen.feed.get_by_text("History of Port Ellis").last).to_be_visible()
        finish(screen)


@pytest.mark.timeout(180)
def test_a_message_for_afterwards_waits_in_plain_sight(desktop: Screen, phone: Screen, site: Site) -> None:
    session = desktop.begin(f"open {site.url('/contact')}{LONG} and read the page")
    phone.open(session)
    expect(phone.button("Stop")).to_be_visible()
    phone.page.get_by_role("radiogroup", name="When it is read").get_by_text("Afterwards").click()
    phone.send("scroll down")
    rows = [screen.feed.get_by_role("article").filter(has_text="scroll down") for screen in (phone, desktop)]
    for row in rows:
        expect(row.get_by_text("Queued", exact=True)).to_be_visible()
        for action in ("Edit", "Send now", "Cancel"):
            expect(row.get_by_role("button", name=action, exact=True)).to_be_visible()
    rows[1].get_by_role("button", name="Cancel").click()
    for row in rows:
        expect(row).to_have_count(0)


@pytest.mark.timeout(180)
def test_titles_tell_sessions_apart(desktop: Screen, site: Site) -> None:
    tasks = ("/article.html and tell me what it says about the tariff", "/contact and read the page")
    sessions = [desktop.finished(f"open {site.url(task)}") for task in tasks]
    titles = [str(desktop.stored(session)["title"]) for session in sessions]
    assert all("http" not in title for title in titles)
    assert titles[0] != titles[1]
    desktop.open()
    for session, title in zip(sessions, titles, strict=True):
        expect(desktop.sidebar.locator(f"a[href='/s/{session}']")).to_contain_text(title)


@pytest.mark.timeout(180)
def test_the_stage_is_large_and_says_when_it_is_over(desktop: Screen, phone: Screen, site: Site) -> None:
    session = desktop.begin(f"open {site.url('/contact')}{LONG} and read the page")
    for screen, least in ((desktop, 600), (phone.open(session), 300)):
        frame_is_shown(screen.page)
        box = screen.page.locator("canvas").first.bounding_box()
        assert box
        assert box["width"] > least
    desktop.cancel()
    for screen in (desktop, phone):
        finish(screen)
        expect(screen.page.get_by_text("Ended", exact=True).first).to_be_visible()
        expect(screen.page.get_by_text("Live", exact=True)).to_have_count(0)


@pytest.mark.timeout(180)
def test_a_greeting_is_no_task_and_what_is_said_offline_goes_out_by_itself(
    desktop: Screen, phone: Screen
) -> None:
    session = phone.begin("hello")
    expect(phone.feed.get_by_text("Hello! Tell me which page to open")).to_be_visible()
    finish(phone)
    phone.expect_errors("ERR_INTERNET_DISCONNECTED")
    phone.page.context.set_offline(True)
    expect(phone.page.get_by_text("You are offline.")).to_be_visible()
    phone.send("thank you")
    expect(phone.feed.get_by_text("It is sent when the server can be reached.")).to_be_visible()
    phone.page.context.set_offline(False)
    for screen in (phone, desktop.open(session)):
        expect(screen.feed.get_by_text("You are welcome.")).to_be_visible()
        expect(screen.page.get_by_text("You are offline.")).to_have_count(0)
    said = [one["content"] for one in phone.stored(session)["messages"] if one["role"] == "user"]
    assert said == ["hello", "thank you"]
    phone.wait_idle()


@pytest.mark.timeout(120)
def test_letters_after_ctrl_k_go_to_the_search_and_take_nothing_over(desktop: Screen, site: Site) -> None:
    desktop.open(desktop.finished(f"open {site.url('/contact')}"))
    desktop.feed.focus()
    desktop.page.keyboard.press("Control+k")
    desktop.page.keyboard.type("tide kettle")
    expect(desktop.page.get_by_role("combobox")).to_have_value("tide kettle")
    assert "takeover" not in desktop.page.url
    desktop.page.keyboard.press("Escape")


@pytest.mark.timeout(120)
def test_deleting_all_sessions_is_chosen_and_confirmed_by_a_word(desktop: Screen, phone: Screen) -> None:
    for screen in (desktop, phone):
        screen.page.goto("/settings/data")
        screen.page.get_by_role("radio", name=re.compile("^All sessions")).check(force=True)
        screen.button("Delete…").click()
        dialog = screen.page.get_by_role("dialog", name="Delete all sessions?")
        expect(dialog.get_by_role("button", name="Delete")).to_be_disabled()
        dialog.get_by_role("textbox").fill("delete")
        expect(dialog.get_by_role("button", name="Delete")).to_be_enabled()
        screen.page.keyboard.press("Escape")
