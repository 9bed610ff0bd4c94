"""Reads over DevTools what fields and lists hold before and after an act, and chooses options by their place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from pydantic import BaseModel, TypeAdapter, ValidationError

from server.browser.browser import Field, ToolOutcome
from server.browser.chromium.frames import Place
from server.browser.mcp import editors
from server.browser.mcp.current_page import CurrentPage, narrowed
from server.browser.mcp.playwright_reply import OTHER_FORM
from server.browser.mcp.tool_calls import name_of
from server.browser.observation import Element
from server.browser.observation.box_groups import GROUPS_IN
from server.browser.observation.editor_script import EDITORS_IN
from server.browser.observation.rendering import clean, is_option
from server.browser.scripts import script
from server.text import cut
from wording.catalogue import Wording, joined, sentence

_SHOWN_VALUE_CHARS, _LIST_CHARS, _COMPARED_CHARS, _MAX_CHOICES = 80, 300, 40, 20
_SEPARATORS = re.compile(r"[\s–-]+")
REMOVE = "remove "
"""Before the name of an option that is to be taken out of what is chosen."""

# An element is found by its box, as the observation has it, and then kept: an act may scroll or resize the page.
_HOLD_FIELDS = script("hold_fields", EDITORS_IN=EDITORS_IN, GROUPS_IN=GROUPS_IN)
# What a click has given the focus to. 'keys': it is no field, but may listen to keys.
_HOLD_FOCUSED = """(at) => {
  let el = document.activeElement;
  while (el?.shadowRoot?.activeElement) el = el.shadowRoot.activeElement;
  const editor = (EDITORS_IN)(css => el.getRootNode().querySelectorAll(css)).find(one => one.input === el);
  const isField = el.matches('textarea,input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=reset])');
  if (editor || isField) globalThis.pilothouseFields[at] = editor || {input: el, box: el};
  return editor || isField ? 'text' : el.matches('html,body,a,button,summary,select,[role=button],[role=link]') ? '' : 'keys';
}""".replace("EDITORS_IN", EDITORS_IN)
_READ_FIELDS = script("read_fields")
_CHOOSE = """(at, choices) => {
  const el = globalThis.pilothouseFields[at].input;
  for (const [place, isChosen] of choices) el.options[place].selected = isChosen;
  setTimeout(() => {
    for (const kind of ['input', 'change']) el.dispatchEvent(new Event(kind, {bubbles: true, composed: true}));
  });
}"""


_PLAY = """async (at) => {
  const {input} = globalThis.pilothouseFields[at];
  await (input.paused ? input.play() : input.pause());
}"""
_FOCUS_FIELD = """(at, part, all) => {
  const {box, parts, input: only} = globalThis.pilothouseFields[at], input = parts ? parts[part] : only;
  if (!input.isConnected) return false;
  box.scrollIntoView({block: 'nearest', behavior: 'instant'});
  input.focus();
  if (parts || all) input.select();
  return input.getRootNode().activeElement === input;
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
    several: bool = False
    """It is a list that takes several choices."""
    parts: tuple[int, ...] = ()
    """Of a text in several boxes: how many signs each takes."""
    checked: bool | None = None
    """Of a check box, a radio button or a switch."""
    line: bool = False
    """It is a field of one line that takes keys."""
    locked: bool = False
    """It takes none: what it holds is chosen in another place, or fixed."""
    editor: bool = False
    """It is no form field. Its value is the text that it shows."""
    slides: bool = False
    """It is a slider that is no field. Its value is what it says by ARIA."""
    playing: bool | None = None
    """Of a film or sound."""


_HELD_VALUES = TypeAdapter(list[FieldValue | None])


async def hold(here: CurrentPage, elements: Sequence[Element]) -> list[FieldValue | None]:
    """What they hold now; None for what is no field of the page's own site, secret, or not as it was seen.

    `read` reads the same ones again.
    """
    boxes = [list(one.box) if one.box else [-1e6] * 4 for one in elements]
    here.held_in.clear()
    known = await here.run(f"() => ({_HOLD_FIELDS})({json.dumps(boxes)})")
    if isinstance(known, list) and any(one.frame for one in elements):
        for inside, place in await here.run_inside(lambda place: _hold_inside(boxes, place)):
            places = enumerate(inside if isinstance(inside, list) else ())
            here.held_in |= {at: place for at, is_there in places if is_there and not known[at]}
    found = await read(here)
    if len(found) != len(elements):
        return [None] * len(elements)
    return [
        one
        if one and (one.parts or one.slides or (not element.secret and _is_as_seen(element, one)))
        else None
        for element, one in zip(elements, found, strict=True)
    ]


def _hold_inside(boxes: Sequence[Sequence[float]], place: Place) -> str:
    left, top = place.in_snapshot
    moved = [[box[0] - left, box[1] - top, *box[2:]] for box in boxes]
    return f"() => ({_HOLD_FIELDS})({json.dumps(moved)})"


def _is_as_seen(element: Element, held: FieldValue) -> bool:
    """Whether it holds what the element was seen to hold: another field may be in its place by now."""
    if held.options:
        seen = [name.partition(" (")[0] for name in element.options]
        return not seen or [clean(one.name).partition(" (")[0] for one in held.options][: len(seen)] == seen
    start = clean(element.value or "").removesuffix("…")[:_COMPARED_CHARS]
    return start == clean(held.value or "")[: len(start) or None]


async def hold_focused(here: CurrentPage, at: int) -> str:
    """Hold what has the focus in place of what was held. `text` if it takes text, `keys` if it may listen to keys."""
    return str(await here.run(f"() => ({_HOLD_FOCUSED})({at})") or "")


async def read(here: CurrentPage) -> list[FieldValue | None]:
    try:
        found = _HELD_VALUES.validate_python(await here.run(_READ_FIELDS) or [])
        for at, place in here.held_in.items():
            found[at] = _HELD_VALUES.validate_python(await here.run(_READ_FIELDS, place=place))[at]
    except (ValidationError, IndexError):
        return []
    return found


async def replace_content(
    here: CurrentPage, at: int, text: str, *, submit: bool, added_to: str | None = None
) -> str | None:
    """Put the text in place of what an editor holds, or after that: `added_to`. Returns what it holds then, None if it
    does not take the focus.

    What is sent with `submit` is not read: it may be taken out of the editor.
    """
    place = here.held_in.get(at)
    if not await here.run(f"() => ({_FOCUS_FIELD})({at}, 0)", place=place):
        return None
    await editors.replace(here, text, submit=submit, place=place, adds=added_to is not None)
    text = f"{added_to or ''}{text}"
    now = await read(here)
    shown = _one_of(now, at)
    if submit or here.dialog or shown is None or is_meant(text, shown.value or "", is_editor=True):
        return text
    held = await editors.content(here, place) or shown.value
    if added_to is None and held and text in held and not is_meant(text, held, is_editor=True):
        await editors.clear(here)  # what was selected was not replaced, but written next to it
        await editors.replace(here, text, submit=False, place=place)
        held = await editors.content(here, place) or held
    return held


async def play(here: CurrentPage, at: int) -> None:
    """Start the film or sound that is held there, or stop it; a page may refuse to start it."""
    await here.run(f"() => ({_PLAY})({at})", place=here.held_in.get(at))


async def fill_by_keys(here: CurrentPage, at: int, text: str, *, submit: bool, pause: float = 0) -> bool:
    """Type the text key by key in place of what a field holds; False if it does not take the focus."""
    if not await here.run(f"() => ({_FOCUS_FIELD})({at}, 0, true)"):
        return False
    await editors.type_keys(here, text, submit=submit, pause=pause)
    return True


async def fill_parts(
    here: CurrentPage, at: int, parts: Sequence[int], text: str, *, submit: bool
) -> str | None:
    """Type a text into its boxes by keys; what they hold then, None if there is more of it than they take.

    Spaces and dashes between its parts are left out.
    """
    signs = _SEPARATORS.sub("", text) if len(text) > sum(parts) else text
    if len(signs) > sum(parts):
        return None
    async with here.until_quiet(typed=True):
        for part, size in enumerate(parts):
            if not await here.run(f"() => ({_FOCUS_FIELD})({at}, {part})", place=here.held_in.get(at)):
                break  # the page has gone on, as after the last digit of a code
            await editors.type_signs(here, signs[:size])
            signs = signs[size:]
        if submit:
            await editors.type_signs(here, "\r")
    now = [] if submit or here.dialog else await read(here)
    held = _one_of(now, at)
    return text if held is None or held.value is None else held.value


async def choose(here: CurrentPage, at: int, choices: Mapping[int, bool]) -> None:
    """Choose the options at these places of a held list as well, or take them out of what is chosen."""
    async with here.until_quiet(typed=False):
        script = f"() => ({_CHOOSE})({at}, {json.dumps(list(choices.items()))})"
        await here.run(script, place=here.held_in.get(at))


def choices_of(held: FieldValue, written: Sequence[str]) -> dict[int, bool] | str:
    """The places of the options that are meant, and whether each shall be chosen, or why that is not clear."""
    choices: dict[int, bool] = {}
    for words in written:
        removed = words[len(REMOVE) :] if words.lower().startswith(REMOVE) else ""
        place = _place_of(held, words)
        if isinstance(place, str) and removed:
            place = _place_of(held, removed)
        else:
            removed = ""
        if isinstance(place, str):
            return place
        choices[place] = not removed
    if not held.several and (len(choices) > 1 or not all(choices.values())):
        return "The list takes one choice. Nothing was chosen."
    return choices


def _one_of(now: Sequence[FieldValue | None], at: int) -> FieldValue | None:
    return now[at] if at < len(now) else None


def _place_of(held: FieldValue, words: str) -> int | str:
    named = [at for at, one in enumerate(held.options) if is_option(words, one.name)]
    found = [at for at, one in enumerate(held.options) if is_option(words, one.full_name)] or named
    found = narrowed(found, lambda at: not held.options[at].disabled)
    choices = ", ".join(f'"{held.options[at].full_name}"' for at in found[:_MAX_CHOICES])
    if len(found) > 1:
        return sentence("option.several", n=len(found), text=cut(words, _SHOWN_VALUE_CHARS), options=choices)
    if not found or held.options[found[0]].disabled:
        can = [f'"{one.full_name}"' for one in held.options if not one.disabled]
        return sentence("option.only", options=", ".join(can[:_MAX_CHOICES]))
    return found[0]


def chosen_text(held: FieldValue, choices: Mapping[int, bool], element: Element) -> Wording:
    chosen, other = (
        ", ".join(held.options[at].full_name for at, one in choices.items() if one is wanted)
        for wanted in (True, False)
    )
    if not other:
        return sentence("did.chose", option=chosen, target=name_of(element))
    if not chosen:
        return sentence("did.unchose", option=other, target=name_of(element))
    return sentence("did.chose_and_unchose", option=chosen, other=other, target=name_of(element))


def holds(now: FieldValue | None, field: Field) -> bool:
    return now is not None and now.value is not None and is_meant(field.text, now.value)


def after_choice(
    outcome: ToolOutcome, element: Element, choices: Mapping[int, bool], now: FieldValue | None
) -> ToolOutcome:
    """The outcome with what a list of several holds, and any list where the page has not kept the choice."""
    if now is None:
        return outcome
    names = ", ".join(one.full_name for one in now.options if one.chosen)
    held = _quoted(names, _LIST_CHARS)
    is_kept = all(
        at < len(now.options) and now.options[at].chosen is wanted for at, wanted in choices.items()
    )
    if is_kept and not now.several:
        return outcome
    name = name_of(element)
    return _with_note(
        outcome,
        sentence("field.holds", target=name, value=held)
        if is_kept
        else sentence("field.holds_instead", target=name, value=held),
    )


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
        is_left = any(now in ("", was) and field.element.role != "slider" for field, was, now in known)
        if len(known) < len(fields) or is_left:
            return replace(outcome, text=sentence("field.other_form", target=name_of(fields[-1].element)))
        names = joined((name_of(field.element) for field in fields), ", ")
        outcome = replace(outcome, ok=True, text=sentence("did.typed", target=names))
    for field, _, now in known:
        if not is_meant(field.text, now):
            outcome = _with_note(outcome, _instead(field, now))
    return outcome


def after_click(
    outcome: ToolOutcome, element: Element, before: FieldValue | None, after: FieldValue | None
) -> ToolOutcome:
    """The outcome with what a check box is, where a click has not changed that."""
    if not (outcome.ok and before and after) or before.checked is None or before.checked is not after.checked:
        return outcome
    if element.role == "radio" and after.checked:
        return outcome
    name = name_of(element)
    return _with_note(
        outcome,
        sentence("field.still_checked", target=name)
        if after.checked
        else sentence("field.still_unchecked", target=name),
    )


def after_replacing(outcome: ToolOutcome, field: Field, held: str) -> ToolOutcome:
    """The outcome with what the editor holds, where it is not what was typed."""
    if is_meant(field.text, held, is_editor=True):
        return outcome
    return _with_note(outcome, _instead(field, held))


def with_held(outcome: ToolOutcome, field: Field, held: str) -> ToolOutcome:
    """The outcome with what the field holds instead of what was meant."""
    return _with_note(outcome, _instead(field, held))


def after_filling_parts(outcome: ToolOutcome, field: Field, held: str) -> ToolOutcome:
    """The outcome with what the boxes of a text hold, where it is not what was typed."""
    typed, found = (_SEPARATORS.sub("", text) for text in (field.text, held))
    return outcome if typed == found else _with_note(outcome, _instead(field, held))


def _instead(field: Field, held: str) -> Wording:
    if field.element.secret:
        return sentence("field.holds_other", target=name_of(field.element))
    said = _quoted(held if held.strip() else "", _SHOWN_VALUE_CHARS)
    return sentence("field.holds_instead", target=name_of(field.element), value=said)


def _quoted(text: str, chars: int) -> Wording:
    return sentence("field.value", text=cut(text, chars)) if text else sentence("field.nothing")


def is_meant(typed: str, held: str, *, is_editor: bool = False) -> bool:
    """Whether a field holds what was typed, but for spaces; an editor, but for spaces at the end and empty lines."""
    if is_editor:
        return _filled_lines(typed) == _filled_lines(held)
    if [*map(_packed, _filled_lines(typed))] == [*map(_packed, _filled_lines(held))]:
        return True
    return bool(_PLAIN_NUMBER.fullmatch(typed.strip())) and _number(held) == Decimal(typed.strip())


_PLAIN_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_GROUPED = (
    (re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?"), ",", "."),
    (re.compile(r"-?\d{1,3}(?:\.\d{3})+,\d+"), ".", ","),
    (re.compile(r"-?\d{1,3}(?:['\u2019\s]\d{3})+(?:\.\d+)?"), "'\u2019 \u00a0\u202f", "."),
)
"""Numbers with signs between their thousands, which cannot be read otherwise: these signs, and the decimal sign."""
_UNIT = re.compile(r"^[^\d-]{0,4}|[^\d]{0,4}$")


def _number(text: str) -> Decimal | None:
    """The number that the text is, perhaps as fields draw it: `€ 1,234.50`."""
    text = _UNIT.sub("", text.strip())
    if _PLAIN_NUMBER.fullmatch(text):
        return Decimal(text)
    for shape, between, decimal in _GROUPED:
        if shape.fullmatch(text):
            return Decimal(text.translate(dict.fromkeys(map(ord, between))).replace(decimal, "."))
    return None


def _filled_lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ").split("\n")
    return [line.rstrip() for line in lines if line.strip()]


def _packed(text: str) -> str:
    return "".join(text.split())


def _with_note(outcome: ToolOutcome, note: str) -> ToolOutcome:
    return replace(outcome, notes=(note, *outcome.notes))
