"""One server in mock mode and one Chromium for all tests of the web UI; a fresh tab for each."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright

from scripts.shell import ROOT
from server.browser.chromium.executables import find_chromium
from tests.e2e.phone import PHONE, Phone
from tests.e2e.screen import Screen, keep_still
from tests.support.push_service import PushService
from tests.support.server import Server, serving

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=SpareRendererForSitePerProcess",  # started in advance for a next page that never comes
]
PATIENCE = 30_000
"""Milliseconds; a promise about time is tested by its own measure, not by this."""
DESKTOP = {"width": 1440, "height": 900}

OpenScreen = Callable[..., Screen]
OpenPhone = Callable[[PushService], Phone]


def executable() -> str:
    """The Chromium in which the web UI is seen, not the one of the agents."""
    chosen = os.environ.get("CHROMIUM_PATH") or shutil.which("chromium-headless-shell")
    return chosen or str(find_chromium())


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    assert (ROOT / "web/dist/index.html").exists(), "the web UI is not built: make setup"
    with serving(tmp_path_factory.mktemp("ui"), drain_timeout="0") as server:
        yield server


@pytest.fixture(scope="package")
def api(server: Server) -> Iterator[httpx.Client]:
    """The server without the UI."""
    with httpx.Client(base_url=server.api, headers=server.headers, trust_env=False, timeout=30) as client:
        warm_up(client)
        yield client


def warm_up(client: httpx.Client) -> None:
    """The first run of a process loads what later ones find loaded."""
    client.post("/sessions", json={"id": "warm-up", "title": "Warm up"}).raise_for_status()
    client.post("/sessions/warm-up/messages", json={"content": "ping test"}).raise_for_status()
    with client.stream("GET", "/sessions/warm-up/stream") as stream:
        assert "event: done" in "".join(stream.iter_text())


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        expect.set_options(timeout=PATIENCE)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def login(server: Server, chromium: Browser) -> StorageState:
    """The cookie of someone who has logged in."""
    context = chromium.new_context(base_url=server.url)
    answer = context.request.post("/api/auth/login", data={"password": server.token})
    assert answer.ok, answer.text()
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def open_screen(
    server: Server, api: httpx.Client, chromium: Browser, login: StorageState
) -> Iterator[OpenScreen]:
    """Opens screens with options of a browser context; each must end without an error in its console."""
    opened: list[tuple[BrowserContext, Screen]] = []

    def open_one(*, logged_in: bool = True, **options: object) -> Screen:
        defaults = {"base_url": server.url, "viewport": DESKTOP, "locale": "en-US", "color_scheme": "light"}
        state = login if logged_in else None
        context = chromium.new_context(**(defaults | {"storage_state": state} | options))  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        keep_still(context)
        screen = Screen(context.new_page(), server, api)
        opened.append((context, screen))
        return screen

    yield open_one
    for context, _ in opened:
        context.close()
    for _, screen in opened:
        assert screen.errors == []


@pytest.fixture(scope="module")
def whole_chromium(chromium: Browser) -> Iterator[Browser]:
    """A Chromium that shows notifications: the headless shell cannot."""
    browser = chromium.browser_type.launch(executable_path=str(find_chromium()), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture
def open_phone(
    server: Server, api: httpx.Client, whole_chromium: Browser, login: StorageState
) -> Iterator[OpenPhone]:
    """Opens phones that are logged in; each must end without an error in its console."""
    opened: list[Phone] = []

    def open_one(service: PushService) -> Phone:
        context = whole_chromium.new_context(
            base_url=server.url, viewport=PHONE, locale="en-US", storage_state=login, has_touch=True,
            permissions=["notifications"],
        )  # fmt: skip
        context.set_default_timeout(PATIENCE)
        keep_still(context)
        opened.append(Phone(Screen(context.new_page(), server, api), service))
        return opened[-1]

    yield open_one
    for phone in opened:
        phone.screen.page.context.close()
        assert phone.screen.errors == []


@pytest.fixture
def leaves_no_question(api: httpx.Client) -> Iterator[None]:
    """Nor finds one of a test before: the inbox counts those of all."""

    def close_all() -> None:
        for question in api.get("/questions").json()["items"]:
            api.post(f"/sessions/{question['session_id']}/cancel").raise_for_status()

    close_all()
    yield
    close_all()


@pytest.fixture
def screen(open_screen: OpenScreen) -> Screen:
    return open_screen()


@pytest.fixture
def page(screen: Screen) -> Page:
    return screen.page
