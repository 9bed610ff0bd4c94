"""Mock mode's browser: a few scripted pages behind the real door. No process, no network."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from server.browser.browser import (
    Browser,
    BrowserState,
    Direction,
    Field,
    Outcome,
    Picture,
    Tab,
    ToolSpec,
)
from server.browser.observation import Element, Observation, observe_snapshot

VIEWPORT = (1280, 720)
BLANK = "about:blank"


@dataclass(frozen=True, slots=True)
class Control:
    role: str
    name: str
    leads_to: str | None = None


@dataclass(frozen=True, slots=True)
class MockPage:
    title: str
    heading: str
    texts: tuple[str, ...] = ()
    controls: tuple[Control, ...] = ()


SHOP = "https://shop.example"
MAIL = "https://mail.example"
PAGES: dict[str, MockPage] = {
    BLANK: MockPage("", ""),
    f"{SHOP}/": MockPage(
        "Kettles – Shop", "Kettles", ("Blue kettle €43.90, in stock", "Red kettle €51.00, two weeks"),
        (Control("searchbox", "Search"), Control("link", "Blue kettle", f"{SHOP}/kettle"), Control("link", "Red kettle", f"{SHOP}/")),
    ),
    f"{SHOP}/kettle": MockPage(
        "Blue kettle – Shop", "Blue kettle", ("€43.90", "1.7 litres, switches itself off"),
        (Control("button", "Add to basket", f"{SHOP}/basket"), Control("link", "All kettles", f"{SHOP}/")),
    ),
    f"{SHOP}/basket": MockPage(
        "Basket – Shop", "Your basket", ("1 × Blue kettle", "Total €43.90"),
        (Control("button", "Place order", f"{SHOP}/thanks"), Control("link", "Go on shopping", f"{SHOP}/")),
    ),
    f"{SHOP}/thanks": MockPage("Thank you – Shop", "Thank you for your order", ("Order 1001, €43.90",)),
    f"{MAIL}/login": MockPage(
        "Log in – Mail", "Log in", (),
        (Control("textbox", "Address"), Control("textbox", "Password"), Control("button", "Log in", f"{MAIL}/inbox")),
    ),
    f"{MAIL}/inbox": MockPage("Inbox – Mail", "Inbox", ("3 new messages",), (Control("link", "Invoice 12"),)),
}  # fmt: skip


def _schema(**properties: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }


TOOLS = (
    ToolSpec("browser_navigate", "Open an address", _schema(url="string")),
    ToolSpec("browser_snapshot", "See the page", _schema(), acts=False),
    ToolSpec("browser_click", "Click an element", _schema(element="string", target="string")),
    ToolSpec("browser_type", "Type into a field", _schema(element="string", target="string", text="string")),
)


@dataclass
class MockBrowser(Browser):
    """One session's scripted browser. `log` lists what was done, for tests."""

    url: str = BLANK
    typed: dict[str, str] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    @property
    def page(self) -> MockPage:
        return PAGES.get(self.url) or MockPage("Not found", "There is no such page here")

    def tools(self) -> Sequence[ToolSpec]:
        return TOOLS

    async def call(self, name: str, args: Mapping[str, Any]) -> Outcome:
        match name:
            case "browser_navigate":
                outcome = await self.navigate(args["url"])
            case "browser_click":
                outcome = await self._act_on(args["target"], "click")
            case "browser_type":
                outcome = await self._act_on(args["target"], "type", args["text"])
            case _:
                outcome = self._done("Here is the page.")
        text = f"{outcome.text}\nPage URL: {self.url}\n{self.snapshot()}"
        return Outcome(outcome.ok, text, self.url, self.page.title)

    async def _act_on(self, ref: str, verb: str, text: str = "") -> Outcome:
        for element in (await self.observe()).interactive:
            if element.ref == ref:
                return await (self.click(element) if verb == "click" else self.type([Field(element, text)]))
        return Outcome(False, f"There is no element {ref} on this page.", self.url, self.page.title)

    def snapshot(self) -> str:
        """The page as Playwright MCP would put it."""
        lines = [f'- heading "{self.page.heading}" [level=1] [ref=e1] [box=40,40,800,40]']
        lines += [
            f"- paragraph [ref=t{number}] [box=40,{100 + 40 * number},800,24]: {text}"
            for number, text in enumerate(self.page.texts)
        ]
        top = 120 + 40 * len(self.page.texts)
        for number, control in enumerate(self.page.controls):
            value = self.typed.get(control.name)
            tail = f": {value}" if value else ""
            lines.append(
                f'- {control.role} "{control.name}" [ref=e{number + 2}] [box=40,{top + 60 * number},220,44]{tail}'
            )
        return "\n".join(lines)

    async def observe(self) -> Observation:
        return observe_snapshot(self.snapshot(), url=self.url, title=self.page.title, viewport=VIEWPORT)

    async def focus(self, element: Element) -> Observation:
        return await self.observe()

    async def text_near(self, element: Element) -> str:
        return " ".join((self.page.heading, *self.page.texts))

    async def screenshot(self) -> Picture | None:
        data = await asyncio.to_thread(self._draw)
        return Picture(data, "image/jpeg", *VIEWPORT)

    def _draw(self) -> bytes:
        image = Image.new("RGB", VIEWPORT, "white")
        draw = ImageDraw.Draw(image)
        draw.text((40, 40), self.page.heading, fill="#14171c", font_size=32)
        for number, text in enumerate(self.page.texts):
            draw.text((40, 100 + 40 * number), _drawable(text), fill="#4f5764", font_size=20)
        top = 120 + 40 * len(self.page.texts)
        for number, control in enumerate(self.page.controls):
            place = (40, top + 60 * number, 260, top + 44 + 60 * number)
            draw.rounded_rectangle(place, radius=6, outline="#2f5bd7", width=2)
            draw.text(
                (56, place[1] + 10),
                self.typed.get(control.name) or control.name,
                fill="#2f5bd7",
                font_size=20,
            )
        out = io.BytesIO()
        image.save(out, "JPEG", quality=80)
        return out.getvalue()

    async def navigate(self, url: str) -> Outcome:
        self.url = url if url in PAGES or url.rstrip("/") + "/" not in PAGES else url.rstrip("/") + "/"
        self.log.append(f"navigate {self.url}")
        return self._done(f"Opened {self.url}")

    async def back(self) -> Outcome:
        self.url = f"{SHOP}/"
        return self._done("Went back")

    async def click(self, element: Element) -> Outcome:
        self.log.append(f"click {element.name}")
        target = next((c.leads_to for c in self.page.controls if c.name == element.name), None)
        self.url = target or self.url
        return self._done(f'Clicked "{element.name}"')

    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> Outcome:
        for entry in fields:
            self.log.append(f"type {entry.element.name}")
            self.typed[entry.element.name] = entry.text
        return self._done("Typed")

    async def select(self, element: Element, options: Sequence[str]) -> Outcome:
        return self._done(f"Chose {', '.join(options)}")

    async def hover(self, element: Element) -> Outcome:
        return self._done("Pointed at it")

    async def press(self, key: str) -> Outcome:
        return self._done(f"Pressed {key}")

    async def scroll(self, direction: Direction, amount: int) -> Outcome:
        self.log.append(f"scroll {direction}")
        return self._done(f"Scrolled {direction}")

    async def wait(self, milliseconds: int) -> Outcome:
        return self._done("Waited")

    async def upload(self, element: Element, files: Sequence[Path]) -> Outcome:
        return self._done(f"Attached {len(files)} files")

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Outcome:
        return self._done("There was no dialog")

    async def tabs(self) -> Sequence[Tab]:
        return [Tab(0, self.page.title, self.url, True)]

    async def switch_tab(self, index: int) -> Outcome:
        return self._done("There is one tab")

    async def reset(self) -> None:
        return

    def _done(self, text: str) -> Outcome:
        return Outcome(True, text, self.url, self.page.title)


class MockBrowsers:
    """A scripted browser for each session."""

    def __init__(self) -> None:
        self._browsers: dict[str, MockBrowser] = {}

    async def get(self, session_id: str) -> MockBrowser:
        return self._browsers.setdefault(session_id, MockBrowser())

    def peek(self, session_id: str) -> BrowserState | None:
        browser = self._browsers.get(session_id)
        return BrowserState(session_id, "open", browser.url) if browser else None

    async def tools(self) -> Sequence[ToolSpec]:
        return TOOLS

    async def ready(self) -> str | None:
        return None

    async def park(self, session_id: str) -> None:
        return

    async def close(self, session_id: str, *, purge: bool = False) -> None:
        self._browsers.pop(session_id, None)

    async def aclose(self) -> None:
        self._browsers.clear()


def _drawable(text: str) -> str:
    """Without the signs that Pillow's own font lacks."""
    return text.replace("€", "EUR ").replace("×", "x")
