"""The main story in one piece: a real server, the demo model, a real browser that is watched and taken over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.conftest import DESKTOP
from tests.e2e.screen import Screen
from tests.support.server import Server, serving
from tests.support.shop_site import open_shop
from tests.support.sites import Site

SECONDS = 30_000


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        open_shop(site)
        yield site


@pytest.fixture
def real_server(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "data", agent_mode="real", agent_model="demo", browser_headless="true") as server:
        yield server


@pytest.mark.timeout(240)
def test_from_the_first_login_to_the_exported_replay(
    real_server: Server, chromium: Browser, site: Site
) -> None:
    context = chromium.new_context(base_url=real_server.url, viewport=DESKTOP, locale="en-US")
    context.set_default_timeout(SECONDS)
    expect.set_options(timeout=SECONDS)
    with httpx.Client(
        base_url=real_server.api, headers=real_server.headers, trust_env=False, timeout=30
    ) as api:
        screen = Screen(context.new_page(), real_server, api)
        log_in(screen)
        order_a_kettle(screen, site)
        sign_in_by_hand(screen, site)
        stop_a_long_task(screen, site)
        reload_shows_the_same(screen)
        replay_and_export(screen)
    context.close()


def log_in(screen: Screen) -> None:
    screen.page.goto("/")
    screen.page.get_by_label("Password").first.fill(screen.server.token)
    screen.page.keyboard.press("Enter")
    expect(screen.composer).to_be_visible()


def order_a_kettle(screen: Screen, site: Site) -> None:
    """Watched live; nothing is ordered before the yes, and one kettle after it."""
    steps = (
        "click Blue kettle, click Add to cart, click Go to checkout, type Ada into Name, click Place order"
    )
    screen.send(f"open {site.url('/shop')}, {steps} and read the page")
    screen.page.get_by_role("tab", name="Browser").click()
    expect(screen.page.get_by_text("Live", exact=True)).to_be_visible()
    expect(screen.button("Approve")).to_be_visible()
    assert "order" not in [effect.name for effect in site.effects]
    screen.page.get_by_role("tab", name=re.compile("^Plan")).click()
    screen.button("Approve").click()
    expect(screen.feed.get_by_text("Order number 1001")).to_be_visible()
    assert [effect.name for effect in site.effects].count("order") == 1


def sign_in_by_hand(screen: Screen, site: Site) -> None:
    """The agent hands over; what is typed goes to the page and nowhere else."""
    screen.wait_idle()
    screen.send(f"open {site.url('/sign-in')}, log in and read the page")
    screen.button("Take over").first.click()
    elements = screen.page.get_by_role("button", name="Elements")
    elements.click()
    for field, text in (("User", "ann"), ("Password", "S3cretPw!")):
        screen.page.get_by_label(f"Text for {field}").fill(text)
        screen.page.get_by_label(f"Text for {field}").press("Enter")
    screen.button("Click Sign in").click()
    screen.page.get_by_label("Text for Code").fill("123456")
    screen.page.get_by_label("Text for Code").press("Enter")
    screen.button("Click Verify").click()
    expect(screen.button("Click Verify")).to_have_count(0)
    screen.button("I’m done").click()
    screen.button("Continue").click()
    expect(screen.feed.get_by_text(re.compile("account", re.IGNORECASE)).last).to_be_visible()
    screen.wait_idle()
    assert "S3cretPw!" not in screen.api.get(f"/sessions/{screen.session_id}/export?format=json").text


def stop_a_long_task(screen: Screen, site: Site) -> None:
    screen.send(f"open {site.url('/shop')}, wait 25 seconds and read the page")
    expect(screen.button("Stop")).to_be_visible()
    screen.button("Stop").click()
    screen.wait_idle()
    assert screen.stored(screen.session_id)["run"]["error"] == "Task cancelled"


def reload_shows_the_same(screen: Screen) -> None:
    screen.wait_at_end()
    before = screen.rows()
    screen.page.reload()
    expect(screen.composer).to_be_visible()
    screen.wait_at_end()
    expect(screen.feed.get_by_role("article").last).to_be_visible()
    assert screen.rows()[-3:] == before[-3:]


def replay_and_export(screen: Screen) -> None:
    screen.button("More").or_(screen.button("Session menu")).first.click()
    screen.page.get_by_role("menuitem", name="Replay").click()
    expect(screen.page.get_by_role("img").first).to_be_visible()
    screen.page.keyboard.press("ArrowRight")
    screen.page.keyboard.press("Escape")
    exported = screen.api.get(f"/sessions/{screen.session_id}/export?format=html").text
    assert "data:image/jpeg;base64," in exported
    assert "S3cretPw!" not in exported
