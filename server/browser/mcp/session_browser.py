"""The base of all browser kinds: serialised calls, automatic restart, recovery and masking of secrets."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from mcp.types import CallToolResult, Tool

from server.browser.addresses import AddressRefused
from server.browser.browser import Browser, PagePicture, ToolOutcome, ToolSpec
from server.browser.chromium.chromium import Chromium
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.fence import fence, page_line
from server.browser.masking import make_picture
from server.browser.mcp.client import Http, McpClient, Stdio, ToolRefused, ToolServerLost, ToolTimeout
from server.browser.mcp.current_page import CurrentPage
from server.browser.mcp.lifecycle import Lifecycle, Notes, SessionResources
from server.browser.mcp.shared_chromium import SharedLifecycle
from server.browser.mcp.tool_schema import find_fault
from server.browser.observation import Observation
from server.settings import Settings

log = logging.getLogger(__name__)

T = TypeVar("T")

UNSTEADY = "The page kept going to other sites while it was looked at: nothing on it could be read. Wait, or open another."
HELD = "A person has the browser now: nothing was done."


class CallFailed(Exception):
    """A tool call failed; the message is for the model."""


class PageTimeout(CallFailed):
    """The page did not answer within the call's deadline."""


class AnswerTooLong(CallFailed):
    """The tool server's answer about the current page exceeds the maximum message size."""


