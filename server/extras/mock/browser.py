"""A scripted browser that implements the `Browser` protocol. No process, no network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urljoin

from server.browser.browser import (
    HOLD_MS,
    Browser,
    Direction,
    Field,
    Manner,
    PagePicture,
    PagePoint,
    Tab,
    ToolOutcome,
    ToolSpec,
)
from server.browser.fence import with_page
from server.browser.mcp.tool_calls import HELD
from server.browser.observation import Element, Extra, Observation, observe_snapshot
from server.browser.observation.points import Layer, Layers, find_hit
from server.browser.reading.reader import Reading
from server.browser.sent import RequestLog, SentRequest, SentRequests, place_of_url
from server.extras.mock.site import MOCK_BLANK, MOCK_PAGES, SHOP, VIEWPORT, MockPage, PageControl, draw
from server.ops.json_types import JsonObject, JsonView
from wording.catalogue import joined, sentence
from wording.element_words import element_words
from wording.step_words import direction as direction_words


def _schema(**properties: str) -> JsonObject:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }


MOCK_TOOLS = (
    ToolSpec("browser_navigate", "Open an address", _schema(url="string")),
    ToolSpec("browser_snapshot", "See the page", _schema(), acts=False),
    ToolSpec("browser_click", "Click an element", _schema(element="string", target="string")),
    ToolSpec("browser_type", "Type into a field", _schema(element="string", target="string", text="string")),
)


def _set_event() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


@dataclass
class MockBrowser(Browser):
    """One session's scripted browser. `log` lists the actions, for tests."""

    url: str = MOCK_BLANK
    typed: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    dialog: str | None = None
    sent: list[SentRequest] = field(default_factory=list)
    is_free: asyncio.Event = field(default_factory=_set_event)
    """Cleared while the user has control of the browser."""

    @property
    def page(self) -> MockPage:
        return MOCK_PAGES.get(self.url) or MockPage("Not found", "There is no such page here")

    def tools(self) -> Sequence[ToolSpec]:
        return MOCK_TOOLS

    async def call(self, name: str, args: JsonView) -> ToolOutcome:
        if not self.is_free.is_set():
            return ToolOutcome(False, HELD, self.url, self.page.title)
        match name:
            case "browser_navigate":
                outcome = await self.navigate(args["url"])
            case "browser_click":
                outcome = await self._act_on(args["target"], "click")
            case "browser_type":
                outcome = await self._act_on(args["target"], "type", args["text"])
            case _:
                outcome = self._done("Here is the page.")
        seen = await self.observe()
        lines = (*seen.notes, seen.text_with_targets())
        text = with_page(outcome.text, self.url, self.page.title, lines)
        private_url = self.url if seen.asks_for_secret else None
        return ToolOutcome(outcome.ok, text, self.url, self.page.title, private_url=private_url)

    async def _act_on(self, ref: str, verb: str, text: str = "") -> ToolOutcome:
        for element in (await self.observe()).interactive:
            if element.ref == ref:
                return await (self.click(element) if verb == "click" else self.type([Field(element, text)]))
        return ToolOutcome(False, f"There is no element {ref} on this page.", self.url, self.page.title)

    def snapshot(self) -> str:
        """Return the page in the format of a Playwright MCP snapshot."""
        lines = [f'- heading "{self.page.heading}" [level=1] [ref=e1] [box=40,40,800,40]']
        lines += [
            f"- paragraph [ref=t{number}] [box=40,{100 + 40 * number},800,24]: {text}"
            for number, text in enumerate(self.page.texts)
        ]
        for number, (control, box) in enumerate(self.page.places()):
            value = self.typed.get(control.name)
            place = ",".join(map(str, box))
            lines.append(
                f'- {control.role} "{control.name}" [ref=e{number + 2}] [box={place}]{f": {value}" if value else ""}'
            )
        return "\n".join(lines)

    @property
    def _moment(self) -> str:
        return f"{quote(self.url, safe='')}:{VIEWPORT}:{sorted(self.typed.items())}"

    async def observe(self, keep: Sequence[str] = (), points: Sequence[PagePoint] = ()) -> Observation:
        await self.is_free.wait()
        notes = (f'The page asks (confirm): "{self.dialog}".',) if self.dialog else ()
        seen = observe_snapshot(
            self.snapshot(),
            url=self.url,
            title=self.page.title,
            viewport=VIEWPORT,
            notes=notes,
            extra=Extra(moment=self._moment),
            keep=keep,
        )
        hits = (find_hit(at.x, at.y, self._layers_at(at), seen.interactive) for at in points)
        return seen.model_copy(update={"hits": tuple(hit for hit in hits if hit)})

    def _layers_at(self, point: PagePoint) -> Layers:
        layers, steps = (Layer(tag="body", box=(0, 0, *VIEWPORT)),), ("body",)
        control = self.control_at(point.x, point.y)
        if control is None:
            return Layers(layers=layers, steps=steps)
        box = next(box for one, box in self.page.places() if one == control)
        pressed = Layer(tag=control.role, role=control.role, name=control.name, box=box, control=True)
        return Layers(layers=(pressed, *layers), steps=(control.name, *steps))

    def control_at(self, x: float, y: float) -> PageControl | None:
        for control, (left, top, width, height) in self.page.places():
            if left <= x <= left + width and top <= y <= top + height:
                return control
        return None

    async def focus(self, element: Element) -> Observation:
        return (await self.observe()).model_copy(update={"mode": "focused"})

    async def text_near(self, element: Element) -> str:
        return " ".join((self.page.heading, *self.page.texts))

    async def has_more(self) -> bool:
        return False

    async def read_page(self, page: int = 1, query: str = "") -> Reading:
        await self.is_free.wait()
        return Reading(
            True,
            sentence("reading.page", page=1, count=1),
            "\n\n".join((f"# {self.page.heading}", *self.page.texts)),
        )

    def requests(self) -> RequestLog:
        return MockRequestLog(self)

    async def screenshot(self) -> PagePicture | None:
        if not self.is_free.is_set():
            return None
        moment = self._moment
        data = await asyncio.to_thread(draw, self.page, self.typed)
        return PagePicture(data, "image/jpeg", *VIEWPORT, moment)

    async def navigate(self, url: str) -> ToolOutcome:
        self.url = (
            url if url in MOCK_PAGES or url.rstrip("/") + "/" not in MOCK_PAGES else url.rstrip("/") + "/"
        )
        self.log.append(f"navigate {self.url}")
        return self._done(sentence("did.opened"))

    async def back(self) -> ToolOutcome:
        self.url = f"{SHOP}/"
        return self._done(sentence("did.went_back"))

    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome:
        if isinstance(target, Element):
            return self._done(self.use(target.name))
        self.log.append(f"click at {target.x}, {target.y}")
        control = self.control_at(target.x, target.y)
        return self._done(self.use(control.name) if control else "Clicked where nothing is")

    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome:
        self.log.append("drag")
        return self._done("Dragged")

    def use(self, name: str) -> str:
        """Click the control with this name: open its dialog, follow its link."""
        self.log.append(f"click {name}")
        control = next((control for control in self.page.controls if control.name == name), None)
        if control is not None:
            if control.sends and (place := place_of_url(urljoin(self.url, control.sends))):
                self.sent.append(SentRequest("POST", *place, status=201, key=control.sends))
            self.dialog = control.asks
            self.url = control.leads_to or self.url
        return sentence("did.clicked", target=element_words(control.role if control else "link", name))

    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> ToolOutcome:
        for entry in fields:
            self.log.append(f"type {entry.element.name}")
            self.typed[entry.element.name] = entry.text
        named = joined((element_words(entry.element.role, entry.element.name) for entry in fields), ", ")
        return self._done(sentence("did.typed", target=named))

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        return self._done(
            sentence("did.chose", option=", ".join(options), target=element_words(element.role, element.name))
        )

    async def hover(self, target: Element | PagePoint) -> ToolOutcome:
        return self._done("Pointed at it")

    async def press(self, key: str) -> ToolOutcome:
        return self._done(sentence("did.pressed", key=key))

    async def scroll_to(
        self, query: str, direction: Direction = "down", over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        return self._done(sentence("did.scrolled_to_text"))

    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        self.log.append(f"scroll {direction}")
        return self._done(sentence("did.scrolled", direction=direction_words(direction), pixels=amount))

    async def wait(self, milliseconds: int) -> ToolOutcome:
        return self._done(sentence("did.waited", seconds=milliseconds / 1000))

    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        return self._done(f"Attached {len(files)} files")

    async def answer_dialog(self, accept: bool, text: str | None = None) -> ToolOutcome:
        had_dialog, self.dialog = self.dialog is not None, None
        return self._done("Answered" if had_dialog else "There was no dialog")

    async def tabs(self) -> Sequence[Tab]:
        return [Tab(0, self.page.title, self.url, True)]

    async def switch_tab(self, index: int) -> ToolOutcome:
        return self._done("There is one tab")

    async def reset(self) -> None:
        return

    def _done(self, text: str) -> ToolOutcome:
        return ToolOutcome(True, text, self.url, self.page.title)


class MockRequestLog(RequestLog):
    """The requests of the mock browser since this was made."""

    def __init__(self, browser: MockBrowser) -> None:
        self._browser = browser
        self._begin = len(browser.sent)

    async def settled(self) -> SentRequests:
        return SentRequests(tuple(self._browser.sent[self._begin :]))
