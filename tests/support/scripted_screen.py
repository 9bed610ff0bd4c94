"""A screen that shows what a test says, for the live view alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from server.browser.browser import Tab
from server.browser.takeover.browser_view import (
    BrowserSnapshot,
    FocusedField,
    InputRefused,
    Listing,
    LiveFrame,
    TakeFrame,
)
from server.browser.takeover.sent_logins import SentLogin
from server.browser.takeover.user_input import Command, Stroke


class ScriptedScreen:
    """`takes` is the callback that gets the frames now. `listings` are given one by one, the last one again and again;
    None among them is a refusal. While `is_stuck` is set, strokes wait."""

    def __init__(self) -> None:
        self.on_copied: Callable[[str], None] = lambda text: None
        self.on_focused: Callable[[FocusedField], None] = lambda field: None
        self.on_login_sent: Callable[[SentLogin], None] = lambda sent: None
        self.takes: TakeFrame | None = None
        self.looks = 0
        self.is_held = False
        self.strokes: list[Stroke] = []
        self.commands: list[Command] = []
        self.listings: list[Listing | None] = [Listing()]
        self.flows = asyncio.Event()
        self.flows.set()

    @property
    def start(self) -> int:
        return 1

    def sight(self) -> BrowserSnapshot | None:
        return BrowserSnapshot(
            "https://shop.example/", "Shop", (1280, 720), (Tab(0, "Shop", "https://shop.example/", True),)
        )

    async def open(self) -> None:
        return

    async def capture(self, take: TakeFrame | None) -> None:
        self.looks += 1
        self.takes = take

    def show(self, picture: bytes) -> None:
        """The page looks like this now."""
        if self.takes:
            self.takes(LiveFrame(picture, 1280, 720))

    def hold(self) -> None:
        self.is_held = True

    async def hand_back(self) -> str:
        self.is_held = False
        return "No change can be seen."

    async def icon(self) -> bytes | None:
        return None

    async def press(self, stroke: Stroke) -> None:
        await self.flows.wait()
        self.strokes.append(stroke)

    async def lift(self) -> None:
        return

    async def do(self, command: Command) -> None:
        self.commands.append(command)

    async def elements(self) -> Listing:
        listing = self.listings.pop(0) if len(self.listings) > 1 else self.listings[0]
        if listing is None:
            raise InputRefused("The page asks something: answer that first.")
        return listing


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self._alarms: list[Alarm] = []

    def call_later(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        self._alarms.append(Alarm(self.now + seconds, ring))
        return self._alarms[-1]

    def pass_by(self, seconds: float) -> None:
        self.now += seconds
        due = [alarm for alarm in self._alarms if alarm.at <= self.now]
        self._alarms = [alarm for alarm in self._alarms if alarm.at > self.now]
        for alarm in due:
            alarm.ring()


class Alarm:
    def __init__(self, at: float, ring: Callable[[], None]) -> None:
        self.at = at
        self.ring: Callable[[], None] = ring

    def cancel(self) -> None:
        self.ring = lambda: None
