"""The surroundings of one element of a browser-use state, which lists controls without their positions.

`around_script` is evaluated in the page. It matches each control of the list to a visible element of the
document by tag, href, placeholder and text: the n-th of several equal entries matches the n-th such element.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import BaseModel

from server.browser.observation.browser_use_state import described
from server.ops.json_types import JsonView


class Piece(BaseModel, frozen=True):
    """A control, as its index in the list, or text."""

    at: int | None = None
    text: str = ""


class Around(BaseModel, frozen=True):
    text: str = ""
    """Text around the element, at most 600 characters."""
    pieces: tuple[Piece, ...] = ()
    """Its form, dialog, row or section in reading order; empty if the element was not found."""


def around_script(elements: Sequence[JsonView], target: int) -> str:
    """The script for the element at index `target` of `interactive_elements`. It returns an `Around`."""
    given = json.dumps({"list": [described(element) for element in elements], "target": target})
    return f"() => ({_SCRIPT})({given})"


_SCRIPT = r"""({list, target}) => {
  const MOST_TEXT = 600, MOST_CONTROLS = 24, MOST_PIECES = 160;
  const plain = text => (text || '').replace(/\s+/g, ' ').trim();
  const all = [];
  const walk = root => {
    for (const el of root.querySelectorAll('*')) {
      all.push(el);
      if (el.shadowRoot) walk(el.shadowRoot);
    }
  };
  walk(document);
  const byTag = new Map();
  for (const el of all) {
    const tag = el.localName;
    if (!el.getClientRects().length) continue;
    if (!byTag.has(tag)) byTag.set(tag, []);
    byTag.get(tag).push(el);
  }
  const fits = (el, {href, placeholder, text}) => {
    if (href && el.getAttribute('href') !== href && el.href !== href) return false;
    if (placeholder && el.getAttribute('placeholder') !== placeholder) return false;
    if (!text) return true;
    const words = [el.innerText, el.textContent, el.getAttribute('aria-label'), el.value, el.title, el.alt];
    return words.some(own => plain(own).includes(text));
  };
  const ranks = new Map(), found = [];
  for (const one of list) {
    const key = JSON.stringify(one), rank = ranks.get(key) || 0;
    ranks.set(key, rank + 1);
    found.push((byTag.get(one.tag) || []).filter(el => fits(el, one))[rank] || null);
  }
  const element = found[target];
  if (!element) return {};
  const up = el => el.parentElement || (el.getRootNode().host || null);
  const places = new Map();
  found.forEach((el, at) => el && !places.has(el) && places.set(el, at));
  const controls = box => found.filter(el => el && box.contains(el)).length;
  const UNIT = 'form,dialog,[role=dialog],[role=alertdialog],fieldset,tr,li,article,section,[role=row],[role=listitem]';

  let text = plain(element.innerText);
  for (let box = up(element); box && box !== document.documentElement; box = up(box)) {
    const wider = plain(box.innerText);
    if (text && wider.length > MOST_TEXT) break;
    text = wider;
  }
  let box = element;
  for (let one = up(element); one && one !== document.documentElement; one = up(one)) {
    if (controls(one) > MOST_CONTROLS) break;
    box = one;
  }
  const unit = element.closest(UNIT);
  if (unit && !box.contains(unit) && unit.contains(box)) box = unit;

  const pieces = [];
  const read = node => {
    for (const child of node.childNodes) {
      if (pieces.length >= MOST_PIECES) return;
      if (child.nodeType === 3) {
        const words = plain(child.data);
        if (words && child.parentElement?.getClientRects().length) pieces.push({text: words});
      } else if (child.nodeType === 1 && !['script', 'style', 'noscript', 'template'].includes(child.localName)) {
        if (places.has(child)) pieces.push({at: places.get(child)});
        else read(child.shadowRoot || child);
      }
    }
  };
  if (places.has(box)) pieces.push({at: places.get(box)});
  else read(box);
  return {text: text.slice(0, MOST_TEXT), pieces};
}"""
