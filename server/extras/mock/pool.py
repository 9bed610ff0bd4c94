"""Browsers of mock mode: scripted pages that implement the `Browsers` protocol. No process, no network."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from server.browser.browser import ToolSpec
from server.browser.browsers import BrowserState, Known
from server.browser.chromium.profiles import Profiles
from server.browser.slots import QueueListener
from server.browser.takeover.live_view import LiveView
from server.extras.mock.browser import MOCK_TOOLS, MockBrowser
from server.extras.mock.view import MockScreen
from server.ops.json_types import JsonObject
from server.settings import Settings


class MockBrowsers:
    """A scripted browser for each session."""

    def __init__(self, settings: Settings) -> None:
        self._profiles = Profiles(settings)
        self._browsers: dict[str, MockBrowser] = {}
        self._views: dict[str, LiveView] = {}
        self.place_listeners: list[QueueListener] = []
        self.drive_listeners: list[Callable[[str, str], None]] = []

    def configure(self, settings: Settings) -> None:
        """Do nothing: scripted pages have no settings."""

    async def get(self, session_id: str) -> MockBrowser:
        browser = self._browsers.setdefault(session_id, MockBrowser())
        if self.live(session_id).is_held:
            browser.is_free.clear()
        return browser

    def mark_idle(self, session_id: str) -> None:
        """Do nothing: there is no limit on mock browsers."""

    def _on_drive(self, session_id: str, address: str) -> None:
        for listener in self.drive_listeners:
            listener(session_id, address)

    def live(self, session_id: str) -> LiveView:
        if session_id not in self._views:
            screen = MockScreen(lambda: self._browsers.get(session_id), lambda: self.get(session_id))
            self._views[session_id] = LiveView(
                screen, drove=lambda address: self._on_drive(session_id, address)
            )
        return self._views[session_id]

    def peek(self, session_id: str) -> BrowserState | None:
        browser = self._browsers.get(session_id)
        return BrowserState(session_id, "open", browser.url) if browser else None

    async def tools(self) -> Sequence[ToolSpec]:
        return MOCK_TOOLS

    async def missing_programs(self) -> list[str]:
        return []

    def own_ports(self) -> set[int]:
        return set()

    async def ready(self) -> str | None:
        return None

    async def renew_surroundings(self, session_id: str) -> None:
        """Do nothing: its pages have no clock and no network."""

    async def site_cookies(self, session_id: str, site: str) -> Sequence[JsonObject]:
        return ()

    async def park(self, session_id: str) -> None:
        return

    async def close(self, session_id: str, *, purge: bool = False) -> None:
        self._browsers.pop(session_id, None)
        if purge:
            await self._profiles.purge(session_id)

    async def leave(self, session_id: str) -> None:
        await self.close(session_id)

    async def has_outlived(self, session_id: str) -> bool:
        return False

    async def sweep(self, known: Known) -> None:
        """Do nothing: scripted pages have no profile."""

    def opened(self) -> Sequence[str]:
        return list(self._browsers)

    async def renew_profile(self, session_id: str) -> None:
        """Do nothing: scripted pages have no profile."""

    async def aclose(self) -> None:
        for view in self._views.values():
            await view.aclose()
        self._browsers.clear()
