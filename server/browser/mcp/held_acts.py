"""Performs a session's acts on their terms: an act whose request is held ends at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from server.browser.browser import ToolOutcome
from server.browser.chromium.cdp import CdpError
from server.browser.mcp.tool_calls import CallFailed, ToolCalls
from server.browser.outgoing.held import ActTerms, HeldRequest, OutgoingHold, named
from server.browser.outgoing.request import site_of_url
from server.browser.sent import SentRequest
from wording.catalogue import sentence

GATHERED = 0.05
"""Seconds in which further requests of the act join the first that is held."""
ANSWERS = 0.3
"""Seconds for the page to answer in the meantime; one that waits for a held request itself gets it failed."""
EXPECTED = 3.0
"""Seconds for which an act is waited for that has set off a held request later than it ended, the time before."""

PASSIVE = frozenset(
    {"browser_navigate", "browser_navigate_back", "browser_go_back", "browser_hover", "browser_scroll", "browser_mouse_wheel",
     "browser_tabs", "browser_switch_tab", "browser_close_tab", "browser_resize", "browser_wait_for", "browser_close"}
)  # fmt: skip
"""Tools that press and type nothing."""


class HeldActs:
    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls
        self._terms: ActTerms | None = None
        self._outgoing: OutgoingHold | None = None
        self._news = asyncio.Event()
        self._is_acting = False
        self._late: set[str] = set()
        """Sites on whose pages something was held after its act had ended."""
        self.held: tuple[HeldRequest, ...] = ()
        self.released: tuple[HeldRequest, ...] = ()
        """What the last act has let go in place of being performed."""

    @contextmanager
    def under(self, terms: ActTerms) -> Iterator[None]:
        before, self._terms = self._terms, terms
        try:
            yield
        finally:
            self._terms = before

    @property
    def outgoing(self) -> OutgoingHold | None:
        """The hold of the running browser; None if there is none."""
        chromium = self._calls.lifecycle.chromium
        found = chromium.outgoing if chromium else None
        if found is not None and found is not self._outgoing:
            found.listen(self._on_held)
            found.rest(rests=self._calls.is_held)
        self._outgoing = found
        return found

    async def waits(self) -> bool:
        """Whether what the last act was about to send still waits for a yes."""
        chromium, outgoing = self._calls.lifecycle.chromium, self.outgoing
        if (
            outgoing is None
            or not (chromium and chromium.is_running)
            or any(one.is_over for one in self.held)
        ):
            return False
        with suppress(CdpError):
            return await outgoing.waits([one.id for one in self.held])
        return False

    async def refuse(self) -> None:
        self.held = ()
        if outgoing := self.outgoing:
            with suppress(CdpError):
                await outgoing.fail()

    def left_out(self) -> Sequence[str]:
        """Network ids of what has not been sent."""
        return [one.network_id for one in self.held]

    def added(self) -> dict[str, SentRequest]:
        """By network id: what was let go after it had been announced."""
        return {
            one.network_id: SentRequest(one.method, one.place.partition("://")[2], one.path)
            for one in self.released
        }

    async def perform(
        self, act: Callable[[], Coroutine[Any, Any, ToolOutcome]], *, to: str = "", is_passive: bool = False
    ) -> ToolOutcome:
        """Perform it within a turn; `to` is the address that it opens. Raises what `act` raises."""
        outgoing, before, terms = self.outgoing, self.held, self._terms
        self.held, self.released = (), ()
        if outgoing is None or terms is None:
            if outgoing:  # another actor: the time of the agent's act has ended
                outgoing.rest(rests=self._calls.is_held)
            return await act()
        url = to or self._calls.here.url or ""
        try:
            await outgoing.begin(terms, url, is_passive=is_passive)
        except CdpError as error:
            raise CallFailed(sentence("call.nothing_done", why=str(error))) from None
        self._news.clear()
        self._is_acting = True
        try:
            if terms.release and await self._release(outgoing, terms, before):
                return (
                    self._outcome()
                    if self.held
                    else self._calls.outcome(True, self._sent_line(terms, before))
                )
            return await self._until_held(outgoing, asyncio.create_task(act()), site_of_url(url))
        finally:
            self._is_acting = False
            with suppress(CdpError):
                await outgoing.end()

    async def _release(self, outgoing: OutgoingHold, terms: ActTerms, before: Sequence[HeldRequest]) -> bool:
        async with self._calls.here.until_quiet(typed=False):
            try:
                released = await outgoing.release(terms.release)
            except CdpError as error:
                raise CallFailed(sentence("call.doubtful", why=str(error))) from None
        self.released = tuple(one for one in before if one.id in released)
        return bool(released)

    def _sent_line(self, terms: ActTerms, before: Sequence[HeldRequest]) -> str:
        given_up = [one for one in before if one.id in terms.release and one not in self.released]
        if not given_up:
            return sentence("did.sent_held")
        return sentence("did.sent_some", sent=named(self.released), given_up=named(given_up))

    async def _until_held(
        self, outgoing: OutgoingHold, acting: asyncio.Task[ToolOutcome], site: str
    ) -> ToolOutcome:
        held = asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait((acting, held), return_when=asyncio.FIRST_COMPLETED)
            if acting.done() and site in self._late:
                await asyncio.wait((held,), timeout=EXPECTED)
            if not held.done():
                return await acting
            await self._interrupt(acting)
            await self._let_page_answer(outgoing)
            return self._outcome()
        finally:
            held.cancel()
            acting.cancel()
            await asyncio.wait((acting, held))

    async def _interrupt(self, acting: asyncio.Task[ToolOutcome]) -> None:
        """The call would go on waiting for the request; the tool server ends it by itself."""
        await asyncio.wait((acting,), timeout=GATHERED)
        acting.cancel()
        await asyncio.gather(acting, return_exceptions=True)

    async def _let_page_answer(self, outgoing: OutgoingHold) -> None:
        here = self._calls.here
        if here.dialog or await here.run("() => 1", deadline=ANSWERS):
            return
        self.held = tuple(one.model_copy(update={"is_over": True}) for one in self.held)
        with suppress(CdpError):
            await outgoing.fail()

    def _outcome(self) -> ToolOutcome:
        return self._calls.outcome(False, sentence("did.held", requests=named(self.held)))

    def _on_held(self, held: HeldRequest) -> None:
        if self._is_acting:
            self.held = (*self.held, held)
            self._news.set()
            return
        self._late.add(site_of_url(self._calls.here.url or ""))
        self._calls.notes.add(sentence("note.late_send", requests=held.said))
