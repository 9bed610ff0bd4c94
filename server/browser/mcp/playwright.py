"""A session's browser driven through the Playwright MCP server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from server.browser import observation
from server.browser.browser import HOLD_MS, Direction, Field, Manner, PagePoint, Tab, ToolOutcome, ToolSpec
from server.browser.chromium.chromium import VIEWPORT
from server.browser.fence import fence
from server.browser.masking import mask_text
from server.browser.mcp import targets, uploads
from server.browser.mcp.page_reader import PageReader
from server.browser.mcp.playwright_calls import PlaywrightCalls
from server.browser.mcp.playwright_reply import Reply, page_error, status_note
from server.browser.mcp.playwright_server import LOADING, REPEATABLE, offered_of, server_at
from server.browser.mcp.session_browser import ToolServer
from server.browser.mcp.targets import OTHER_THERE
from server.browser.mcp.tool_calls import RESULT_CHARS, ToolCalls, name_of
from server.browser.observation import Element
from server.browser.observation.rendering import fitting_lines, meant_option
from server.ops.json_types import JsonObject, JsonView
from server.text import cut
from wording.catalogue import Wording, joined, says, sentence
from wording.step_words import direction as direction_words

_DRAG_STEPS = 5
"""Moves of the mouse in a drag between points: pages follow them, and a drop needs more than one."""
_MAX_WHEELS = 20
"""Turns of the wheel in search of a text."""
_WHEEL, _WHEEL_OVER = 700, 350
"""Pixels of each: less than a window, or than a list, shows, because lists may have only what is in view."""
# Where a page as a whole does not scroll, the largest part of it that does.
_SCROLLER = """() => {
  const {scrollHeight, clientHeight} = document.scrollingElement || document.body;
  if (scrollHeight > clientHeight + 40) return null;
  const isScroller = el => el.scrollHeight > el.clientHeight + 40 && /auto|scroll/.test(getComputedStyle(el).overflowY);
  const size = el => el.clientWidth * el.clientHeight, found = [...document.querySelectorAll('div,ul,ol,main,section,article,table,tbody')];
  const [largest] = found.slice(0, 5000).filter(el => el.clientHeight > 60 && isScroller(el)).sort((a, b) => size(b) - size(a));
  if (!largest) return null;
  const {x, y, width, height} = largest.getBoundingClientRect();
  return {x: Math.round(x + width / 2), y: Math.round(y + height / 2)};
}"""
_LOADS = 0.5
"""Seconds at the end of what there is, in which a page may load more."""
_CHOOSER_COMES, _CHOOSER_TURNS = 5, 12
"""Seconds in which a page asks for a file after a click, and how many times that is looked for."""
_OWN_PICKER = (
    "If the page opened a picker of its own, only the person can choose a file there: hand over to them."
)
_DOWNLOADS = "Download is starting"
_NOT_FILLABLE = "Element is not an <input>"
_KEYS: Mapping[Manner, str] = {"ctrl": "ControlOrMeta", "shift": "Shift", "alt": "Alt"}
_CLICK_ARGUMENTS: Mapping[Manner, JsonObject] = {
    "": {},
    "double": {"doubleClick": True},
    "right": {"button": "right"},
    **{manner: {"modifiers": [key]} for manner, key in _KEYS.items()},
}
"""The server's own arguments of a click on an element."""


