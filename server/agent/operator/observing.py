"""Observe the page: screenshot and observation together, so that they always match."""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal

from server.agent.context import RunContext
from server.agent.gate.approval import ShownPage
from server.agent.gate.taint import private_sites, remembering
from server.agent.operator.reporting import publish_observation
from server.agent.operator.state import State, Update, last_url
from server.browser.browser import PagePicture
from server.browser.observation import Element, Observation, Page
from server.browser.reading.reader import FilePicture
from server.ops.json_types import JsonObject

Vision = Literal["auto", "always", "never"]

PICTURES_KEPT = 32
BLANK = ("", "about:blank")

Screenshot = dict[str, str]
"""A stored picture: `{address, width, height, moment}`; sizes in CSS pixels, `moment` as in `Observation`."""


def seen(state: State) -> Observation:
    """The last observation."""
    return Observation.model_validate(state["last_observation"])


def sight(state: State) -> ShownPage:
    """The last observation and its screenshot, as shown in a question."""
    shot = state.get("last_screenshot")
    size = (int(shot["width"]), int(shot["height"])) if shot else None
    return ShownPage(seen(state), shot["address"] if shot else None, size)


class Eyes:
    """Observes pages. Keeps each session's newest picture for the model, outside of graph state."""

    def __init__(self, vision: Vision, *, model_sees: bool) -> None:
        self.see = model_sees and vision != "never"
        """Whether pictures may be sent to the model at all."""
        self._vision = vision
        self._pictures: OrderedDict[str, PagePicture] = OrderedDict()
        self._files: OrderedDict[str, tuple[str, FilePicture]] = OrderedDict()
        """By session, the newest picture file that was read, with the id of the action that read it."""

    async def look(self, context: RunContext, state: State, keep: Sequence[str] = ()) -> Update:
        """Take a new observation and its screenshot. `keep`: refs of elements that must be included.

        The screenshot from the end of the last step is reused if nothing happened since and the page reports
        that it is unchanged. Otherwise one is taken right after the observation.
        """
        if not context.has_browser() and last_url(state) in BLANK:
            return as_seen(Observation(page=Page(url="about:blank", title=""))) | {"last_screenshot": None}
        browser = await context.browser()
        observation = await browser.observe(keep)
        screenshot = state.get("last_screenshot") if state.get("is_pictured") else None
        if not _shows(screenshot, observation):
            screenshot = await self.picture(context)
            if not _may_show(screenshot, observation):  # the page changed to another document in the meantime
                observation = await browser.observe(keep)
                screenshot = screenshot if _may_show(screenshot, observation) else None
        await publish_observation(observation, screenshot["address"] if screenshot else None)
        return self._seen(context, state, observation) | {"last_screenshot": screenshot}

    async def look_again(self, context: RunContext, state: State, keep: Sequence[str]) -> Update:
        """Observe again right before an action; keep the last screenshot only if its moment is the same."""
        observation = await (await context.browser()).observe(keep)
        screenshot = state.get("last_screenshot")
        is_same = _shows(screenshot, observation)
        kept = screenshot if is_same else None
        return self._seen(context, state, observation) | {"last_screenshot": kept}

    async def look_closer(self, context: RunContext, state: State, element: Element) -> Update:
        """Observe the surroundings of one element, with a screenshot of that moment."""
        observation = await (await context.browser()).focus(element)
        screenshot = state.get("last_screenshot")
        if not _shows(screenshot, observation):
            screenshot = await self.picture(context)
            screenshot = screenshot if _may_show(screenshot, observation) else None
        return as_seen(observation) | {"last_screenshot": screenshot}

    def _seen(self, context: RunContext, state: State, observation: Observation) -> Update:
        update = as_seen(observation)
        if observation.page.url != last_url(state):
            update["focused"] = None  # the last element clicked or typed into was on another page
        known = remembering(state, context.private)["private_sites"]
        sites = private_sites(known, observation)
        context.private.add(sites)
        return update | {"private_sites": sites}

    async def picture(self, context: RunContext) -> Screenshot | None:
        """Take a picture of the page and store it; None if either fails."""
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

    def show(self, session_id: str, action_id: str, picture: FilePicture) -> None:
        """Have the model see a picture file at the next step after this action."""
        self._files.pop(session_id, None)
        self._files[session_id] = (action_id, picture)
        if len(self._files) > PICTURES_KEPT:
            self._files.popitem(last=False)

    async def image(self, context: RunContext, state: State, observation: Observation) -> JsonObject | None:
        """The picture as a content block, if the model should see it; a picture file right after it was read.

        `auto`: if the model requested it with `screenshot`, or the observation has too little content.
        """
        planned = state.get("planned_action") or {}
        read_by, file = self._files.get(context.session_id, ("", None))
        is_asked = planned.get("kind") == "screenshot"
        wanted = self.see and (self._vision == "always" or is_asked or is_poor(observation))
        picture: PagePicture | FilePicture | None = self._pictures.get(context.session_id)
        if file and planned.get("id") == read_by:
            wanted, picture = True, file
        if not wanted or picture is None:
            return None
        data = base64.b64encode(picture.data).decode()
        return {"type": "image", "base64": data, "mime_type": picture.mime}


def _shows(screenshot: Screenshot | None, observation: Observation) -> bool:
    """Whether an earlier screenshot matches: with equal moments nothing changed between."""
    return bool(screenshot and observation.moment and screenshot.get("moment") == observation.moment)


def _may_show(screenshot: Screenshot | None, observation: Observation) -> bool:
    """Whether a screenshot taken right after the observation belongs to it: both show the same document.

    A page that changes constantly, such as one with a clock, never has two equal moments.
    """
    moments = (screenshot.get("moment", "") if screenshot else "", observation.moment)
    documents = {moment.partition(":")[0] for moment in moments if moment}
    return len(documents) < 2


def as_seen(observation: Observation) -> Update:
    dumped = observation.model_dump(mode="json", exclude_defaults=True)
    return {"last_observation": dumped, "needs_observe": False, "is_pictured": False, "reading": None}


def is_poor(observation: Observation) -> bool:
    """Whether the page has nothing to read or to click, such as a canvas, or shows a captcha."""
    if observation.page.url in BLANK:
        return False
    has_captcha = any(overlay.kind == "captcha" for overlay in observation.overlays)
    return has_captcha or not (observation.interactive or observation.text_blocks)
