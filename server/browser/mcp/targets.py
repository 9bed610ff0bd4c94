"""Looks at the target of a click right before it: what keeps the tool server waiting is known at once."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import BaseModel, ValidationError

from server.browser.mcp.current_page import CurrentPage
from server.browser.observation import Element
from server.browser.observation.rendering import clean
from server.text import cut
from wording.catalogue import Wording, sentence

PRESSES = 4
"""How many times what moves is aimed at."""
_NAME_CHARS = 80

# A click goes to the middle. Where a bar would be over it there, such as one that sticks to the window's edge, which a
# scroll into view does not mind, the page is scrolled to a place where nothing is. A cover may go by itself.
_LOOK = """async ([x, y, width, height], name) => {
  const PATIENCE = 1000, began = performance.now(), isLate = () => performance.now() - began > PATIENCE;
  const pause = () => new Promise(done => { requestAnimationFrame(() => requestAnimationFrame(done)); setTimeout(done, 100); });
  const sides = el => { const r = el.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; };
  const plain = text => (text || '').replace(/\\s+/g, '').toLowerCase();
  const says = el => [el.getAttribute('aria-label'), el.innerText, el.value, el.title, el.alt].some(text => plain(text) === plain(name));
  const isLike = el => {
    const [left, top, wide, high] = sides(el);
    return Math.abs(wide - width) <= 0.3 * width && Math.abs(high - height) <= 0.3 * height && Math.hypot(left - x, top - y) < 400;
  };
  const MOVES = /^(transform|translate|scale|rotate|left|top|right|bottom|width|height|inset|margin|offset)/;
  const isAnimated = el => document.getAnimations().some(one => one.playState === 'running' && one.effect?.target?.contains(el) &&
    one.effect.getKeyframes().some(frame => Object.keys(frame).some(name => name !== 'offset' && MOVES.test(name))));
  const moved = async el => {  // what goes to and fro stands still for a moment
    const before = sides(el), isMoved = () => sides(el).some((side, at) => Math.abs(side - before[at]) > 0.5);
    for (let turn = isAnimated(el) ? 20 : 2; turn > 0 && !isMoved(); turn--) await pause();
    return isMoved();
  };
  const isIt = el => {
    const [left, , wide, high] = sides(el);
    return Math.abs(wide - width) <= 1 && Math.abs(high - height) <= 1 && Math.abs(left - x) <= 1;
  };
  const middle = x + width / 2, start = y + height / 2, from = scrollY;
  const known = document.elementsFromPoint(middle, start).find(isIt);
  const named = name && known === undefined && start > 0 && start < innerHeight
    ? [...document.querySelectorAll('a,button,input,label,[role],[onclick],[tabindex],div,span')].filter(el => says(el) && isLike(el)) : [];
  const target = known || named.filter(el => !named.some(one => one !== el && el.contains(one)))[0];
  if (target && (target !== known || isAnimated(target)) && await moved(target)) {
    while (!isLate()) if (!await moved(target)) return {};
    globalThis.pilothouseTarget = target;
    return {kind: 'moving'};
  }
  let cover = null, covered = null;
  const isCovered = at => {  // null if it is not there
    const [top, ...below] = document.elementsFromPoint(middle, at), own = [top, ...below].find(el => el && isIt(el));
    if (!own) return null;
    const isOver = !own.contains(top) && !top.contains(own) && top.closest('label')?.control !== own && own.closest('label')?.control !== top;
    [cover, covered] = isOver ? [top, own] : [null, null];
    return isOver;
  };
  const place = async () => {
    if (start > 0 && start < innerHeight && !isCovered(start)) return;
    for (const share of [0.5, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9]) {
      const before = scrollY;
      scrollTo({top: from + start - share * innerHeight, behavior: 'instant'});
      if (share !== 0.5 && scrollY === before) continue;
      if (isCovered(start - (scrollY - from)) === false) return;
    }
    scrollTo({top: from, behavior: 'instant'});
    isCovered(start);
  };
  await place();
  while (cover && !isLate()) { await pause(); isCovered(start - (scrollY - from)); }
  if (!cover) return {};
  const {width: wide, height: high} = cover.getBoundingClientRect();
  let around = cover;
  while (around.parentElement && !around.parentElement.contains(covered)) around = around.parentElement;
  const ways = [...around.querySelectorAll('button,[role=button],a[href]')].map(el => el.innerText?.trim() || el.ariaLabel || '').filter(Boolean);
  const size = `${Math.round(wide)} x ${Math.round(high)} px`;
  return {kind: 'covered', by: around.innerText?.trim() || `${cover.title || cover.localName}, ${size}, without a text`, ways: ways.slice(0, 3)};
}"""
# A press that misses what moves must reach nothing else.
_AIM = """() => {
  const el = globalThis.pilothouseTarget, {x, y, width, height} = el.getBoundingClientRect();
  const at = {x: Math.round(x + width / 2), y: Math.round(y + height / 2)}, top = document.elementFromPoint(at.x, at.y);
  if (!el.isConnected || !top || !(el.contains(top) || top.contains(el))) return null;
  const guard = {isHit: false}, kinds = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick'];
  const judge = event => {
    if (event.composedPath().includes(el)) guard.isHit ||= event.type === 'click';
    else { event.preventDefault(); event.stopImmediatePropagation(); }
  };
  guard.end = () => { for (const kind of kinds) removeEventListener(kind, judge, true); return guard.isHit; };
  for (const kind of kinds) addEventListener(kind, judge, true);
  globalThis.pilothouseGuard = guard;
  return at;
}"""
_END = "() => globalThis.pilothouseGuard.end()"


class Obstacle(BaseModel, frozen=True):
    kind: Literal["", "moving", "covered"] = ""
    by: str = ""
    ways: tuple[str, ...] = ()
    """Names of controls in what covers the target."""

    @property
    def words(self) -> Wording:
        ways = ", ".join(f'"{cut(clean(way), _NAME_CHARS)}"' for way in self.ways)
        name = cut(clean(self.by), _NAME_CHARS)
        if not ways:
            return sentence("target.covered", name=name)
        return sentence("target.covered_with", name=name, controls=ways)


class Aim(BaseModel, frozen=True):
    x: int
    y: int


async def look_at(here: CurrentPage, element: Element) -> Obstacle:
    """What keeps a click from the element, if that is known; scrolls it to where nothing covers it, if it can."""
    if element.box is None or element.frame:
        return Obstacle()
    try:
        arguments = f"{json.dumps(element.box)}, {json.dumps(element.full_name or element.name)}"
        return Obstacle.model_validate(await here.run(f"() => ({_LOOK})({arguments})") or {})
    except ValidationError:
        return Obstacle()


async def aim(here: CurrentPage) -> Aim | None:
    """Where the moving target is now. Until `end`, a press that misses it reaches nothing else."""
    try:
        return Aim.model_validate(await here.run(_AIM))
    except ValidationError:
        return None


async def end(here: CurrentPage) -> bool | None:
    """Whether the target was clicked; None if its page has gone on since."""
    found = await here.run(_END)
    return found if isinstance(found, bool) else None
