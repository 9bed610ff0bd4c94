"""A browser whose pages are accessibility snapshots in a dict. A real `Browser`: no process, no network.

    browser = ScriptedBrowser({"https://shop.example/": '- button "Buy" [ref=e1]'})
    browser.leads[("https://shop.example/", "Buy")] = "https://shop.example/thanks"

`log` lists what was done, `effects` what of it left the page: a click that leads somewhere, a form that was sent.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

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
from server.browser.observation import Element, Extra, Observation, observe_snapshot
from server.browser.observation.points import Layers, find_hit
from server.browser.outgoing.held import ActTerms, HeldRequest
from server.browser.reading.reader import Reading
from server.browser.sent import RequestLog, SentRequest, SentRequests
from wording.catalogue import Wording, sentence

BLANK = "about:blank"


@dataclass
class ScriptedBrowser(Browser):
    pages: dict[str, str] = field(default_factory=dict)
    leads: dict[tuple[str, str], str] = field(default_factory=dict)
    url: str = BLANK
    log: list[str] = field(default_factory=list)
    effects: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    failing: dict[str, str] = field(default_factory=dict)
    """What goes wrong: the start of a line of `log` -> the text of its failure."""
    silent: tuple[str, ...] = ()
    """Lines of `log` that start so get no answer in time."""
    before_look: Callable[[ScriptedBrowser], None] | None = None
    extra: Extra = field(default_factory=Extra)
    looks: int = 0
    pictures: int = 0
    """How often it was pictured; a picture's bytes are the moment that it shows."""
    specs: tuple[ToolSpec, ...] = ()
    layers: Callable[[int, int], Layers] | None = None
    """What is at a point."""
    view: str = "1280x720@0,0"
    drawn: float = 0.0
    """How much of the window is drawn."""
    draw: Callable[[], bytes] | None = None
    """Makes the picture, if it is to be a real one."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """By address, the pages of its text."""
    more: set[str] = field(default_factory=set)
    """Addresses of pages that show a part of their rows."""

    sending: dict[str, list[SentRequest]] | None = None
    """By name of the element, what the page sends at a click on it; None if nothing can be known of it."""
    sent: list[SentRequest] = field(default_factory=list)

    holding: dict[str, HeldRequest] = field(default_factory=dict)
    """By name of the element: what a click on it sends, which is held unless it was approved."""
    waits: bool = True
    """Whether what is held still waits for a yes."""
    refused: int = 0
    terms: ActTerms = field(default_factory=ActTerms)
    now_held: tuple[HeldRequest, ...] = ()

    def under(self, terms: ActTerms) -> AbstractContextManager[None]:
        self.terms = terms
        return nullcontext()

    def held(self) -> tuple[HeldRequest, ...]:
        return self.now_held

    async def held_waits(self) -> bool:
        return self.waits and bool(self.now_held)

    async def refuse_held(self) -> None:
        self.now_held, self.refused = (), self.refused + 1

    def _hold(self, element: Element) -> ToolOutcome | None:
        request, self.now_held = self.holding.get(element.name), ()
        if request is None:
            return None
        if request.id in self.terms.release and self.waits:
            self.effects.append(f"{request.words}, let go")
        elif self.terms.approved.covers(request.site, request.kind, request.binding, ()):
            self.effects.append(request.words)
        else:
            self.now_held = (request,)
            return self._done(f"held {element.name}")
        return self._done(f"sent {element.name}")

    def tools(self) -> Sequence[ToolSpec]:
        return self.specs

    def requests(self) -> RequestLog:
        return RequestLog() if self.sending is None else ScriptedRequests(self, len(self.sent))

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolOutcome:
        outcome = await self._call(name, args)
        return replace(outcome, seen=self._observation().outline)

    async def _call(self, name: str, args: Mapping[str, Any]) -> ToolOutcome:
        element = await self._by_ref(str(args.get("target", "")))
        match name:
            case "browser_navigate":
                return await self.navigate(str(args["url"]))
            case "browser_click" if element:
                return await self.click(element)
            case "browser_type" if element:
                return await self.type([Field(element, str(args["text"]))], submit=bool(args.get("submit")))
        return self._done(f"{name}")

    async def _by_ref(self, ref: str) -> Element | None:
        return next((element for element in self._observation().interactive if element.ref == ref), None)

    async def observe(self, keep: Sequence[str] = (), points: Sequence[PagePoint] = ()) -> Observation:
        self.looks += 1
        if self.before_look:
            self.before_look(self)
        seen = self._observation(keep)
        found = ((point, self.layers(point.x, point.y)) for point in points if self.layers)
        hits = (find_hit(point.x, point.y, layers, seen.interactive) for point, layers in found)
        hit = tuple(hit for hit in hits if hit)
        return seen.model_copy(update={"hits": hit, "sends_are_held": bool(self.holding)})

    @property
    def moment(self) -> str:
        """`<document>:<view>:<state>`, as the page script returns it."""
        return f"{zlib.crc32(self.url.encode())}:{self.view}:{self.pages.get(self.url, '')}{self.values}"

    def _observation(self, keep: Sequence[str] = ()) -> Observation:
        lines = map(self._with_value, self.pages.get(self.url, "").splitlines())
        notes, self.notes = tuple(self.notes), []
        return observe_snapshot(
            "\n".join(lines),
            url=self.url,
            title=self.url.rpartition("/")[2],
            notes=notes,
            extra=self.extra.model_copy(update={"moment": self.moment}),
            keep=keep,
        )

    def _with_value(self, line: str) -> str:
        typed = next((value for name, value in self.values.items() if f'textbox "{name}"' in line), None)
        return f"{line}: {typed}" if typed else line

    async def focus(self, element: Element) -> Observation:
        self.log.append(f"focus {element.name}")
        return self._observation()

    async def text_near(self, element: Element) -> str:
        self.log.append(f"read {element.name}")
        return f"text around {element.name}"

    async def has_more(self) -> bool:
        return self.url in self.more

    async def read_page(self, page: int = 1, query: str = "") -> Reading:
        self.log.append(f"read_page {page} {query}".strip())
        pages = self.texts.get(self.url, [])
        if not 0 < page <= len(pages):
            return Reading(False, Wording("The page cannot be read now."))
        return Reading(True, sentence("reading.page", page=page, count=len(pages)), pages[page - 1])

    async def screenshot(self) -> PagePicture | None:
        self.pictures += 1
        data = self.draw() if self.draw else self.moment.encode()
        return PagePicture(data, "image/jpeg", 1280, 720, self.moment, self.drawn)

    async def navigate(self, url: str) -> ToolOutcome:
        self.url = url
        return self._done(f"navigate {url}")

    async def back(self) -> ToolOutcome:
        return self._done("back")

    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome:
        what = f"{manner} click".strip()
        if isinstance(target, PagePoint):
            return self._done(f"{what} at {target.x},{target.y}")
        if held := self._hold(target):
            return held
        self._go(target)
        return self._done(f"{what} {target.name}")

    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome:
        ends = (f"{one.x},{one.y}" if isinstance(one, PagePoint) else one.name for one in (start, end))
        return self._done(f"drag {' to '.join(ends)}")

    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> ToolOutcome:
        for entry in fields:
            self.values[entry.element.name] = entry.text
        if submit:
            self._go(fields[-1].element)
        texts = ", ".join(f"{entry.element.name}={entry.text}" for entry in fields)
        return self._done(f"type {texts}{' +enter' if submit else ''}")

    def _go(self, element: Element) -> None:
        self.sent += (self.sending or {}).get(element.name, [])
        target = self.leads.get((self.url, element.name))
        if target is not None:
            self.effects.append(f"{element.name} -> {target}")
            self.url = target

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        return self._done(f"select {', '.join(options)} in {element.name}")

    async def hover(self, target: Element | PagePoint) -> ToolOutcome:
        return self._done(f"hover {target.name if isinstance(target, Element) else (target.x, target.y)}")

    async def press(self, key: str) -> ToolOutcome:
        return self._done(f"press {key}")

    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        return self._done(f"scroll {direction} {amount}{_over(over)}")

    async def scroll_to(
        self, query: str, direction: Direction = "down", over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        return self._done(f"scroll {direction} to {query}{_over(over)}")

    async def wait(self, milliseconds: int) -> ToolOutcome:
        return self._done(f"wait {milliseconds}")

    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        return self._done(f"upload {', '.join(map(str, files))}")

    async def answer_dialog(self, accept: bool, text: str | None = None) -> ToolOutcome:
        return self._done(f"dialog {accept} {text}")

    async def tabs(self) -> Sequence[Tab]:
        return [Tab(0, "", self.url, True)]

    async def switch_tab(self, index: int) -> ToolOutcome:
        return self._done(f"switch_tab {index}")

    async def reset(self) -> None:
        self.log.append("reset")

    def _done(self, what: str) -> ToolOutcome:
        self.log.append(what)
        problem = next((text for start, text in self.failing.items() if what.startswith(start)), None)
        if what.startswith(self.silent):
            return ToolOutcome(False, "The page did not answer.", self.url, self.url, timed_out=True)
        return ToolOutcome(problem is None, problem or what.split()[0], self.url, self.url)


@dataclass
class ScriptedRequests(RequestLog):
    browser: ScriptedBrowser
    begin: int

    async def settled(self) -> SentRequests:
        return SentRequests(tuple(self.browser.sent[self.begin :]))


def _over(target: Element | PagePoint | None) -> str:
    if target is None:
        return ""
    return f" over {target.name}" if isinstance(target, Element) else f" at {target.x},{target.y}"
