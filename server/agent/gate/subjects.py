"""Convert an action to page facts for the policy. Pure; the model's words about it are never used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import hypot
from urllib.parse import urljoin, urlsplit

from server.agent.actions import (
    AimedAction,
    ClickAction,
    DialogAction,
    DragAction,
    NavigateAction,
    PressAction,
    ScrollAction,
    SelectAction,
    TypeAction,
)
from server.agent.gate.keys import read_key
from server.agent.gate.masking import takes_secret
from server.agent.gate.page_facts import CONTEXT_SEPARATOR, controls_in_same_group, language_of
from server.agent.policy import Subject
from server.agent.policy.names import read_name
from server.browser.observation import Element, Observation
from server.browser.observation.points import POINT

PAN_PIXELS = 30
"""A shorter drag is a press to most pages."""
_FIELD_SUBJECTS = frozenset({"textbox", "searchbox", "combobox", "spinbutton"})
_PRESSES = frozenset({"click", "double_click", "press_enter"})
_CHOICE_SUBJECTS = frozenset({"option", "radio", "checkbox", "menuitemcheckbox", "menuitemradio"})
_ENTRIES = frozenset({"listitem", "option", "tab", "columnheader", "draggable"})
_STAKES = (
    _FIELD_SUBJECTS
    | _CHOICE_SUBJECTS
    | {"switch", "row", "gridcell", "treeitem", "listitem", "article", "tab", "file", "draggable"}
)
"""Roles of what web mail and the like act on by keys."""


def subjects_of(aimed: AimedAction) -> list[Subject]:
    """Everything one action does: a form that is filled and sent is judged field by field and as sent."""
    action, targets, observation = aimed.action, aimed.targets, aimed.observation
    match action:
        case NavigateAction():
            return [Subject("navigate", url=observation.page.url, target_url=action.url)]
        case PressAction():
            return list(_pressed(action, aimed.focused, observation))
        case TypeAction():
            return list(_typed(action, targets, observation))
        case DialogAction():
            return list(_dialog(action, observation))
        case ScrollAction():
            return [_subject("scroll", None, observation)]
        case DragAction() | ClickAction() if any(hit.element.role == POINT for hit in aimed.hits):
            return list(_unnamed(aimed))
        case DragAction() if targets:
            return list(_dragged(targets, observation))
        case SelectAction() if targets:
            chosen = (_chosen(option, targets[0], observation) for option in action.options)
            return [_subject("select", targets[0], observation), *chain.from_iterable(chosen)]
    clicked = [_subject(action.name, element, observation) for element in targets]
    return [*clicked, *_shown("click", targets, observation)] or [_subject(action.kind, None, observation)]


def _pressed(action: PressAction, focused: Element | None, observation: Observation) -> Iterator[Subject]:
    kind = read_key(action.key, focused)
    if kind == "press_enter" and focused and focused.field == "fixed":
        kind = "click"
    if kind == "shortcut" and _has_no_stake(observation):
        yield _subject("press", focused, observation)
        return
    yield _subject(kind, focused, observation, value=action.key)
    yield from _shown(kind, [focused] if focused else [], observation)
    yield from _sent(kind, focused, observation)


def _dragged(targets: Sequence[Element], observation: Observation) -> Iterator[Subject]:
    yield _subject("drag", targets[0], observation)
    stays = len({target.ref for target in targets}) == 1 or _slides(targets) or _sorts(targets)
    if not stays:  # the page does not show what a drop target does with the dropped element
        yield _subject("drop", targets[-1], observation)


def _slides(targets: Sequence[Element]) -> bool:
    """Whether the first one is a handle: nothing is dropped where it is dragged to."""
    return bool(targets) and targets[0].role in ("slider", "scrollbar", "separator")


def _sorts(targets: Sequence[Element]) -> bool:
    """Whether an entry, or its handle, is dragged to another place of its list: both are alike, and in one row or column.

    What it is dropped on is no place of its own, such as a trash.
    """
    if len(targets) != 2 or targets[0].role != targets[1].role:
        return False
    if targets[0].role not in _ENTRIES and not _are_handles(*targets):
        return False
    own, other = (target.box for target in targets)
    end, lined_up = read_name(targets[1].name), ((0, 2), (1, 3))
    is_place = any(hit.concept == "scene.file" for hit in end.hits) or (end.words == 1 and bool(end.hits))
    is_one_list = own and other and any(all(own[at] == other[at] for at in sides) for sides in lined_up)
    return bool(is_one_list) and not is_place


def _are_handles(one: Element, other: Element) -> bool:
    """`Move Northern wind` and `Move Autumn`: alike but for what they move."""
    (verb, _, moved), (same, _, end) = one.name.partition(" "), other.name.partition(" ")
    return one.role == "button" and verb.casefold() == same.casefold() and bool(moved) and bool(end)


def _has_no_stake(observation: Observation) -> bool:
    """Whether a page has nothing that a key could act on: a game or slides, no form and no list of entries."""
    acts = (one.submits or one.role in _STAKES for one in observation.interactive)
    return not observation.truncated and not observation.overlays and not any(acts)


def _unnamed(aimed: AimedAction) -> Iterator[Subject]:
    """An act at a point where no element of the observation is: what it does is in the picture only."""
    observation = aimed.observation
    if _slides(aimed.targets):
        yield _subject("drag", aimed.targets[0], observation)
        return
    for element in aimed.targets:
        if element.role != POINT:
            yield _subject("click", element, observation)
    pans = _pans(aimed)
    text = "\n".join((observation.page.title, *observation.text_blocks)) if pans else ""
    for hit in aimed.hits:
        bound = any(overlay.kind not in ("cookies", "permission") for overlay in observation.overlays)
        yield Subject(
            "pan" if pans else "point", role=POINT, name=hit.words if pans else hit.element.name, context=text,
            url=observation.page.url, in_dialog=bound or bool(hit.element.group), lang=language_of(observation),
        )  # fmt: skip


def _pans(aimed: AimedAction) -> bool:
    """Whether it drags within one drawn surface, too far to be a press."""
    if not isinstance(aimed.action, DragAction) or len(aimed.hits) != 2:
        return False
    start, end = aimed.hits
    is_one = start.surface is not None and start.surface == end.surface
    return is_one and hypot(end.x - start.x, end.y - start.y) >= PAN_PIXELS


def _typed(action: TypeAction, targets: Sequence[Element], observation: Observation) -> Iterator[Subject]:
    """Text for each field. A control that is not a field is clicked before typing, which sets a switch."""
    for element, field in zip(targets, action.fields, strict=False):
        secret = takes_secret(element, field.text, observation)
        yield replace(_subject("type", element, observation, value=field.text), secret=secret)
        if element.options:
            for option in field.text.split("\n"):
                yield from _chosen(option, element, observation)
        if element.role not in _FIELD_SUBJECTS:
            yield _subject("click", element, observation)
    if action.submit and targets:
        yield _subject("press_enter", targets[-1], observation)
        yield from _sent("press_enter", targets[-1], observation)


def _sent(kind: str, element: Element | None, observation: Observation) -> Iterator[Subject]:
    """Enter in a field presses the first submit button of its form."""
    if element is None or element.role not in _FIELD_SUBJECTS or kind != "press_enter":
        return
    if button := next(
        (other for other in controls_in_same_group(element, observation) if other.submits), None
    ):
        yield _subject("click", button, observation)


def _chosen(option: str, element: Element, observation: Observation) -> Iterator[Subject]:
    """An option takes effect at once if there is no button to submit the choice: judged with what it is chosen for."""
    if _is_at_once(element, observation):
        what = CONTEXT_SEPARATOR.join(filter(None, (element.name, element.context)))
        yield replace(
            _subject("select", element, observation), role="option", name=option, context=what, at_once=True
        )


def _is_at_once(element: Element, observation: Observation) -> bool:
    """Whether no button sends the choice. A search button next to it does not, and the box of a row only marks it."""
    return not any(
        map(_takes_choice, controls_in_same_group(element, observation))
    ) and not element.group.startswith("row")


def _takes_choice(button: Element) -> bool:
    """Whether it sends what is chosen next to it; a search button does not."""
    return button.submits and bool(read_name(button.name).commitment)


def _posts(element: Element) -> bool:
    """Whether it is a button that names sending or publishing: `Post review` on a page without forms."""
    return element.role == "button" and read_name(element.name).kind in ("send", "publish")


def _says(element: Element) -> str:
    """What a person reads on it, if that differs from its name: of a field that takes no text, its value."""
    return element.shows or (element.value or "" if element.field == "fixed" else "")


def _shown(kind: str, targets: Sequence[Element], observation: Observation) -> Iterator[Subject]:
    """The controls that are pressed by their visible text, if their name differs."""
    for element in targets if kind in ("click", "press_enter") else ():
        if says := _says(element):
            role = element.role if element.role == "link" else "menuitem"
            yield replace(_subject("click", element, observation), role=role, name=says)


def _subject(action: str, element: Element | None, observation: Observation, *, value: str = "") -> Subject:
    """`value` is the text that the element gets; by default, its current value."""
    if element is None:
        return Subject(action, value=value, url=observation.page.url)
    group = controls_in_same_group(element, observation)
    return Subject(
        action, role=element.role, name=element.name, value=value or element.value or "", context=element.context,
        url=observation.page.url, href=_whole(element.href or "", observation.page.url),
        submits=element.submits or None,
        sends_to=element.sends_to if element.submits and action in _PRESSES else "", by_get=element.by_get,
        opens=element.opens, waits=not element.submits and any(_sends(element, group, observation)),
        secret=element.secret, form_fields=tuple(other.name for other in group if other.role in _FIELD_SUBJECTS),
        lines=element.field == "lines", at_once=element.role in _CHOICE_SUBJECTS and _is_at_once(element, observation),
        alone={element.eid}.issuperset(one.eid for one in observation.interactive if one.role == element.role),
        in_dialog=element.group.startswith(("dialog", "alertdialog")),
        siblings=tuple(other.name for other in group if other.role not in _FIELD_SUBJECTS), lang=language_of(observation),
    )  # fmt: skip


def _sends(element: Element, group: Sequence[Element], observation: Observation) -> Iterable[bool]:
    """For each control that may send what is set here, whether it does."""
    if element.role not in _CHOICE_SUBJECTS:
        return (other.submits for other in group)
    return map(_takes_choice, group) if element.group else map(_posts, observation.interactive)


def _whole(href: str, page: str) -> str:
    """`delete?id=3` names a page and not a host."""
    is_relative = href and not href.startswith(("#", "?", "/")) and not urlsplit(href).scheme
    return urljoin(page, href) if is_relative else href


def _dialog(action: DialogAction, observation: Observation) -> Iterator[Subject]:
    """Accepting a dialog of the page's script presses its OK button; a prompt's input is a field.

    A dialog of leaving the page is open only where a person's input would be lost.
    """
    if not action.accept:
        yield Subject("observe")
        return
    if observation.dialog == "beforeunload":
        yield Subject("leave", url=observation.page.url)
        return
    url, asked, language = observation.page.url, " · ".join(observation.notes), language_of(observation)
    if text := action.text:
        name = observation.notes[-1].partition('"')[2] if observation.notes else ""
        yield Subject("type", role="textbox", name=name, value=text, url=url, lang=language)
    yield Subject(
        "click", role="button", name="OK", context=asked, url=url, submits=True, in_dialog=True,
        siblings=("Cancel",), lang=language,
    )  # fmt: skip
