"""A session's browser driven through the browser-use MCP server.

It has no tools for keys, dragging, pointing or dialogs. Success of a call is derived here from its result text and
from the page's URL afterwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from mcp.types import CallToolResult, ImageContent, TextContent

from server.browser.browser import HOLD_MS, Direction, Field, Manner, PagePoint, Tab, ToolOutcome, ToolSpec
from server.browser.chromium.cdp import AnswerTooLarge, CdpError
from server.browser.chromium.watched_page import TITLE_CHARS, short_url
from server.browser.fence import fence
from server.browser.masking import mask_text
from server.browser.mcp import uploads
from server.browser.mcp.client import McpClient
from server.browser.mcp.network_errors import opening_failure
from server.browser.mcp.page_reader import PageReader, Source
from server.browser.mcp.playwright import session_files, typed_lines
from server.browser.mcp.playwright_reply import picture_of
from server.browser.mcp.session_browser import ToolServer
from server.browser.mcp.targets import OTHER_THERE
from server.browser.mcp.tool_calls import (
    RESULT_CHARS,
    TOO_LONG,
    AnswerTooLong,
    CallFailed,
    ToolCalls,
    name_of,
)
from server.browser.observation import DEFAULT_BUDGET, Element, Observation
from server.browser.observation.rendering import fitting_lines, meant_option
from server.browser.off_loop import TookTooLong, off_loop
from server.extras.tools.browser_use_server import (
    AGENT_TOOLS,
    OFFERED_BROWSER_USE_TOOLS,
    deadline_of,
    offered_of,
    server_at,
)
from server.ops.json_types import JsonObject, JsonView
from server.text import cut
from wording.catalogue import sentence
from wording.step_words import direction as direction_words

T = TypeVar("T")

_MAX_TARGETS = 5000
_TOGGLES = frozenset({"checkbox", "radio", "switch"})
_REACTED_TO = frozenset({"browser_click", "browser_type"})
"""Acts after which a page may go on by itself."""
REPLY_LINE_CHARS, MAX_REPORTED_TABS = 2000, 50
_CHROMIUM_ERROR = re.compile(r"\bnet::ERR_(\w+)")
_FAILED_REPLY = re.compile(
    r"^(error|failed|invalid|unknown tool|no browser|no active|unable|cannot)\b|\bnot found$|\bnot set\b|timed out",
    re.IGNORECASE,
)


class BrowserUseAdapter(Source):
    """Implements `Adapter`.

    The page is read over DevTools, as it is with Playwright's server. `Element.ref` is DevTools' id of the element, which
    this server uses as its index. What its own list lacks is clicked at a point.
    """

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls
        self._reader = PageReader(calls, self)
        self.observe = self._reader.observe
        self.focus = self._reader.focus
        self.text_near = self._reader.text_near
        self.shown = self._reader.shown
        self._targets: dict[str, str] = {}
        """The snapshot's ref, or the selector, by index."""

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome:
        if spec.name == "browser_screenshot":
            return self._calls.outcome(True, sentence("did.took_page_picture"))
        ok, text = (True, "") if spec.name == "browser_get_state" else await self._call(spec.name, args)
        if text and (not spec.acts or spec.name in AGENT_TOOLS):
            secrets = (await self._calls.here.look(brief=True)).secrets
            found = await self._calls.parse(mask_text, text, secrets, missing="")
            found = await self._calls.parse(fitting_lines, found, DEFAULT_BUDGET.tokens, missing="")
            if not spec.acts:
                return self._calls.outcome(ok, fence(found))
            text = f"{spec.name} answered:\n{fence(found)}"
        else:
            text = cut(text, RESULT_CHARS)
        return self._calls.outcome_with_page(ok, text, await self._reader.shown())

    async def _call(self, tool: str, args: JsonView) -> tuple[bool, str]:
        closed = str(args.get("tab_id") or "")
        if tool == "browser_close_tab" and self._calls.here.holds_input(
            lambda page: page.target.endswith(closed)
        ):
            return False, sentence("did_not.close_tab")
        if tool == "browser_click" and args.get("index") is not None and not args.get("new_tab"):
            return await self._click(str(args["index"]))
        return await self._use(tool, args)

    # What the page reader asks for

    async def snapshot(self) -> tuple[str, bool]:
        is_known, tabs = await self._follow_tab()
        try:
            snapshot = await self._calls.here.snapshot()
        except AnswerTooLarge:
            raise AnswerTooLong(TOO_LONG) from None
        except (CdpError, TimeoutError) as error:
            raise CallFailed(sentence("page.unreadable", why=str(error))) from None
        if not snapshot:
            return "", is_known
        listed = "- tab\n" * tabs  # as in a reply of Playwright's server
        return f"### Open tabs\n{listed}### Snapshot\n```yaml\n{snapshot}\n```", is_known

    async def find_tab(self) -> None:
        await self._follow_tab()

    async def _follow_tab(self) -> tuple[bool, int]:
        """Have the server list the page, which renews its handles.

        Returns whether the tab that it names is known, and the number of tabs.
        """
        result = await self._calls.ask("browser_get_state", {}, deadline_of("browser_get_state"))
        try:
            state: JsonObject = await off_loop(read_json, text_of(result), dict)
        except TookTooLong as error:
            raise CallFailed(str(error)) from None
        is_known = self._remember(state)
        await self._calls.here.run("() => 0")  # events from before its answer have then been processed
        await self._calls.here.read_title()
        return is_known, len(state.get("tabs") or ())

    async def with_handles(self, seen: Observation) -> Observation:
        targets = [one.ref for one in seen.interactive if one.ref]
        nodes = await self._calls.here.nodes([*targets, *filter(None, [seen.focused])])
        indexes = {target: str(node) for target, node in nodes.items()}
        if len(self._targets) > _MAX_TARGETS:
            self._targets.clear()
        self._targets |= {index: target for target, index in indexes.items()}
        named = (one.model_copy(update={"ref": indexes.get(one.ref, one.ref)}) for one in seen.interactive)
        return seen.model_copy(
            update={"interactive": tuple(named), "focused": indexes.get(seen.focused, seen.focused)}
        )

    def own_ref(self, target: str) -> str:
        return self._targets.get(target, target)

    # Actions

    async def navigate(self, url: str) -> ToolOutcome:
        return await self._do("browser_navigate", {"url": url}, sentence("did.opened"))

    async def back(self) -> ToolOutcome:
        return await self._do("browser_go_back", {}, sentence("did.went_back"))

    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome:
        if manner:
            return self._missing(
                sentence("lacking.double_clicks") if manner == "double" else sentence("lacking.manners")
            )
        did = sentence("did.clicked", target=name_of(target))
        if isinstance(target, Element):
            return self._done(*await self._click(target.ref), did)
        layers = await self._calls.here.layers_at(target.x, target.y)
        if layers is None or not layers.reaches(target.key):
            return self._calls.outcome(False, OTHER_THERE)
        return self._done(*await self._click_at(target.x, target.y), did)

    async def _click(self, index: str) -> tuple[bool, str]:
        """Click by index; at a point where the server's own list lacks the element."""
        ok, text = await self._use("browser_click", {"index": int(index) if index.isdigit() else -1})
        if ok or not text.endswith("not found"):
            return ok, text
        point = await self._calls.here.point_of(self.own_ref(index))
        return await self._click_at(*point) if point else (False, text)

    async def _click_at(self, x: int, y: int) -> tuple[bool, str]:
        return await self._use("browser_click", {"coordinate_x": x, "coordinate_y": y})

    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome:
        return self._missing(sentence("lacking.dragging"))

    async def type(self, fields: Sequence[Field], *, submit: bool) -> ToolOutcome:
        outcome = self._calls.outcome(False, sentence("field.none"))
        for at, field in enumerate(fields):
            outcome = await self._fill(field, submit=submit and at == len(fields) - 1)
            if not outcome.ok:
                break
        return outcome

    async def _fill(self, field: Field, *, submit: bool) -> ToolOutcome:
        element = field.element
        if element.options:
            return await self.select(element, [field.text])
        if element.role in _TOGGLES:
            is_on = field.text.strip().lower() in ("true", "on", "yes", "1")
            if element.checked is is_on:
                return self._calls.outcome(True, sentence("did.already_so", target=name_of(element)))
            return await self.click(element)
        lines = typed_lines(field.text)
        # The server presses keys, and Enter for the end of a line, which may send, and a page may add brackets to keys:
        # what a field of several lines is to hold is inserted as text.
        is_long = len(lines) > 1 or (element.field == "lines" and not submit)
        text = "" if is_long else f"{lines[0]}\n" if submit else lines[0]
        ok, said = await self._use("browser_type", {"index": _index(element), "text": text})
        if ok and is_long:
            async with self._calls.here.until_quiet(typed=True):
                ok = await self._calls.here.send("Input.insertText", {"text": "\n".join(lines)})
            if ok and submit:
                return self._missing(sentence("lacking.enter_lines"))
        return self._done(ok, said, sentence("did.typed", target=name_of(element)))

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        """Choose over DevTools: the server has no tool for it, and typing into a list chooses what is alike."""
        values = [meant_option(element, option) for option in options]
        async with self._calls.here.until_quiet(typed=False):
            is_chosen = await self._calls.here.select(self.own_ref(element.ref), values)
        did = sentence("did.chose", option=", ".join(values), target=name_of(element))
        return self._calls.outcome(is_chosen, did if is_chosen else sentence("option.unknown"))

    async def hover(self, target: Element | PagePoint) -> ToolOutcome:
        return self._missing(sentence("lacking.pointing"))

    async def press(self, key: str) -> ToolOutcome:
        return self._missing(sentence("lacking.keys"))

    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None
    ) -> ToolOutcome:
        if over:
            return self._missing(sentence("lacking.scroll_part"))
        if direction not in ("up", "down"):
            return self._missing(sentence("lacking.scroll_sideways"))
        return await self._do(
            "browser_scroll",
            {"direction": direction},
            sentence("did.scrolled_page", direction=direction_words(direction)),
        )

    async def scroll_to(
        self, query: str, direction: Direction, over: Element | PagePoint | None
    ) -> ToolOutcome:
        return self._missing(sentence("lacking.scroll_text"))

    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        """Give files over DevTools: the server has no tool for it."""
        paths, strange = session_files(self._calls.files, files)
        if strange:
            return self._calls.outcome(False, sentence("file.not_of_session", file=", ".join(strange)))
        return await uploads.give(self._calls, element, paths) or self._calls.outcome(
            False, sentence("field.takes_no_file", target=name_of(element))
        )

    async def answer_dialog(self, accept: bool, text: str | None) -> ToolOutcome:
        return self._calls.outcome(False, sentence("dialog.none"))

    async def tabs(self) -> Sequence[Tab]:
        _, text = await self._use("browser_list_tabs", {})
        tabs = (self._calls.here.recognise(tab) for tab in read_tabs(text))
        return tuple(replace(tab, active=tab.url == self._calls.here.url) for tab in tabs)

    async def switch_tab(self, index: int) -> ToolOutcome:
        tabs = read_json((await self._use("browser_list_tabs", {}))[1], list)
        if not 0 <= index < len(tabs):
            return self._calls.outcome(False, sentence("tab.unknown_number", tab=index))
        return await self._do(
            "browser_switch_tab",
            {"tab_id": tabs[index].get("tab_id", "")},
            sentence("did.switched_tab", n=index),
        )

    def _missing(self, what: str) -> ToolOutcome:
        return self._calls.outcome(False, sentence("tool.not_of_browser_use", tool=what))

    async def _do(self, tool: str, args: JsonView, did: str) -> ToolOutcome:
        return self._done(*await self._use(tool, args), did)

    def _done(self, ok: bool, text: str, did: str) -> ToolOutcome:
        return self._calls.outcome(ok, did if ok else text, timed_out=not ok and is_timeout(text))

    async def _use(self, tool: str, args: JsonView) -> tuple[bool, str]:
        """Call a tool; success follows from `isError`, the text and, after a navigation, the page's URL."""
        if tool == "browser_navigate":
            await self._calls.leave_hung_page()
        if tool in _REACTED_TO:
            async with self._calls.here.until_quiet(typed=tool == "browser_type"):
                result = await self._calls.ask(tool, args, deadline_of(tool))
        else:
            result = await self._calls.ask(tool, args, deadline_of(tool))
        await self._calls.here.settle()
        text = text_of(result)
        ok = not result.isError and not is_failure(text)
        if (
            not ok
            and tool == "browser_navigate"
            and (code := _CHROMIUM_ERROR.search(text[:REPLY_LINE_CHARS]))
        ):
            return False, opening_failure(code[1])
        if ok and tool == "browser_navigate":
            self._calls.here.follow(str(args["url"]))
            address = await self._calls.here.run("() => document.URL")
            if str(address).startswith("chrome-error:"):
                return False, sentence("address.cannot_open", address=str(args["url"]))
        return ok, text

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
    repeatable=frozenset(name for name, acts in OFFERED_BROWSER_USE_TOOLS.items() if not acts),
    dismisses_questions=True,
    takes_points=True,
    start_deadline=90.0,
)


def _index(element: Element) -> int:
    return int(element.ref) if element.ref.isdigit() else -1


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent)).strip()


def is_failure(text: str) -> bool:
    """Whether the text reports an error: browser-use returns most failures without `isError`."""
    return _FAILED_REPLY.search(text.partition("\n")[0][:REPLY_LINE_CHARS]) is not None


def is_timeout(text: str) -> bool:
    return "timed out" in text.partition("\n")[0][:REPLY_LINE_CHARS].lower()


def read_tabs(text: str) -> list[Tab]:
    """Parse a list of tabs. None is marked active: the server does not report the current one."""
    tabs = [tab for tab in read_json(text, list)[:MAX_REPORTED_TABS] if isinstance(tab, dict)]
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
