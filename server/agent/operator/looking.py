"""Look at the page: the screenshot and the observation together, so that the picture always belongs to it."""

from __future__ import annotations

import base64
from collections import OrderedDict
from typing import Any, Literal

from server.agent.approval import Sight
from server.agent.context import RunContext
from server.agent.operator.state import State, Update, last_url
from server.agent.operator.telling import tell_observation
from server.agent.taint import private_sites
from server.browser.browser import Picture
from server.browser.observation import Element, Observation, Page

Vision = Literal["auto", "always", "never"]

PICTURES_KEPT = 32
BLANK = ("", "about:blank")

Screenshot = dict[str, str]
"""Where a kept picture is, and its size in CSS pixels: `{address, width, height}`."""


def seen(state: State) -> Observation:
    """The page as it was last seen."""
    return Observation.model_validate(state["last_observation"])


def sight(state: State) -> Sight:
    """The page and its picture, as a question shows them."""
    shot = state.get("last_screenshot")
    size = (int(shot["width"]), int(shot["height"])) if shot else None
    return Sight(seen(state), shot["address"] if shot else None, size)


def focused_element(state: State, observation: Observation) -> Element | None:
    """What keys go to: as the page tells, else what was last clicked or typed into."""
    ref = observation.focused or state.get("focused")
    return next((element for element in observation.interactive if element.ref == ref), None) if ref else None


class Eyes:
    """Looks at pages. The newest picture of a session is kept here, outside of graph state, for the model."""

    def __init__(self, vision: Vision, *, model_sees: bool) -> None:
        self.see = model_sees and vision != "never"
        """May pictures be shown to the model at all?"""
        self._vision = vision
        self._pictures: OrderedDict[str, Picture] = OrderedDict()

    async def look(self, context: RunContext, state: State) -> Update:
        """The picture that a step ended with serves, as long as nothing came between."""
        if not context.has_browser() and last_url(state) in BLANK:
            return as_seen(Observation(page=Page(url="about:blank", title=""))) | {"last_screenshot": None}
        browser = await context.browser()
        screenshot = state.get("last_screenshot") if state.get("is_pictured") else await self.picture(context)
        observation = await browser.observe()
        await tell_observation(observation, screenshot["address"] if screenshot else None)
        return as_seen(observation) | {
            "last_screenshot": screenshot,
            "private_sites": private_sites(state.get("private_sites", []), observation),
        }

    async def picture(self, context: RunContext) -> Screenshot | None:
        """Takes a picture of the page and keeps it."""
        picture = await (await context.browser()).screenshot()
        self._pictures.pop(context.session_id, None)
        if picture is None:
            return None
        self._pictures[context.session_id] = picture
        if len(self._pictures) > PICTURES_KEPT:
            self._pictures.popitem(last=False)
        address = await context.keep(picture)
        return (
            {"address": address, "width": str(picture.width), "height": str(picture.height)}
            if address
            else None
        )

    async def image(
        self, context: RunContext, state: State, observation: Observation
    ) -> dict[str, Any] | None:
        """The picture as a content block, when the model should see it.

        `auto`: when the model asked for it by `screenshot`, or the observation says too little of the page.
        """
        asked = (state.get("planned_action") or {}).get("kind") == "screenshot"
        wanted = self.see and (self._vision == "always" or asked or is_poor(observation))
        picture = self._pictures.get(context.session_id)
        if not wanted or picture is None:
            return None
        data = base64.b64encode(picture.data).decode()
        return {"type": "image", "base64": data, "mime_type": picture.mime}


def as_seen(observation: Observation) -> Update:
    dumped = observation.model_dump(mode="json", exclude_defaults=True)
    return {"last_observation": dumped, "needs_observe": False, "is_pictured": False, "reading": None}


def is_poor(observation: Observation) -> bool:
    """A page that gives nothing to read or to click, such as a canvas, or one with a captcha on it."""
    if observation.page.url in BLANK:
        return False
    has_captcha = any(overlay.kind == "captcha" for overlay in observation.overlays)
    return has_captcha or not (observation.interactive or observation.text_blocks)
