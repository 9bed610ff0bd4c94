"""Plays a widget: opens its page, does what is asked through the product's own acts, and judges what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal

from bench.zoo.bundle import bundle
from bench.zoo.widgets import Act, Widget
from scripts.node_packages import ZOO
from server.agent.actions import aim
from server.agent.operator.act.acting import perform, problem_of
from server.agent.operator.plan.move import Move, to_action
from server.browser.browser import ToolOutcome
from server.browser.mcp.session_browser import SessionBrowser
from server.browser.observation import Element, Observation
from tests.support.act_pages import tone
from tests.support.sites import Answer, Site

Mark = Literal["right", "refused", "silent", "missing"]
"""`refused`: not done, and the step says so; `silent`: wrong, and nothing says so; `missing`: not seen."""
_LOOKS, _PAUSE = 15, 0.1
_TAKERS = frozenset(
    {"textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox", "button", "clickable"}
)
_PAGE = "<!doctype html><meta charset=utf-8><title>{name}</title><h1>{name}</h1>{page}"


@dataclass(frozen=True)
class Played:
    """What came of one widget: three checks, and the seconds of each act."""

    widget: Widget
    seen: Mark
    put: Mark
    said: Mark
    seconds: tuple[float, ...]
    held: object
    words: str
    """What the steps and the last look say."""

    @property
    def marks(self) -> tuple[Mark, Mark, Mark]:
        return self.seen, self.put, self.said


@contextmanager
def zoo_site(folder: Path) -> Iterator[Site]:
    """A site with the packages, and the bundled pages of `src`."""
    bundle(folder)
    with Site() as site:
        site.folders = {"/npm/": ZOO / "node_modules", "/bundled/": folder}
        site.pages["/tone.wav"] = lambda _: Answer(tone(), type="audio/wav")
        yield site


async def play(widget: Widget, browser: SessionBrowser, site: Site) -> Played:
    for extra in reversed((await browser.tabs())[1:]):
        await browser.call("browser_tabs", {"action": "close", "index": extra.index})
    await browser.navigate(site.add("/widget", _PAGE.format(name=widget.name, page=widget.page)))
    first = await _look_for(browser, widget.seen)
    words: list[str] = []
    seconds: list[float] = []
    is_refused = False
    for act in widget.acts:
        began = perf_counter()
        outcome = await _do(act, browser)
        seconds.append(perf_counter() - began)
        words += [
            f"{act.action} {act.on}: {'ok' if outcome.ok else 'failed'}; {outcome.text}",
            *outcome.notes,
        ]
        is_refused |= not outcome.ok or any(
            " instead" in note or " is still " in note for note in outcome.notes
        )
        if not outcome.ok:
            break
    held = await _held(widget, browser)
    last = await _look_for(browser, widget.shows)
    put: Mark = "right" if held == widget.value else "refused" if is_refused else "silent"
    shows = all(part in last.text() for part in widget.shows)
    is_true = shows and not is_refused if put == "right" else put == "refused"
    said: Mark = "right" if is_true else "silent"
    seen: Mark = "right" if all(part in first.text() for part in widget.seen) else "missing"
    return Played(widget, seen, put, said, tuple(seconds), held, "\n".join([*words, last.text()]))


async def _do(act: Act, browser: SessionBrowser) -> ToolOutcome:
    """Do it as the operator does: as a move that names eids of what it has seen."""
    element, seen = (
        await _find(browser, act.action, act.on, act.role)
        if act.on or act.role
        else (None, await browser.observe())
    )
    if element is None and (act.on or act.role):
        return ToolOutcome(False, f"There is no {act.on!r}.")
    given: Mapping[str, object] = act.arguments
    if act.action == "drag":
        end = next((one for one in seen.interactive if one.name == given["to"]), None)
        if end is None:
            return ToolOutcome(False, f"There is no {given['to']!r}.")
        given = {"to_eid": end.eid}
    eid = {"eid": element.eid} if element else {}
    action = to_action(Move.model_validate({"reason": "asked", "action": act.action, **eid, **given}), "zoo")
    files = {path.name: path for path in browser.files.glob("*")}
    if problem := problem_of(action, seen, files):
        return ToolOutcome(False, problem)
    return await perform(browser, aim(action, seen), files)


async def _find(browser: SessionBrowser, act: str, on: str, role: str) -> tuple[Element | None, Observation]:
    """The control with this name, else the first whose name has it; it may come late."""
    for turn in range(_LOOKS):
        seen = await browser.observe()
        all_roles = [one for one in seen.interactive if role in ("", one.role)]
        takers = [one for one in all_roles if one.role in _TAKERS]
        is_late = turn > _LOOKS // 2  # what takes it may come after its label
        for some in (takers, all_roles if is_late else ()) if act in ("type", "select") else (all_roles,):
            named = [one for one in some if one.name.casefold() == on.casefold()]
            if found := named or [one for one in some if on.casefold() in one.name.casefold()]:
                return found[0], seen
        await asyncio.sleep(_PAUSE)
    return None, seen


async def _look_for(browser: SessionBrowser, parts: tuple[str, ...]) -> Observation:
    for _ in range(_LOOKS):
        seen = await browser.observe()
        if all(part in seen.text() for part in parts):
            break
        await asyncio.sleep(_PAUSE)
    return seen


async def _held(widget: Widget, browser: SessionBrowser) -> object:
    """What the widget itself holds: read in the page's own world, without any of the product's scripts."""
    monitor = browser.monitor
    assert monitor is not None
    page = next(reversed(monitor.pages.values()))
    held: object = None
    for _ in range(_LOOKS):  # some hold a value a moment later
        source = {"expression": f"JSON.stringify(({widget.held}) ?? null)", "returnByValue": True}
        answer = await monitor.cdp.send("Runtime.evaluate", source, session=page.session)
        value = answer["result"].get("value")
        held = json.loads(value) if isinstance(value, str) else answer["result"].get("description")
        if held == widget.value:
            break
        await asyncio.sleep(_PAUSE)
    return held
