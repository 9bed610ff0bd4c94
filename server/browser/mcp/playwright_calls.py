"""Single calls to the Playwright MCP server, with the preparation and follow-up that each needs."""

from __future__ import annotations

import asyncio
from time import monotonic

from mcp.types import CallToolResult

from server.browser.browser import Tab
from server.browser.chromium.devtools import TOO_LARGE
from server.browser.mcp.client import McpClient, ToolTimeout
from server.browser.mcp.page_reader import Source
from server.browser.mcp.playwright_reply import Reply, read_reply
from server.browser.mcp.playwright_server import deadline_of
from server.browser.mcp.tool_calls import TOO_LONG, AnswerTooLong, CallFailed, ToolCalls
from server.browser.off_loop import TookTooLong, off_loop
from server.ops.json_types import JsonView
from wording.catalogue import sentence

_NAVIGATIONS = ("browser_navigate", "browser_navigate_back", "browser_tabs")
_TYPING = ("browser_type", "browser_fill_form")
_REACTED_TO_TOOLS = (
    *_TYPING, "browser_click", "browser_select_option", "browser_press_key", "browser_hover", "browser_drag",
    "browser_mouse_click_xy", "browser_mouse_up",
)  # fmt: skip
"""Acts after which a page may go on by itself. After a navigation the server waits for the load."""
_BLOCKED = "does not handle the modal state"
_NOT_YET = (_BLOCKED, 'interrupted by another navigation to "chrome-error:')
"""Errors caused by a state that has already ended: an answered dialog, an earlier failed page. Retried."""
LOADS_ON = "The page shows that it still loads: wait, then look again."

_REPEATS = 6


