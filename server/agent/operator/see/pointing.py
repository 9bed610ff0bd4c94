"""Acts at a point of the picture: from the model's pixels to the page, and whether that page is still there."""

from __future__ import annotations

from server.agent.actions import Action, Point, aim
from server.agent.context import RunContext
from server.agent.operator.memory.state import State
from server.agent.operator.see.observing import Observer, ShownPicture
from server.browser.observation import Element, Observation

NO_PICTURE = "there was no picture of this page in that turn: use a picture that this turn has, or an eid"
NOT_HERE = (
    "nothing is known of what is there: outside of the picture, or this browser cannot tell; use an eid"
)
MOVED = "the page changed since the picture was taken: look again"
_SAME = 2.0
"""CSS pixels."""


def on_page(action: Action, shown: ShownPicture | None) -> Action:
    """The action with its points in CSS pixels of the page; unchanged without a picture of a page."""
    if not action.points or shown is None or shown.picture is None:
        return action
    scale, moment = shown.scale, shown.picture.moment
    return action.with_points(
        Point(x=round(one.x / scale), y=round(one.y / scale), scale=scale, picture=moment or "?")
        for one in action.points
    )


async def find_points(
    observer: Observer, context: RunContext, state: State, action: Action
) -> tuple[State, str | None]:
    """Look at the page again for what is at the action's points.

    Returns the new observation with the action, or with the reason why it cannot be done.
    """
    if not all(point.picture for point in action.points):
        return state, f"{action.name}: {NO_PICTURE}"
    after = await observer.look(context, state, points=action.points)
    if problem := _problem(action, state.observation, after.observation):
        return after, f"{action.name}: {problem}"
    return after.planning(action.with_points(await observer.with_drawings(context, action.points))), None


def _problem(action: Action, before: Observation, after: Observation) -> str | None:
    """Why the points of a picture of `before` say nothing about `after`."""
    view = Observation(page=before.page, moment=action.points[0].picture).view
    if after.view and after.view != view:
        return MOVED
    hits = aim(action, after).hits
    if len(hits) < len(action.points):
        return NOT_HERE
    for hit in hits:
        if hit.is_element and not _was_there(hit.element, before):
            return MOVED
        if not hit.is_element and hit.surface is None and after.moment != action.points[0].picture:
            return MOVED
    return None


def _was_there(element: Element, before: Observation) -> bool:
    """Whether the model saw this element at this place."""
    same = (one for one in before.interactive if (one.role, one.name) == (element.role, element.name))
    return any(
        one.box
        and element.box
        and all(abs(a - b) <= _SAME for a, b in zip(one.box, element.box, strict=True))
        for one in same
    )
