"""What a person without any key sees: the demo model at work in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.axe import violations
from tests.e2e.conftest import DESKTOP
from tests.e2e.screen import Screen, keep_still
from tests.support.server import serving
from tests.support.sites import Site

ARTICLE = """<!doctype html><meta charset="utf-8"><title>Port Ellis</title><h1>Port Ellis</h1>
<p>The harbour was built in 1871.</p><p>The tariffs were raised in 2024 to 31 cents per ton.</p>
<table><tr><th>Year</th><th>Tariff</th></tr><tr><td>2023</td><td>0.27</td></tr><tr><td>2024</td><td>0.31</td></tr></table>"""


@pytest.mark.timeout(240)
def test_answers_say_what_was_found_what_was_not_done_and_where_to_get_a_real_model(
    chromium: Browser, tmp_path: Path
) -> None:
    demo = {
        "agent_mode": "real",
        "agent_model": "demo",
        "browser_headless": "true",
        "allow_private_network": "true",
    }
    with (
        Site() as site,
        serving(tmp_path, **demo) as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
        chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US") as context,
    ):
        article = site.add("/article", ARTICLE)
        context.request.post("/api/auth/login", data={"password": server.token})
        context.set_default_timeout(30_000)
        keep_still(context)
        screen = Screen(context.new_page(), server, api)
        screen.begin(f"open {article} and tell me what it says about the tariff in 2024")
        expect(screen.feed.get_by_role("row", name="2024 0.31")).to_be_visible()
        expect(screen.feed.get_by_text("1871")).to_have_count(0)
        screen.wait_idle()
        expect(screen.page.get_by_role("heading", level=1)).to_have_text(
            "Read about the tariff in 2024 on localhost"
        )
        expect(screen.feed.get_by_text("Not done", exact=True)).to_have_count(0)

        screen.send(f"open {site.url('/nowhere')} and read the page")
        expect(screen.feed.get_by_text("The page was not found (404).", exact=True)).to_be_visible()
        expect(screen.feed.get_by_text("Not done", exact=True)).to_be_visible()
        screen.wait_idle()
        expect(screen.page.locator("[data-caption]").first).to_have_text(
            re.compile("^Failed: Open .*/nowhere$")
        )

        screen.send("open http://127.0.0.1:80article.html and read the page")
        expect(
            screen.feed.get_by_text("Not opened: this is not a complete web address.", exact=True)
        ).to_be_visible()
        screen.wait_idle()
        assert violations(screen.page) == []

        screen.send("book me a flight to Rome")
        screen.feed.get_by_role("link", name="Connect a model").click()
        expect(screen.page.get_by_role("dialog", name="Connect a model")).to_be_visible()


@pytest.mark.timeout(180)
def test_a_russian_reads_the_names_of_agent_and_model_in_russian(chromium: Browser, tmp_path: Path) -> None:
    demo = {"agent_mode": "real", "agent_model": "demo", "browser_headless": "true"}
    with (
        serving(tmp_path, **demo) as server,
        chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="ru-RU") as context,
    ):
        context.request.post("/api/auth/login", data={"password": server.token})
        page = context.new_page()
        page.goto("/")
        picker = "Модель: Демо (встроенная, по правилам), Агент: Оператор"
        expect(page.get_by_role("button", name=picker)).to_be_visible()
