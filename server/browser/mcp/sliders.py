"""Sets the value of a slider that is no field: by keys, and by the mouse where they do not reach the value."""

from __future__ import annotations

import re

from pydantic import BaseModel, ValidationError

from server.browser.mcp import editors
from server.browser.mcp.current_page import CurrentPage
from server.browser.scripts import script
from server.ops.json_types import JsonObject

MAX_PRESSES = 400
"""Of one arrow key."""
_MAX_SLIDER_ROUNDS = 8
"""How many times what is left is corrected."""
_FIRST_MOVE = 12
"""CSS pixels, from which the scale of a slider is found out."""
_SLIDER_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_STATE = script("slider")


class SliderState(BaseModel, frozen=True):
    now: float
    low: float
    high: float
    x: float
    y: float
    tall: bool = False
    """It is moved up and down."""


def number_in(text: str) -> float | None:
    """The number that a text such as `70 %` or `1 200` begins with or holds alone; None if there is none."""
    found = _SLIDER_NUMBER.findall(re.sub(r"(?<=\d)[\s\u00a0\u202f](?=\d{3}\b)", "", text))
    return float(found[0].replace(",", ".")) if len(found) == 1 else None


async def set_value(here: CurrentPage, at: int, wanted: float, *, by_mouse: bool) -> float | None:
    """What the held slider has then; None if it is gone. `by_mouse`: its place in the window is known."""
    state = await _state(here, at, "focus")
    if state is None:
        return None
    wanted = min(max(wanted, state.low), state.high) if state.low < state.high else wanted
    async with here.until_quiet(typed=True):
        state = await _press_keys(here, at, state, wanted)
        if by_mouse and state is not None and state.now != wanted:
            state = await _drag(here, at, state, wanted)
    now = await _state(here, at)
    return now.now if now else state.now if state else None


async def _press_keys(here: CurrentPage, at: int, state: SliderState, wanted: float) -> SliderState | None:
    began = state.now
    for key in ("ArrowRight", "ArrowLeft"):
        if began == wanted:
            return state
        await editors.press_key(here, key)
        after = await _state(here, at)
        if after is None or after.now != began:
            break
    else:
        return state
    if after is None:
        return None
    forth, back = ("ArrowRight", "ArrowLeft")
    if (after.now > began) is not (key == "ArrowRight"):
        forth, back = back, forth
    step, state = abs(after.now - began), after
    for _ in range(_MAX_SLIDER_ROUNDS):
        left = wanted - state.now
        count = min(round(abs(left) / step), MAX_PRESSES)
        if not count:
            break
        for _ in range(count):
            await editors.press_key(here, forth if left > 0 else back)
        if (moved := await _state(here, at)) is None:
            return None
        if moved.now == state.now:
            break
        state = moved
    return state


async def _drag(here: CurrentPage, at: int, state: SliderState, wanted: float) -> SliderState | None:
    """Hold the handle, find out how far it goes with the mouse, and move it to where the value is."""
    x, y = state.x, state.y
    await _mouse(here, "mouseMoved", x, y)
    await _mouse(here, "mousePressed", x, y)
    try:
        along = float(_FIRST_MOVE if wanted > state.now else -_FIRST_MOVE)
        along = -along if state.tall else along
        before, offset, best = state.now, 0.0, (abs(wanted - state.now), 0.0)
        for _ in range(_MAX_SLIDER_ROUNDS):
            offset += along
            await _mouse(here, "mouseMoved", *((x, y + offset) if state.tall else (x + offset, y)))
            if (moved := await _state(here, at)) is None:
                return None
            best = min(best, (abs(wanted - moved.now), offset))
            if moved.now in (wanted, before):
                break
            along = (wanted - moved.now) * along / (moved.now - before)
            before, state = moved.now, moved
            if abs(along) < 0.5:
                break
        offset = best[1]
        await _mouse(here, "mouseMoved", *((x, y + offset) if state.tall else (x + offset, y)))
    finally:
        await _mouse(here, "mouseReleased", *((x, y + offset) if state.tall else (x + offset, y)))
    return await _state(here, at)


async def _mouse(here: CurrentPage, kind: str, x: float, y: float) -> None:
    held: JsonObject = {} if kind == "mouseMoved" else {"clickCount": 1}
    event: JsonObject = {"type": kind, "x": round(x), "y": round(y), "button": "left", "buttons": 1, **held}
    await here.send("Input.dispatchMouseEvent", event)


async def _state(here: CurrentPage, at: int, first: str = "") -> SliderState | None:
    place = here.held_in.get(at)
    try:
        return SliderState.model_validate(await here.run(f"() => ({_STATE})({at}, '{first}')", place=place))
    except ValidationError:
        return None
