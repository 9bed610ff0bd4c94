"""Look at the page: the screenshot and the observation together, so that the picture always belongs to it."""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Literal

from server.agent.context import RunContext
from server.agent.gate.approval import ShownPage
from server.agent.gate.taint import private_sites, remembering
from server.agent.operator.reporting import tell_observation
from server.agent.operator.state import State, Update, last_url
from server.browser.browser import PagePicture
from server.browser.observation import Element, Observation, Page

Vision = Literal["auto", "always", "never"]

PICTURES_KEPT = 32
BLANK = ("", "about:blank")

Screenshot = dict[str, str]
"""Where a kept picture is, its size in CSS pixels, and when it was taken: `{address, width, height, moment}`."""


def seen(state: State) -> Observation:
    """The page as it was last seen."""
    return Observation.model_validate(state["last_observation"])


def sight(state: State) -> ShownPage:
    """The page and its picture, as a question shows them."""
    shot = state.get("last_screenshot")
    size = (int(shot["width"]), int(shot["height"])) if shot else None
    return ShownPage(seen(state), shot["address"] if shot else None, size)


class Eyes:
    """Looks at pages. The newest picture of a session is kept here, outside of graph state, for the model."""

    def __init__(self, vision: Vision, *, model_sees: bool) -> None:
        self.see = model_sees and vision != "never"
        """May pictures be shown to the model at all?"""
        self._vision = vision
        self._pictures: OrderedDict[str, PagePicture] = OrderedDict()

    async def look(self, context: RunContext, state: State, keep: Sequence[str] = ()) -> Update:
        """A new observation and the picture that belongs to it. `keep`: refs of elements that it must not leave out.

        The picture that the last step ended with serves, if nothing but the look came between and the page says that
        it is unchanged since. Else one is taken right after the observation.
        """
        if not context.has_browser() and last_url(state) in BLANK:
            return as_seen(Observation(page=Page(url="about:blank", title=""))) | {"last_screenshot": None}
        browser = await context.browser()
        observation = await browser.observe(keep)
        screenshot = state.get("last_screenshot") if state.get("is_pictured") else None
        if not _shows(screenshot, observation):
            screenshot = await self.picture(context)
            if not _may_show(screenshot, observation):  # the page was left meanwhile
                observation = await browser.observe(keep)
                screenshot = screenshot if _may_show(screenshot, observation) else None
        await tell_observation(observation, screenshot["address"] if screenshot else None)
        return self._seen(context, state, observation) | {"last_screenshot": screenshot}

    async def look_again(self, context: RunContext, state: State, keep: Sequence[str]) -> Update:
        """A new observation right before an act. The last picture stays only while it shows the same moment."""
        observation = await (await context.browser()).observe(keep)
        screenshot = state.get("last_screenshot")
        is_same = _shows(screenshot, observation)
        kept = screenshot if is_same else None
        return self._seen(context, state, observation) | {"last_screenshot": kept}

    async def look_closer(self, context: RunContext, state: State, element: Element) -> Update:
        """The surroundings of one element, and a picture of that moment."""
        observation = await (await context.browser()).focus(element)
        screenshot = state.get("last_screenshot")
        if not _shows(screenshot, observation):
            screenshot = await self.picture(context)
            screenshot = screenshot if _may_show(screenshot, observation) else None
        return as_seen(observation) | {"last_screenshot": screenshot}

    def _seen(self, context: RunContext, state: State, observation: Observation) -> Update:
        update = as_seen(observation)
        if observation.page.url != last_url(state):
            update["focused"] = None  # what was clicked or typed into was on another page
        known = remembering(state, context.private)["private_sites"]
        sites = private_sites(known, observation)
        context.private.add(sites)
        return update | {"private_sites": sites}

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
            {
                "address": address,
                "width": str(picture.width),
                "height": str(picture.height),
                "moment": picture.moment,
            }
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


def _shows(screenshot: Screenshot | None, observation: Observation) -> bool:
    """Whether a picture taken earlier is one of this observation: the page tells that nothing changed between."""
    return bool(screenshot and observation.moment and screenshot.get("moment") == observation.moment)


def _may_show(screenshot: Screenshot | None, observation: Observation) -> bool:
    """Whether a picture taken right after the observation belongs to it: it is of the same document.

    A page that always moves, such as one with a clock, has no two equal moments.
    """
    moments = (screenshot.get("moment", "") if screenshot else "", observation.moment)
    documents = {moment.partition(":")[0] for moment in moments if moment}
    return len(documents) < 2


def as_seen(observation: Observation) -> Update:
    dumped = observation.model_dump(mode="json", exclude_defaults=True)
    return {"last_observation": dumped, "needs_observe": False, "is_pictured": False, "reading": None}


def is_poor(observation: Observation) -> bool:
    """A page that gives nothing to read or to click, such as a canvas, or one with a captcha on it."""
    if observation.page.url in BLANK:
        return False
    has_captcha = any(overlay.kind == "captcha" for overlay in observation.overlays)
    return has_captcha or not (observation.interactive or observation.text_blocks)