class PlaywrightAdapter:
    """Implements `Adapter`. `loading` is what the server waits for a page to load, in milliseconds."""

    def __init__(self, calls: ToolCalls, loading: int = LOADING) -> None:
        self._calls = calls
        self._server = PlaywrightCalls(calls, loading)
        self._reader = PageReader(calls, self._server)
        self.observe = self._reader.observe
        self.focus = self._reader.focus
        self.text_near = self._reader.text_near
        self.shown = self._reader.shown
        self.picture = self._server.picture
        self.locate = self._server.locate
        self.return_to_page = self._server.return_to_page

    # Tools that a model calls by name

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        if not spec.acts:
            return await self._look_up(spec.name, args)
        if spec.name == "browser_handle_dialog" and not self._calls.here.dialog:
            return self._calls.outcome(False, sentence("dialog.none"))
        if spec.name == "browser_tabs" and args.get("action") == "close" and await self._is_kept(args):
            return self._calls.outcome(False, sentence("did_not.close_tab"))
        reply = await self._server.act(spec.name, args)
        text: str = cut(reply.text, RESULT_CHARS)
        if reply.ok and spec.name == "browser_tabs":  # their titles are the pages' own words
            text = joined((sentence("did.listed_tabs", n=len(reply.tabs)), fence(reply.text)), "\n")
        return self._calls.outcome_with_page(reply.ok, text, await self._reader.shown())

    async def _is_kept(self, args: JsonView) -> bool:
        """Whether a person entered something in the tab that is to be closed: the server does not let the page ask."""
        tabs, index = await self.tabs(), args.get("index")
        closed = {tab.url for tab in tabs if (tab.active if index is None else tab.index == index)}
        return self._calls.here.holds_input(lambda page: page.document in closed)

    async def _look_up(self, name: str, args: JsonView) -> ToolOutcome:
        """Call a tool that changes nothing. The screenshot itself is taken by `screenshot`."""
        if name == "browser_take_screenshot":
            return self._calls.outcome(True, sentence("did.took_page_picture"))
        if name == "browser_snapshot":
            return self._calls.outcome_with_page(True, "", await self._reader.shown(args.get("target")))
        reply = await self._server.use(name, args)
        secrets = (await self._calls.here.look(brief=True)).secrets
        if not reply.ok:
            return self._calls.outcome(False, reply.text)
        found = await self._calls.parse(mask_text, reply.text, secrets, missing="")
        found = await self._calls.parse(fitting_lines, found, observation.DEFAULT_BUDGET.tokens, missing="")
        return self._calls.outcome(True, fence(found))

    # Actions

    async def navigate(self, url: str) -> ToolOutcome:
        return self._opened(await self._server.act("browser_navigate", {"url": url}), sentence("did.opened"))

    async def back(self) -> ToolOutcome:
        return self._opened(await self._server.act("browser_navigate_back", {}), sentence("did.went_back"))

    def _opened(self, reply: Reply, did: str) -> ToolOutcome:
        """The outcome of opening a page. An error page in its place is a failure; what it shows can be read."""
        if reply.ok and (problem := page_error(reply)):
            return self._refused(reply, problem)
        outcome = self._done(reply, did)
        if _DOWNLOADS in reply.text and any(says(note, "download.done") for note in outcome.notes):
            return replace(outcome, ok=True, text=sentence("did.downloaded_address"))
        return outcome

    def _refused(self, reply: Reply, problem: str) -> ToolOutcome:
        """A failure that says what the reply's note of the HTTP status says, too."""
        outcome = self._calls.outcome(False, problem)
        return replace(outcome, notes=tuple(note for note in outcome.notes if note != status_note(reply)))

    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome:
        did = _clicked(name_of(target), manner, hold_ms)
        if isinstance(target, Element):
            return await self._click_element(target, did, manner, hold_ms)
        if (mouse := _mouse(manner, hold_ms)) is None:
            return self._calls.outcome(False, sentence("did_not.click_with_key"))
        if not await self._point_at(target):
            return self._calls.outcome(False, OTHER_THERE)
        return await self._do("browser_mouse_click_xy", {"x": target.x, "y": target.y, **mouse}, did)

    async def _click_element(
        self, target: Element, did: Wording, manner: Manner, hold_ms: int
    ) -> ToolOutcome:
        before, page = self._calls.here.url, self._calls.here.page
        obstacle = await targets.look_at(self._calls.here, target)
        if obstacle.kind == "covered":
            return self._calls.outcome(False, sentence("did_not.click_covered", why=obstacle.words))
        if obstacle.kind == "moving":
            return await self._click_moving(did, _mouse(manner, hold_ms))
        if manner == "hold":
            reply = await self._server.act("browser_hover", _target(target))
            reply = await self._hold_down(hold_ms) if reply.ok else reply
        else:
            arguments = {**_target(target), **_CLICK_ARGUMENTS[manner]}
            reply = await self._server.act("browser_click", arguments)
        if not reply.ok and page and page.has_closed:
            return self._calls.outcome(True, joined((did, sentence("did.closed_tab"))))
        is_led_on = target.role == "link" and self._calls.here.url != before
        if reply.ok and is_led_on and (problem := page_error(reply)):
            return self._refused(reply, joined((did, problem)))
        return self._done(reply, did)

    async def _hold_down(self, milliseconds: int) -> Reply:
        """Hold the button down where the mouse is. A page may react while it is held."""
        reply = await self._server.act("browser_mouse_down", {})
        try:
            if reply.ok:
                await asyncio.sleep(milliseconds / 1000)
        finally:
            lifted = await self._server.act("browser_mouse_up", {})
        return lifted if reply.ok else reply

    async def _click_moving(self, did: str, mouse: JsonView | None) -> ToolOutcome:
        """Press what does not stop moving where it is then."""
        if mouse is None:
            return self._calls.outcome(False, sentence("did_not.click_with_key"))
        for _ in range(targets.PRESSES):
            if (place := await targets.aim(self._calls.here)) is None:
                continue
            reply = await self._server.act("browser_mouse_click_xy", {"x": place.x, "y": place.y, **mouse})
            is_hit = await targets.end(self._calls.here)
            if is_hit is not False or not reply.ok:
                return self._done(reply, did)
        return self._calls.outcome(False, sentence("did_not.hit_moving"))

    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome:
        did = sentence("did.dragged", target=name_of(start), to=name_of(end))
        if isinstance(start, Element) and isinstance(end, Element):
            ends = {"startTarget": start.ref, "startElement": name_of(start)}
            return await self._do(
                "browser_drag", {**ends, "endTarget": end.ref, "endElement": name_of(end)}, did
            )
        if isinstance(start, Element) or isinstance(end, Element):
            return self._calls.outcome(False, sentence("drag.ends"))
        if not (await self._is_still_at(end) and await self._point_at(start)):
            return self._calls.outcome(False, OTHER_THERE)
        return await self._drag_mouse(start, end, did)

    async def _drag_mouse(self, start: PagePoint, end: PagePoint, did: str) -> ToolOutcome:
        reply = await self._server.act("browser_mouse_down", {})
        try:
            for step in range(1, _DRAG_STEPS + 1):
                if not reply.ok:
                    break
                x, y = (
                    round(a + (b - a) * step / _DRAG_STEPS) for a, b in ((start.x, end.x), (start.y, end.y))
                )
                reply = await self._server.act("browser_mouse_move_xy", {"x": x, "y": y})
        finally:
            lifted = await self._server.act("browser_mouse_up", {})
        return self._done(lifted if reply.ok else reply, did)

    async def _point_at(self, point: PagePoint) -> bool:
        """Move the mouse to the point; whether a press there still goes where the act was judged for."""
        moved = await self._server.act("browser_mouse_move_xy", {"x": point.x, "y": point.y})
        return moved.ok and await self._is_still_at(point)

    async def _is_still_at(self, point: PagePoint) -> bool:
        found = await self._calls.here.layers_at(point.x, point.y)
        return found is not None and found.reaches(point.key)

    async def type(self, fields: Sequence[Field], *, submit: bool) -> ToolOutcome:
        together = list(fields[:-1] if submit else fields)
        if together:
            form = {"fields": [_filled(field) for field in together]}
            reply = await self._server.act("browser_fill_form", form)
            if not reply.ok and _NOT_FILLABLE in reply.text:
                reply = await self._type_keys(together)
            if not reply.ok or not submit:
                return self._done(reply, _typed(together))
        last, did = fields[-1], joined((_typed(fields), sentence("did.pressed", key="Enter")))
        args = {**_target(last.element), "text": last.text, "submit": True}
        reply = await self._server.act("browser_type", args)
        if not reply.ok and _NOT_FILLABLE in reply.text:
            reply = await self._type_lines(last, submit=True)
        return self._done(reply, did)

    async def _type_keys(self, fields: Sequence[Field]) -> Reply:
        """Type into elements that accept keys but are no form fields, such as rich text editors."""
        reply = Reply(ok=True)
        for field in fields:
            reply = await self._server.act("browser_click", _target(field.element))
            reply = await self._type_lines(field) if reply.ok else reply
            if not reply.ok:
                break
        return reply

    async def _type_lines(self, field: Field, *, submit: bool = False) -> Reply:
        """Type key by key. Lines are separated by Shift+Enter, since Enter may submit the text."""
        *lines, last = typed_lines(field.text)
        for line in lines:
            keys = {**_target(field.element), "text": line, "slowly": True}
            reply = await self._server.act("browser_type", keys)
            reply = await self._server.act("browser_press_key", {"key": "Shift+Enter"}) if reply.ok else reply
            if not reply.ok:
                return reply
        keys = {**_target(field.element), "text": last, "slowly": True, "submit": submit}
        return await self._server.act("browser_type", keys)

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        values = [meant_option(element, option) for option in options]
        args = {**_target(element), "values": values}
        return await self._do(
            "browser_select_option",
            args,
            sentence("did.chose", option=", ".join(values), target=name_of(element)),
        )

    async def hover(self, target: Element | PagePoint) -> ToolOutcome:
        did = sentence("did.pointed", target=name_of(target))
        if isinstance(target, PagePoint):
            return await self._do("browser_mouse_move_xy", {"x": target.x, "y": target.y}, did)
        return await self._do("browser_hover", _target(target), did)

    async def press(self, key: str) -> ToolOutcome:
        return await self._do("browser_press_key", {"key": key}, sentence("did.pressed", key=key))

    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None
    ) -> ToolOutcome:
        pointed = await self._point_over(over)
        if isinstance(over, Element) and not pointed.ok:
            return self._done(pointed, "")
        way, done = direction_words(direction), await self._wheel(direction, amount)
        if isinstance(over, Element):
            did = sentence("did.scrolled_over", direction=way, pixels=amount, target=name_of(over))
            return self._done(done, did)
        return self._done(done, sentence("did.scrolled", direction=way, pixels=amount))

    async def scroll_to(
        self, query: str, direction: Direction, over: Element | PagePoint | None
    ) -> ToolOutcome:
        backwards, before, is_end = direction in ("up", "left"), "", False
        for turn in range(_MAX_WHEELS + 1):
            raw = await self._reader.text()
            place = await self._calls.parse(
                observation.find_place, raw, query, VIEWPORT, backwards=backwards, missing=None
            )
            if place is not None:
                if place.ref:  # the server scrolls to what it points at
                    await self._server.act("browser_hover", {"target": place.ref, "element": query[:80]})
                if await self._calls.here.show_text(query) is False:
                    return self._calls.outcome(False, sentence("did_not.show_text"))
                return self._calls.outcome(True, sentence("did.scrolled_to_text"))
            if turn == 0:
                over = over or await self._scroller()
                pointed = await self._point_over(over)
                if isinstance(over, Element) and not pointed.ok:
                    return self._done(pointed, "")
            elif raw == before:
                if is_end:
                    break
                await asyncio.sleep(_LOADS)
            is_end, before = raw == before, raw
            await self._wheel(direction, _WHEEL_OVER if over else _WHEEL)
        else:  # the last turn of the wheel still showed something else
            return self._calls.outcome(False, sentence("did_not.find_text_yet"))
        return self._calls.outcome(False, sentence("did_not.find_text", direction=direction_words(direction)))

    async def _scroller(self) -> PagePoint | None:
        found = await self._calls.here.run(_SCROLLER)
        return PagePoint(int(found["x"]), int(found["y"])) if isinstance(found, dict) else None

    async def _point_over(self, over: Element | PagePoint | None) -> Reply:
        """Move the mouse to where its wheel shall turn: over an element that the server scrolls into view."""
        if isinstance(over, Element):
            return await self._server.act("browser_hover", _target(over))
        point = over or PagePoint(VIEWPORT[0] // 2, VIEWPORT[1] // 2)
        return await self._server.act("browser_mouse_move_xy", {"x": point.x, "y": point.y})

    async def _wheel(self, direction: Direction, amount: int) -> Reply:
        distance = -amount if direction in ("up", "left") else amount
        along_x = direction in ("left", "right")
        wheel = {"deltaX": distance if along_x else 0, "deltaY": 0 if along_x else distance}
        reply = await self._server.act("browser_mouse_wheel", wheel)
        await self._calls.here.wait_scrolled()
        return reply

    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        paths, strange = session_files(self._calls.files, files)
        if strange:
            return self._calls.outcome(False, sentence("file.not_of_session", file=", ".join(strange)))
        if given := await uploads.give(self._calls, element, paths):
            return given
        names, name = ", ".join(path.name for path in paths), name_of(element)
        asked = await self._server.use("browser_click", _target(element))
        if not (asked.ok or asked.asks_for_file):
            return self._done(asked, "")
        for turn in range(_CHOOSER_TURNS):
            reply = await self._server.use("browser_file_upload", {"paths": list(map(str, paths))})
            if reply.ok or turn == _CHOOSER_TURNS - 1:
                break
            await asyncio.sleep(_CHOOSER_COMES / _CHOOSER_TURNS)  # a page may ask its site first
        if not reply.ok:
            return self._calls.outcome(
                False, sentence("did_not.ask_for_file", target=name, seconds=_CHOOSER_COMES)
            )
        return self._done(reply, sentence("did.gave_file", file=names, target=name))

    async def answer_dialog(self, accept: bool, text: str | None) -> ToolOutcome:
        if not self._calls.here.dialog:
            return self._calls.outcome(False, sentence("dialog.none"))
        return self._done(
            await self._server.answer(accept, text),
            sentence("did.accepted") if accept else sentence("did.dismissed"),
        )

    async def tabs(self) -> Sequence[Tab]:
        return (await self._server.use("browser_tabs", {"action": "list"})).tabs

    async def switch_tab(self, index: int) -> ToolOutcome:
        return await self._do(
            "browser_tabs", {"action": "select", "index": index}, sentence("did.switched_tab", n=index)
        )

    async def _do(self, tool: str, args: JsonView, did: str) -> ToolOutcome:
        return self._done(await self._server.act(tool, args), did)

    def _done(self, reply: Reply, did: str) -> ToolOutcome:
        return self._calls.outcome(reply.ok, did if reply.ok else reply.text, timed_out=reply.timed_out)


def playwright(loading: int = LOADING) -> ToolServer:
    """`loading` is how long it waits for a page to load, in milliseconds."""
    return ToolServer(
        command=lambda settings, endpoint, scratch, files: server_at(
            endpoint, scratch, files, loading=loading
        ),
        offered=lambda settings, tools: offered_of(tools),
        adapter=lambda calls: PlaywrightAdapter(calls, loading),
        repeatable=REPEATABLE,
        takes_points=True,
    )


def _target(element: Element) -> dict[str, str]:
    return {"target": element.ref, "element": element.name[:80] or element.role}


def _mouse(manner: Manner, hold_ms: int) -> JsonObject | None:
    """The arguments of a click at a point; None if the server can do none with a key held."""
    if manner == "hold":
        return {"delay": hold_ms}
    if manner in _KEYS:
        return None
    return {"button": "right"} if manner == "right" else {"clickCount": 2 if manner == "double" else 1}


def _clicked(target: Wording, manner: Manner, hold_ms: int) -> Wording:
    match manner:
        case "double":
            return sentence("did.double_clicked", target=target)
        case "right":
            return sentence("did.right_clicked", target=target)
        case "hold":
            return sentence("did.held_down", target=target, seconds=hold_ms / 1000)
        case "ctrl" | "shift" | "alt":
            return sentence("did.clicked_with_key", target=target, key=manner.capitalize())
    return sentence("did.clicked", target=target)


def _filled(field: Field) -> dict[str, str]:
    kinds = {"checkbox": "checkbox", "switch": "checkbox", "radio": "radio", "slider": "slider"}
    kind = "combobox" if field.element.options else kinds.get(field.element.role, "textbox")
    return {
        **_target(field.element),
        "name": field.element.name[:80] or field.element.role,
        "type": kind,
        "value": meant_option(field.element, field.text),
    }


def session_files(folder: Path, files: Sequence[Path]) -> tuple[list[Path], list[str]]:
    """The resolved paths, and the names of those that are no files in the session's folder."""
    paths = [path.resolve() for path in files]
    inside = folder.resolve()
    return paths, [path.name for path in paths if not path.is_relative_to(inside) or not path.is_file()]


def typed_lines(text: str) -> list[str]:
    """The lines of a text that is typed; other separators than line ends are characters of their line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _typed(fields: Sequence[Field]) -> Wording:
    return sentence("did.typed", target=joined((name_of(field.element) for field in fields), ", "))
