"""One session's browser: the `Browser` protocol and what pool and live view need, for every kind of tool server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, ParamSpec, Protocol

from mcp.types import Tool

from server.browser.addresses import AddressRefused, normal_url
from server.browser.browser import (
    HOLD_MS,
    Browser,
    Direction,
    Field,
    Manner,
    PagePicture,
    PagePoint,
    Tab,
    ToolOutcome,
    ToolSpec,
)
from server.browser.chromium.locality import Locality
from server.browser.chromium.page_monitor import PageMonitor
from server.browser.chromium.request_log import ChromiumRequestLog
from server.browser.chromium.running import RunningChromium
from server.browser.login_form import FieldValues, LoginForm, LoginRule
from server.browser.masking import make_picture, mask_text, size_of_picture
from server.browser.mcp import login_fields
from server.browser.mcp.client import Http, McpClient, Stdio
from server.browser.mcp.current_page import OUTSIDE_VIEW
from server.browser.mcp.filling import Filling
from server.browser.mcp.held_acts import PASSIVE, HeldActs
from server.browser.mcp.lifecycle import Lifecycle, Notes, SessionResources
from server.browser.mcp.tool_calls import HELD, CallFailed, ToolCalls
from server.browser.mcp.tool_schema import find_fault
from server.browser.observation import Element, Observation, PointHit
from server.browser.observation.page_script import Box, Extra
from server.browser.observation.points import find_hit
from server.browser.outgoing.held import ActTerms, HeldRequest
from server.browser.reading import reader
from server.browser.reading.content_script import PageContent
from server.browser.reading.reader import Reading
from server.browser.sent import RequestLog
from server.ops.json_types import JsonView
from server.settings import Settings
from wording.catalogue import Wording, joined, sentence

P = ParamSpec("P")

PDF = "application/pdf"
_LOADS_MORE = sentence("reading.loads_more")


class Adapter(Protocol):
    """Translates what `Browser` names into calls of one tool server.

    `SessionBrowser` calls all methods in a turn, except `observe`, `focus`, `text_near`, `locate` and
    `return_to_page`; the former may raise CallFailed.
    """

    async def call(self, spec: ToolSpec, args: JsonView) -> ToolOutcome: ...
    async def picture(self, *, deadline: float) -> bytes | None: ...
    async def observe(self, keep: Sequence[str]) -> Observation: ...
    async def focus(self, element: Element) -> Observation: ...
    async def text_near(self, element: Element) -> str: ...
    async def shown(self, target: str | None = None) -> Observation | None: ...
    async def navigate(self, url: str) -> ToolOutcome: ...
    async def back(self) -> ToolOutcome: ...
    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome: ...
    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome: ...
    async def type(self, fields: Sequence[Field], *, submit: bool) -> ToolOutcome: ...
    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome: ...
    async def hover(self, target: Element | PagePoint) -> ToolOutcome: ...
    async def press(self, key: str) -> ToolOutcome: ...
    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None
    ) -> ToolOutcome: ...
    async def scroll_to(
        self, query: str, direction: Direction, over: Element | PagePoint | None
    ) -> ToolOutcome: ...
    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome: ...
    async def answer_dialog(self, accept: bool, text: str | None) -> ToolOutcome: ...
    async def tabs(self) -> Sequence[Tab]: ...
    async def switch_tab(self, index: int) -> ToolOutcome: ...

    async def locate(self, mcp: McpClient, *, deadline: float) -> None:
        """Query the server's current tab and store it. Raises what `McpClient.call` raises."""
        ...

    async def return_to_page(self, mcp: McpClient) -> None:
        """After a restart of the server: switch it to the tab that was current before."""
        ...


@dataclass(frozen=True, slots=True)
class ToolServer:
    """A kind of tool server: how it is started, what it offers, and its adapter.

    `command` returns the MCP server, attached to the Chromium at `endpoint` (None: only its tools are listed),
    from settings, endpoint, scratch folder and the session's files. It raises BrowserUnavailable if a part of
    the server is missing. `offered` selects the tools that the model may use. `repeatable` are the tools that
    change nothing. `takes_points`: whether it can act at a point of the window.
    """

    command: Callable[[Settings, str | None, Path, Path], Stdio | Http]
    offered: Callable[[Settings, Sequence[Tool]], tuple[ToolSpec, ...]]
    adapter: Callable[[ToolCalls], Adapter]
    repeatable: frozenset[str]
    needs_chromium: Callable[[Settings], bool] = lambda settings: True
    dismisses_questions: bool = False
    takes_points: bool = False
    start_deadline: float = 60.0


