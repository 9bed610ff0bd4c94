"""Reads the current page for the adapter of any tool server: one reading for the gate, the model and the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from server.browser import observation
from server.browser.chromium.chromium import VIEWPORT
from server.browser.chromium.dialogs import quote
from server.browser.mcp.tool_calls import UNSTEADY, AnswerTooLong, CallFailed, ToolCalls
from server.browser.observation import Element, Observation
from server.browser.observation.page_script import Extra
from server.browser.observation.viewport_script import MEASURE_SCRIPT, TOO_HEAVY, VIEWPORT_SCRIPT
from server.browser.off_loop import TookTooLong, off_loop
from wording.catalogue import joined, sentence

_MAX_PAGE_LOOKS = 3
DEGRADED = sentence("note.degraded")


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of reading the page; all fields are empty if it could not be read."""

    raw: str = ""
    """The accessibility snapshot, or the tool server's reply with it."""
    extra: Extra = field(default_factory=Extra)


class Source:
    """How an adapter gets a page's snapshot. Its methods raise CallFailed."""

    async def snapshot(self) -> tuple[str, bool]:
        """Return the snapshot of the tools' current tab with boxes, and whether that tab is known. Raises AnswerTooLong."""
        raise NotImplementedError

    async def find_tab(self) -> None:
        """Learn which of several tabs is the tools' current one."""
        raise NotImplementedError

    async def with_handles(self, seen: Observation) -> Observation:
        """The observation with the targets that the tools accept as `Element.ref`."""
        return seen

    def own_ref(self, target: str) -> str:
        """The snapshot's ref of an element, from the target that the tools accept."""
        return target


class PageReader:
    """The observations of an `Adapter`."""

    def __init__(self, calls: ToolCalls, source: Source) -> None:
        self._calls = calls
        self._source = source
        self._overlong: str | None = None
        """URL of a page whose snapshot exceeded the maximum message size."""

    # Observations

    async def observe(self, keep: Sequence[str]) -> Observation:
        seen = await self._read()
        refs = [self._source.own_ref(target) for target in keep]
        await self._calls.note_asked()
        passed = await self._calls.here.take_passed()
        notes = (*self._calls.notes.take(), *(sentence("note.passed", text=quote(text)) for text in passed))
        found = await self._observe(seen, notes=notes, keep=refs)
        return found.model_copy(update={"urgent": (*passed, *found.urgent)}) if passed else found

    async def focus(self, element: Element) -> Observation:
        seen = await self._read()
        around = self._source.own_ref(element.ref)
        return await self._observe(seen, notes=self._calls.notes.take(), around=around)

    async def shown(self, target: str | None = None) -> Observation | None:
        """Observe the page, or the surroundings of `target`, for a model that calls tools by name.

        None if the page cannot be read. Does not take the notes: they are for the outcome.
        """
        seen = await self.see()
        if not seen.raw:
            return None
        budget = observation.Budget(names_targets=True)
        return await self._observe(seen, budget=budget, around=self._source.own_ref(target or ""))

    async def text_near(self, element: Element) -> str:
        seen = await self._read()
        ref = self._source.own_ref(element.ref)
        return await self._calls.parse(observation.text_near, seen.raw, ref, extra=seen.extra, missing="")

    async def _observe(
        self, seen: Seen, *, budget: observation.Budget = observation.DEFAULT_BUDGET, notes: Sequence[str] = (),
        keep: Sequence[str] = (), around: str = "",
    ) -> Observation:  # fmt: skip
        work = partial(
            observation.observe_snapshot, url=self._calls.here.url or "about:blank", title=self._calls.here.title or "",
            viewport=VIEWPORT, budget=budget,
        )  # fmt: skip
        try:
            found = await off_loop(work, seen.raw, notes=notes, extra=seen.extra, keep=keep, around=around)
        except TookTooLong as error:
            return work("", notes=(*notes, str(error)))
        return await self._source.with_handles(found)

    # Reading the page

    async def _read(self) -> Seen:
        """Read the page in a turn of its own; nothing, with a note, if that fails."""
        async with self._calls.reading():
            return await self.see()
        return Seen()

    async def see(self) -> Seen:
        """Read the page while no person has it: after a takeover, it is read again."""
        while True:
            await self._calls.until_free()
            seen = await self._see_now()
            if not self._calls.is_held:
                return seen

    async def _see_now(self) -> Seen:
        """Read the page's snapshot with boxes and the page script's result, both of the same origin.

        Retried if the page changes its origin during the read; empty after _LOOKS such attempts.
        """
        for _ in range(_MAX_PAGE_LOOKS):
            if dialog := self._calls.here.dialog:
                is_leaving = dialog.kind == "beforeunload"
                self._calls.notes.add(
                    sentence("note.leave_question")
                    if is_leaving
                    else sentence("note.page_asks", kind=dialog.kind, text=quote(dialog.message))
                )
                return Seen()
            if (seen := await self._see_once()) is not None:
                return seen
        self._calls.notes.add(UNSTEADY)
        return Seen()

    async def _see_once(self) -> Seen | None:
        """Read the page once; None if the result may mix documents of different origins."""
        weight = await self._weigh()
        if weight is None:
            await self._calls.recover()
            weight = await self._weigh()
        if self._is_too_heavy(weight):
            return await self._see_in_part()
        before = self._calls.here.moment
        try:
            raw, is_known = await self._source.snapshot()
        except AnswerTooLong:
            self._overlong = self._calls.here.url
            return await self._see_in_part()
        except CallFailed as error:
            self._calls.notes.add(joined((str(error), sentence("note.unreadable"))))
            return Seen()
        extra = await self._calls.here.look()
        if (extra.unknown or extra.deaf) and self._calls.here.moment is not None:
            extra = await self._calls.here.look()
            if (extra.unknown and extra.texts is None) or extra.deaf:
                self._calls.notes.add(DEGRADED)
        if not is_known or (before is not None and before != self._calls.here.moment):
            return None
        return Seen(raw, extra)

    async def text(self) -> str:
        """The page's snapshot alone, without the page script; "" while a dialog is open. Raises CallFailed.

        Of a page that is too large to be read whole it is the visible part.
        """
        if self._calls.here.dialog:
            return ""
        if not self._is_too_heavy(await self._weigh()):
            try:
                return (await self._source.snapshot())[0]
            except AnswerTooLong:
                pass
        return str(await self._calls.here.run(VIEWPORT_SCRIPT) or "")

    async def _see_in_part(self) -> Seen | None:
        """Read only the visible part of a page that is too large to be read completely."""
        if self._calls.here.has_several:
            await self._source.find_tab()
        before = self._calls.here.moment
        text = str(await self._calls.here.run(VIEWPORT_SCRIPT) or "")
        extra = await self._calls.here.look()
        if before != self._calls.here.moment:
            return None
        self._calls.notes.add(sentence("note.page_too_large"))
        return Seen(text, extra)

    def _is_too_heavy(self, weight: float | None) -> bool:
        """Whether a snapshot of the page would take too long; so it is of a page that could not be weighed."""
        return weight is None or weight > TOO_HEAVY or (weight > 0 and self._calls.here.url == self._overlong)

    async def _weigh(self) -> float | None:
        """Measure the page's size, as `TOO_HEAVY` counts it; None if the page does not answer."""
        page = self._calls.here.page
        if page is None or page.is_crashed:  # the server opens a new one
            return 0
        weight = await self._calls.here.run(MEASURE_SCRIPT, deadline=5)
        return float(weight) if isinstance(weight, int | float) else None
