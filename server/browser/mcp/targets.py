"""Looks at the target of a click right before it: what keeps the tool server waiting is known at once."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Literal

from pydantic import BaseModel, ValidationError

from server.browser.browser import ToolOutcome
from server.browser.mcp.current_page import CurrentPage
from server.browser.observation import Element
from server.browser.observation.rendering import clean
from server.browser.scripts import script
from server.text import cut
from wording.catalogue import Wording, sentence

PRESSES = 4
"""How many times what moves is aimed at."""
_TARGET_NAME_CHARS = 80
OTHER_THERE = sentence("point.changed")

# A click goes to the middle. Where a bar would be over it there, such as one that sticks to the window's edge, which a
# scroll into view does not mind, the page is scrolled to a place where nothing is. A cover may go by itself.
_LOOK = script("look_at_target")
# A press that misses what moves must reach nothing else.
_AIM = script("aim_at_target")
_HOLD_ROW = script("hold_row")
_END_ROW = "() => globalThis.pilothouseRow?.end() ?? false"
_END_GUARD = "() => globalThis.pilothouseGuard.end()"


class Obstacle(BaseModel, frozen=True):
    kind: Literal["", "moving", "covered"] = ""
    by: str = ""
    ways: tuple[str, ...] = ()
    """Names of controls in what covers the target."""

    @property
    def words(self) -> Wording:
        ways = ", ".join(f'"{cut(clean(way), _TARGET_NAME_CHARS)}"' for way in self.ways)
        name = cut(clean(self.by), _TARGET_NAME_CHARS)
        if not ways:
            return sentence("target.covered", name=name)
        return sentence("target.covered_with", name=name, controls=ways)


class Aim(BaseModel, frozen=True):
    x: int
    y: int


async def look_at(here: CurrentPage, element: Element) -> Obstacle:
    """What keeps a click from the element, if that is known; scrolls it to where nothing covers it, if it can."""
    if element.box is None or element.frame:
        return Obstacle()
    try:
        arguments = f"{json.dumps(element.box)}, {json.dumps(element.full_name or element.name)}"
        return Obstacle.model_validate(await here.run(f"() => ({_LOOK})({arguments})") or {})
    except ValidationError:
        return Obstacle()


async def press_kept(
    here: CurrentPage, element: Element, press: Callable[[], Awaitable[ToolOutcome]]
) -> ToolOutcome | None:
    """Press while the words that set the element apart from those of its name are with it; None if they are not, or were
    not at that moment: then nothing was pressed. Where the page does not show them, it is pressed."""
    label = element.context.partition(" · ")[0]
    if element.alike < 2 or not label or element.box is None or element.frame:
        return await press()
    held = await here.run(f"() => ({_HOLD_ROW})({json.dumps(element.box)}, {json.dumps(label)})")
    if held == "changed":
        return None
    if held != "held":
        return await press()
    is_stopped: object = None
    try:
        outcome = await press()
    finally:
        is_stopped = await here.run(_END_ROW)
    return None if is_stopped is True else outcome


async def aim(here: CurrentPage) -> Aim | None:
    """Where the moving target is now. Until `end`, a press that misses it reaches nothing else."""
    try:
        return Aim.model_validate(await here.run(_AIM))
    except ValidationError:
        return None


async def end(here: CurrentPage) -> bool | None:
    """Whether the target was clicked; None if its page has gone on since."""
    found = await here.run(_END_GUARD)
    return found if isinstance(found, bool) else None