class PlaywrightCalls(Source):
    """The calls from which `PlaywrightAdapter` makes actions and observations."""

    def __init__(self, calls: ToolCalls, loading: int) -> None:
        self._calls = calls
        self._loads_on = f"Timeout {loading}ms exceeded"
        self._tabs: tuple[Tab, ...] = ()

    # Actions

    async def act(self, tool: str, args: JsonView) -> Reply:
        """Make a call that may change the page; dismisses a dialog before and a file chooser after it."""
        if (dialog := self._calls.here.dialog) and tool != "browser_handle_dialog":
            self._calls.notes.add(sentence("note.dialog_dismissed", kind=dialog.kind))
            await self.answer(False, None)
        if tool in _NAVIGATIONS:
            await self._calls.leave_hung_page()
        known, page = self._tabs, self._calls.here.page
        loads_on = page.loads_on if page else ""
        if tool in _REACTED_TO_TOOLS:
            async with self._calls.here.until_quiet(typed=tool in _TYPING):
                reply = await self.use(tool, args)
            await self._calls.note_asked()
            if page and page.loads_on not in ("", loads_on):
                self._calls.notes.add(LOADS_ON)
        else:
            reply = await self.use(tool, args)
        if tool != "browser_tabs":
            if self._calls.here.tabs_open > max(1, len(self._tabs)):  # the server did not know of it yet
                await self.find_tab()
            for tab in self._tabs[max(1, len(known)) :]:
                place = tab.url[:120] or sentence("note.unknown_address")
                self._calls.notes.add(sentence("note.new_tab", n=tab.index, address=place))
        if reply.asks_for_file:
            await self._cancel_file_chooser()
        return reply

    async def answer(self, accept: bool, text: str | None) -> Reply:
        """Answer the open dialog; over DevTools if the server fails because it started after the dialog."""
        args = {"accept": accept} | ({"promptText": text} if text is not None else {})
        reply = await self.use("browser_handle_dialog", args)
        if not reply.ok and self._calls.here.dialog and self._calls.lifecycle.watch:
            await self._calls.lifecycle.watch.dialogs.answer(accept, text)
            await self._calls.here.settle()
            return Reply(ok=True)
        return reply

    async def _cancel_file_chooser(self) -> None:
        self._calls.notes.add(sentence("note.file_not_given"))
        await self.use("browser_file_upload", {})

    # What the page reader asks for

    async def snapshot(self) -> tuple[str, bool]:
        reply = await self.use("browser_snapshot", {"boxes": True})
        return reply.raw, reply.url is None or self._calls.here.follow(reply.url, reply.title)

    async def find_tab(self) -> None:
        await self.use("browser_tabs", {"action": "list"})

    async def picture(self, *, deadline: float) -> bytes | None:
        result = await self._calls.ask("browser_take_screenshot", {"type": "jpeg", "scale": "css"}, deadline)
        try:
            return (await _read_reply(result)).image
        except TookTooLong as error:
            raise CallFailed(str(error)) from None

    # One call

    async def use(self, tool: str, args: JsonView) -> Reply:
        began = monotonic()
        reply = await self._read(tool, args)
        for _ in range(_REPEATS):
            if reply.ok or self._calls.here.dialog or not any(sign in reply.text for sign in _NOT_YET):
                break
            if reply.asks_for_file:
                await self._cancel_file_chooser()
            await asyncio.sleep(0.05)
            reply = await self._read(tool, args)
        await self._remember(reply)
        if not reply.ok and tool in _NAVIGATIONS:
            await self._explain(reply, began)
        return reply

    async def _explain(self, reply: Reply, began: float) -> None:
        """Set the reason why a navigation failed; after a timeout also stop loading."""
        if self._loads_on in reply.text:
            self._calls.lifecycle.count_hang(self._calls.here.url)
            await self._calls.recover()
            reply.text = sentence("note.loading_stopped")
        else:
            reply.text = self._calls.refusal_since(began) or reply.text

    async def _read(self, tool: str, args: JsonView) -> Reply:
        result = await self._calls.ask(
            tool, args, deadline_of(tool, args) or self._calls.settings.tool_timeout
        )
        await self._calls.here.settle()
        try:
            reply = await _read_reply(result, lists_tabs=tool == "browser_tabs")
        except TookTooLong as error:
            raise CallFailed(str(error)) from None
        if not reply.ok and TOO_LARGE["message"] in reply.text:
            raise AnswerTooLong(TOO_LONG)
        return reply

    async def _remember(self, reply: Reply) -> None:
        """Store the tabs and the current one, by the unambiguous `Page URL` line, else by the tab list."""
        reply.tabs = tuple(map(self._calls.here.recognise, reply.tabs))
        self._tabs = reply.tabs or self._tabs[:1]
        front = next((tab for tab in reply.tabs if tab.active and tab.url), None)
        if reply.url is not None:
            self._calls.here.follow(reply.url, reply.title)
        elif front is not None:
            self._calls.here.follow(front.url, front.title)
        await self._calls.here.read_title()
        for note in reply.notes:
            self._calls.notes.add(note)

    # The current tab

    async def locate(self, mcp: McpClient, *, deadline: float) -> None:
        await self._remember(await self._list_tabs(mcp, deadline))

    async def return_to_page(self, mcp: McpClient) -> None:
        url = self._calls.here.url
        tabs = tuple(map(self._calls.here.recognise, (await self._list_tabs(mcp, 3)).tabs))
        known = next((tab for tab in tabs if tab.url == url and not tab.active), None)
        if known is not None and not any(tab.active and tab.url == url for tab in tabs):
            await mcp.call("browser_tabs", {"action": "select", "index": known.index}, deadline=3)

    async def _list_tabs(self, mcp: McpClient, deadline: float) -> Reply:
        listed = await mcp.call("browser_tabs", {"action": "list"}, deadline=deadline)
        try:
            return await _read_reply(listed, lists_tabs=True)
        except TookTooLong as error:
            raise ToolTimeout(str(error)) from None


async def _read_reply(result: CallToolResult, *, lists_tabs: bool = False) -> Reply:
    """Parse a reply off the event loop. Raises TookTooLong."""
    return await off_loop(read_reply, result, lists_tabs=lists_tabs)
