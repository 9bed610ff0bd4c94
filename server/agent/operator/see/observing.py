"""Observe the page: screenshot and observation together, so that they always match."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from server.agent.actions import Action, Point, ReadPageAction, ScreenshotAction
from server.agent.context import RunContext
from server.agent.gate.shown_page import ShownPage
from server.agent.gate.taint import private_sites, remembering
from server.agent.models.pictures import LONG_SIDE
from server.agent.operator.memory.reporting import publish_observation
from server.agent.operator.memory.state import BLANK, ShownLines, State, StoredPicture
from server.agent.pointing.pointer import seen_page
from server.browser.browser import PagePicture, PagePoint
from server.browser.observation import Element, Observation, Page
from server.browser.pictures import drawings_at, is_same_drawing, shrink
from server.browser.reading.reader import FilePicture
from server.ops.json_types import JsonObject

Vision = Literal["auto", "always", "never"]

PICTURES_KEPT = 32
DRAWN_SHARE = 0.15
"""Of the window: from then on something drawn is a good part of the page."""
MAX_UNNAMED = 4
"""Controls in view without a name, from which the text says too little."""


def sight(state: State) -> ShownPage:
    """The last observation and its screenshot, as shown in a question."""
    shot = state.page.last_screenshot
    return ShownPage(
        state.observation, shot.address if shot else None, (shot.width, shot.height) if shot else None
    )


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture as one model call gets it."""

    block: JsonObject
    """The content block."""
    picture: PagePicture | None = None
    """The page that it shows; None for a file."""
    size: tuple[int, int] = (0, 0)
    """Pixels that the model sees."""
    scale: float = 1.0
    """Pixels that the model sees for one CSS pixel of the page."""


