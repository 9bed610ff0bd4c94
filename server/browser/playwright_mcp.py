"""A session's browser driven through the Playwright MCP server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from mcp.types import Tool

from server.browser import observation, parts
from server.browser.addresses import AddressRefused, normal_url
from server.browser.browser import BrowserUnavailable, Direction, Field, Outcome, Tab, ToolSpec
from server.browser.chromium import VIEWPORT
from server.browser.fence import fence
from server.browser.masking import mask_snapshot, mask_text
from server.browser.mcp_client import Http, McpClient, Stdio
from server.browser.observation import Budget, Element, Observation
from server.browser.page_script import Extra
from server.browser.playwright_reply import Reply, read_reply
from server.browser.session_browser import CallFailed, SessionBrowser
from server.browser.supervisor import quote
from server.browser.tool_schema import make_safe
from server.browser.viewport_script import MEASURE_SCRIPT, TOO_HEAVY, VIEWPORT_SCRIPT
from server.settings import Settings

OFFERED = {
    "browser_navigate": True, "browser_navigate_back": True, "browser_click": True, "browser_type": True,
    "browser_fill_form": True, "browser_select_option": True, "browser_hover": True, "browser_drag": True,
    "browser_press_key": True, "browser_tabs": True, "browser_wait_for": True, "browser_handle_dialog": True,
    "browser_snapshot": False, "browser_find": False, "browser_take_screenshot": False,
}
"""The tools a model is offered, and whether each may change the page. What is not here does not exist for it."""

NAVIGATION, ACTION, LOOK = 20.0, 10.0, 8.0
"""Deadlines in seconds."""

_DEADLINES = {"browser_navigate": NAVIGATION, "browser_navigate_back": NAVIGATION, "browser_tabs": NAVIGATION,
              "browser_snapshot": LOOK, "browser_find": LOOK, "browser_take_screenshot": LOOK}
_WITHHELD = ("filename",)
"""Arguments that would have the server write files; a model is not offered them."""

_NOT_YET = ("does not handle the modal state", 'interrupted by another navigation to "chrome-error:')
"""Refusals because of something that is over already: a dialog that was answered, a page that failed before."""

_REPEATS = 6
_NAVIGATIONS = ("browser_navigate", "browser_navigate_back", "browser_tabs")
_LOADS_ON = "Timeout 15000ms exceeded"


def _schema_of(tool: Tool) -> dict[str, Any]:
    if tool.name == "browser_take_screenshot":
        return {"type": "object", "properties": {}}
    schema = make_safe(tool.inputSchema, tool=tool.name)
    for name in _WITHHELD:
        schema["properties"].pop(name, None)
    return schema


class PlaywrightBrowser(SessionBrowser):
    """Implements the `Browser` door."""

    _repeatable = frozenset(name for name, acts in OFFERED.items() if not acts)

    @classmethod
    def server(cls, settings: Settings, endpoint: str | None, scratch: Path, files: Path) -> Stdio | Http:
        node, script = parts.find_node(), parts.find_playwright_mcp()
        if node is None:
            raise BrowserUnavailable(parts.NO_NODE)
        if script is None:
            raise BrowserUnavailable(parts.NO_PLAYWRIGHT_MCP)
        attached = ("--cdp-endpoint", endpoint) if endpoint else ()
        return Stdio((
            str(node), str(script), *attached, "--caps", "vision", "--no-webmcp", "--snapshot-mode", "none",
            "--codegen", "none", "--timeout-settle", "150", "--timeout-action", "5000",
            "--timeout-navigation", "15000", "--viewport-size", f"{VIEWPORT[0]}x{VIEWPORT[1]}",
            "--output-dir", str(scratch), "--output-max-size", "20000000",
        ), cwd=files)

    @classmethod
    def offered(cls, settings: Settings, tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
        return tuple(
            ToolSpec(tool.name, tool.description or tool.name, _schema_of(tool), acts=OFFERED[tool.name])
            for tool in tools if tool.name in OFFERED
        )

    # Tools that a model calls by name.

    async def _call(self, spec: ToolSpec, args: Mapping[str, Any]) -> Outcome:
        async with self._using():
            if not spec.acts:
                return await self._look_up(spec.name, args)
            if spec.name == "browser_handle_dialog" and not self._dialog:
                return self._outcome(False, "No dialog is open.")
            return self._tell(await self._act(spec.name, _with_normal_url(args)), await self._page_text())

    async def _look_up(self, name: str, args: Mapping[str, Any]) -> Outcome:
        """The tools that change nothing. The picture itself is `screenshot`'s to give."""
        if name == "browser_take_screenshot":
            return self._outcome(True, "A picture of the page was taken.")
        if name == "browser_snapshot":
            return self._tell(Reply(ok=True), await self._page_text())
        reply = await self._use(name, args)
        found = fence(mask_text(reply.text, (await self._look()).secrets)) if reply.ok else reply.text
        return self._outcome(reply.ok, found)

    async def _page_text(self) -> str | None:
        """The page as a model may read it; None when it cannot be read now."""
        snapshot, extra = await self._see()
        return mask_snapshot(snapshot, self._viewport(), extra.secrets) if snapshot else None

    def _tell(self, reply: Reply, snapshot: str | None) -> Outcome:
        notes = self._take_notes()
        lines = [reply.text, *notes, f"Page: {self._url}" + (f' "{self._title}"' if self._title else "")]
        text = "\n".join(line for line in lines if line.strip())
        if snapshot is not None:
            text += "\n" + fence(snapshot)
        return Outcome(reply.ok, text, self._url, self._title, notes)

    # The door's own methods.

    async def observe(self) -> Observation:
        async with self._using():
            snapshot, extra = await self._see()
            return observation.observe_snapshot(snapshot, extra=extra, budget=self._budget(), **self._frame())

    async def focus(self, element: Element) -> Observation:
        async with self._using():
            snapshot, extra = await self._see()
            return observation.focus(snapshot, element.ref, extra=extra, budget=self._budget(), **self._frame())

    async def text_near(self, element: Element) -> str:
        async with self._using():
            snapshot, extra = await self._see()
            return observation.text_near(snapshot, element.ref, extra=extra)

    async def _see(self) -> tuple[str, Extra]:
        """The snapshot with boxes, empty when there is none to be had now, and what the page script found."""
        if dialog := self._dialog:
            self._note(f"The page waits for an answer to its {dialog.kind} dialog: {quote(dialog.message)}")
            return "", Extra()
        weight = await self._weigh()
        if weight is None:
            await self._recover()
            weight = 0
        if weight > TOO_HEAVY:
            self._note("The page is too large to be read whole: only what is in view is shown. Scroll to see more.")
            return str(await self._run(VIEWPORT_SCRIPT) or ""), await self._look()
        try:
            snapshot = (await self._use("browser_snapshot", {"boxes": True})).snapshot
        except CallFailed as error:
            self._note(f"{error} What is on the page could not be read.")
            snapshot = None
        return snapshot or "", await self._look()

    async def _weigh(self) -> float | None:
        """How much there is on the page; None when the page does not answer."""
        if (page := self._page()) and page.is_crashed:
            return 0  # the tool server replaces it
        weight = await self._run(MEASURE_SCRIPT, deadline=5)
        return float(weight) if isinstance(weight, int | float) else None

    def _frame(self) -> dict[str, Any]:
        return {"url": self._url or "about:blank", "title": self._title or "", "viewport": self._viewport(),
                "notes": self._take_notes()}

    def _budget(self) -> Budget:
        limits = self._settings
        return Budget(elements=limits.observation_elements, blocks=limits.observation_blocks,
                      block_chars=limits.observation_block_chars, tokens=limits.observation_tokens)

    async def navigate(self, url: str) -> Outcome:
        try:
            return await self._do("browser_navigate", {"url": normal_url(url)}, "Opened the page.")
        except AddressRefused as error:
            return self._outcome(False, f"Not opened: {error}.")

    async def back(self) -> Outcome:
        return await self._do("browser_navigate_back", {}, "Went back.")

    async def click(self, element: Element) -> Outcome:
        return await self._do("browser_click", _target(element), f"Clicked {_name(element)}.")

    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> Outcome:
        if not fields:
            return self._outcome(False, "There is no field to type into.")
        *first, last = fields if submit else (*fields, None)
        if first:
            form = {"fields": [_filled(field) for field in first if field]}
            outcome = await self._do("browser_fill_form", form, _typed(first))
            if not outcome.ok or last is None:
                return outcome
        assert last is not None
        args = {**_target(last.element), "text": last.text, "submit": True}
        return await self._do("browser_type", args, f"{_typed(fields)} Pressed Enter.")

    async def select(self, element: Element, options: Sequence[str]) -> Outcome:
        args = {**_target(element), "values": list(options)}
        return await self._do("browser_select_option", args, f"Chose {', '.join(options)} in {_name(element)}.")

    async def hover(self, element: Element) -> Outcome:
        return await self._do("browser_hover", _target(element), f"Pointed at {_name(element)}.")

    async def press(self, key: str) -> Outcome:
        return await self._do("browser_press_key", {"key": key}, f"Pressed {key}.")

    async def scroll(self, direction: Direction, amount: int) -> Outcome:
        width, height = self._viewport()
        sign = -1 if direction in ("up", "left") else 1
        along_x = direction in ("left", "right")
        wheel = {"deltaX": sign * amount if along_x else 0, "deltaY": 0 if along_x else sign * amount}
        try:
            async with self._using():
                await self._act("browser_mouse_move_xy", {"x": width // 2, "y": height // 2})
                reply = await self._act("browser_mouse_wheel", wheel)
                return self._done(reply, f"Scrolled {direction} by {amount}.")
        except CallFailed as error:
            return self._outcome(False, str(error))

    async def wait(self, milliseconds: int) -> Outcome:
        seconds = min(max(milliseconds, 0) / 1000, self._settings.tool_timeout)
        try:
            async with self._using():
                await asyncio.sleep(seconds)
                return self._outcome(True, f"Waited {seconds:g} s.")
        except CallFailed as error:
            return self._outcome(False, str(error))

    async def upload(self, element: Element, files: Sequence[Path]) -> Outcome:
        folder = self._outfit.files.resolve()
        paths = [path.resolve() for path in files]
        if strange := [path.name for path in paths if not path.is_relative_to(folder) or not path.is_file()]:
            return self._outcome(False, f"Not a file of this session: {', '.join(strange)}.")
        try:
            async with self._using():
                reply = await self._act("browser_click", _target(element))
                if "File chooser" not in (reply.modal or ""):
                    return self._outcome(False, f"{_name(element)} did not ask for a file.")
                reply = await self._use("browser_file_upload", {"paths": [str(path) for path in paths]})
                return self._done(reply, f"Gave {', '.join(path.name for path in paths)} to {_name(element)}.")
        except CallFailed as error:
            return self._outcome(False, str(error))

    async def answer_dialog(self, accept: bool, text: str | None = None) -> Outcome:
        args = {"accept": accept} | ({"promptText": text} if text is not None else {})
        return await self._do("browser_handle_dialog", args, "Accepted." if accept else "Dismissed.")

    async def tabs(self) -> Sequence[Tab]:
        try:
            async with self._using():
                return (await self._use("browser_tabs", {"action": "list"})).tabs
        except CallFailed:
            return ()

    async def switch_tab(self, index: int) -> Outcome:
        return await self._do("browser_tabs", {"action": "select", "index": index}, f"Switched to tab {index}.")

    # One call.

    async def _do(self, tool: str, args: Mapping[str, Any], did: str) -> Outcome:
        try:
            async with self._using():
                return self._done(await self._act(tool, args), did)
        except CallFailed as error:
            return self._outcome(False, str(error))

    async def _act(self, tool: str, args: Mapping[str, Any]) -> Reply:
        """A call that may change the page: what stands in its way is cleared first."""
        if tool != "browser_handle_dialog":
            await self._clear_modal()
        if tool in _NAVIGATIONS:
            await self._leave_hung_page()
        reply = await self._use(tool, args)
        if reply.modal and "File chooser" in reply.modal and tool != "browser_click":
            await self._clear_modal(reply.modal)
        return reply

    async def _use(self, tool: str, args: Mapping[str, Any]) -> Reply:
        began = monotonic()
        reply = await self._read(tool, args)
        for _ in range(_REPEATS):
            if reply.ok or self._dialog or not any(sign in reply.text for sign in _NOT_YET):
                break
            await asyncio.sleep(0.05)
            reply = await self._read(tool, args)
        self._remember(reply)
        if not reply.ok and tool in _NAVIGATIONS and _LOADS_ON in reply.text:
            self._count_hang()
            await self._recover()
            reply.text = "The page did not finish loading in time. Loading was stopped; look at what is there."
        elif not reply.ok and tool in _NAVIGATIONS:
            reply.text = self._refusal_since(began) or reply.text
        return reply

    def _remember(self, reply: Reply) -> None:
        front = next((tab for tab in reply.tabs if tab.active), None)
        if front is not None:
            self._url, self._title = front.url, front.title
        elif reply.url is not None:
            self._url, self._title = reply.url, reply.title
        for note in reply.notes:
            self._note(note)

    async def _locate(self, mcp: McpClient) -> None:
        self._remember(read_reply(await mcp.call("browser_tabs", {"action": "list"}, deadline=3), lists_tabs=True))

    async def _read(self, tool: str, args: Mapping[str, Any]) -> Reply:
        result = await self._ask(tool, args, self._deadline(tool, args))
        reply = read_reply(result, lists_tabs=tool == "browser_tabs")
        await self._settle()
        return reply

    def _deadline(self, tool: str, args: Mapping[str, Any]) -> float:
        if tool == "browser_wait_for":
            return max(ACTION, min(float(args.get("time") or 0), 30) + 5)
        return _DEADLINES.get(tool, ACTION if tool in OFFERED else self._settings.tool_timeout)

    async def _clear_modal(self, modal: str | None = None) -> None:
        """Dismiss a question that nobody answered, cancel a file chooser that nobody filled."""
        if dialog := self._dialog:
            self._note(f"The open {dialog.kind} dialog was dismissed.")
            await self._use("browser_handle_dialog", {"accept": False})
        elif modal:
            await self._use("browser_file_upload", {})

    def _done(self, reply: Reply, did: str) -> Outcome:
        return self._outcome(reply.ok, did if reply.ok else reply.text)

    async def _picture(self, *, deadline: float) -> bytes | None:
        result = await self._ask("browser_take_screenshot", {"type": "jpeg", "scale": "css"}, deadline)
        return read_reply(result).image


def _with_normal_url(args: Mapping[str, Any]) -> dict[str, Any]:
    return {**args, "url": normal_url(str(args["url"]))} if args.get("url") is not None else dict(args)


def _target(element: Element) -> dict[str, str]:
    return {"target": element.ref, "element": element.name[:80] or element.role}


def _name(element: Element) -> str:
    return f'{element.role} "{element.name[:60]}"' if element.name else f"a {element.role} without a name"


def _filled(field: Field) -> dict[str, str]:
    kinds = {"checkbox": "checkbox", "switch": "checkbox", "radio": "radio", "slider": "slider"}
    kind = "combobox" if field.element.options else kinds.get(field.element.role, "textbox")
    return {**_target(field.element), "name": field.element.name[:80] or field.element.role, "type": kind,
            "value": field.text}


def _typed(fields: Sequence[Field | None]) -> str:
    return f"Typed into {', '.join(_name(field.element) for field in fields if field)}."
