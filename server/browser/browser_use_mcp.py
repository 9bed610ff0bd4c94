"""A session's browser driven through the browser-use MCP server.

It is weaker than Playwright's: it sees no labels and no values, and it has no tools for keys, lists, files or
dialogs. Whether a call succeeded is judged here by its text and by where the browser is afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp.types import ImageContent, Tool

from server.browser.addresses import AddressRefused, normal_url
from server.browser.browser import Direction, Field, Outcome, Tab, ToolSpec
from server.browser.browser_use_reply import is_failure, lines_of, read_json, text_of
from server.browser.browser_use_server import OFFERED, deadline_of, offered_of, server_at
from server.browser.chromium import VIEWPORT
from server.browser.fence import fence
from server.browser.masking import mask_text
from server.browser.mcp_client import Http, McpClient, Stdio
from server.browser.observation import Element, Observation, observe_state
from server.browser.playwright_reply import picture_of
from server.browser.session_browser import CallFailed, SessionBrowser
from server.browser.tool_schema import check_click_target
from server.settings import Settings


class BrowserUseBrowser(SessionBrowser):
    """Implements the `Browser` door."""

    dismisses_questions = True
    start_deadline = 90.0
    _repeatable = frozenset(name for name, acts in OFFERED.items() if not acts)

    @classmethod
    def server(cls, settings: Settings, endpoint: str | None, scratch: Path, files: Path) -> Stdio | Http:
        return server_at(settings, endpoint, scratch)

    @classmethod
    def offered(cls, settings: Settings, tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
        return offered_of(settings, tools)

    async def _call(self, spec: ToolSpec, args: Mapping[str, Any]) -> Outcome:
        if spec.name == "browser_click" and (wrong := check_click_target(args)):
            return self._outcome(False, f"browser_click: {wrong}.")
        if args.get("url") is not None:
            args = {**args, "url": normal_url(str(args["url"]))}
        async with self._using():
            if spec.name == "browser_screenshot":
                return self._outcome(True, "A picture of the page was taken.")
            ok, text = (True, "") if spec.name == "browser_get_state" else await self._use(spec.name, args)
            if not spec.acts and text:
                return self._outcome(ok, fence(mask_text(text, (await self._here.look()).secrets)))
            return await self._tell(ok, text)

    async def _tell(self, ok: bool, text: str) -> Outcome:
        state = await self._state()
        page = mask_text("\n".join(lines_of(state)), (await self._here.look()).secrets) if state else ""
        return self._outcome_with_page(ok, text, page)

    async def observe(self) -> Observation:
        state: dict[str, Any] = {}
        try:
            async with self._using():
                state = await self._state()
        except CallFailed as error:
            self._notes.add(str(error))
        where = {"url": self._here.url or "about:blank", "title": self._here.title or ""}
        return observe_state(
            {**where, **state}, viewport=VIEWPORT, budget=self._budget(), notes=self._notes.take()
        )

    async def focus(self, element: Element) -> Observation:
        """The whole page: the server knows no surroundings of an element."""
        return await self.observe()

    async def text_near(self, element: Element) -> str:
        return element.name

    async def navigate(self, url: str) -> Outcome:
        try:
            return await self._do("browser_navigate", {"url": normal_url(url)}, "Opened the page.")
        except AddressRefused as error:
            return self._outcome(False, f"Not opened: {error}.")

    async def back(self) -> Outcome:
        return await self._do("browser_go_back", {}, "Went back.")

    async def click(self, element: Element) -> Outcome:
        return await self._do(
            "browser_click", {"index": _index(element)}, f"Clicked {element.role} {element.name!r}."
        )

    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> Outcome:
        outcome = self._outcome(False, "There is no field to type into.")
        for at, field in enumerate(fields):
            enter = "\n" if submit and at == len(fields) - 1 else ""
            args = {"index": _index(field.element), "text": field.text + enter}
            outcome = await self._do(
                "browser_type", args, f"Typed into {field.element.role} {field.element.name!r}."
            )
            if not outcome.ok:
                break
        return outcome

    async def select(self, element: Element, options: Sequence[str]) -> Outcome:
        """A list in focus takes what is typed as the beginning of a choice."""
        args = {"index": _index(element), "text": options[0] if options else ""}
        return await self._do(
            "browser_type", args, f"Typed {args['text']!r} into the list; see whether it was chosen."
        )

    async def hover(self, element: Element) -> Outcome:
        return self._missing("pointing at things")

    async def press(self, key: str) -> Outcome:
        return self._missing("pressing keys")

    async def scroll(self, direction: Direction, amount: int) -> Outcome:
        if direction not in ("up", "down"):
            return self._missing("scrolling sideways")
        return await self._do("browser_scroll", {"direction": direction}, f"Scrolled {direction} by a page.")

    async def upload(self, element: Element, files: Sequence[Path]) -> Outcome:
        return self._missing("giving files to a page")

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Outcome:
        return self._outcome(False, "No dialog is open.")

    async def tabs(self) -> Sequence[Tab]:
        try:
            async with self._using():
                _, text = await self._use("browser_list_tabs", {})
        except CallFailed:
            return ()
        return tuple(
            Tab(at, tab.get("title", ""), tab.get("url", ""), tab.get("url") == self._here.url)
            for at, tab in enumerate(read_json(text, list))
        )

    async def switch_tab(self, index: int) -> Outcome:
        try:
            async with self._using():
                tabs = read_json((await self._use("browser_list_tabs", {}))[1], list)
        except CallFailed as error:
            return self._outcome(False, str(error))
        if not 0 <= index < len(tabs):
            return self._outcome(False, f"There is no tab {index}.")
        return await self._do(
            "browser_switch_tab", {"tab_id": tabs[index].get("tab_id", "")}, f"Switched to tab {index}."
        )

    def _missing(self, what: str) -> Outcome:
        return self._outcome(False, f"This browser server (browser-use) has no tool for {what}.")

    async def _do(self, tool: str, args: Mapping[str, Any], did: str) -> Outcome:
        try:
            async with self._using():
                ok, text = await self._use(tool, args)
                await self._state()
                return self._outcome(ok, did if ok else text)
        except CallFailed as error:
            return self._outcome(False, str(error))

    async def _use(self, tool: str, args: Mapping[str, Any]) -> tuple[bool, str]:
        """Call a tool and judge what came back: its flag, its words, and for a navigation the page."""
        if tool == "browser_navigate":
            await self._leave_hung_page()
        result = await self._ask(tool, args, deadline_of(tool))
        await self._here.settle()
        text = text_of(result)
        ok = not result.isError and not is_failure(text)
        if ok and tool == "browser_navigate":
            self._here.url = str(args["url"])
            address = await self._here.run("() => document.URL")
            if str(address).startswith("chrome-error:"):
                return False, f"{args['url']} could not be opened."
        return ok, text

    async def _state(self) -> dict[str, Any]:
        return await self._see_freely(self._state_now)

    async def _state_now(self) -> dict[str, Any]:
        """Where the browser is and what can be used there; empty when the server cannot tell."""
        try:
            state: dict[str, Any] = read_json(
                text_of(await self._ask("browser_get_state", {}, deadline_of("browser_get_state"))), dict
            )
        except CallFailed as error:
            self._notes.add(f"{error} What is on the page could not be read.")
            return {}
        self._remember(state)
        if title := await self._here.run("() => document.title"):
            self._here.title = state["title"] = str(title)  # the server often gives the address in its place
        return state

    def _remember(self, state: Mapping[str, Any]) -> None:
        if state.get("url"):
            self._here.url, self._here.title = str(state["url"]), str(state.get("title", ""))

    async def locate(self, mcp: McpClient) -> None:
        self._remember(read_json(text_of(await mcp.call("browser_get_state", {}, deadline=5)), dict))

    async def _picture(self, *, deadline: float) -> bytes | None:
        result = await self._ask("browser_screenshot", {}, deadline)
        return next((picture_of(part) for part in result.content if isinstance(part, ImageContent)), None)


def _index(element: Element) -> int:
    return int(element.ref) if element.ref.isdigit() else -1
