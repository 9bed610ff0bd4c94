"""Gestures of fingers on a touch screen."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


class Fingers:
    """Touches of a page, as Chromium gets them from a screen."""

    def __init__(self, page: Page) -> None:
        self._client = page.context.new_cdp_session(page)

    def touch(self, kind: str, *spots: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(spots)]
        self._client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def swipe(self, place: Locator, by: int) -> None:
        """One finger, up by so many pixels."""
        box = place.bounding_box()
        assert box
        x, y = box["x"] + 60, box["y"] + box["height"] / 2
        self.touch("touchStart", (x, y))
        for part in range(1, 5):
            self.touch("touchMove", (x, y - by * part / 4))
        self.touch("touchEnd")

    def pinch(self, place: Locator) -> None:
        """Two fingers on the middle, moved apart to twice their distance."""
        box = place.bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.touch("touchStart", (x - 40, y))
        self.touch("touchStart", (x - 40, y), (x + 40, y))
        for part in range(1, 5):
            self.touch("touchMove", (x - 40 - 10 * part, y), (x + 40 + 10 * part, y))
        self.touch("touchEnd")