class SessionBrowser(Browser):
    """One session's browser, driven through a tool server of kind `server`."""

    def __init__(self, resources: SessionResources, server: ToolServer) -> None:
        self.dismisses_questions = server.dismisses_questions
        self.start_deadline = server.start_deadline
        self._resources = resources
        self._server = server
        self._notes = Notes()
        self._hides_pictures = False
        self._lifecycle = Lifecycle(resources, self, self._notes)
        self._calls = ToolCalls(resources, self._lifecycle, self._notes, server.repeatable)
        self._acts = HeldActs(self._calls)
        self._adapter = server.adapter(self._calls)
        self._filling = Filling(self._calls, self._adapter)

    # Used by its lifecycle

    @property
    def has_chromium(self) -> bool:
        return self._server.needs_chromium(self._resources.settings)

    def server_at(self, endpoint: str | None) -> Stdio | Http:
        scratch, files = self._resources.scratch.resolve(), self._resources.files.resolve()
        return self._server.command(self._resources.settings, endpoint, scratch, files)

    async def locate(self, mcp: McpClient, *, deadline: float) -> None:
        await self._adapter.locate(mcp, deadline=deadline)

    async def return_to_page(self, mcp: McpClient) -> None:
        await self._adapter.return_to_page(mcp)

    def current_tab(self) -> str | None:
        return self._calls.here.target

    def choose_tab(self, target: str) -> None:
        self._calls.here.choose(target)

    # Used by the pool and the live view

    @property
    def chromium(self) -> RunningChromium | None:
        return self._lifecycle.chromium

    @property
    def monitor(self) -> PageMonitor | None:
        return self._lifecycle.watch

    @property
    def url(self) -> str | None:
        return self._calls.here.url

    @property
    def last_used(self) -> float:
        """When the last call ended, by the monotonic clock."""
        return self._calls.last_used

    @property
    def files(self) -> Path:
        """The session's own folder: downloads, and files that may be uploaded."""
        return self._resources.files

    @property
    def is_busy(self) -> bool:
        """True during a tool call and while the browser starts."""
        return self._calls.is_busy or self._lifecycle.is_starting

    @property
    def is_held(self) -> bool:
        """True during a takeover: no screenshots, tool calls fail, and page reads wait for its end."""
        return self._calls.is_held

    def hold(self) -> None:
        self._calls.hold()
        if self._acts.outgoing:
            self._acts.outgoing.rest(rests=True)

    def hand_back(self) -> None:
        self._calls.hand_back()
        if self._acts.outgoing:
            self._acts.outgoing.rest(rests=False)

    def touch(self) -> None:
        """Mark the browser as used, without a tool call."""
        self._calls.last_used = monotonic()

    async def open(self) -> None:
        """Start the browser for the user; the tools start at the first call. Raises BrowserUnavailable."""
        await self._lifecycle.open()
        self.touch()

    def configure(self, settings: Settings) -> None:
        """Show pages the zone and the language that are set now."""
        self._lifecycle.use(Locality.of(settings))

    def note(self, line: str) -> None:
        """Add a line for the model to the next outcome or observation."""
        self._notes.add(line)

    async def collect_garbage(self) -> None:
        if self.monitor:
            await self.monitor.collect_garbage()

    async def leave(self) -> None:
        """End the processes here; the browser stays for another process if it can outlive this one."""
        await self._lifecycle.close(leaves=True)

    async def park(self) -> None:
        """End the processes until the next use."""
        self._lifecycle.was_parked = True
        await self._lifecycle.end()

    async def close(self) -> None:
        """End the processes permanently, and cancel starts in progress; the profile stays."""
        await self._lifecycle.close()

    # The `Browser` protocol

    def tools(self) -> Sequence[ToolSpec]:
        return self._resources.tools

    async def call(self, name: str, args: JsonView) -> ToolOutcome:
        spec = next((tool for tool in self.tools() if tool.name == name), None)
        if spec is None:
            return self._calls.outcome(False, sentence("tool.unknown", tool=name))
        if fault := find_fault(spec, args):
            return self._calls.outcome(False, fault)
        if args.get("url") is not None:
            try:
                args = {**args, "url": normal_url(str(args["url"]))}
            except AddressRefused as error:
                return self._calls.outcome(False, sentence("not_opened", why=error.why))
        if not spec.acts:
            return await self._look(self._adapter.call, spec, args)
        filling = self._filling.by_name(name, args)
        acting = partial(self._show, filling) if filling else partial(self._adapter.call, spec, args)
        if name == "browser_click" and (element := self._filling.shown_target(args)):
            acting = partial(self._filling.press_kept, element, acting)
        return await self._perform(acting, to=str(args.get("url") or ""), is_passive=name in PASSIVE)

    async def _show(self, act: Callable[[], Coroutine[Any, Any, ToolOutcome]]) -> ToolOutcome:
        """Perform an act that a model called by name; its outcome has the page."""
        outcome = await act()
        for note in outcome.notes:
            self._notes.add(note)
        return self._calls.outcome_with_page(outcome.ok, outcome.text, await self._adapter.shown())

    async def observe(self, keep: Sequence[str] = (), points: Sequence[PagePoint] = ()) -> Observation:
        seen = self._with_state(await self._adapter.observe(keep))
        if not points or not self._server.takes_points:
            return seen
        async with self._calls.reading():
            hits, view = await self._hits(points, seen)
            if view and view == seen.view:  # else the page has moved since: its elements have other boxes
                return seen.model_copy(update={"hits": hits})
        return seen

    async def _hits(self, points: Sequence[PagePoint], seen: Observation) -> tuple[tuple[PointHit, ...], str]:
        """What is at the points, and the view of the page that they are in."""
        extra = await self._calls.here.look(brief=True)
        hits = []
        for point in points:
            if (found := await self._calls.here.layers_at(point.x, point.y)) is None:
                continue
            found = found.masked(lambda text: mask_text(text, extra.secrets))
            hits.append(find_hit(point.x, point.y, found, seen.interactive))
        view = Observation(page=seen.page, moment=extra.moment).view
        return tuple(hit for hit in hits if hit), view

    async def focus(self, element: Element) -> Observation:
        return self._with_state(await self._adapter.focus(element))

    def _with_state(self, seen: Observation) -> Observation:
        dialog = self._calls.here.dialog
        state = {"sends_are_held": self._acts.outgoing is not None, "dialog": dialog.kind if dialog else ""}
        return seen.model_copy(update=state)

    async def text_near(self, element: Element) -> str:
        return await self._adapter.text_near(element)

    async def read_page(self, page: int = 1, query: str = "") -> Reading:
        try:
            async with self._calls.turn():
                loads_more = page == 1 and await self._calls.here.loads_more()
                content = await self._calls.here.content()
                pdf = await self._calls.here.file(content.url) if content and content.kind == PDF else None
                shown = await self._calls.here.documents() if content and content.kind != PDF else []
                inside = [(name, await self._calls.here.file(url)) for name, url in shown]
                secrets = (await self._calls.here.look(brief=True)).secrets
        except CallFailed as error:
            return Reading(False, Wording(str(error)))
        if self.is_held:
            return Reading(False, HELD)
        if content is None or (content.kind == PDF and pdf is None):
            return Reading(False, sentence("page.unreadable_now"))
        reading = await _read(content, pdf, page, query)
        if loads_more and reading.ok:
            reading = replace(reading, about=joined((reading.about, _LOADS_MORE), ". "))
        for name, data in inside:
            reading = await _with_document(reading, name, data, page, query)
        text = await self._calls.parse(mask_text, reading.text, secrets, missing="")
        return replace(reading, text=text)

    async def has_more(self) -> bool:
        try:
            async with self._calls.turn():
                if await self._calls.here.loads_more():
                    return True
                content = await self._calls.here.content()
        except CallFailed:
            return False
        return content is not None and (content.goes_on or content.truncated)

    def under(self, terms: ActTerms) -> AbstractContextManager[None]:
        return self._acts.under(terms)

    def held(self) -> tuple[HeldRequest, ...]:
        return self._acts.held

    async def held_waits(self) -> bool:
        return await self._acts.waits()

    async def refuse_held(self) -> None:
        await self._acts.refuse()

    async def login_form(self, element: Element) -> LoginForm:
        try:
            async with self._calls.turn():
                return await login_fields.look(self._calls.here, element)
        except CallFailed:
            return LoginForm(refused="unreachable")

    async def fill_login(self, form: LoginForm, given: FieldValues) -> LoginRule:
        here, rules = self._calls.here, list[LoginRule]()

        async def fill() -> ToolOutcome:
            async with here.until_quiet(typed=True):
                rules.append(await login_fields.fill(here, form, given))
            return self._calls.outcome(not rules[0], "")

        self.hide_logins(given.values.values())
        await self._perform(fill)
        return rules[0] if rules else "unreachable"

    def hide_logins(self, values: Iterable[str]) -> None:
        self._hides_pictures = False
        self._calls.here.hide_for_good(values)

    def hide_pictures(self) -> None:
        self._hides_pictures = True

    def requests(self) -> RequestLog:
        monitor, page = self.monitor, self._calls.here.page
        if monitor is None or page is None or not page.session or page.is_crashed:
            return RequestLog()
        return ChromiumRequestLog(monitor, page, self._acts)

    async def screenshot(self) -> PagePicture | None:
        if self.is_held or self._hides_pictures:
            return None
        try:
            async with self._calls.turn():
                if self._calls.here.dialog:
                    return None
                before, drawn = await asyncio.gather(
                    self._calls.here.look(brief=True), self._calls.here.drawn()
                )
                hidden = _filled_boxes(before)
                shown = await login_fields.shown_boxes(self._calls.here)
                window = (round(drawn.width), round(drawn.height))
                data = await self._take_picture(window)
                after = await self._calls.here.look(brief=True) if hidden else before
                hidden += _filled_boxes(after)
                still = await login_fields.shown_boxes(self._calls.here)
                if before.unknown or after.unknown or shown is None or still is None:
                    return None  # some boxes to blur are unknown
                hidden += [*shown, *still]
        except CallFailed:
            return None
        if self.is_held or not data:
            return None
        picture = await asyncio.to_thread(make_picture, data, hidden)
        if picture is None:
            return None
        return replace(
            picture, moment=before.moment, drawn=drawn.share, window=window if all(window) else None
        )

    async def _take_picture(self, window: tuple[int, int]) -> bytes | None:
        """Over DevTools, in one message; by the tool server where that shows other than CSS pixels."""
        data = await self._calls.here.picture(deadline=2)
        if data is not None and await asyncio.to_thread(size_of_picture, data) == window:
            return data
        return await self._adapter.picture(deadline=5)

    async def navigate(self, url: str) -> ToolOutcome:
        try:
            address = normal_url(url)
        except AddressRefused as error:
            return self._calls.outcome(False, sentence("not_opened", why=error.why))
        return await self._perform(partial(self._adapter.navigate, address), to=address, is_passive=True)

    async def back(self) -> ToolOutcome:
        return await self._perform(self._adapter.back, is_passive=True)

    async def click(
        self, target: Element | PagePoint, *, manner: Manner = "", hold_ms: int = HOLD_MS
    ) -> ToolOutcome:
        return await self._do(self._filling.click, target, manner=manner, hold_ms=hold_ms)

    async def drag(self, start: Element | PagePoint, end: Element | PagePoint) -> ToolOutcome:
        return await self._do(self._adapter.drag, start, end)

    async def type(self, fields: Sequence[Field], *, submit: bool = False) -> ToolOutcome:
        if not fields:
            return self._calls.outcome(False, sentence("field.none"))
        return await self._do(self._filling.type, fields, submit=submit)

    async def select(self, element: Element, options: Sequence[str]) -> ToolOutcome:
        return await self._do(self._filling.select, element, options)

    async def hover(self, target: Element | PagePoint) -> ToolOutcome:
        return await self._perform(partial(self._adapter.hover, target), is_passive=True)

    async def press(self, key: str) -> ToolOutcome:
        return await self._do(self._adapter.press, key)

    async def scroll(
        self, direction: Direction, amount: int, over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        return await self._perform(partial(self._adapter.scroll, direction, amount, over), is_passive=True)

    async def scroll_to(
        self, query: str, direction: Direction = "down", over: Element | PagePoint | None = None
    ) -> ToolOutcome:
        return await self._perform(partial(self._adapter.scroll_to, query, direction, over), is_passive=True)

    async def wait(self, milliseconds: int) -> ToolOutcome:
        return await self._look(self._wait, milliseconds)

    async def upload(self, element: Element, files: Sequence[Path]) -> ToolOutcome:
        return await self._do(self._adapter.upload, element, files)

    async def answer_dialog(self, accept: bool, text: str | None = None) -> ToolOutcome:
        return await self._do(self._adapter.answer_dialog, accept, text)

    async def tabs(self) -> Sequence[Tab]:
        try:
            async with self._calls.turn():
                return await self._adapter.tabs()
        except CallFailed:
            return ()

    async def switch_tab(self, index: int) -> ToolOutcome:
        return await self._perform(partial(self._adapter.switch_tab, index), is_passive=True)

    async def reset(self) -> None:
        """Recover after an abandoned call, so that the next one finds a responsive page."""
        await self._calls.reset()

    async def _do(
        self, act: Callable[P, Coroutine[Any, Any, ToolOutcome]], *args: P.args, **options: P.kwargs
    ) -> ToolOutcome:
        """Perform an act in a turn of its own; a failed call becomes its outcome."""
        return await self._perform(partial(act, *args, **options))

    async def _perform(
        self, act: Callable[[], Coroutine[Any, Any, ToolOutcome]], *, to: str = "", is_passive: bool = False
    ) -> ToolOutcome:
        return await self._look(
            self._acts.perform, partial(self._unless_kept, act), to=to, is_passive=is_passive
        )

    async def _unless_kept(self, act: Callable[[], Coroutine[Any, Any, ToolOutcome]]) -> ToolOutcome:
        """Perform it. It ends at once where it would leave a page that asks, and in which a person entered something."""
        if (watch := self.monitor) is None:
            return await act()
        watch.dialogs.kept.clear()
        acting, kept = asyncio.create_task(act()), asyncio.create_task(watch.dialogs.kept.wait())
        try:
            await asyncio.wait((acting, kept), return_when=asyncio.FIRST_COMPLETED)
            if not kept.done():
                return await acting
            return self._calls.outcome(False, sentence("did_not.leave"))
        finally:
            acting.cancel()
            kept.cancel()
            await asyncio.wait((acting, kept))

    async def _look(
        self, call: Callable[P, Awaitable[ToolOutcome]], *args: P.args, **options: P.kwargs
    ) -> ToolOutcome:
        """Make a call that is no act in a turn of its own; likewise."""
        try:
            async with self._calls.turn():
                await self._calls.here.come_to_front()
                return await call(*args, **options)
        except CallFailed as error:
            return self._calls.failed(error)

    async def _wait(self, milliseconds: int) -> ToolOutcome:
        seconds = min(max(milliseconds, 0) / 1000, self._resources.settings.tool_timeout)
        await asyncio.sleep(seconds)
        return self._calls.outcome(True, sentence("did.waited", seconds=round(seconds, 3)))


async def _read(content: PageContent, pdf: bytes | None, page: int, query: str) -> Reading:
    reading = await (
        reader.read_html(content.html, page=page, query=query)
        if pdf is None
        else reader.read_pdf(pdf, page=page, query=query)
    )
    if not reading.ok:
        return replace(reading, about=sentence("reading.of_page", why=reading.about))
    notes = (
        sentence("reading.page_cut") if content.truncated else "",
        sentence("reading.rows_drawn") if content.has_more_rows else "",
    )
    return replace(reading, about=joined((reading.about, *notes), ". "))


async def _with_document(reading: Reading, name: str, data: bytes | None, page: int, query: str) -> Reading:
    """The reading of a page with the same part of a document that the page shows."""
    added = (
        await reader.read_pdf(data, page=page, query=query)
        if data
        else Reading(False, sentence("reading.not_loaded"))
    )
    about = sentence("reading.document", about=reading.about, name=name, added=added.about)
    texts = [reading.text] if reading.ok else []
    texts += [f"[document {name}]\n{added.text}"] if added.ok else []
    return replace(reading, ok=bool(texts), about=about, text="\n\n".join(texts))


def _filled_boxes(extra: Extra) -> list[Box]:
    """Of the secret fields in view that hold something."""
    return [field.box for field in extra.secrets if field.value and field.box != OUTSIDE_VIEW]
