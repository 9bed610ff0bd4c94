"""A session's browser driven through the browser-use MCP server.

It offers less than Playwright's: its state has no labels and no values, and it has no tools for keys,
selects, files or dialogs. Success of a call is derived here from its result text and from the page's URL
afterwards.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from mcp.types import CallToolResult, ImageContent, TextContent
from pydantic import ValidationError

from server.browser.browser import Direction, Field, PagePoint, Tab, ToolOutcome, ToolSpec
from server.browser.chromium.chromium import VIEWPORT
from server.browser.chromium.watched_page import TITLE_CHARS, short_url
from server.browser.fence import fence
from server.browser.masking import mask_text
from server.browser.mcp.browser_use_server import AGENT_TOOLS, OFFERED, deadline_of, offered_of, server_at
from server.browser.mcp.client import McpClient
from server.browser.mcp.network_errors import opening_failure
from server.browser.mcp.playwright_reply import picture_of
from server.browser.mcp.session_browser import ToolServer
from server.browser.mcp.tool_calls import RESULT_CHARS, UNSTEADY, CallFailed, ToolCalls, name_of
from server.browser.observation import BUDGET, Budget, Element, Observation, focus_pieces, observe_state
from server.browser.observation.context_script import Around, around_script
from server.browser.observation.page_script import Extra
from server.browser.observation.rendering import fitting_lines
from server.browser.off_loop import TookTooLong, off_loop
from server.ops.json_types import JsonObject, JsonView
from server.text import cut

T = TypeVar("T")

log = logging.getLogger(__name__)

_LOOKS = 3
LINE_CHARS, MOST_TABS = 2000, 50
_NET_ERROR = re.compile(r"\bnet::ERR_(\w+)")
_FAILED = re.compile(
    r"^(error|failed|invalid|unknown tool|no browser|no active|unable|cannot)\b|\bnot found$|\bnot set\b|timed out",
    re.IGNORECASE,
)


class BrowserUseAdapter:
    """Implements `Adapter`."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        if spec.name == "browser_screenshot":
            return self._calls.outcome(True, "A picture of the page was taken.")
        ok, text = (True, "") if spec.name == "browser_get_state" else await self._use(spec.name, args)
        if text and (not spec.acts or spec.name in AGENT_TOOLS):
            found = await self._masked(text, await self._calls.here.look())
            found = await self._calls.parse(fitting_lines, found, BUDGET.tokens, missing="")
            if not spec.acts:
                return self._calls.outcome(ok, fence(found))
            text = f"{spec.name} answered:\n{fence(found)}"
        else:
            text = cut(text, RESULT_CHARS)
        state = await self._state()
        extra = await self._calls.here.look()
        page = await self._observation(state, extra, (), names_targets=True) if state else None
        return self._calls.outcome_with_page(ok, text, page)

    async def _masked(self, text: str, extra: Extra) -> str:
        return await self._calls.parse(mask_text, text, extra.secrets, missing="")

    async def observe(self, keep: Sequence[str]) -> Observation:
        state, extra = await self._look_once()
        return await self._observation(state, extra, self._calls.notes.take(), keep=keep)

    async def focus(self, element: Element) -> Observation:
        """Observe an element's surroundings with our own script: the server lists only controls."""
        state, extra = await self._look_once()
        around = await self._around(state, element)
        if not around.pieces:
            self._calls.notes.add("What is around the element could not be read: this is the whole page.")
            return await self._observation(state, extra, self._calls.notes.take())
        pieces = [(piece.at, piece.text) for piece in around.pieces]
        notes = self._calls.notes.take()
        try:
            return await off_loop(
                focus_pieces, self._placed(state), pieces, element.ref, viewport=VIEWPORT, notes=notes, extra=extra
            )  # fmt: skip
        except TookTooLong as error:
            return await self._observation({}, extra, (*notes, str(error)))

    async def text_near(self, element: Element) -> str:
        state, extra = await self._look_once()
        return await self._masked((await self._around(state, element)).text, extra) or element.name

    async def _look_once(self) -> tuple[JsonObject, Extra]:
        """Return the server's state, empty if it cannot be read, and the page script's result."""

        async def see() -> tuple[JsonObject, Extra]:
            return await self._state(), await self._calls.here.look()

        return await self._calls.look(see, ({}, Extra()))

    async def _observation(
        self, state: JsonView, extra: Extra, notes: Sequence[str],
        *, keep: Sequence[str] = (), names_targets: bool = False,
    ) -> Observation:  # fmt: skip
        budget = Budget(names_targets=names_targets)
        see = partial(observe_state, viewport=VIEWPORT, budget=budget, extra=extra)
        try:
            return await off_loop(see, self._placed(state), notes=notes, keep=keep)
        except TookTooLong as error:
            return see(self._placed({}), notes=(*notes, str(error)))

    def _placed(self, state: JsonView) -> JsonObject:
        return {**state, "url": self._calls.here.url or "about:blank", "title": self._calls.here.title or ""}

    async def _around(self, state: JsonView, element: Element) -> Around:
        elements = state.get("interactive_elements") or ()
        at = next((at for at, one in enumerate(elements) if str(one.get("index")) == element.ref), None)
        if at is None:
            return Around()
        try:
            return Around.model_validate(await self._calls.here.run(around_script(elements, at)) or {})
        except ValidationError as error:
            log.debug("what is around an element: %s", error)
            return Around()

    async def navigate(self, url: str) -> ToolOutcome:
        return await self._do("browser_navigate", {"url": url}, "Opened the page.")

    async def back(self) -> ToolOutcome:
        return await self._do("browser_go_back", {}, "Went back.")

    async def click(self, target: Element | PagePoint, *, double: bool) -> ToolOutcome:
        if isinstance(target, PagePoint):
            return self._missing("acts at a point of the page")
        if double:
            return self._missing("double clicks")
        did = f"Clicked {name_of(target)}."
        return await self._do("browser_click", {"index": _index(target)}, did)

    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome:
        return self._missing("dragging")

    async def type(self, fields: Sequence[Field], *, submit: bool) -> ToolOutcome:
        outcome = self._calls.outcome(False, "There is no field to type into.")
        for at, field in enumerate(fields):
            enter = "\n" if submit and at == len(fields) - 1 else ""
            args = {"index": _index(field.element), "text": field.text + enter}
            outcome = await self._do("browser_type", args, f"Typed into {name_of(field.element)}.")
            if not outcome.ok:
                break
        return outcome

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        """Type the first option: a focused select chooses the option that starts with the typed text."""
        args = {"index": _index(element), "text": options[0] if options else ""}
        return await self._do(
            "browser_type", args, f"Typed {args['text']!r} into the list; see whether it was chosen."
        )

    async def hover(self, target: Element | PagePoint) -> ToolOutcome:
        return self._missing("pointing at things")

    async def press(self, key: str) -> ToolOutcome:
        return self._missing("pressing keys")

    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None
    ) -> ToolOutcome:
        if over:
            return self._missing("scrolling in a part of the page")
        if direction not in ("up", "down"):
            return self._missing("scrolling sideways")
        return await self._do("browser_scroll", {"direction": direction}, f"Scrolled {direction} by a page.")

    async def scroll_to(
        self, query: str, direction: Direction, over: Element | PagePoint | None
    ) -> ToolOutcome:
        return self._missing("scrolling to a text: use scroll without it")

    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        return self._missing("giving files to a page")

    async def answer_dialog(self, accept: bool, text: str | None) -> ToolOutcome:
        return self._calls.outcome(False, "No dialog is open.")

    async def tabs(self) -> Sequence[Tab]:
        _, text = await self._use("browser_list_tabs", {})
        tabs = (self._calls.here.recognise(tab) for tab in read_tabs(text))
        return tuple(replace(tab, active=tab.url == self._calls.here.url) for tab in tabs)

    async def switch_tab(self, index: int) -> ToolOutcome:
        tabs = read_json((await self._use("browser_list_tabs", {}))[1], list)
        if not 0 <= index < len(tabs):
            return self._calls.outcome(False, f"There is no tab {index}.")
        return await self._do(
            "browser_switch_tab", {"tab_id": tabs[index].get("tab_id", "")}, f"Switched to tab {index}."
        )

    def _missing(self, what: str) -> ToolOutcome:
        return self._calls.outcome(False, f"This browser server (browser-use) has no tool for {what}.")

    async def _do(self, tool: str, args: JsonView, did: str) -> ToolOutcome:
        ok, text = await self._use(tool, args)
        await self._state()
        return self._calls.outcome(ok, did if ok else text, timed_out=not ok and is_timeout(text))

    async def _use(self, tool: str, args: JsonView) -> tuple[bool, str]:
        """Call a tool; success follows from `isError`, the text and, after a navigation, the page's URL."""
        if tool == "browser_navigate":
            await self._calls.leave_hung_page()
        result = await self._calls.ask(tool, args, deadline_of(tool))
        await self._calls.here.settle()
        text = text_of(result)
        ok = not result.isError and not is_failure(text)
        if not ok and tool == "browser_navigate" and (code := _NET_ERROR.search(text[:LINE_CHARS])):
            return False, opening_failure(code[1])
        if ok and tool == "browser_navigate":
            self._calls.here.follow(str(args["url"]))
            address = await self._calls.here.run("() => document.URL")
            if str(address).startswith("chrome-error:"):
                return False, f"{args['url']} could not be opened."
        return ok, text

    async def _state(self) -> JsonObject:
        return await self._calls.see_freely(self._state_now)

    async def _state_now(self) -> JsonObject:
        """Return the server's state of the current page; empty if it cannot be read.

        Retried if the page changes its origin during the read; empty after _LOOKS such attempts.
        """
        for _ in range(_LOOKS):
            before = self._calls.here.moment
            try:
                result = await self._calls.ask("browser_get_state", {}, deadline_of("browser_get_state"))
                state: JsonObject = await off_loop(read_json, text_of(result), dict)
            except (CallFailed, TookTooLong) as error:
                self._calls.notes.add(f"{error} What is on the page could not be read.")
                return {}
            is_known = self._remember(state)
            await self._calls.here.run("() => 0")  # events from before its answer have then been processed
            await self._calls.here.read_title()
            if is_known and before in (None, self._calls.here.moment):
                return state
        self._calls.notes.add(UNSTEADY)
        return {}

    def _remember(self, state: JsonView) -> bool:
        return not state.get("url") or self._calls.here.follow(
            short_url(str(state["url"])), str(state.get("title", ""))[:TITLE_CHARS]
        )

    async def locate(self, mcp: McpClient, *, deadline: float) -> None:
        self._remember(read_json(text_of(await mcp.call("browser_get_state", {}, deadline=deadline)), dict))

    async def return_to_page(self, mcp: McpClient) -> None:
        pass

    async def picture(self, *, deadline: float) -> bytes | None:
        result = await self._calls.ask("browser_screenshot", {}, deadline)
        return next((picture_of(part) for part in result.content if isinstance(part, ImageContent)), None)


