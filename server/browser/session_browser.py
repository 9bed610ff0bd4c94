"""The life of one session's browser, whatever MCP server drives it: start, restart, recover, end."""

from __future__ import annotations

import asyncio
import logging
import shutil
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from mcp.types import CallToolResult, Tool
from pydantic import ValidationError

from server.browser.addresses import AddressRefused, host_of
from server.browser.browser import Browser, BrowserUnavailable, Outcome, Picture, ToolSpec
from server.browser.cdp import CdpError
from server.browser.chromium import VIEWPORT, Chromium
from server.browser.downloads import Downloads
from server.browser.masking import make_picture
from server.browser.mcp_client import Http, McpClient, Stdio, ToolRefused, ToolServerLost, ToolTimeout
from server.browser.observation import Budget
from server.browser.other_mcp import OtherServer
from server.browser.page_script import PAGE_SCRIPT, Extra, SecretField
from server.browser.processes import Processes
from server.browser.supervisor import Dialog, Supervisor, WatchedPage
from server.browser.tool_schema import check_arguments
from server.settings import Settings

log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_FAILURES = 3
FAILURE_WINDOW = 300.0
BROWSER_RESTARTED = "The browser was restarted: open pages and what was typed are lost, logins may be too."
TOOLS_RESTARTED = "The browser tools were restarted; the page is still there."
HELD = "A person has the browser now: nothing was done."
BROWSER_WOKEN = "The browser had been put to sleep: its pages were loaded again, what was typed is lost."


class CallFailed(Exception):
    """A tool call came to nothing; the text tells the model what is known."""


@dataclass(frozen=True, slots=True)
class Outfit:
    """What a session's browser is made of. `launch` waits for a place among all browsers, then starts one."""

    session_id: str
    settings: Settings
    processes: Processes
    launch: Callable[[], Awaitable[Chromium]]
    scratch: Path
    """For what the MCP server writes; emptied all the time."""
    files: Path
    """The session's own files: downloads, and what may be uploaded."""
    tools: tuple[ToolSpec, ...]
    others: tuple[OtherServer, ...] = ()
    """The MCP servers beside the browser's."""


