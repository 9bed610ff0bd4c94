"""Chooses in lists that are made of other elements than a select: opens one, finds the option, presses it, reads back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from pydantic import BaseModel, ValidationError

from server.browser.browser import ToolOutcome
from server.browser.mcp import editors
from server.browser.mcp.field_values import REMOVE
from server.browser.mcp.tool_calls import ToolCalls, name_of
from server.browser.observation import Element
from server.browser.observation.rendering import clean
from server.browser.scripts import script
from server.ops.json_types import JsonObject
from server.text import cut
from wording.catalogue import joined, sentence

_HOLD = script("drawn_list")
_LOOKS, _SOON, _PAUSE = 12, 4, 0.1
"""How many times an option is looked for, at most and where typing may bring it, and the seconds in between: lists ask
their sites."""
_PARTS = 60
"""Parts of a long list that are looked through."""
_SHOWN, _NAME_CHARS = 20, 80
Click = Callable[[Element], Awaitable[ToolOutcome]]


class _Found(BaseModel, frozen=True):
    many: int = 0
    names: tuple[str, ...] = ()
    isOff: bool = False
    isChosen: bool = False


async def choose(
    calls: ToolCalls, click: Click, element: Element, options: Sequence[str]
) -> ToolOutcome | None:
    """Choose the options, or take out those after `remove`; None if the element is not found as it was seen."""
    outcome: ToolOutcome | None = None
    notes: list[str] = []
    for words in options:
        held = await calls.here.run(f"() => ({_HOLD})({json.dumps(element.box or (0, 0, 0, 0))})")
        if not isinstance(held, dict):
            return outcome
        outcome = await _choose_one(calls, click, element, words, held)
        notes += outcome.notes
        if not outcome.ok:
            break
    return outcome and replace(outcome, notes=tuple(notes))


async def _choose_one(
    calls: ToolCalls, click: Click, element: Element, words: str, held: JsonObject
) -> ToolOutcome:
    here, name = calls.here, name_of(element)
    if not held.get("isOpen"):
        opened = await click(element)
        if not opened.ok:
            return opened
    removed = words[len(REMOVE) :] if words.lower().startswith(REMOVE) else ""
    found = await _look_for(calls, words, has_input=bool(held.get("hasInput")))
    if not found.many and removed:
        words = removed
        found = await _look_for(calls, words, has_input=bool(held.get("hasInput")))
    else:
        removed = ""
    if found.many != 1 or found.isOff:
        refused = await _refusal(calls, words, found)
        await editors.press_key(here, "Escape")
        return calls.outcome(False, refused)
    if found.isChosen is not bool(removed):
        await editors.press_key(here, "Escape")
        return calls.outcome(True, sentence("did.already_so", target=joined((name, f'"{words}"'))))
    at = await here.run("() => pilothouseList.place()")
    if not isinstance(at, dict):
        return calls.outcome(False, sentence("option.covered", option=cut(words, _NAME_CHARS)))
    async with here.until_quiet(typed=False):
        await press_mouse(calls, int(at["x"]), int(at["y"]))
    return await _after(calls, element, words, is_removed=bool(removed))


async def press_mouse(calls: ToolCalls, x: int, y: int) -> None:
    at: JsonObject = {"x": x, "y": y, "button": "left", "clickCount": 1}
    await calls.here.send("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
    await calls.here.send("Input.dispatchMouseEvent", {**at, "type": "mousePressed"})
    await calls.here.send("Input.dispatchMouseEvent", {**at, "type": "mouseReleased"})


async def _after(calls: ToolCalls, element: Element, words: str, *, is_removed: bool) -> ToolOutcome:
    """The outcome, with what the list holds where that is not what was meant."""
    name = name_of(element)
    did = (
        sentence("did.unchose", option=words, target=name)
        if is_removed
        else sentence("did.chose", option=words, target=name)
    )
    outcome, here = calls.outcome(True, did), calls.here
    if here.dialog:
        return outcome
    holds = await here.run(f"() => pilothouseList.holds({json.dumps(words)})")
    if not isinstance(holds, dict) or bool(holds.get("isChosen")) is not is_removed:
        return outcome
    value = cut(clean(str(holds.get("text") or "")), _NAME_CHARS)
    said = sentence("field.value", text=value) if value else sentence("field.nothing")
    note = sentence("field.holds_instead", target=name, value=said)
    return replace(outcome, notes=(note, *outcome.notes))


async def _look_for(calls: ToolCalls, words: str, *, has_input: bool) -> _Found:
    """The option, where the list is; where what is typed filters it; in its further parts; at last one whose name goes
    on after these words."""
    if (found := await _find_soon(calls, words, _SOON if has_input else _LOOKS)).many:
        return found
    if has_input:
        await calls.here.run("() => pilothouseList.focus()")
        async with calls.here.until_quiet(typed=True):
            await editors.type_signs(calls.here, words)
        if (found := await _find_soon(calls, words)).many:
            return found
    for _ in range(_PARTS):
        if await calls.here.run("() => pilothouseList.further()") is not True:
            break
        await asyncio.sleep(_PAUSE)
        if (found := await _find(calls, words)).many:
            return found
    await calls.here.run("() => pilothouseList.first()")
    await asyncio.sleep(_PAUSE)
    return await _find(calls, words, is_loose=True)


async def _find_soon(calls: ToolCalls, words: str, looks: int = _LOOKS) -> _Found:
    known: object = None
    for _ in range(looks):
        if (found := await _find(calls, words)).many:
            return found
        names = await calls.here.run("() => pilothouseList.names()")
        if names and names == known:  # it has come, without the option
            break
        known = names
        await asyncio.sleep(_PAUSE)
    return _Found()


async def _find(calls: ToolCalls, words: str, *, is_loose: bool = False) -> _Found:
    given = f"{json.dumps(words)}, {json.dumps(is_loose)}"
    try:
        return _Found.model_validate(await calls.here.run(f"() => pilothouseList.find({given})") or {})
    except ValidationError:
        return _Found()


async def _refusal(calls: ToolCalls, words: str, found: _Found) -> str:
    if found.many > 1:
        names = ", ".join(f'"{clean(name)}"' for name in found.names[:_SHOWN])
        return sentence("option.several", n=found.many, text=cut(words, _NAME_CHARS), options=names)
    found_names = await calls.here.run("() => pilothouseList.names()")
    shown = found_names if isinstance(found_names, list) else []
    names = ", ".join(f'"{cut(clean(str(name)), _NAME_CHARS)}"' for name in shown[:_SHOWN])
    return sentence("option.only", options=names) if names else sentence("option.unknown")
