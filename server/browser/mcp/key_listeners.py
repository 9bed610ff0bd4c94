"""Has a page notice that a field was typed into, where it listens to keys or waits until the field is left.

Tool servers put a text into a field at once, of which a page learns by `input` alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from server.browser.mcp import editors
from server.browser.mcp.current_page import CurrentPage
from server.browser.scripts import script

Listens = Literal["", "around", "own"]
"""Where a field's keys are listened to: nowhere, or not known; by what it is in; by itself."""

_KEY_EVENTS = frozenset({"keydown", "keypress", "keyup"})
MAX_TYPED_KEYS = 200
"""Signs that are typed one by one."""

# What the page then changes in other places than the fields that are held. Classes and styles follow the focus.
_WATCH = script("watch_typing")
_IS_CHANGED = "() => Boolean(globalThis.pilothouseWatch?.isChanged())"
# A page may wait for the end of typing before it looks for what was typed.
_CHANGES_SOON = """() => new Promise(done => {
  const began = performance.now(), isChanged = () => globalThis.pilothouseWatch?.isChanged();
  const look = () => isChanged() || performance.now() - began > 500 ? done(isChanged() === true) : setTimeout(look, 25);
  look();
})"""
_SUGGESTS = "(at) => Boolean(globalThis.pilothouseWatch?.suggests(at))"
_FOCUS_INPUT = "(at) => globalThis.pilothouseFields[at].input.focus({preventScroll: true})"
# Some pages take what was typed a moment after the field is left.
_LEAVE = """async (at) => {
  const el = globalThis.pilothouseFields[at].input;
  if (el.getRootNode().activeElement !== el) return;
  el.blur();
  await new Promise(done => setTimeout(done, 60));
  el.focus({preventScroll: true});
}"""


async def listeners(here: CurrentPage) -> Sequence[Listens]:
    """Of each held field, who listens to its keys. From now on `is_changed` watches the page."""
    found = await here.run_with_listeners(_WATCH, _KEY_EVENTS)
    return cast(Sequence[Listens], found) if isinstance(found, list) else ()


async def is_changed(here: CurrentPage) -> bool:
    """Whether anything but the held fields has changed since `listeners` was asked; also if that is not known."""
    return bool(here.dialog) or await here.run(_IS_CHANGED) is not False


async def make_noticed(
    here: CurrentPage, listens: Sequence[Listens], places: Sequence[int], *, is_typed: bool
) -> None:
    """If typing has changed nothing but the fields at these places, press a key in those, and leave the last one.

    The key writes nothing. `is_typed`: keys were pressed in them before. If typing has changed something else than a
    list of suggestions, such as a calendar, the last field is left as well: many take what was typed only then.
    """
    if await is_changed(here):
        if not here.dialog and await here.run(f"() => ({_SUGGESTS})({places[-1]})") is False:
            async with here.until_quiet(typed=True):
                await _leave(here, listens, places[-1])
        return
    async with here.until_quiet(typed=True):
        listening = [at for at in places if not is_typed and at < len(listens) and listens[at]]
        for at in listening:
            await here.run(f"() => ({_FOCUS_INPUT})({at})")
            await editors.press_key(here, "Shift")
        if any(listens[at] == "own" for at in places if at < len(listens)):
            if await here.run(_CHANGES_SOON):
                return
        elif listening and await is_changed(here):
            return
        await _leave(here, listens, places[-1])


async def _leave(here: CurrentPage, listens: Sequence[Listens], at: int) -> None:
    """Leave the field and come back; by the key of a person where it may listen for that."""
    if at < len(listens) and listens[at] == "own":
        await editors.press_key(here, "Tab")
        await here.run(f"() => ({_FOCUS_INPUT})({at})")
    else:
        await here.run(f"() => ({_LEAVE})({at})")