class Observer:
    """Observes pages. Keeps each session's newest picture for the model, outside of graph state."""

    def __init__(self, vision: Vision, *, model_sees: bool, long_side: int = LONG_SIDE) -> None:
        self.see = model_sees and vision != "never"
        """Whether pictures may be sent to the model at all."""
        self._vision = vision
        self._long_side = long_side
        """Of the pictures that the model gets, in pixels."""
        self._pictures: OrderedDict[str, PagePicture] = OrderedDict()
        self._files: OrderedDict[str, tuple[str, FilePicture]] = OrderedDict()
        """By session, the newest picture file that was read, with the id of the action that read it."""

    async def look(
        self, context: RunContext, state: State, keep: Sequence[str] = (), points: Sequence[Point] = ()
    ) -> State:
        """Take a new observation and its screenshot. `keep`: refs of elements that must be included; `points`:
        where to find out what is there.

        The screenshot from the end of the last step is reused if nothing happened since and the page reports
        that it is unchanged. Otherwise one is taken right after the observation.
        """
        if not context.has_browser() and state.url in BLANK:
            return _as_seen(state, Observation(page=Page(url="about:blank", title="")), None)
        browser = await context.browser()
        observation = await browser.observe(keep, on_page(points))
        screenshot = state.page.last_screenshot if state.page.is_pictured else None
        if not _shows(screenshot, observation):
            screenshot = await self.picture(context)
            if not _may_show(screenshot, observation):  # the page changed to another document in the meantime
                observation = await browser.observe(keep, on_page(points))
                screenshot = screenshot if _may_show(screenshot, observation) else None
        unshown = [note for note in state.page.unshown_notes if note not in observation.notes]
        observation = observation.model_copy(update={"notes": (*unshown, *observation.notes)})
        await publish_observation(observation, screenshot.address if screenshot else None)
        if screenshot:
            size = (screenshot.width, screenshot.height)
            await context.keep_page(screenshot.address, seen_page(observation, screenshot.address, size))
        state = self._seen(context, state, observation, screenshot)
        return replace(state, page=replace(state.page, unshown_notes=()))

    async def look_again(
        self, context: RunContext, state: State, keep: Sequence[str], points: Sequence[Point] = ()
    ) -> State:
        """Observe again right before an action; keep the last screenshot only if its moment is the same."""
        observation = await (await context.browser()).observe(keep, on_page(points))
        screenshot = state.page.last_screenshot
        return self._seen(
            context, state, observation, screenshot if _shows(screenshot, observation) else None
        )

    async def look_closer(self, context: RunContext, state: State, element: Element) -> State:
        """Observe the surroundings of one element, with a screenshot of that moment."""
        observation = await (await context.browser()).focus(element)
        screenshot = state.page.last_screenshot
        if not _shows(screenshot, observation):
            screenshot = await self.picture(context)
            screenshot = screenshot if _may_show(screenshot, observation) else None
        return _as_seen(state, observation, screenshot)

    def _seen(
        self, context: RunContext, state: State, observation: Observation, screenshot: StoredPicture | None
    ) -> State:
        # The last element clicked or typed into may have been on another page.
        focused = state.page.focused if observation.page.url == state.url else None
        sites = private_sites(remembering(state.memory, context.private)["private_sites"], observation)
        context.private.add(sites)
        state = _as_seen(state, observation, screenshot)
        return replace(state, page=replace(state.page, focused=focused, private_sites=tuple(sites)))

    async def picture(self, context: RunContext) -> StoredPicture | None:
        """Take a picture of the page and store it; None if either fails."""
        picture = await (await context.browser()).screenshot()
        self._pictures.pop(context.session_id, None)
        if picture is None:
            return None
        self._pictures[context.session_id] = picture
        if len(self._pictures) > PICTURES_KEPT:
            self._pictures.popitem(last=False)
        if not (address := await context.keep(picture)):
            return None
        return StoredPicture(
            address=address, width=picture.width, height=picture.height, moment=picture.moment
        )

    def drawing(self, context: RunContext) -> str:
        """A hash of the newest picture where it shows what no text says, else ""."""
        picture = self._pictures.get(context.session_id)
        return hashlib.sha256(picture.data).hexdigest()[:16] if picture and picture.drawn else ""

    def show(self, session_id: str, action_id: str, picture: FilePicture) -> None:
        """Have the model see a picture file at the next step after this action."""
        self._files.pop(session_id, None)
        self._files[session_id] = (action_id, picture)
        if len(self._files) > PICTURES_KEPT:
            self._files.popitem(last=False)

    async def image(self, context: RunContext, state: State, observation: Observation) -> ShownPicture | None:
        """The picture for the next model call, if the model should see one; a picture file right after it was read.

        `auto`: at the first look at a page, after an act at a point, if the model requested it with `screenshot`,
        and whenever the picture says more than the text.
        """
        planned = state.turn.planned_action
        read_by, file = self._files.get(context.session_id, ("", None))
        if file and planned and planned.id == read_by:
            return ShownPicture(_block(file.data, file.mime))
        picture = self._pictures.get(context.session_id)
        if not self.see or picture is None or not _is_of(picture, observation):
            return None
        is_asked = isinstance(planned, ScreenshotAction) or bool(planned and planned.points)
        is_new = page_key(observation) != state.page.pictured_page
        if self._vision != "always" and not (is_asked or is_new or says_little(observation, picture)):
            return None
        data, mime, (width, height) = await asyncio.to_thread(shrink, picture, self._long_side)
        wide, _ = picture.window or (picture.width, picture.height)
        return ShownPicture(_block(data, mime), picture, (width, height), width / wide)

    def described(self, context: RunContext, observation: Observation) -> Observation:
        """The observation as a model reads it that gets no pictures: with a note of what is only drawn."""
        picture = self._pictures.get(context.session_id)
        if self.see or picture is None or picture.drawn < DRAWN_SHARE or not _is_of(picture, observation):
            return observation
        note = f"drawn: {picture.drawn:.0%} of the window is a canvas, a map or a picture without text"
        return observation.model_copy(update={"notes": (*observation.notes, note)})

    async def with_drawings(self, context: RunContext, points: Sequence[Point]) -> list[Point]:
        """The points with what the newest picture shows there."""
        picture = self._pictures.get(context.session_id)
        if picture is None:
            return list(points)
        drawn = await asyncio.to_thread(drawings_at, picture, [(one.x, one.y) for one in points])
        return [one.model_copy(update={"drawn": it}) for one, it in zip(points, drawn, strict=True)]

    async def shows_same(self, context: RunContext, points: Sequence[Point]) -> bool:
        """Whether the newest picture shows at each point what the picture in the question showed."""
        now = await self.with_drawings(context, [one.model_copy(update={"drawn": ""}) for one in points])
        pairs = zip(points, now, strict=True)
        return all(is_same_drawing(before.drawn, after.drawn) for before, after in pairs)


