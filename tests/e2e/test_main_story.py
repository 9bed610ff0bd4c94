"""The main story in one piece: a real server, the demo model, and a real browser that is watched and taken over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import DESKTOP, PATIENCE
from tests.e2e.live_stage import frame_is_shown
from tests.e2e.screen import Screen, keep_still
from tests.support.held_player import SAYS, PictureSite
from tests.support.server import serving
from tests.support.shop_site import open_shop
from tests.support.sites import Site

SECONDS = 45_000
PASSWORD = "S3cret-of-Ann"


@pytest.fixture
def site() -> Iterator[Site]:
    with PictureSite() as site:
        open_shop(site)
        yield site


@pytest.fixture
def screen(chromium: Browser, tmp_path: Path) -> Iterator[Screen]:
    """A newcomer's tab of a server whose browser is a real one."""
    with (
        serving(tmp_path / "data", agent_mode="real", agent_model="demo", browser_headless="true") as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
        chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US") as context,
    ):
        context.set_default_timeout(SECONDS)
        keep_still(context)
        expect.set_options(timeout=SECONDS)
        screen = Screen(context.new_page(), server, api)
        yield screen
        expect.set_options(timeout=PATIENCE)
        screen.expect_errors("401")  # before the login
        assert screen.errors == []


@pytest.mark.timeout(300)
def test_from_the_first_login_to_the_exported_replay(screen: Screen, site: Site) -> None:
    log_in(screen)
    order_a_kettle(screen, site)
    sign_in_by_hand(screen, site)
    deny_what_is_held(screen, site)
    stop_a_long_task(screen, site)
    reload_shows_the_same(screen)
    replay_and_export(screen)


def log_in(screen: Screen) -> None:
    screen.page.goto("/")
    screen.page.get_by_label("Password", exact=True).fill(screen.server.token)
    screen.page.keyboard.press("Enter")
    expect(screen.composer).to_be_visible()


def order_a_kettle(screen: Screen, site: Site) -> None:
    """Watched live, the plan edited on the way; nothing is ordered before the yes, one kettle after it."""
    steps = (
        "click Blue kettle, click Add to cart, click Go to checkout, type Ada into Name, click Place order"
    )
    screen.send(f"open {site.url('/shop')}, wait 3 seconds, {steps} and read the page")
    frame_is_shown(screen.page)
    add_to_the_plan(screen, "Tell the order number")
    expect(screen.button("Approve")).to_be_visible()
    card = screen.feed.get_by_role("article").filter(has=screen.button("Approve"))
    expect(card).to_contain_text("Place order")
    expect(card).to_contain_text("39.50")
    assert "Tell the order number" in plan(screen)
    assert "order" not in [effect.name for effect in site.effects]
    screen.button("Approve").click()
    expect(screen.feed.get_by_text("Order number 1001").last).to_be_visible()
    screen.wait_idle()
    assert [effect.name for effect in site.effects].count("order") == 1


def add_to_the_plan(screen: Screen, step: str) -> None:
    screen.page.get_by_role("tab", name=re.compile("^Plan")).click()
    screen.button("Add a step").click()
    editor = screen.page.get_by_role("textbox", name="Step of the plan")
    editor.fill(step)
    editor.press("Enter")
    expect(screen.page.get_by_role("tabpanel").get_by_text(step)).to_be_visible()


def plan(screen: Screen) -> list[str]:
    return list(screen.stored(screen.session_id)["state"]["plan"])


def sign_in_by_hand(screen: Screen, site: Site) -> None:
    """The agent hands over; what is typed goes to the page and nowhere else."""
    screen.send(f"open {site.url('/sign-in')}, log in and read the page")
    screen.feed.get_by_role("button", name="Take over").click()
    screen.button("Elements").click()
    for field, text in (("User", "ann"), ("Password", PASSWORD)):
        box = screen.page.get_by_label(f"Text for {field}")
        box.fill(text)
        box.press("Enter")
    screen.page.get_by_role("button", name=re.compile("Click.*Sign in")).click()
    box = screen.page.get_by_label("Text for Code")
    box.fill("123456")
    box.press("Enter")
    screen.page.get_by_role("button", name=re.compile("Click.*Verify")).click()
    expect(screen.page.get_by_role("textbox", name="Address")).to_have_value(site.url("/account"))
    screen.button("I’m done").click()
    screen.button("Continue").click()
    expect(screen.feed.get_by_text("Welcome, Ann").last).to_be_visible()
    screen.wait_idle()
    assert site.effects[-2:] == [effect for effect in site.effects if effect.name in ("sign-in", "code")]
    assert PASSWORD not in screen.api.get(f"/sessions/{screen.session_id}/export?format=json").text


def deny_what_is_held(screen: Screen, site: Site) -> None:
    """A button whose words say nothing: the card says what it was about to send, and so does the transcript."""
    done = len(site.effects)
    screen.send(f"open {site.url('/picture')} and click Zoom in")
    expect(screen.button("Deny")).to_be_visible()
    card = screen.feed.get_by_role("article").filter(has=screen.button("Deny"))
    expect(card).to_contain_text(f"It is about to send: {SAYS}")
    screen.button("Deny").click()
    screen.wait_idle()
    expect(screen.feed.get_by_text(f"It was about to send: {SAYS}")).to_be_visible()
    exported = screen.api.get(f"/sessions/{screen.session_id}/export?format=md").text
    assert f"Denied: click “Zoom in” (about to send {SAYS})" in exported
    assert len(site.effects) == done


def stop_a_long_task(screen: Screen, site: Site) -> None:
    screen.send(f"open {site.url('/shop')}, wait 25 seconds and read the page")
    screen.button("Stop").click()
    screen.wait_idle()
    expect(screen.feed.get_by_text("Stopped", exact=True).last).to_be_visible()
    assert screen.stored(screen.session_id)["run"]["error"] == "Task cancelled"


def reload_shows_the_same(screen: Screen) -> None:
    screen.wait_at_end()
    before = screen.rows()
    screen.page.reload()
    expect(screen.feed.get_by_text("Stopped", exact=True).last).to_be_visible()
    screen.wait_at_end()
    screen.wait_until(lambda: screen.rows()[-3:], lambda it: it == before[-3:], f"shown again: {before[-3:]}")


def replay_and_export(screen: Screen) -> None:
    session = screen.session_id
    screen.button("More about this session").click()
    screen.page.get_by_role("menuitem", name="Replay", exact=True).click()
    picture = screen.page.get_by_role("dialog").get_by_role("img").first
    expect(picture).to_be_visible()
    expect(screen.page.get_by_role("dialog")).to_be_focused()
    first = picture.get_attribute("alt")
    screen.page.keyboard.press("ArrowRight")
    expect(picture).not_to_have_attribute("alt", first or "")
    screen.page.keyboard.press("Escape")
    expect(picture).to_have_count(0)
    exported = screen.api.get(f"/sessions/{session}/export?format=html").text
    assert "data:image/jpeg;base64," in exported
    assert PASSWORD not in exported