class SessionBrowser(Browser, ABC):
    """One session's browser. The methods of the `Browser` door are in the subclasses, one per MCP server."""

    needs_chromium = True
    dismisses_questions = False
    """The server would answer the questions of a page by itself, so they are dismissed before it can."""
    start_deadline = 60.0
    """Seconds the server may take to start."""
    _repeatable: frozenset[str] = frozenset()
    """Tools of the server that change nothing: called again when the server is lost."""

    def __init__(self, outfit: Outfit) -> None:
        self.last_used = monotonic()
        self.was_parked = False
        self._free = asyncio.Event()
        self._free.set()
        self._starting = asyncio.Lock()
        self._outfit = outfit
        self._settings = outfit.settings
        self._turn = asyncio.Lock()
        self._notes: list[str] = []
        self._failures: deque[float] = deque(maxlen=MAX_FAILURES)
        self._chromium: Chromium | None = None
        self._mcp: McpClient | None = None
        self._watch: Supervisor | None = None
        self._downloads: Downloads | None = None
        self._ending: asyncio.Task[None] | None = None
        self._was_abandoned = False
        self._hangs = ("", 0)
        self._url: str | None = None
        self._title: str | None = None

    # What a subclass knows: its server.

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

    @abstractmethod
    async def _call(self, spec: ToolSpec, args: Mapping[str, Any]) -> Outcome: ...

    async def _return_to_page(self, mcp: McpClient) -> None:
        """After the server was started again: bring it to the page where the one before it was."""

    @abstractmethod
    async def _locate(self, mcp: McpClient) -> None:
        """Ask where the browser is, and remember it. Raises what `McpClient.call` raises."""

    @abstractmethod
    async def _picture(self, *, deadline: float) -> bytes | None: ...

    # What callers see.

    @property
    def chromium(self) -> Chromium | None:
        return self._chromium

    @property
    def supervisor(self) -> Supervisor | None:
        return self._watch

    @property
    def url(self) -> str | None:
        return self._url

    @property
    def files(self) -> Path:
        """The session's own folder: what was downloaded, and what may be uploaded."""
        return self._outfit.files

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
        async with self._starting:
            if self._has_chromium:
                await self._make_chromium_ready()
        self.touch()

    def tools(self) -> Sequence[ToolSpec]:
        return self._outfit.tools

    async def call(self, name: str, args: Mapping[str, Any]) -> Outcome:
        spec = next((tool for tool in self.tools() if tool.name == name), None)
        if spec is None:
            return self._outcome(False, f"There is no tool {name}.")
        if wrong := check_arguments(spec.schema, args):
            return self._outcome(False, f"{name}: wrong arguments: {wrong}.")
        other = next((other for other in self._outfit.others if other.name == spec.server), None)
        if other is not None:
            return await other.call(spec.name, args)
        try:
            return await self._call(spec, args)
        except AddressRefused as error:
            return self._outcome(False, f"Not opened: {error}.")
        except CallFailed as error:
            return self._outcome(False, str(error))

    async def screenshot(self) -> Picture | None:
        if self.is_held:
            return None
        try:
            async with self._using():
                if self._dialog:
                    return None
                hidden = [field.box for field in (await self._look()).secrets if field.value]
                data = await self._picture(deadline=5)
                hidden += [field.box for field in (await self._look()).secrets if field.value] if hidden else []
        except (CallFailed, CdpError):
            return None
        if self.is_held or not data:
            return None
        return await asyncio.to_thread(make_picture, data, hidden)

    async def reset(self) -> None:
        """After an abandoned call: the next one finds a page that answers."""
        async with self._turn:
            self._was_abandoned = False
            if self._chromium is not None:
                await self._recover()

    async def end(self) -> None:
        """End the processes; the profile stays. Goes on to its end even when the caller is cancelled."""
        self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        parts = (self._mcp, self._watch, self._downloads, self._chromium)
        self._mcp = self._watch = self._downloads = self._chromium = None
        for part in parts:
            if part is not None:
                await part.close()
        for other in self._outfit.others:
            await other.close()
        await asyncio.to_thread(shutil.rmtree, self._outfit.scratch, ignore_errors=True)

    # The parts of a call.

    @asynccontextmanager
    async def _using(self) -> AsyncIterator[None]:
        """One call at a time, on a browser that lives. Raises BrowserUnavailable."""
        async with self._turn:
            try:
                if self._was_abandoned and self._chromium is not None:
                    self._was_abandoned = False
                    await self._recover()
                await self._make_ready()
                yield
            except asyncio.CancelledError:
                self._was_abandoned = True
                raise
            finally:
                self.last_used = monotonic()
                self._empty_scratch()

    async def _make_ready(self) -> McpClient:
        """Chromium, the watch over it and the MCP session, each started or started again where it is gone."""
        async with self._starting:
            if self._has_chromium:
                await self._make_chromium_ready()
            if self._mcp is not None and not self._mcp.is_open:
                await self._drop_mcp()
            if self._mcp is None:
                self._mcp = await self._open_mcp()
                if self._url is not None:
                    with suppress(ToolTimeout, ToolServerLost, ToolRefused):
                        await self._return_to_page(self._mcp)
            return self._mcp

    async def _make_chromium_ready(self) -> None:
        if self._chromium is not None and not self._chromium.is_running:
            self._count_failure()
            await self.end()
            self._note(BROWSER_RESTARTED)
        if self._chromium is None:
            self._chromium = await self._outfit.launch()
            if self.was_parked:
                self.was_parked = False
                self._note(BROWSER_WOKEN)
        if self._watch is None:
            cdp = self._chromium.cdp
            self._watch = Supervisor(
                cdp, self._note, emulates_viewport=self._settings.headless, dismisses_questions=self.dismisses_questions)
            await self._watch.start()
            self._downloads = Downloads(cdp, self._outfit.files, self._outfit.scratch / "arriving", self._note)
            await self._downloads.start(enabled=self._settings.downloads)

    async def _open_mcp(self) -> McpClient:
        scratch, files = self._outfit.scratch.resolve(), self._outfit.files.resolve()
        scratch.mkdir(parents=True, exist_ok=True)
        files.mkdir(parents=True, exist_ok=True)
        while True:
            endpoint = self._chromium.endpoint if self._chromium else None
            server = self.server(self._settings, endpoint, scratch, files)
            mcp = McpClient("browser", server, self._outfit.processes)
            try:
                await mcp.open(deadline=self.start_deadline)
                return mcp
            except ToolServerLost as error:
                log.warning("session %s: %s", self._outfit.session_id, error)
                self._count_failure(str(error))

    async def _ask(self, tool: str, args: Mapping[str, Any], deadline: float) -> CallToolResult:
        """Call a tool. Whatever goes wrong is put right for the next call and raised as CallFailed."""
        if self.is_held:
            raise CallFailed(HELD)
        mcp = await self._make_ready()
        try:
            result = await mcp.call(tool, args, deadline=deadline)
        except ToolRefused as error:
            raise CallFailed(str(error)) from None
        except ToolTimeout:
            await self._recover()
            raise CallFailed(f"The page did not answer within {deadline:.0f} s. Loading was stopped.") from None
        except ToolServerLost as error:
            log.warning("session %s: %s", self._outfit.session_id, error)
            self._count_failure(str(error))
            if tool in self._repeatable or not error.was_sent:
                return await self._ask(tool, args, deadline)
            raise CallFailed("The browser tools broke off during this action: it may or may not have "
                             "happened. Look at the page before going on.") from None
        if result.isError and self._chromium is not None and not self._chromium.is_running:
            raise CallFailed("The browser ended during this action: it may or may not have happened.")
        return result

    async def _recover(self) -> None:
        """Stop what hangs: loading, else the page, else the tools, else the browser."""
        if self.is_held:  # the page is the person's now
            self._was_abandoned = True
            return
        if self._chromium is not None and not await self._chromium.answers():
            self._count_failure()
            await self.end()
            self._note(BROWSER_RESTARTED)
            return
        await self._stop_pages()
        if self._mcp is not None:
            try:
                await self._locate(self._mcp)
            except (ToolTimeout, ToolServerLost, ToolRefused):
                await self._drop_mcp()

    async def _stop_pages(self) -> None:
        watch = self._watch
        for page in list(watch.pages.values()) if watch else ():
            assert watch is not None
            await watch.stop_loading(page)
            if page.dialog is None and not page.is_crashed and not await watch.is_steady(page):
                self._note(f"The page {page.url[:120]} hung; its tab was closed and replaced by an empty one.")
                self._count_hang()
                with suppress(CdpError):
                    await watch.replace(page)

    async def _leave_hung_page(self) -> None:
        """A page whose thread is stuck cannot be left by navigating: replace it first."""
        page = self._page()
        if page and self._watch and not page.dialog and not page.is_crashed and not await self._watch.is_responsive(page):
            await self._recover()

    def _count_hang(self) -> None:
        """A site that hangs twice in a row is told to be left alone."""
        host = host_of(self._url or "")
        self._hangs = (host, self._hangs[1] + 1 if self._hangs[0] == host else 1)
        if self._hangs[1] >= 2 and host:
            self._note(f"{host} hung {self._hangs[1]} times in a row: do not try it again, go on without it.")

    async def _see_freely(self, see: Callable[[], Awaitable[T]]) -> T:
        """What `see` sees while no person has the browser; until then it waits."""
        while True:
            await self._free.wait()
            seen = await see()
            if not self.is_held:
                return seen

    async def _drop_mcp(self) -> None:
        mcp, self._mcp = self._mcp, None
        if mcp is not None:
            self._note(TOOLS_RESTARTED)
            await mcp.close()

    async def _look(self) -> Extra:
        """What the page script sees in the page at hand; empty when it cannot run there.

        Of frames of other sites only the secret fields count, so that they are masked like the page's own.
        """
        page = self._page()
        try:
            extra = Extra.model_validate(await self._run(PAGE_SCRIPT) or {})
            if page is None or self._watch is None or page.dialog or page.is_crashed:
                return extra
            for value, (x, y) in await self._watch.evaluate_inside(PAGE_SCRIPT, page):
                inside = (_moved(secret, x, y) for secret in Extra.model_validate(value).secrets)
                extra = extra.model_copy(update={"secrets": (*extra.secrets, *inside)})
        except ValidationError as error:
            log.debug("page script: %s", error)
            return Extra()
        return extra

    async def _run(self, script: str, *, deadline: float = 3) -> Any:
        """The value of a read-only script of ours in the page at hand; None when it cannot run there."""
        page = self._page()
        if page is None or page.dialog or page.is_crashed or self._watch is None:
            return None
        try:
            return await self._watch.evaluate(script, page, deadline=deadline)
        except CdpError as error:
            log.debug("script in the page: %s", error)
            return None

    @property
    def _has_chromium(self) -> bool:
        return self.needs_chromium

    def _page(self) -> WatchedPage | None:
        return self._watch.page_at(self._url, self._title) if self._watch else None

    @property
    def _dialog(self) -> Dialog | None:
        return self._watch.dialog if self._watch else None

    def _refusal_since(self, moment: float) -> str | None:
        """What the way out refused since then, in words."""
        refusal = self._chromium.egress.last_refusal if self._chromium else None
        return refusal[1] if refusal and refusal[0] >= moment else None

    async def _settle(self) -> None:
        if self._watch is not None:
            await self._watch.settle()

    def _budget(self) -> Budget:
        limits = self._settings
        return Budget(elements=limits.observation_elements, blocks=limits.observation_blocks,
                      block_chars=limits.observation_block_chars, tokens=limits.observation_tokens)

    def _viewport(self) -> tuple[int, int]:
        return VIEWPORT

    def _note(self, line: str) -> None:
        if line not in self._notes:
            self._notes.append(line)
        del self._notes[:-20]

    def _take_notes(self) -> tuple[str, ...]:
        notes, self._notes = tuple(self._notes), []
        return notes

    def _outcome(self, ok: bool, text: str) -> Outcome:
        return Outcome(ok, text, self._url, self._title, self._take_notes())

    def _count_failure(self, why: str = "") -> None:
        """Raises BrowserUnavailable at the third failure within five minutes, then counts anew."""
        self._failures.append(monotonic())
        if len(self._failures) == MAX_FAILURES and self._failures[-1] - self._failures[0] < FAILURE_WINDOW:
            self._failures.clear()
            raise BrowserUnavailable(
                f"The browser failed {MAX_FAILURES} times within {FAILURE_WINDOW / 60:.0f} minutes. {why}".strip()
            )

    def _empty_scratch(self) -> None:
        """The MCP server keeps a copy of each picture, before anything in it is made unreadable."""
        with suppress(FileNotFoundError):
            for path in self._outfit.scratch.iterdir():
                if path.is_file():
                    path.unlink()


def _moved(secret: SecretField, x: float, y: float) -> SecretField:
    left, top, width, height = secret.box
    return secret.model_copy(update={"box": (left + x, top + y, width, height)})
