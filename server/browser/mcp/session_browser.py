"""What all kinds of browsers share: one call at a time, with a browser that lives, and nothing secret told."""

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
from server.browser.observation import Budget, Observation
from server.settings import Settings

log = logging.getLogger(__name__)

T = TypeVar("T")

UNSTEADY = "The page kept going to other sites while it was looked at: nothing on it could be read. Wait, or open another."
HELD = "A person has the browser now: nothing was done."


class CallFailed(Exception):
    """A tool call came to nothing; the text tells the model what is known."""


class PageTimeout(CallFailed):
    """The page did not answer within the call's deadline."""


class AnswerTooLong(CallFailed):
    """The page at hand cannot be described by the tool server within one message."""


class SessionBrowser(Browser, ABC):
    """One session's browser. The methods of the `Browser` door are in the subclasses, one per MCP server."""

    dismisses_questions = False
    start_deadline = 60.0
    _repeatable: frozenset[str] = frozenset()
    """Tools of the server that change nothing: called again when the server is lost."""

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

    # What a subclass knows: its server

    @classmethod
    @abstractmethod
    def server(cls, settings: Settings, endpoint: str | None, scratch: Path, files: Path) -> Stdio | Http:
        """The MCP server, attached to the Chromium at `endpoint`; without one only its tools are asked.

        Raises BrowserUnavailable when a part of it is missing.
        """

    @classmethod
    @abstractmethod
    def offered(cls, settings: Settings, tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
        """Of what the server has, what a model may use."""

    @classmethod
    def needs_chromium(cls, settings: Settings) -> bool:
        return True

    @classmethod
    def shares_chromium(cls, settings: Settings) -> bool:
        """One Chromium for all sessions: only where the server gives each a context of its own."""
        return False

    @abstractmethod
    async def locate(self, mcp: McpClient) -> None:
        """Ask where the browser is, and remember it. Raises what `McpClient.call` raises."""

    async def return_to_page(self, mcp: McpClient) -> None:
        """After the server was started again: bring it to the page where the one before it was."""

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

    # What the pool and the live view use

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
        """The session's own folder: what was downloaded, and what may be uploaded."""
        return self._resources.files

    @property
    def is_busy(self) -> bool:
        return self._turn.locked()

    @property
    def is_held(self) -> bool:
        """A person has it: nothing is captured, the agent's calls are refused, and seeing the page waits."""
        return not self._free.is_set()

    def hold(self) -> None:
        self._free.clear()

    def hand_back(self) -> None:
        self._free.set()

    def touch(self) -> None:
        """It is in use, even though no tool is called."""
        self.last_used = monotonic()

    async def open(self) -> None:
        """Start the browser for a person; the tools follow at the first call. Raises BrowserUnavailable."""
        await self._lifecycle.open()
        self.touch()

    def note(self, line: str) -> None:
        """Tell the model with the next outcome or observation."""
        self._notes.add(line)

    async def park(self) -> None:
        """End the processes for a while."""
        self._lifecycle.was_parked = True
        await self._lifecycle.end()

    async def close(self) -> None:
        """End the processes for good, also those that are just being started; the profile stays."""
        await self._lifecycle.close()

    # What is the same for all kinds

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
                if before.unknown or after.unknown:  # what to make unreadable is not known
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
        """After an abandoned call: the next one finds a page that answers."""
        async with self._turn:
            self._was_abandoned = False
            await self._recover()

    # The parts of a call

    @asynccontextmanager
    async def _using(self) -> AsyncIterator[None]:
        """One call at a time, on a browser that lives. Raises BrowserUnavailable."""
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
        """Call a tool. Whatever goes wrong is put right for the next call and raised as CallFailed."""
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
            if error.was_overlong:  # the page's doing, and would be again
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
        if self.is_held:  # the page is the person's now
            self._was_abandoned = True
            return
        await self._lifecycle.recover(self._here.url)

    async def _leave_hung_page(self) -> None:
        """A page whose thread is stuck cannot be left by navigating: replace it first."""
        if not await self._here.answers():
            await self._recover()

    async def _see_freely(self, see: Callable[[], Awaitable[T]]) -> T:
        """What `see` sees while no person has the browser; until then it waits."""
        while True:
            await self._free.wait()
            seen = await see()
            if not self.is_held:
                return seen

    def _refusal_since(self, moment: float) -> str | None:
        """What the way out refused since then, in words."""
        refusal = self.chromium.egress.last_refusal if self.chromium else None
        return refusal[1] if refusal and refusal[0] >= moment else None

    def _budget(self, *, names_targets: bool = False) -> Budget:
        limits = self._settings
        return Budget(
            names_targets=names_targets,
            elements=limits.observation_elements,
            blocks=limits.observation_blocks,
            block_chars=limits.observation_block_chars,
            tokens=limits.observation_tokens,
        )

    def _outcome(self, ok: bool, text: str, *, timed_out: bool = False) -> ToolOutcome:
        return ToolOutcome(
            ok, text, self._here.url, self._here.title, self._notes.take(), timed_out=timed_out
        )

    def _failed(self, error: CallFailed) -> ToolOutcome:
        return self._outcome(False, str(error), timed_out=isinstance(error, PageTimeout))

    def _outcome_with_page(self, ok: bool, text: str, page: Observation | None) -> ToolOutcome:
        """For a model that calls the server's tools by name: the result, the notes and the page as it is now.

        `page` is None when the page cannot be read now.
        """
        notes, here = self._notes.take(), self._here
        lines = list(dict.fromkeys((*notes, *(page.notes if page else ()))))
        lines += [page_line(page.page.url, page.page.title) if page else page_line(here.url, here.title)]
        lines += [page.text_with_targets()] if page else []
        told = "\n".join(filter(None, (text.strip(), fence("\n".join(filter(None, lines))))))
        private_url = page.page.url if page and page.asks_for_secret else None
        return ToolOutcome(ok, told, here.url, here.title, notes, private_url)

    def _empty_scratch(self) -> None:
        """The MCP server keeps a copy of each picture, before anything in it is made unreadable."""
        with suppress(FileNotFoundError):
            for path in self._resources.scratch.iterdir():
                if path.is_file():
                    path.unlink()
