"""One session's calls to its tool server: serialised, with automatic restart and recovery, and their outcomes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import TypeVar

from mcp.types import CallToolResult

from server.browser.browser import PagePoint, ToolOutcome
from server.browser.chromium.downloads import keep_print
from server.browser.chromium.page_world import DEVICE_PROMPTS
from server.browser.fence import with_page
from server.browser.lease import wait_for_lease
from server.browser.mcp.client import ToolRefused, ToolServerLost, ToolTimeout
from server.browser.mcp.current_page import CurrentPage
from server.browser.mcp.lifecycle import Lifecycle, Notes, SessionResources
from server.browser.observation import Element, Observation
from server.browser.off_loop import TookTooLong, off_loop
from server.ops.json_types import JsonView
from wording.catalogue import Wording, sentence
from wording.element_words import element_words

log = logging.getLogger(__name__)

T = TypeVar("T")

UNSTEADY = sentence("page.unsteady")
TOO_LONG = sentence("page.answer_too_long")
RESULT_CHARS = 1000
"""Maximum characters of what the tool server itself says about a call, outside of the fence."""
HELD = sentence("browser.held")


def name_of(target: Element | PagePoint) -> Wording:
    """What was acted on, as the outcome says it."""
    if isinstance(target, PagePoint):
        return sentence("element.point", x=target.x, y=target.y)
    return element_words(target.role, target.name[:60])


class CallFailed(Exception):
    """A tool call failed; the message is for the model."""


class PageTimeout(CallFailed):
    """The page did not answer within the call's deadline."""


class AnswerTooLong(CallFailed):
    """The tool server's answer about the current page exceeds the maximum message size."""


class ToolCalls:
    """The session's tool server as its adapter calls it. `repeatable` are the tools that change nothing: they
    are retried after the server was lost."""

    def __init__(
        self, resources: SessionResources, lifecycle: Lifecycle, notes: Notes, repeatable: frozenset[str]
    ) -> None:
        self.settings = resources.settings
        self.files = resources.files
        self.notes = notes
        self.lifecycle = lifecycle
        self.here = CurrentPage(lambda: lifecycle.watch)
        self.last_used = monotonic()
        self.shown: Observation | None = None
        """The page as a model that calls tools by name was shown it last."""
        self._resources = resources
        self._repeatable = repeatable
        self._free = asyncio.Event()
        self._free.set()
        self._turn = asyncio.Lock()
        self._was_abandoned = False

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

    async def reset(self) -> None:
        async with self._turn:
            self._was_abandoned = False
            await self.recover()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Serialise a call and make the browser ready for it. Raises BrowserUnavailable."""
        async with self._turn:
            try:
                if self._was_abandoned:
                    self._was_abandoned = False
                    await self.recover()
                await self.lifecycle.make_ready()
                yield
            except asyncio.CancelledError:
                self._was_abandoned = True
                raise
            finally:
                self.last_used = monotonic()
                self._empty_scratch()

    async def ask(self, tool: str, args: JsonView, deadline: float) -> CallToolResult:
        """Call a tool. Raises CallFailed after recovering for the next call, or BrowserUnavailable."""
        if self.is_held:
            raise CallFailed(HELD)
        mcp = await self.lifecycle.make_ready()
        await wait_for_lease()
        try:
            result = await mcp.call(tool, args, deadline=deadline)
        except ToolRefused as error:
            raise CallFailed(str(error)) from None
        except ToolTimeout:
            await self.recover()
            raise PageTimeout(sentence("page.no_answer", seconds=round(deadline))) from None
        except ToolServerLost as error:
            log.warning("session %s: %s", self._resources.session_id, error)
            if error.was_overlong:  # caused by the page: a retry would fail, too
                raise AnswerTooLong(TOO_LONG) from None
            self.lifecycle.count_failure(str(error))
            if tool in self._repeatable or not error.was_sent:
                return await self.ask(tool, args, deadline)
            raise CallFailed(sentence("browser.tools_broke_off")) from None
        if result.isError and self.lifecycle.has_ended:
            raise CallFailed(sentence("browser.ended"))
        return result

    async def recover(self) -> None:
        if self.is_held:  # the user controls the page now
            self._was_abandoned = True
            return
        await self.lifecycle.recover(self.here.url)

    async def leave_hung_page(self) -> None:
        """Replace a page whose main thread is stuck: navigation would not work there."""
        if not await self.here.answers():
            await self.recover()

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """A turn that a failed call ends, with a note."""
        try:
            async with self.turn():
                yield
        except CallFailed as error:
            self.notes.add(str(error))

    async def until_free(self) -> None:
        """Wait while a person has the browser."""
        await self._free.wait()

    async def parse(self, work: Callable[..., T], *args: object, missing: T, **options: object) -> T:
        """Parse page text off the event loop; returns `missing`, with a note, if that takes too long."""
        try:
            return await off_loop(work, *args, **options)
        except TookTooLong as error:
            self.notes.add(str(error))
            return missing

    async def note_asked(self) -> None:
        """Note what the page has asked of a person at the browser's window, and keep what it wanted to print."""
        for kind in await self.here.take_asked():
            if kind != "print":
                self.notes.add(sentence("note.asked_refused", what=DEVICE_PROMPTS[kind]))
            elif (data := await self.here.print_out()) and (
                name := await asyncio.to_thread(keep_print, self.files, self.here.title or "page", data)
            ):
                self.notes.add(sentence("note.printed", file=name))
            else:
                self.notes.add(sentence("note.not_printed"))

    def refusal_since(self, moment: float) -> str | None:
        """Return the egress proxy's last refusal as a sentence, if it is not older than `moment`."""
        refusal = self.lifecycle.chromium.egress.last_refusal if self.lifecycle.chromium else None
        return refusal[1] if refusal and refusal[0] >= moment else None

    def outcome(self, ok: bool, text: str, *, timed_out: bool = False) -> ToolOutcome:
        url, title = map(self.here.masked, (self.here.url, self.here.title))
        return ToolOutcome(ok, text, url, title, self.notes.take(), timed_out=timed_out)

    def failed(self, error: CallFailed) -> ToolOutcome:
        return self.outcome(False, str(error), timed_out=isinstance(error, PageTimeout))

    def outcome_with_page(self, ok: bool, text: str, page: Observation | None) -> ToolOutcome:
        """Return an outcome with result, notes and current page, for a model that calls tools by name.

        `page` is None if the page cannot be read now.
        """
        notes, here = self.notes.take(), self.here
        shown = here.masked(here.url), here.masked(here.title)
        url, title = (page.page.url, page.page.title) if page else shown
        lines = list(dict.fromkeys((*notes, *(page.notes if page else ()))))
        lines += [page.text_with_targets()] if page else []
        self.shown = page
        output = with_page(text, url, title, lines)
        private_url = page.page.url if page and page.asks_for_secret else None
        seen = page.outline if page else None
        return ToolOutcome(ok, output, *shown, notes, private_url, seen)

    def _empty_scratch(self) -> None:
        """Delete the MCP server's output: it keeps a copy of each screenshot without blurred secrets."""
        with suppress(FileNotFoundError):
            for path in self._resources.scratch.iterdir():
                if path.is_file():
                    path.unlink()
