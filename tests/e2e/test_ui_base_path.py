"""The product below a path of its host: pages, streams, sockets, pictures, downloads and the worker of notifications."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import DESKTOP
from tests.e2e.screen import Screen, keep_still
from tests.support.server import serving


def follow(page: Page) -> list[str]:
    """The paths that the page asks for from now on, without those of pictures that it has made itself."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))
    page.on("websocket", lambda socket: asked.append(urlsplit(socket.url).path))
    return asked


def test_below_a_path_everything_is_asked_for_there(chromium: Browser, tmp_path: Path) -> None:
    with (
        serving(tmp_path, drain_timeout="0", public_url="http://localhost/pilot") as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
        chromium.new_context(base_url=server.url, viewport=DESKTOP, locale="en-US") as context,
    ):
        context.set_default_timeout(30_000)
        keep_still(context)
        screen = Screen(context.new_page(), server, api)
        page = screen.page
        asked = follow(page)
        screen.expect_errors("401")
        page.goto("/pilot/inbox")
        page.get_by_label("Password", exact=True).fill(server.token)
        page.get_by_label("Password", exact=True).press("Enter")
        page.wait_for_url("**/pilot/inbox")
        page.get_by_role("button", name="New session").click()
        page.wait_for_url("**/pilot/")
        screen.send("shop for a kettle")
        page.wait_for_url("**/pilot/s/*")
        screen.button("Approve").click()
        expect(screen.feed.get_by_text("Order")).not_to_have_count(0)
        screen.wait_idle()
        page.reload()
        expect(screen.feed.get_by_text("shop for a kettle")).to_be_visible()
        picture = page.locator("img[src*='/api/']").first
        expect(picture).to_be_visible()
        assert picture.evaluate("picture => picture.naturalWidth > 0")
        worker = page.evaluate("navigator.serviceWorker.register('/pilot/sw.js').then(({ scope }) => scope)")
        assert urlsplit(worker).path == "/pilot/"
        assert '"/' not in context.request.get("/pilot/manifest.webmanifest").text()
        assert {path for path in asked if path and not path.startswith("/pilot/")} <= {"/pilot"}
        cookies = [cookie["name"] for cookie in context.cookies()]
        assert cookies == [f"pilothouse-pilot-{server.port}"]
        session = screen.session_id
        with page.expect_download() as download:
            page.evaluate(f"location.assign('/pilot/api/sessions/{session}/export?format=md')")
        assert "shop for a kettle" in Path(download.value.path()).read_text()
        assert screen.errors == []
