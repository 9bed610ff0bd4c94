"""Fit a page into its budget: choose elements and text blocks, their order and how far they are truncated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from server.browser.observation.element_context import Surroundings
from server.browser.observation.elements import SELECTS, Draft
from server.browser.observation.page import Budget, Element
from server.browser.observation.rendering import (
    RENDERED_NAME_CHARS,
    SEEN_CHARS,
    SEEN_VALUE_CHARS,
    clean,
    code_lines,
    cost,
    element_lines,
    in_part,
    text_line,
    value_chars,
    well_formed,
)
from server.browser.observation.snapshot import CHOICES, FIELD_ROLES, Node
from server.browser.observation.text_blocks import Block
from server.text import cut, in_order_of_sight

CONTEXT_CHARS = 120
RENDERED_VALUE_CHARS = 100
FULL_CHARS = 1000
"""Of a name that is kept next to its cut form."""
OPTIONS, OPTIONS_CHARS = 250, 100_000
"""Most options of one select, and most characters of all options in an observation."""
TEXT_SHARE = 0.45
MIN_TEXT_CHARS = 40
"""A text of which fewer characters fit is left out."""
SLACK_TOKENS = 30
"""Tokens for headlines and for the note on left-out elements."""
DIRECTION_HEADLINES = {1: ["Below:"], 2: ["Above:"]}


class Cuts(NamedTuple):
    """Truncation of a line: characters of names and values, options of a select; in view and elsewhere."""

    chars: int
    far_chars: int
    value: int
    options: int
    far_options: int


CUTS = (
    Cuts(SEEN_CHARS, RENDERED_NAME_CHARS, SEEN_VALUE_CHARS, 12, 4),
    Cuts(SEEN_CHARS, 48, SEEN_VALUE_CHARS, 4, 2),
    Cuts(RENDERED_NAME_CHARS, 24, 2 * RENDERED_VALUE_CHARS, 4, 2),
    Cuts(48, 24, RENDERED_VALUE_CHARS, 4, 2),
    Cuts(24, 24, RENDERED_VALUE_CHARS, 4, 2),
)
DETAILED = Cuts(SEEN_CHARS, SEEN_CHARS, SEEN_VALUE_CHARS, 60, 60)


@dataclass(slots=True)
class Fitted:
    elements: tuple[Element, ...] = ()
    blocks: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    truncated: int = 0
    """Elements left out."""
    texts_left: int = 0
    """Text blocks left out, whole ones."""
    is_window_cut: bool = False
    """Not all that is in view fits: elements or text at the bottom of the window are left out."""


@dataclass(slots=True)
class _Room:
    """Token counter: up to `fill` for anything, up to `limit` for what must not be dropped."""

    used: int
    fill: int
    limit: int
    blocks: list[Block] = field(default_factory=list)

    def take(self, tokens: int, limit: int) -> bool:
        if self.used + tokens > limit:
            return False
        self.used += tokens
        return True


def fit(
    ranked: Sequence[Draft], must: int, blocks: Sequence[Block], around: Surroundings, budget: Budget, used: int,
    *, first: int = 0, detail: bool = False,
) -> Fitted:  # fmt: skip
    """Select what fits. The first `must` of `ranked` and visible text must not be dropped; `used` tokens are spent.

    If not all of it fits, the `first` elements come before what is in view, the others after it. Of the window, names
    and options are truncated first; then its elements and its text have half of the room each, from the top. With
    `detail`, names and options are truncated less, and no text is dropped.
    """
    leaders = [draft for draft in ranked if draft.same_as is None]
    first, must = (sum(draft.same_as is None for draft in ranked[:many]) for many in (first, must))
    top = leaders[: budget.elements]
    contexts = around.contexts(top, CONTEXT_CHARS)
    limit = budget.tokens - SLACK_TOKENS
    room = _Room(used, min(budget.fill, limit), limit)
    choice = (DETAILED, *CUTS) if detail else CUTS
    labels = [draft.ref if budget.names_targets else "e100" for draft in top]
    visible = [block for block in blocks if block.visible or detail]
    words = sum(cost([text_line(block.text)]) for block in visible)
    cuts, made, prices = _price(top, labels, must, contexts, around, room.limit - used - words, choice)
    priced = list(zip(top, prices, strict=True))
    chosen = _take_all(room, priced[:first], visible, priced[first:must])
    others = sorted(
        (block for block in blocks if not block.visible and not detail),
        key=lambda block: (not block.seen, -block.weight),
    )
    others = others[: budget.blocks]
    _add_blocks(room, others, room.used + max(0, int(TEXT_SHARE * (room.fill - room.used))))
    for draft, price in priced[must:]:
        if not room.take(price, room.fill):
            break
        chosen.append(draft)
    _add_blocks(room, others, room.fill)
    # The links that share a line with a chosen one.
    kept = set(map(id, chosen))
    twins = [draft for draft in ranked if draft.same_as is not None and id(draft.same_as) in kept]
    chosen += twins[: max(0, budget.elements - len(chosen))]
    known = dict(zip(map(id, top), made, strict=True))
    known |= {id(twin): _make(twin, "", "", around, cuts) for twin in twins}
    fitted = _lay_out(chosen, room.blocks, known)
    fitted.truncated = len(ranked) - len(chosen)
    fitted.texts_left = len(blocks) - len(room.blocks)
    lines = set(map(id, chosen))
    whole = set(map(id, room.blocks))
    fitted.is_window_cut = any(draft.seen and id(draft) not in lines for draft in leaders) or any(
        id(block) not in whole for block in visible
    )
    return fitted


def _take_all(
    room: _Room,
    first: Sequence[tuple[Draft, int]],
    visible: Sequence[Block],
    must: Sequence[tuple[Draft, int]],
) -> list[Draft]:
    """Take the `first` elements, those in view and the text in view, both from the top, and the rest of `must`, while
    it fits."""
    chosen = [draft for draft, price in first if room.take(price, room.limit)]
    in_view = [one for one in must if one[0].seen]
    words = sum(cost([text_line(block.text)]) for block in visible)
    for_text = min(words, (room.limit - room.used) // 2)
    at = 0
    while at < len(in_view) and room.take(in_view[at][1], room.limit - for_text):
        at += 1
    for block in sorted(visible, key=lambda block: (_section(block), block.place)):
        price, left = cost([text_line(block.text)]), room.limit - room.used
        if price > left:
            block = replace(block, text=cut(block.text, len(block.text) * left // (price + 1)))
        if len(block.text) >= MIN_TEXT_CHARS or price <= left:
            _add_blocks(room, [block], room.limit)
        if price > left:
            break
    chosen += [draft for draft, _ in in_view[:at]]
    chosen += [draft for draft, price in in_view[at:] if room.take(price, room.limit)]
    return chosen + [draft for draft, price in must if not draft.seen and room.take(price, room.limit)]


def _price(
    top: Sequence[Draft],
    labels: Sequence[str],
    must: int,
    contexts: Sequence[str],
    around: Surroundings,
    room: int,
    choice: Sequence[Cuts],
) -> tuple[Cuts, list[Element], list[int]]:
    """Choose the truncation, make the elements and price each line with it. Names are shortened before elements are
    dropped."""
    for cuts in choice:
        elements = [
            _make(draft, label, context, around, cuts)
            for draft, label, context in zip(top, labels, contexts, strict=True)
        ]
        prices = [cost([line]) for line in element_lines(elements)]
        if sum(prices[:must]) <= room:
            break
    return cuts, elements, prices


def _add_blocks(room: _Room, blocks: Sequence[Block], limit: int) -> None:
    kept = set(map(id, room.blocks))
    room.blocks += [
        block for block in blocks if id(block) not in kept and room.take(cost([text_line(block.text)]), limit)
    ]


def _lay_out(chosen: list[Draft], blocks: Sequence[Block], made: Mapping[int, Element]) -> Fitted:
    """Lay out in reading order: open dialogs, the viewport, what is below, what is above. `made`: elements by the id of
    their draft."""
    things: list[Draft | Block] = sorted([*chosen, *blocks], key=lambda thing: (_section(thing), thing.place))
    eids = {id(thing): f"e{at}" for at, thing in enumerate((t for t in things if isinstance(t, Draft)), 1)}
    fitted = Fitted()
    elements: list[Element] = []
    texts: list[str] = []
    order: list[str] = []
    section, room = -1, OPTIONS_CHARS
    for thing in things:
        if (now := _section(thing)) != section:
            section = now
            order += DIRECTION_HEADLINES.get(section, [])
        if isinstance(thing, Block):
            order.append(f"t{len(texts)}")
            texts.append(thing.text)
            continue
        element = made[id(thing)].model_copy(update={"eid": eids[id(thing)]})
        if element.options:
            kept = tuple(option for option in element.options if (room := room - len(option)) >= 0)
            element = element.model_copy(update={"options": kept})
        if thing.same_as is not None:
            element = element.model_copy(update={"same_as": eids[id(thing.same_as)]})
        else:
            order.append(element.eid)
        elements.append(element)
    fitted.elements, fitted.blocks, fitted.order = tuple(elements), tuple(texts), tuple(order)
    return fitted


def _section(thing: Draft | Block) -> int:
    if thing.on_top:
        return -1
    if thing.seen:
        return 0
    y = thing.y if isinstance(thing, Block) else thing.box[1] if thing.box else 0.0
    return 2 if y is not None and y < 0 else 1


def _make(draft: Draft, eid: str, context: str, around: Surroundings, cuts: Cuts) -> Element:
    node = draft.node or Node(draft.role, -1)
    chars, most = (cuts.chars, cuts.value) if draft.seen else (cuts.far_chars, RENDERED_VALUE_CHARS)
    if most == SEEN_VALUE_CHARS:
        most = value_chars(draft.box)
    states = {*node.attributes, *draft.states}
    value = code_lines(node.text or draft.level) if draft.role in FIELD_ROLES | {"slider"} else ""
    options = _options(draft, around)
    name = clean(in_order_of_sight(draft.name))
    if draft.role in SELECTS and options:
        value = ", ".join(name for name, is_selected in options if is_selected) or value
    return Element(
        eid=eid,
        ref=draft.ref,
        role=draft.role,
        name=cut(name, chars),
        full_name=cut(name, FULL_CHARS) if len(name) > chars else "",
        value=None if node.secret else (in_part if most >= SEEN_VALUE_CHARS else cut)(value, most) or None,
        placeholder=cut(clean(node.placeholder), chars) or None,
        disabled="disabled" in states,
        visible=draft.seen,
        checked="checked" in states if draft.role in CHOICES else True if "pressed" in states else None,
        expanded=True if "expanded" in states else None,
        selected=True if "selected" in states else None,
        options=tuple(name for name, _ in options[:OPTIONS]),
        several=draft.choices is not None and draft.choices.several,
        options_shown=cuts.options if draft.seen else cuts.far_options,
        href=well_formed(draft.url[:1000]) or None,
        box=draft.box,
        secret=node.secret,
        filled=node.filled,
        context=cut(clean(context), CONTEXT_CHARS),
        group=around.group_of(draft),
        form=cut(clean(around.form_name(draft)), CONTEXT_CHARS),
        frame=cut(clean(around.frame_of(draft)), CONTEXT_CHARS),
        alike=around.count_alike(draft),
        field=draft.field,
        submits=around.submits(draft),
        sends_to=well_formed(draft.sends_to[:1000]),
        by_get=draft.by_get,
        opens=draft.opens,
        takes=draft.takes,
        shows=cut(clean(in_order_of_sight(draft.shows)), chars),
    )


def _options(draft: Draft, around: Surroundings) -> list[tuple[str, bool]]:
    """The options of a select: name, and whether it is selected."""
    if (native := draft.choices) is not None:
        return [(cut(clean(name), 200), at in native.chosen) for at, name in enumerate(native.options)]
    if draft.node is None or draft.role != "combobox":
        return []
    inside = (around.snapshot.nodes[at] for at in around.snapshot.subtree(draft.index))
    return [
        (cut(clean(node.name or node.text), 200), "selected" in node.attributes)
        for node in inside
        if node.role == "option" and not node.ref
    ]
