"""Has a page notice that a field was typed into, where it listens to keys or waits until the field is left.

Tool servers put a text into a field at once, of which a page learns by `input` alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal, cast

from server.browser.mcp import editors
from server.browser.mcp.current_page import CurrentPage

Listens = Literal["", "around", "own"]
"""Where a field's keys are listened to: nowhere, or not known; by what it is in; by itself."""

_KEYS = frozenset({"keydown", "keypress", "keyup"})
MAX_KEYS = 200
"""Signs that are typed one by one."""

# What the page then changes in other places than the fields that are held. Classes and styles follow the focus.
_WATCH = """(listening) => {
  const held = (globalThis.pilothouseFields || []).map(one => one?.input);
  const own = (globalThis.pilothouseFields || []).flatMap(one => one ? [one.input, one.box, ...one.parts || []] : []);
  const others = () => [...document.querySelectorAll('input,textarea,select')].filter(el => !own.includes(el))
    .map(el => `${el.value} ${el.checked} ${el.disabled}`).join('\\n');
  const before = others(), observer = new MutationObserver(found => { count(found); });
  let changes = 0;
  const count = found => { changes += found.filter(one => !own.some(el => el !== document.body && el.contains(one.target))).length; };
  observer.observe(document, {subtree: true, childList: true, characterData: true,
    attributeFilter: ['disabled', 'hidden', 'open', 'aria-disabled', 'aria-expanded', 'aria-hidden']});
  globalThis.pilothouseWatch?.observer.disconnect();
  globalThis.pilothouseWatch = {observer, isChanged: () => { count(observer.takeRecords()); return changes > 0 || others() !== before; }};
  return held.map(el => !el ? '' : listening?.includes(el) ? 'own' : listening?.some(one => one.contains?.(el)) ? 'around' : '');
}"""
_IS_CHANGED = "() => Boolean(globalThis.pilothouseWatch?.isChanged())"
# A page may wait for the end of typing before it looks for what was typed.
_CHANGES_SOON = """() => new Promise(done => {
  const began = performance.now(), isChanged = () => globalThis.pilothouseWatch?.isChanged();
  const look = () => isChanged() || performance.now() - began > 500 ? done(isChanged() === true) : setTimeout(look, 25);
  look();
})"""
_FOCUS = "(at) => globalThis.pilothouseFields[at].input.focus({preventScroll: true})"
_LEAVE = """(at) => {
  const el = globalThis.pilothouseFields[at].input;
  if (el.getRootNode().activeElement !== el) return;
  el.blur();
  el.focus({preventScroll: true});
}"""


async def listeners(here: CurrentPage) -> Sequence[Listens]:
    """Of each held field, who listens to its keys. From now on `is_changed` watches the page."""
    found = await here.run_with_listeners(_WATCH, _KEYS)
    return cast(Sequence[Listens], found) if isinstance(found, list) else ()


async def is_changed(here: CurrentPage) -> bool:
    """Whether anything but the held fields has changed since `listeners` was asked; also if that is not known."""
    return bool(here.dialog) or await here.run(_IS_CHANGED) is not False


async def make_noticed(
    here: CurrentPage, listens: Sequence[Listens], places: Sequence[int], *, is_typed: bool
) -> None:
    """If typing has changed nothing but the fields at these places, press a key in those, and leave the last one.

    The key writes nothing. `is_typed`: keys were pressed in them before.
    """
    if await is_changed(here):
        return
    async with here.until_quiet(typed=True):
        listening = [at for at in places if not is_typed and at < len(listens) and listens[at]]
        for at in listening:
            await here.run(f"() => ({_FOCUS})({at})")
            await editors.press_key(here, "Shift")
        if any(listens[at] == "own" for at in places if at < len(listens)):
            if await here.run(_CHANGES_SOON):
                return
        elif listening and await is_changed(here):
            return
        await here.run(f"() => ({_LEAVE})({json.dumps(places[-1])})")
