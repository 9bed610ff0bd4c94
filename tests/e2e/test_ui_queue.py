"""More sessions than browsers: a waiting run shows its place in the queue, and continues by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e import axe
from tests.e2e.conftest import DESKTOP, PATIENCE
from tests.e2e.screen import Screen, keep_still
from tests.support.server import serving
from tests.support.sites import Site

SECONDS = 45_000
HOLDER, OTHER = "holder", "other"
PLACE = "Waiting for a free browser · place {}"


@pytest.fixture
def screen(chromium: Browser, tmp_path: Path) -> Iterator[Screen]:
    """A tab of a server that has one real browser for all sessions."""
    real = {"agent_mode": "real", "agent_model": "demo", "browser_headless": "true", "max_browsers": "1"}
    with (
        serving(tmp_path / "data", drain_timeout="0", **real) as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
        chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US") as context,
    ):
        context.request.post("/api/auth/login", data={"password": server.token})
        context.set_default_timeout(SECONDS)
        keep_still(context)
        expect.set_options(timeout=SECONDS)
        screen = Screen(context.new_page(), server, api)
        yield screen
        expect.set_options(timeout=PATIENCE)
        assert screen.errors == []


def occupy(screen: Screen, session_id: str, site: Site) -> None:
    """Have a session work in a browser for minutes."""
    screen.api.post("/sessions", json={"id": session_id, "title": session_id}).raise_for_status()
    screen.tell(session_id, f"open {site.url('/form')}{', wait 30 seconds' * 8}")


def sign_of(screen: Screen, title: str) -> Locator:
    return screen.sidebar.get_by_role("link", name=title).get_by_role("img")


@pytest.mark.timeout(240)
def test_a_session_that_waits_for_a_browser_shows_its_place_and_goes_on_by_itself(screen: Screen) -> None:
    with Site() as site:
        occupy(screen, HOLDER, site)
        screen.wait_until(
            lambda: screen.stored(HOLDER)["messages"], lambda it: len(it) > 1, "it has opened the page"
        )
        occupy(screen, OTHER, site)
        screen.wait_until(lambda: screen.stored(OTHER)["queue_place"], lambda it: it == 1, "it waits")
        waiting = screen.begin(f"open {site.url('/links')} and read the page")
        title = screen.wait_until(lambda: screen.stored(waiting)["title"], bool, "it has a name")
        strip = screen.page.locator("[data-run=queued]")
        expect(strip).to_contain_text(PLACE.format(2))
        expect(sign_of(screen, title)).to_have_attribute("aria-label", PLACE.format(2))
        expect(sign_of(screen, OTHER)).to_have_attribute("aria-label", PLACE.format(1))
        expect(screen.button("Pause")).to_have_count(0)
        assert axe.violations(screen.page) == []
        screen.page.reload()
        expect(strip).to_contain_text(PLACE.format(2))

        screen.cancel(OTHER)
        expect(strip).to_contain_text(PLACE.format(1))
        screen.button("Stop").click()
        expect(screen.feed.get_by_text("Stopped", exact=True)).to_be_visible()
        assert screen.stored(waiting)["queue_place"] is None

        screen.button("Retry").click()
        expect(strip).to_contain_text(PLACE.format(1))
        screen.cancel(HOLDER)
        screen.wait_idle()
        assert screen.stored(waiting)["run"]["status"] == "completed"
        expect(strip).to_have_count(0)
        expect(sign_of(screen, title)).to_have_count(0)
