"""Reads over DevTools what fields and lists hold before and after an act, and chooses options by their place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, TypeAdapter, ValidationError

from server.browser.browser import Field, ToolOutcome
from server.browser.mcp.current_page import CurrentPage
from server.browser.mcp.playwright_reply import OTHER_FORM
from server.browser.mcp.tool_calls import name_of
from server.browser.observation import Element
from server.browser.observation.rendering import is_option
from server.text import cut

_SHOWN_CHARS, _MOST_CHOICES = 80, 20

# An element is found by its box, as the observation has it, and then kept: an act may scroll or resize the page.
_HOLD = """(boxes) => {
  const found = boxes.map(() => null);
  const search = root => {
    for (const el of root.querySelectorAll('*')) {
      if (el.shadowRoot) search(el.shadowRoot);
      if (!['INPUT', 'TEXTAREA', 'SELECT'].includes(el.tagName)) continue;
      const r = el.getBoundingClientRect();
      boxes.forEach((box, at) => {
        const isSame = [r.x, r.y, r.width, r.height].every((value, side) => Math.abs(value - box[side]) <= 1);
        if (isSame) found[at] ??= el;
      });
    }
  };
  search(document);
  globalThis.pilothouseFields = found;
}"""
_READ = """() => (globalThis.pilothouseFields || []).map(el => {
  if (!el?.isConnected || ['password', 'file', 'checkbox', 'radio'].includes(el.type)) return null;
  if (el.tagName !== 'SELECT') return {value: el.value};
  const isOff = one => one.disabled || one.parentElement?.disabled;
  return {options: [...el.options].map(one => ({
    name: (one.label || one.text).trim().replace(/\\s+/g, ' '), group: one.parentElement?.label || '',
    disabled: !!isOff(one), chosen: one.selected,
  }))};
})"""
_CHOOSE = """(places) => {
  const el = globalThis.pilothouseFields[0];
  for (const at of places) el.options[at].selected = true;
  setTimeout(() => {
    for (const kind of ['input', 'change']) el.dispatchEvent(new Event(kind, {bubbles: true, composed: true}));
  });
}"""


class Option(BaseModel, frozen=True):
    name: str
    group: str = ""
    disabled: bool = False
    chosen: bool = False

    @property
    def full_name(self) -> str:
        return f"{self.name} ({self.group})" if self.group else self.name


class FieldValue(BaseModel, frozen=True):
    value: str | None = None
    options: tuple[Option, ...] = ()


_HELD = TypeAdapter(list[FieldValue | None])


async def hold(here: CurrentPage, elements: Sequence[Element]) -> list[FieldValue | None]:
    """What they hold now; None for what is no field of the page itself, or secret. `read` reads the same ones again."""
    boxes = [list(one.box) if one.box and not (one.secret or one.frame) else [-1e6] * 4 for one in elements]
    await here.run(f"() => ({_HOLD})({json.dumps(boxes)})")
    found = await read(here)
    return found if len(found) == len(elements) else [None] * len(elements)


async def read(here: CurrentPage) -> list[FieldValue | None]:
    try:
        return _HELD.validate_python(await here.run(_READ) or [])
    except ValidationError:
        return []


async def choose(here: CurrentPage, places: Sequence[int]) -> None:
    """Choose the options at these places of the first held list as well."""
    async with here.until_quiet(typed=False):
        await here.run(f"() => ({_CHOOSE})({json.dumps(list(places))})")


def places_of(held: FieldValue, written: Sequence[str]) -> list[int] | str:
    """The places of the options that are meant, or why that is not clear."""
    places = []
    for words in written:
        found = [at for at, one in enumerate(held.options) if is_option(words, one.name)]
        found = [at for at, one in enumerate(held.options) if is_option(words, one.full_name)] or found
        found = [at for at in found if not held.options[at].disabled] or found
        choices = ", ".join(f'"{held.options[at].full_name}"' for at in found[:_MOST_CHOICES])
        if len(found) > 1:
            return (
                f'There are {len(found)} options "{cut(words, _SHOWN_CHARS)}": {choices}. Nothing was chosen.'
            )
        if not found or held.options[found[0]].disabled:
            can = [f'"{one.full_name}"' for one in held.options if not one.disabled]
            return f"It has no such option that can be chosen, only: {', '.join(can[:_MOST_CHOICES])}."
        places.append(found[0])
    return places


def after_choice(
    outcome: ToolOutcome, element: Element, places: Sequence[int], now: FieldValue | None
) -> ToolOutcome:
    """The outcome with what the list holds, where the page has not kept the choice."""
    if now is None or all(at < len(now.options) and now.options[at].chosen for at in places):
        return outcome
    chosen = ", ".join(one.full_name for one in now.options if one.chosen)
    return _with_note(outcome, f'{name_of(element)} holds "{cut(chosen, _SHOWN_CHARS)}" instead.')


def after_typing(
    outcome: ToolOutcome,
    fields: Sequence[Field],
    before: Sequence[FieldValue | None],
    after: Sequence[FieldValue | None],
) -> ToolOutcome:
    """The outcome with what each field holds that holds something else than was typed.

    A value that was set although the tool server's own check complained is done.
    """
    if not outcome.ok and outcome.text != OTHER_FORM:
        return outcome
    known = [
        (field, was.value, now.value)
        for field, was, now in zip(fields, before, after, strict=False)
        if was and now and was.value is not None and now.value is not None
    ]
    if not outcome.ok:
        if len(known) < len(fields) or any(now in ("", was) for _, was, now in known):
            return outcome
        names = ", ".join(name_of(field.element) for field in fields)
        outcome = replace(outcome, ok=True, text=f"Typed into {names}.")
    for field, _, now in known:
        if "".join(now.split()) != "".join(field.text.split()):
            held = f'"{cut(now, _SHOWN_CHARS)}"' if now else "nothing"
            outcome = _with_note(outcome, f"{name_of(field.element)} holds {held} instead.")
    return outcome


def _with_note(outcome: ToolOutcome, note: str) -> ToolOutcome:
    return replace(outcome, notes=(note, *outcome.notes))