class SessionBrowser(Browser, ABC):
    """One session's browser. Subclasses, one per MCP server, implement the `Browser` protocol."""

    dismisses_questions = False
    start_deadline = 60.0
    _repeatable: frozenset[str] = frozenset()
    """Tools of the server that change nothing: retried after the server was lost."""

    def __init__(self, resources: SessionResources) -> None:
        self.last_used = monotonic()
        self._resources = resources
        self._settings = resources.settings
        self._notes = Notes()
        shares = self.shares_chromium(resources.settings)
        self._lifecycle = (SharedLifecycle if shares else Lifecycle)(resources, self, self._notes)
        self._here = CurrentPage(lambda: self.monitor)
        self._free = asyncio.Event()
        self._free.set()
        self._turn = asyncio.Lock()
        self._was_abandoned = False

    # Server-specific, implemented by subclasses

    @classmethod
    @abstractmethod
    def server(cls, settings: Settings, endpoint: str | None, scratch: Path, files: Path) -> Stdio | Http:
        """Return the MCP server, attached to the Chromium at `endpoint` (None: only its tools are listed).

        Raises BrowserUnavailable if a part of it is missing.
        """

    @classmethod
    @abstractmethod
    def offered(cls, settings: Settings, tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
        """Select the tools of the server that the model may use."""

    @classmethod
    def needs_chromium(cls, settings: Settings) -> bool:
        return True

    @classmethod
    def shares_chromium(cls, settings: Settings) -> bool:
        """Whether all sessions share one Chromium: only if the server creates a context for each."""
        return False

    @abstractmethod
    async def locate(self, mcp: McpClient) -> None:
        """Query the server's current tab and store it. Raises what `McpClient.call` raises."""

    async def return_to_page(self, mcp: McpClient) -> None:
        """After a restart of the server: switch it to the tab that was current before."""

    @abstractmethod
    async def _call(self, spec: ToolSpec, args: Mapping[str, Any]) -> ToolOutcome: ...

    @abstractmethod
    async def _picture(self, *, deadline: float) -> bytes | None: ...

    @property
    def has_chromium(self) -> bool:
        return self.needs_chromium(self._settings)

    def server_at(self, endpoint: str | None) -> Stdio | Http:
        scratch, files = self._resources.scratch.resolve(), self._resources.files.resolve()
        return self.server(self._settings, endpoint, scratch, files)

    # Used by the pool and the live view

    @property
    def chromium(self) -> Chromium | None:
        return self._lifecycle.chromium

    @property
    def monitor(self) -> PageMonitor | None:
        return self._lifecycle.watch

    @property
    def url(self) -> str | None:
        return self._here.url

    @property
    def files(self) -> Path:
        """The session's own folder: downloads, and files that may be uploaded."""
        return self._resources.files

    @property
    def is_busy(self) -> bool:
        return self._turn.locked()

    @property
    def is_held(self) -> bool:
        """True during a takeover: no screenshots, tool calls fail, and page reads wait for its end."""
        return not self._free.is_set()

    def hold(self) -> None:
        self._free.clear()

    def hand_back(self) -> None:
        self._free.set()

    def touch(self) -> None:
        """Mark the browser as used, without a tool call."""
        self.last_used = monotonic()

    async def open(self) -> None:
        """Start the browser for the user; the tools start at the first call. Raises BrowserUnavailable."""
        await self._lifecycle.open()
        self.touch()

    def note(self, line: str) -> None:
        """Add a line for the model to the next outcome or observation."""
        self._notes.add(line)

    async def park(self) -> None:
        """End the processes until the next use."""
        self._lifecycle.was_parked = True
        await self._lifecycle.end()

    async def close(self) -> None:
        """End the processes permanently, and cancel starts in progress; the profile stays."""
        await self._lifecycle.close()

    # Common to all kinds

    def tools(self) -> Sequence[ToolSpec]:
        return self._resources.tools

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolOutcome:
        spec = next((tool for tool in self.tools() if tool.name == name), None)
        if spec is None:
            return self._outcome(False, f"There is no tool {name}.")
        if fault := find_fault(spec, args):
            return self._outcome(False, fault)
        other = next((other for other in self._resources.others if other.name == spec.server), None)
        if other is not None:
            return await other.call(spec.name, args)
        try:
            return await self._call(spec, args)
        except AddressRefused as error:
            return self._outcome(False, f"Not opened: {error}.")
        except CallFailed as error:
            return self._failed(error)

    async def screenshot(self) -> PagePicture | None:
        if self.is_held:
            return None
        try:
            async with self._using():
                if self._here.dialog:
                    return None
                before = await self._here.look()
                hidden = [field.box for field in before.secrets if field.value]
                data = await self._picture(deadline=5)
                after = await self._here.look() if hidden else before
                hidden += [field.box for field in after.secrets if field.value]
                if before.unknown or after.unknown:  # some boxes to blur are unknown
                    return None
        except CallFailed:
            return None
        if self.is_held or not data:
            return None
        picture = await asyncio.to_thread(make_picture, data, hidden)
        return replace(picture, moment=before.moment) if picture else None

    async def wait(self, milliseconds: int) -> ToolOutcome:
        seconds = min(max(milliseconds, 0) / 1000, self._settings.tool_timeout)
        try:
            async with self._using():
                await asyncio.sleep(seconds)
        except CallFailed as error:
            return self._failed(error)
        return self._outcome(True, f"Waited {seconds:g} s.")

    async def reset(self) -> None:
        """Recover after an abandoned call, so that the next one finds a responsive page."""
        async with self._turn:
            self._was_abandoned = False
            await self._recover()

    # The parts of a call

    @asynccontextmanager
    async def _using(self) -> AsyncIterator[None]:
        """Serialise a call and make the browser ready for it. Raises BrowserUnavailable."""
        async with self._turn:
            try:
                if self._was_abandoned:
                    self._was_abandoned = False
                    await self._recover()
                await self._lifecycle.make_ready()
                yield
            except asyncio.CancelledError:
                self._was_abandoned = True
                raise
            finally:
                self.last_used = monotonic()
                self._empty_scratch()

    async def _ask(self, tool: str, args: Mapping[str, Any], deadline: float) -> CallToolResult:
        """Call a tool. Raises CallFailed after recovering for the next call, or BrowserUnavailable."""
        if self.is_held:
            raise CallFailed(HELD)
        mcp = await self._lifecycle.make_ready()
        try:
            result = await mcp.call(tool, args, deadline=deadline)
        except ToolRefused as error:
            raise CallFailed(str(error)) from None
        except ToolTimeout:
            await self._recover()
            raise PageTimeout(
                f"The page did not answer within {deadline:.0f} s. Loading was stopped."
            ) from None
        except ToolServerLost as error:
            log.warning("session %s: %s", self._resources.session_id, error)
            if error.was_overlong:  # caused by the page: a retry would fail, too
                raise AnswerTooLong(
                    "The page made the answer of the browser tools too long to be read: whether this action happened "
                    "is not known."
                ) from None
            self._lifecycle.count_failure(str(error))
            if tool in self._repeatable or not error.was_sent:
                return await self._ask(tool, args, deadline)
            raise CallFailed(
                "The browser tools broke off during this action: it may or may not have "
                "happened. Look at the page before going on."
            ) from None
        if result.isError and self.chromium is not None and not self.chromium.is_running:
            raise CallFailed("The browser ended during this action: it may or may not have happened.")
        return result

    async def _recover(self) -> None:
        if self.is_held:  # the user controls the page now
            self._was_abandoned = True
            return
        await self._lifecycle.recover(self._here.url)

    async def _leave_hung_page(self) -> None:
        """Replace a page whose main thread is stuck: navigation would not work there."""
        if not await self._here.answers():
            await self._recover()

    async def _see_freely(self, see: Callable[[], Awaitable[T]]) -> T:
        """Return the result of `see`, run while no takeover is active; waits for the end of one."""
        while True:
            await self._free.wait()
            seen = await see()
            if not self.is_held:
                return seen

    def _refusal_since(self, moment: float) -> str | None:
        """Return the egress proxy's last refusal as a sentence, if it is not older than `moment`."""
        refusal = self.chromium.egress.last_refusal if self.chromium else None
        return refusal[1] if refusal and refusal[0] >= moment else None

    def _outcome(self, ok: bool, text: str, *, timed_out: bool = False) -> ToolOutcome:
        return ToolOutcome(
            ok, text, self._here.url, self._here.title, self._notes.take(), timed_out=timed_out
        )

    def _failed(self, error: CallFailed) -> ToolOutcome:
        return self._outcome(False, str(error), timed_out=isinstance(error, PageTimeout))

    def _outcome_with_page(self, ok: bool, text: str, page: Observation | None) -> ToolOutcome:
        """Return an outcome with result, notes and current page, for a model that calls tools by name.

        `page` is None if the page cannot be read now.
        """
        notes, here = self._notes.take(), self._here
        lines = list(dict.fromkeys((*notes, *(page.notes if page else ()))))
        lines += [page_line(page.page.url, page.page.title) if page else page_line(here.url, here.title)]
        lines += [page.text_with_targets()] if page else []
        told = "\n".join(filter(None, (text.strip(), fence("\n".join(filter(None, lines))))))
        private_url = page.page.url if page and page.asks_for_secret else None
        return ToolOutcome(ok, told, here.url, here.title, notes, private_url)

    def _empty_scratch(self) -> None:
        """Delete the MCP server's output: it keeps a copy of each screenshot without blurred secrets."""
        with suppress(FileNotFoundError):
            for path in self._resources.scratch.iterdir():
                if path.is_file():
                    path.unlink()
