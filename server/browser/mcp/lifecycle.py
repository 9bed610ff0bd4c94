"""Starts, restarts and ends one session's Chromium, its page monitor and its MCP session."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Protocol, TypeVar

from server.browser.addresses import host_of
from server.browser.browser import BrowserUnavailable, ToolSpec
from server.browser.chromium import hangs
from server.browser.chromium.cdp import CdpError
from server.browser.chromium.downloads import Downloads
from server.browser.chromium.locality import Locality
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.processes import Processes
from server.browser.chromium.running import RunningChromium
from server.browser.mcp.client import Http, McpClient, Stdio, ToolRefused, ToolServerLost, ToolTimeout
from server.settings import Settings
from wording.catalogue import joined, sentence

log = logging.getLogger(__name__)

T = TypeVar("T")

MAX_RESTARTS = 3
FAILURE_WINDOW = 300.0
BROWSER_RESTARTED = sentence("note.browser_restarted")
TOOLS_RESTARTED = sentence("note.tools_restarted")
BROWSER_KEPT = sentence("note.connection_lost")
BROWSER_WOKEN = sentence("note.browser_slept")


@dataclass(frozen=True, slots=True)
class SessionResources:
    """The parts of a session's browser. `launch` waits for a browser slot, then starts Chromium."""

    session_id: str
    settings: Settings
    processes: Processes
    launch: Callable[[], Awaitable[RunningChromium]]
    scratch: Path
    """Folder for the MCP server's output; emptied after each call."""
    files: Path
    """Folder of the session's files: downloads, and files that may be uploaded."""
    tools: tuple[ToolSpec, ...]


class Driver(Protocol):
    """The part of the lifecycle that depends on the kind of MCP server."""

    dismisses_questions: bool
    """True if the server would answer page dialogs itself, so that they must be dismissed before it can."""
    start_deadline: float
    """Seconds the server may take to start."""

    @property
    def has_chromium(self) -> bool:
        """False if the server brings its own browser."""
        ...

    def server_at(self, endpoint: str | None) -> Stdio | Http:
        """Return the MCP server, attached to the Chromium at `endpoint`. Raises BrowserUnavailable."""
        ...

    async def locate(self, mcp: McpClient, *, deadline: float) -> None:
        """Query the server's current tab and store it. Raises what `McpClient.call` raises."""
        ...

    async def return_to_page(self, mcp: McpClient) -> None:
        """After a restart of the server: switch it to the tab that was current before."""
        ...

    def current_tab(self) -> str | None:
        """The target id of the current tab; None if it is not known."""
        ...

    def choose_tab(self, target: str) -> None:
        """Make the tab with this target id the one to return to."""
        ...


