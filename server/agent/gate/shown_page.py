"""What a question shows of the page: its picture, and where in it the act has its effect. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from server.agent.actions import AimedAction, DragAction, Point
from server.browser.observation import Element, Observation
from server.events import Box

MARKER = 24
"""CSS pixels: the side of the square that marks a point on a picture."""


@dataclass(frozen=True, slots=True)
class ShownPage:
    """What a question shows: the page and its screenshot, with the size in CSS pixels."""

    observation: Observation
    screenshot: str | None = None
    size: tuple[int, int] | None = None

    def target_of(self, aimed: AimedAction) -> Box | None:
        """Where the action goes to: its last element or point."""
        points = aimed.action.points
        return self.marker(points[-1]) if points else self.box(aimed.target)

    def start_of(self, aimed: AimedAction) -> Box | None:
        """Where a drag begins; None for other actions."""
        if not isinstance(aimed.action, DragAction):
            return None
        return self.marker(aimed.action.at) if aimed.action.at else self.box(aimed.targets[0])

    def marker(self, point: Point) -> Box:
        """A small square around the point, in percent of the picture."""
        left, top = max(0, point.x - MARKER // 2), max(0, point.y - MARKER // 2)
        return self._in_percent((left, top, MARKER, MARKER))

    def box(self, element: Element | None) -> Box | None:
        """The element's box in percent of the picture; None if it is not in it."""
        if element is None or element.box is None or not element.visible:
            return None
        return self._in_percent(element.box)

    def _in_percent(self, box: Box) -> Box:
        wide, high = self.size or self.observation.viewport
        left, top, width, height = box
        x, y, w, h = (round(100 * part, 2) for part in (left / wide, top / high, width / wide, height / high))
        return x, y, w, h
