"""The server dies under an open page and is started again."""

from __future__ import annotations

from pathlib import Path

import httpx
from playwright.sync_api import Browser, expect

from tests.e2e.screen import Screen
from tests.support.ports import free_port
from tests.support.server import Server, serving


def test_after_a_restart_the_page_catches_up_by_itself(tmp_path: Path, chromium: Browser) -> None:
    same = {"port": str(free_port()), "auth_token": "the same password"}
    with serving(tmp_path, **same) as server, open_api(server) as api:
        context = chromium.new_context(base_url=server.url, locale="en-US")
        context.request.post("/api/auth/login", data={"password": server.token})
        screen = Screen(context.new_page(), server, api)
        session = screen.begin("endless story")
        expect(screen.feed.get_by_text("Wave 2 rolled")).to_be_visible()
        server.kill()
    expect(screen.page.get_by_text("Connection lost.")).to_be_visible()
    screen.button("Now").click()
    expect(screen.page.get_by_text("Connection lost.")).to_be_visible()
    with serving(tmp_path, **same) as server, open_api(server) as api:
        expect(screen.page.get_by_text("Connection lost.")).to_have_count(0)
        expect(screen.feed.get_by_text("The service was restarted")).to_be_visible()
        expect(screen.button("Stop")).to_have_count(0)
        expect(screen.feed.get_by_text("endless story")).to_have_count(1)
        assert api.get(f"/sessions/{session}").json()["run"]["status"] == "interrupted"
        screen.send("hello")
        expect(screen.feed.get_by_text("Hello! I am Pilothouse")).to_be_visible()
        context.close()


def open_api(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30)
