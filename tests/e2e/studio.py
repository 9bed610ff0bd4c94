"""Screens outside of pytest: for pictures and for measuring."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from playwright.sync_api import Browser, StorageState, expect, sync_playwright

from tests.e2e.conftest import DESKTOP, FLAGS, PATIENCE, executable
from tests.e2e.screen import Screen
from tests.support.server import Server, serving


@dataclass(frozen=True)
class Studio:
    """A server, a Chromium, and the cookie of someone who has logged in."""

    server: Server
    api: httpx.Client
    chromium: Browser
    login: StorageState

    @contextmanager
    def screen(self, **options: object) -> Iterator[Screen]:
        """A fresh tab with options of a browser context."""
        defaults = {
            "viewport": DESKTOP,
            "locale": "en-US",
            "color_scheme": "light",
            "storage_state": self.login,
        }
        context = self.chromium.new_context(base_url=self.server.url, **(defaults | options))  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        try:
            yield Screen(context.new_page(), self.server, self.api)
        finally:
            context.close()


@contextmanager
def open_studio(**settings: str) -> Iterator[Studio]:
    """In mock mode, unless `settings` say otherwise."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), **{"drain_timeout": "0"} | settings) as server,
        httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as api,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        expect.set_options(timeout=PATIENCE)
        yield Studio(server, api, chromium, sign_in(server, chromium))
        chromium.close()


def sign_in(server: Server, chromium: Browser) -> StorageState:
    context = chromium.new_context(base_url=server.url)
    answer = context.request.post("/api/auth/login", data={"password": server.token})
    assert answer.ok, answer.text()
    state = context.storage_state()
    context.close()
    return state