def _shows(screenshot: StoredPicture | None, observation: Observation) -> bool:
    """Whether an earlier screenshot matches: with equal moments nothing changed between."""
    return bool(screenshot and observation.moment and screenshot.moment == observation.moment)


def _may_show(screenshot: StoredPicture | None, observation: Observation) -> bool:
    """Whether a screenshot taken right after the observation belongs to it: both show the same document.

    A page that changes constantly, such as one with a clock, never has two equal moments.
    """
    moments = (screenshot.moment if screenshot else "", observation.moment)
    documents = {moment.partition(":")[0] for moment in moments if moment}
    return len(documents) < 2


def _as_seen(state: State, observation: Observation, screenshot: StoredPicture | None) -> State:
    page = replace(
        state.page, last_observation=observation, last_screenshot=screenshot, needs_observe=False, is_pictured=False,
        reading=None,
    )  # fmt: skip
    return replace(state, page=page)


def page_key(observation: Observation) -> str:
    """Changes when another page is shown: a new document, or one that a script shows under another path."""
    document = observation.moment.partition(":")[0]
    return f"{document} {observation.page.url.partition('#')[0].partition('?')[0]}"


def as_shown(state: State) -> ShownLines:
    """What a prompt shows of the page, for the next one."""
    observation = state.observation
    return ShownLines(
        page=page_key(observation), steps=state.limits.tool_steps, marks=tuple(observation.marks())
    )


def known_lines(state: State) -> frozenset[str]:
    """Marks of what the model was shown of this page at the last turn; none if it has not acted since."""
    shown, observation = state.page.shown_lines, state.observation
    is_next = shown and observation.moment and state.limits.tool_steps > shown.steps
    return frozenset(shown.marks if shown and is_next and shown.page == page_key(observation) else ())


def is_whole(state: State) -> bool:
    """Whether the last prompt showed all text of the page: as a reading of its only part, or left nothing out."""
    if (state.page.reading or "").startswith("(page 1 of 1)") and not state.page.reading_file:
        return True
    observation = state.observation
    is_cut = any(note.startswith("truncated") for note in observation.notes)
    is_cut |= any(text.endswith("…") for text in observation.text_blocks)
    return observation.mode == "main" and observation.page.url not in BLANK and not is_cut


def is_shown(state: State, action: Action) -> bool:
    """Whether the action would read again what the last prompt held as a reading."""
    reading = state.page.reading or ""
    if not isinstance(action, ReadPageAction) or not reading or state.page.reading_file:
        return False
    about = reading.partition("\n")[0]
    if about.startswith("(page 1 of 1)"):
        return True
    if action.query.strip():
        return f' match "{action.query}", on page ' in about
    return about.startswith(f"(page {action.page} of ")


def on_page(points: Sequence[Point]) -> list[PagePoint]:
    return [PagePoint(point.x, point.y) for point in points]


def says_little(observation: Observation, picture: PagePicture) -> bool:
    """Whether the picture says more than the observation: something drawn, or controls without a name."""
    if observation.page.url in BLANK:
        return False
    unnamed = [
        one for one in observation.interactive if one.visible and not (one.name or one.value or one.shows)
    ]
    return picture.drawn >= DRAWN_SHARE or len(unnamed) >= MAX_UNNAMED or is_poor(observation)


def _is_of(picture: PagePicture, observation: Observation) -> bool:
    documents = {moment.partition(":")[0] for moment in (picture.moment, observation.moment) if moment}
    return len(documents) < 2 and observation.page.url not in BLANK


def _block(data: bytes, mime: str) -> JsonObject:
    return {"type": "image", "base64": base64.b64encode(data).decode(), "mime_type": mime}


def is_poor(observation: Observation) -> bool:
    """Whether the page has nothing to read or to click, such as a canvas, or shows a captcha."""
    if observation.page.url in BLANK:
        return False
    has_captcha = any(overlay.kind == "captcha" for overlay in observation.overlays)
    return has_captcha or not (observation.interactive or observation.text_blocks)