class Notes:
    """Buffers lines for the model until the next outcome or observation."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def add(self, line: str) -> None:
        if line not in self._lines:
            self._lines.append(line)
        del self._lines[:-20]

    def take(self) -> tuple[str, ...]:
        lines, self._lines = tuple(self._lines), []
        return lines


class Lifecycle:
    """Starts each part when first needed, and again after it was lost; restarts are added to the notes."""

    def __init__(self, resources: SessionResources, driver: Driver, notes: Notes) -> None:
        self.chromium: RunningChromium | None = None
        self.watch: PageMonitor | None = None
        self.was_parked = False
        self._locality = Locality.of(resources.settings)
        self._resources = resources
        self._driver = driver
        self._notes = notes
        self._mcp: McpClient | None = None
        self._downloads: Downloads | None = None
        self._starting = asyncio.Lock()
        self._starts: set[asyncio.Task[object]] = set()
        self._is_over = False
        self._ending: asyncio.Task[None] | None = None
        self._failures: deque[float] = deque(maxlen=MAX_RESTARTS)
        self._hangs = ("", 0)
        self._is_new = True
        self._was_lost = False
        """The connection to a browser on a host has ended; it may still be running."""

    @property
    def is_starting(self) -> bool:
        """True while a start waits for a slot or is in progress."""
        return self._starting.locked()

    async def make_ready(self) -> McpClient:
        """Return an open MCP session on a running browser. Raises BrowserUnavailable."""
        return await self._until_over(self._make_ready())

    async def open(self) -> None:
        """Start the browser without its tools. Raises BrowserUnavailable."""
        await self._until_over(self._open())

    def use(self, locality: Locality) -> None:
        """Show pages another zone and language, from now on."""
        self._locality = locality
        if self.watch is not None:
            self.watch.use(locality)

    async def close(self, *, leaves: bool = False) -> None:
        """End permanently, and cancel starts in progress. With `leaves`, the browser may stay for another process."""
        self._is_over = True
        for start in self._starts:
            start.cancel()
        await asyncio.gather(*self._starts, return_exceptions=True)
        await self.end(leaves=leaves)

    async def end(self, *, leaves: bool = False) -> None:
        """End the processes; the profile stays. Shielded: completes even if the caller is cancelled."""
        self._ending = asyncio.create_task(self._end(leaves=leaves))
        await asyncio.shield(self._ending)

    async def recover(self, url: str | None) -> None:
        """Recover from a hang; `url` is the current page's.

        Restarts a browser that does not answer; else stops loading, replaces hanging pages and restarts the
        tools if they do not answer.
        """
        if self.chromium is not None and not await self.chromium.answers():
            await self._lose_browser()
            return
        await self._stop_pages(url)
        if self._mcp is not None:
            try:
                await self._driver.locate(self._mcp, deadline=5)
            except (ToolTimeout, ToolServerLost, ToolRefused):
                await self._drop_mcp()

    def count_failure(self, why: str = "") -> None:
        """Raises BrowserUnavailable at the third failure within five minutes, and resets the counter."""
        self._failures.append(monotonic())
        if len(self._failures) == MAX_RESTARTS and self._failures[-1] - self._failures[0] < FAILURE_WINDOW:
            self._failures.clear()
            raise BrowserUnavailable(
                joined((sentence("browser.fails", n=MAX_RESTARTS, minutes=FAILURE_WINDOW / 60), why))
            )

    def count_hang(self, url: str | None) -> None:
        """Count a hang; from the second in a row of one host, a note advises against trying it again."""
        host = host_of(url or "")
        self._hangs = (host, self._hangs[1] + 1 if self._hangs[0] == host else 1)
        if self._hangs[1] >= 2 and host:
            self._notes.add(sentence("note.host_hung", host=host, n=self._hangs[1]))

    async def _until_over(self, start: Coroutine[None, None, T]) -> T:
        """Run a start in a separate task, so that `close` can cancel it independently of its caller."""
        task = asyncio.create_task(start)
        self._starts.add(task)
        task.add_done_callback(self._starts.discard)
        if self._is_over:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            asker = asyncio.current_task()
            if self._is_over and asker is not None and not asker.cancelling():
                raise BrowserUnavailable(sentence("browser.session_closed")) from None
            raise

    async def _make_ready(self) -> McpClient:
        async with self._starting:
            await self._make_browser_ready()
            if self._mcp is not None and not self._mcp.is_open:
                await self._drop_mcp()
            if self._mcp is None:
                self._mcp = await self._open_mcp()
                await self._return_to_page(self._mcp)
            return self._mcp

    @property
    def has_ended(self) -> bool:
        """Whether its browser was started and is not running any more."""
        return self.chromium is not None and not self.chromium.is_running

    async def _open(self) -> None:
        async with self._starting:
            await self._make_browser_ready()

    async def _make_browser_ready(self) -> None:
        if not self._driver.has_chromium:
            return
        if self.has_ended:
            await self._lose_browser()
        if self.chromium is None:
            self.chromium = await self._resources.launch()
            self._log_start(self.chromium)
        if self.watch is None:
            try:
                await self._watch_over(self.chromium)
            except BrowserUnavailable:
                if self.chromium.is_running:
                    raise
                await self._make_browser_ready()  # it ended in the meantime; `_lose_browser` counts these

    def _log_start(self, chromium: RunningChromium) -> None:
        was_parked, was_lost = self.was_parked, self._was_lost
        self.was_parked = self._was_lost = False
        if chromium.kept_tab:
            self._driver.choose_tab(chromium.kept_tab)
        if chromium.was_kept:
            self._is_new = False
            self._notes.add(BROWSER_KEPT) if was_lost else None
        elif was_lost:
            self._notes.add(BROWSER_RESTARTED)
        elif was_parked:
            self._notes.add(BROWSER_WOKEN)
        chromium.follow_tab(self._driver.current_tab)

    async def _watch_over(self, chromium: RunningChromium) -> None:
        settings, resources = self._resources.settings, self._resources
        self.watch = PageMonitor(
            chromium.cdp, self._notes.add, emulates_viewport=chromium.headless,
            locality=self._locality,
            dismisses_questions=self._driver.dismisses_questions,
        )  # fmt: skip
        self._downloads = Downloads(
            chromium.cdp, resources.files, resources.scratch / "arriving", self._notes.add, chromium.fetch
        )
        try:
            await self.watch.start()
            await self._downloads.start(enabled=settings.downloads)
        except CdpError as error:
            for part in (self.watch, self._downloads):
                await part.close()
            self.watch = self._downloads = None
            raise BrowserUnavailable(sentence("chromium.unwatched", why=str(error))) from None

    async def _open_mcp(self) -> McpClient:
        for folder in (self._resources.scratch, self._resources.files):
            folder.mkdir(parents=True, exist_ok=True)
        while True:
            endpoint = self.chromium.endpoint if self.chromium else None
            server = await asyncio.to_thread(self._driver.server_at, endpoint)  # searches for programs
            mcp = McpClient("browser", server, self._resources.processes)
            try:
                await mcp.open(deadline=self._driver.start_deadline)
                return mcp
            except ToolServerLost as error:
                log.warning("session %s: %s", self._resources.session_id, error)
                self.count_failure(str(error))

    async def _return_to_page(self, mcp: McpClient) -> None:
        """After a restart: return to the page."""
        if not self._is_new:
            with suppress(ToolTimeout, ToolServerLost, ToolRefused):
                await self._driver.return_to_page(mcp)
        self._is_new = False

    async def _drop_mcp(self) -> None:
        mcp, self._mcp = self._mcp, None
        if mcp is not None:
            self._notes.add(TOOLS_RESTARTED)
            await mcp.close()

    async def _lose_browser(self) -> None:
        self.count_failure()
        self._was_lost = self.chromium is not None and self.chromium.is_remote
        await self.end()
        if not self._was_lost:
            self._notes.add(BROWSER_RESTARTED)

    async def _stop_pages(self, url: str | None) -> None:
        if (watch := self.watch) is None:
            return
        for page in list(watch.pages.values()):
            await hangs.stop_loading(watch.cdp, page)
            if page.dialog is None and not page.is_crashed and not await hangs.is_steady(watch.cdp, page):
                self._notes.add(sentence("note.page_hung", address=page.url[:120]))
                self.count_hang(url)
                with suppress(CdpError):
                    await hangs.replace(watch.cdp, page)

    async def _end(self, *, leaves: bool = False) -> None:
        parts, chromium = (self._mcp, self.watch, self._downloads), self.chromium
        self._mcp = self.watch = self._downloads = self.chromium = None
        for part in parts:
            if part is not None:
                await part.close()
        if chromium is not None:
            await (chromium.leave() if leaves else chromium.close())
        await asyncio.to_thread(shutil.rmtree, self._resources.scratch, ignore_errors=True)
