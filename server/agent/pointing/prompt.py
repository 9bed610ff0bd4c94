"""What a model reads of the user's pointers: which element each one is now, and its words as page data. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from server.agent.pointing.pointer import Pointer, is_of_document
from server.agent.pointing.resolving import Match, resolve
from server.agent.trail import words_of
from server.browser.addresses import without_login
from server.browser.fence import fence
from server.browser.observation import Element, Observation
from server.text import cut

POINTED_HEAD = "The user points at what their words call by number. What was there, as page data:"
WORD_CHARS = 160
"""Of each part of a target."""


def pointed_lines(
    pointers: Sequence[Pointer], page: Observation, id_of: Callable[[Element], str] = lambda one: one.eid
) -> list[str]:
    """The lines of a prompt, none without pointers. `id_of`: by what the model's acts name an element."""
    if not pointers:
        return []
    targets = fence("\n".join(f"{one.n} {_described(one)}" for one in pointers), "pointed")
    lines = [line for one in pointers for line in _lines(one, page, id_of)]
    return [POINTED_HEAD, targets, *lines]


def refs_on(pointers: Sequence[Pointer], page: Observation | None) -> list[str]:
    """The refs that an observation of the same document is to include."""
    return [one.ref for one in pointers if one.ref and page and is_of_document(one, page)]


def find(pointer: Pointer, page: Observation) -> Match | None:
    """What the pointer's target is on this page; None for a place, and on another page."""
    if pointer.target is None or not is_here(pointer, page):
        return None
    if is_of_document(pointer, page):
        kept = next((one for one in page.interactive if one.ref == pointer.ref), None)
        if kept and _says_the_same(pointer, kept, page):  # a list may fill its row with another
            return Match("exact", (kept,))
    return resolve(pointer.target, page, alone=pointer.alone)


def is_here(pointer: Pointer, page: Observation) -> bool:
    here = without_login(page.page.url)
    return bool(pointer.url) and pointer.url.partition("#")[0] == here.partition("#")[0]


def _says_the_same(pointer: Pointer, element: Element, page: Observation) -> bool:
    words, target = words_of(element, page), pointer.target
    return target is not None and (
        (words.role, words.name, words.near[:1], words.leads_to)
        == (target.role, target.name, target.near[:1], target.leads_to)
    )


def _described(pointer: Pointer) -> str:
    target = pointer.target
    if target is None:
        what = "a place of a picture"
    else:
        named = f' "{cut(target.name, WORD_CHARS)}"' if target.name else ""
        near = f"; near: {cut(' · '.join(target.near), WORD_CHARS)}" if target.near else ""
        form = f"; form: {cut(target.form, WORD_CHARS)}" if target.form else ""
        what = f"{target.role}{named}{near}{form}"
    return f"{what}; on {cut(pointer.url, WORD_CHARS)}" if pointer.url else what


def _lines(pointer: Pointer, page: Observation, id_of: Callable[[Element], str]) -> list[str]:
    lines = [f"{pointer.n}: {_state(pointer, page, id_of)}"]
    return [*lines, f'{pointer.n}: the user notes: "{pointer.note}"'] if pointer.note else lines


def _state(pointer: Pointer, page: Observation, id_of: Callable[[Element], str]) -> str:
    if pointer.url and not is_here(pointer, page):
        return "that was on the page with the address above, not on this one"
    if pointer.target is None:
        return _place(pointer, page)
    match = find(pointer, page) or Match("missing")
    if one := match.only:
        return f"is {id_of(one)}" + (
            f", with other words: {', '.join(match.differs)}" if match.differs else ""
        )
    if match.found:
        ids = ", ".join(map(id_of, match.found[:6]))
        return f"may be {ids}: do not guess, ask the user which one"
    return "not among what is shown of this page: scroll to it, else ask the user; take no other one"


def _place(pointer: Pointer, page: Observation) -> str:
    left, top, width, height = (round(part) for part in pointer.box)
    size = f", {width}% by {height}% large" if width and height else ""
    place = f"a place {left}% from the left and {top}% from the top of the window{size}"
    if pointer.url and pointer.view == page.view:
        return place
    return f"{place} as it was then, which shows something else now: do not press there, ask the user"