BROWSER_USE = ToolServer(
    command=lambda settings, endpoint, scratch, files: server_at(settings, endpoint, scratch),
    offered=offered_of,
    adapter=BrowserUseAdapter,
    repeatable=frozenset(name for name, acts in OFFERED.items() if not acts),
    dismisses_questions=True,
    start_deadline=90.0,
)


def _index(element: Element) -> int:
    return int(element.ref) if element.ref.isdigit() else -1


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent)).strip()


def is_failure(text: str) -> bool:
    """Whether the text reports an error: browser-use returns most failures without `isError`."""
    return _FAILED.search(text.partition("\n")[0][:LINE_CHARS]) is not None


def is_timeout(text: str) -> bool:
    return "timed out" in text.partition("\n")[0][:LINE_CHARS].lower()


def read_tabs(text: str) -> list[Tab]:
    """Parse a list of tabs. None is marked active: the server does not report the current one."""
    tabs = [tab for tab in read_json(text, list)[:MOST_TABS] if isinstance(tab, dict)]
    return [
        Tab(at, str(tab.get("title", ""))[:TITLE_CHARS], short_url(str(tab.get("url", ""))), False)
        for at, tab in enumerate(tabs)
    ]


def read_json(text: str, kind: type[T]) -> T:
    """Parse JSON of type `kind`, `dict` or `list`; returns an empty one for anything else."""
    try:
        value = json.loads(text)
    except ValueError:
        return kind()
    return value if isinstance(value, kind) else kind()
