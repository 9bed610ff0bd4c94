"""Find the interactive elements of a snapshot, with name and state."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, chain, islice, takewhile
from operator import attrgetter
from typing import Literal, Protocol, TypeVar

from server.browser.observation.names import label_of_choice, label_of_field, name_of_widget, text_of
from server.browser.observation.page_script import Box, Clickable, Cover, Extra, NativeList
from server.browser.observation.snapshot import (
    CHOICES,
    FIELD_ROLES,
    WIDGETS,
    Node,
    Snapshot,
    intersect,
    overlaps,
)

KEPT_ROLES = frozenset({"img", "heading", "row", "cell", "gridcell", "listitem", "article", "iframe"})
LIST_CONTAINERS = frozenset(
    {"list", "table", "rowgroup", "grid", "tree", "menu", "tablist", "navigation", "main"}
)
LEVELS = frozenset({"slider", "spinbutton"})
DRAG_ROLES = frozenset({"draggable", "dropzone"})
TAG_ROLES = {
    "a": "link", "button": "button", "editable": "textbox", "select": "combobox", "media": "media",
    **{role: role for role in DRAG_ROLES | CHOICES},
}  # fmt: skip
SELECTS = frozenset({"combobox", "listbox"})
HIDDEN_SIZE = 2
"""CSS pixels: what is no wider or no higher is there for screen readers and scripts."""
MAX_CLICKABLES = 100
MAX_BOXES = 400
HOSTS = frozenset({"link", "button", "clickable", "listitem"})
HOST_HEIGHT = 80
MAX_LISTED_ELEMENTS = 200
"""The page script lists no more: what it does not list may then be a control of its own."""
LOOSE_ROLES = KEPT_ROLES | {"clickable"}
_READING_ORDER = attrgetter("place")
_ANY_LETTER = re.compile(r"[^\W\d_]")
SPREAD_CHARS = 160
"""A clickable container with several parts and more text than this is listed as its parts."""


@dataclass(slots=True)
class Draft:
    """A candidate element. `place` is its position in reading order: a node index, or a value between two."""

    place: float
    ref: str
    role: str
    name: str
    node: Node | None = None
    box: Box | None = None
    seen: bool = True
    url: str = ""
    submits: bool = False
    opens: bool = False
    takes: tuple[str, ...] = ()
    shows: str = ""
    sends_to: str = ""
    by_get: bool = False
    field: Literal["", "lines", "fixed"] = ""
    choices: NativeList | None = None
    """The options of a native list, where the snapshot says less of them."""
    level: str = ""
    """The value of a slider or spin button that is no field."""
    on_top: bool = False
    """It is in an open dialog."""
    states: frozenset[str] = frozenset()
    """States that its node does not have."""
    same_as: "Draft | None" = None

    @property
    def index(self) -> int:
        return int(self.place)

    def put_placeholder(self, text: str) -> None:
        """The text that its field shows while it is empty, unless the field has one or it only repeats the name."""
        if self.node and not self.node.placeholder and text != self.name:
            self.node.placeholder = text


class _HasBox(Protocol):
    @property
    def box(self) -> Box: ...


_Boxed = TypeVar("_Boxed", bound=_HasBox)


def find_elements(snapshot: Snapshot, extra: Extra, viewport: tuple[int, int]) -> list[Draft]:
    """Every element of the snapshot and of `extra`, in reading order."""
    frames = [index for index, node in enumerate(snapshot.nodes) if node.role == "iframe"]
    lists = _by_box(extra.lists)
    native = {
        at for at, node in enumerate(snapshot.nodes) if node.role in SELECTS and _rounded(node.box) in lists
    }
    drafts = [
        _draft(snapshot, index) for index in _pick(snapshot, native) if not _is_under(snapshot, index, frames)
    ]
    _note_widgets(drafts, extra)
    left_out = _hidden_selects(snapshot, drafts)
    left_out |= _nested_fields(snapshot, drafts, left_out)
    drafts = [draft for draft in drafts if draft.index not in left_out]
    if extra.covers:
        drafts = _put_covers(snapshot, drafts, extra.covers, viewport)
    if extra.clickables:
        drafts = _add_clickables(snapshot, drafts, extra.clickables, viewport)
        repeats = _Repeats(snapshot, drafts, extra)
        drafts = [draft for at, draft in enumerate(drafts) if not repeats.has(at)]
    _note_all(drafts, extra)
    return drafts


def _note_widgets(drafts: Sequence[Draft], extra: Extra) -> None:
    """What the page script says of elements of the snapshot."""
    lists, shown, levels = _by_box(extra.lists), _by_box(extra.shown), _by_box(extra.levels)
    submits, openers = set(map(_rounded, extra.submits)), set(map(_rounded, extra.openers))
    placeholders = _by_box(extra.placeholders)
    for draft in drafts:
        box, is_field = _rounded(draft.box), draft.role in FIELD_ROLES
        draft.submits = not is_field and box in submits
        if draft.role in SELECTS:
            draft.choices = lists.get(box)
        if draft.role in WIDGETS:
            draft.opens = box in openers
            draft.shows = shown[box].text if box in shown else ""
        if draft.role in LEVELS and box in levels:
            draft.level = levels[box].value
        if is_field and box in placeholders:
            draft.put_placeholder(placeholders[box].text)


def _note_all(drafts: Sequence[Draft], extra: Extra) -> None:
    """What the page script says of elements whatever listed them."""
    sent, takes, fields = _by_box(extra.sent), _by_box(extra.takes), _by_box(extra.fields)
    uploads = set(map(_rounded, extra.uploads))
    for draft in drafts:
        box = _rounded(draft.box)
        if box in takes:
            draft.takes = takes[box].ways
        if form := sent.get(box):
            draft.sends_to, draft.by_get = form.to, form.get
        if draft.role in FIELD_ROLES and box in fields:
            draft.field = fields[box].kind
        if draft.role in ("button", "clickable") and box in uploads:
            draft.role = "file"


def _by_box(found: Iterable[_Boxed]) -> dict[tuple[int, ...], _Boxed]:
    return {_rounded(one.box): one for one in found}


def _pick(snapshot: Snapshot, native: Set[int]) -> list[int]:
    """The nodes that are elements; of the `native` lists, these as a whole."""
    nodes = snapshot.nodes
    # By index: the number of widgets before it.
    widgets = list(accumulate((bool(node.ref) and node.role in WIDGETS for node in nodes), initial=0))
    picked: list[int] = []
    lists: set[int] = set()
    for index, node in enumerate(nodes):
        if node.role in WIDGETS and node.ref:
            if index in native or not _is_folded(snapshot, index, native):
                picked.append(index)
        elif node.role in CHOICES:
            if (label := _label_around(snapshot, index)) is not None:
                picked.append(label)
        elif node.ref and (node.is_pointed or node.parent in lists or _is_summary(snapshot, index)):
            if node.role == "gridcell" or _is_list(snapshot, index):
                lists.add(index)
            if node.role != "gridcell" and index in lists:
                continue
            if widgets[node.end] == widgets[index] or _has_own_text(snapshot, index):
                picked.append(index)
    return sorted(set(picked))


def _is_under(snapshot: Snapshot, index: int, frames: list[int]) -> bool:
    """Whether a click at its centre would hit a frame inside it; that frame's controls are listed instead."""
    node = snapshot.nodes[index]
    if node.box is None:
        return False
    x, y = node.box[0] + node.box[2] / 2, node.box[1] + node.box[3] / 2
    inside = (snapshot.nodes[at].box for at in frames if index < at < node.end)
    return any(box and overlaps((x, y, 1, 1), box) for box in inside)


def _widgets(snapshot: Snapshot, index: int) -> list[int]:
    """The widgets among the first `MAX_CLICKABLES` nodes of a subtree."""
    return [at for at in snapshot.subtree(index)[:MAX_CLICKABLES] if snapshot.nodes[at].role in WIDGETS]


def _is_folded(snapshot: Snapshot, index: int, native: Set[int]) -> bool:
    """Whether it is listed with another element: an option of a closed select, or a list box with options."""
    node = snapshot.nodes[index]
    if node.role == "listbox":
        return node.end > index + 1
    if node.role == "option" and native and not native.isdisjoint(islice(snapshot.ancestors(index), 2)):
        return True
    parent = snapshot.nodes[node.parent] if node.parent >= 0 else None
    has_area = node.box is not None and node.box[2] * node.box[3] != 0
    return node.role == "option" and parent is not None and parent.role == "combobox" and not has_area


def _label_around(snapshot: Snapshot, index: int) -> int | None:
    """The label that takes the click for a styled, invisible checkbox; None if it contains other widgets."""
    parent = snapshot.nodes[index].parent
    if parent < 0 or not snapshot.nodes[parent].ref or snapshot.nodes[parent].role in WIDGETS:
        return None
    return parent if _widgets(snapshot, parent) == [index] else None


def _is_summary(snapshot: Snapshot, index: int) -> bool:
    """Whether it is the `summary` of a `details`: in the snapshot, a named generic, first in a group."""
    node = snapshot.nodes[index]
    first = node.parent == index - 1 >= 0 and snapshot.nodes[node.parent].role == "group"
    return first and node.role == "generic" and bool(node.name)


def _is_list(snapshot: Snapshot, index: int) -> bool:
    """Whether it is a clickable container whose parts are the targets, since they inherit its cursor."""
    if snapshot.nodes[index].role in KEPT_ROLES:
        return False
    parts = (at for at in snapshot.children(index) if snapshot.nodes[at].ref)
    if len(list(islice(parts, 2))) < 2:
        return False
    return (
        snapshot.nodes[index].role in LIST_CONTAINERS
        or len(text_of(snapshot, index, SPREAD_CHARS + 1)) > SPREAD_CHARS
    )


def _has_own_text(snapshot: Snapshot, index: int) -> bool:
    """Whether it has text of its own. A clickable box with only one control and its label has none."""
    nodes = snapshot.nodes
    inner = [at for at in _widgets(snapshot, index) if nodes[at].ref]
    if any(nodes[at].box == nodes[index].box is not None for at in inner):
        return False
    beside = _text_beside(snapshot, index, inner)
    return bool(beside) and not (len(inner) == 1 and beside in nodes[inner[0]].name)


def _text_beside(snapshot: Snapshot, index: int, inner: list[int]) -> str:
    nodes, at = snapshot.nodes, index
    pieces: list[str] = []
    skipped = {start: nodes[start].end for start in inner}
    while at < nodes[index].end and len(pieces) < 8:
        if at in skipped:
            at = skipped[at]
            continue
        if text := nodes[at].text or nodes[at].name:
            pieces.append(text)
        at += 1
    return " ".join(dict.fromkeys(pieces))


def _draft(snapshot: Snapshot, index: int) -> Draft:
    node = snapshot.nodes[index]
    role, name, state = (
        (node.role, name_of_widget(snapshot, index), node)
        if node.role in WIDGETS
        else _clickable(snapshot, index)
    )
    return Draft(index, node.ref, role, name, state, node.box, node.seen, node.url)


def _clickable(snapshot: Snapshot, index: int) -> tuple[str, str, Node]:
    """Role, name and the node with the state of what is clicked but no control: those of a hidden choice in it."""
    nodes, node, inner = snapshot.nodes, snapshot.nodes[index], _widgets(snapshot, index)
    name = node.name or _text_beside(snapshot, index, [at for at in inner if nodes[at].ref])
    hidden = next((nodes[at] for at in inner if nodes[at].role in CHOICES and not nodes[at].ref), None)
    if hidden is not None:
        return hidden.role, name or hidden.name or label_of_choice(snapshot, index), hidden
    return node.role if node.role in KEPT_ROLES else "clickable", name, node


def _add_clickables(
    snapshot: Snapshot, drafts: list[Draft], found: tuple[Clickable, ...], viewport: tuple[int, int]
) -> list[Draft]:
    by_box = {_rounded(draft.box): draft for draft in drafts if draft.box}
    nodes = {_rounded(node.box): at for at, node in enumerate(snapshot.nodes) if node.box and node.ref}
    boxes, moved, added = _Bands(snapshot), _Moved(drafts, found, nodes), list[Draft]()
    for clickable in found:
        box = _rounded(clickable.box)
        if known := by_box.get(box) or moved.take(clickable):
            _improve(known, clickable)
        elif box not in nodes:
            added.append(_loose(snapshot, boxes, clickable, viewport))
        elif clickable.listens or not _within(drafts, nodes[box], snapshot.nodes[nodes[box]].end):
            added.append(_draft_clickable(snapshot, nodes[box], clickable))
    return sorted(drafts + added, key=_READING_ORDER)


def _within(drafts: list[Draft], first: int, end: int) -> list[Draft]:
    """Those of drafts in reading order that have nodes from `first` to `end`."""
    return drafts[
        bisect_left(drafts, first, key=_READING_ORDER) : bisect_left(drafts, end, key=_READING_ORDER)
    ]


def _improve(known: Draft, clickable: Clickable) -> None:
    """Put in what the page script says better of an element that the snapshot has, too."""
    if not _ANY_LETTER.search(known.name):  # such as a bell with a number
        known.name = clickable.name or known.name
    if clickable.tag == "draggable" and known.role == "clickable":
        known.role = clickable.tag
    if clickable.tag == "media":
        known.role, known.name = clickable.tag, clickable.name


class _Moved:
    """The drafts that the page script would have listed, too, but not where the snapshot has them: the page moves."""

    def __init__(
        self, drafts: Sequence[Draft], found: Sequence[Clickable], known: Container[tuple[int, ...]]
    ) -> None:
        """`known` are the rounded boxes that the snapshot has: what is there has not moved."""
        self._known = known
        listed = {_rounded(one.box) for one in found}
        self._drafts: dict[tuple[str, int, int], list[Draft]] = {}
        for draft in drafts if len(found) < MAX_LISTED_ELEMENTS else ():
            is_listed = draft.role == "clickable" or not draft.name
            if is_listed and draft.box and draft.node and _rounded(draft.box) not in listed:
                self._drafts.setdefault(_kind(draft.role, draft.box), []).append(draft)

    def take(self, clickable: Clickable) -> Draft | None:
        """The first of them that is of the same kind, size and name. It is then where the script saw it."""
        if _rounded(clickable.box) in self._known:
            return None
        role = TAG_ROLES.get(clickable.tag, "clickable")
        alike = self._drafts.get(_kind(role, clickable.box), [])
        for draft in alike:
            if not draft.name or _begins_with(draft.name, clickable.name):
                alike.remove(draft)
                draft.box = clickable.box
                return draft
        return None


def _begins_with(text: str, start: str) -> bool:
    """Whether it does, spaces aside: the page script cuts names, and a snapshot joins parts without a space."""
    return bool(start) and "".join(text.split()).startswith("".join(start.split()))


def _kind(role: str, box: Box) -> tuple[str, int, int]:
    return role, round(box[2]), round(box[3])


def _hidden_selects(snapshot: Snapshot, drafts: list[Draft]) -> set[int]:
    """The nodes of hidden selects next to what stands in for them, which gets their names."""
    nodes, left_out = snapshot.nodes, set[int]()
    hidden = [at for at, node in enumerate(nodes) if node.role in SELECTS and _is_hidden(node.box)]
    for at in hidden:
        beside = _stand_in(snapshot, drafts, at)
        if beside is not None:
            left_out |= {at, *snapshot.subtree(at)}
            label, own = nodes[at].name or label_of_field(snapshot, at), nodes[beside.index].name
            beside.name = own or label
            if beside.role == "button" and label:
                beside.name, beside.shows = label, own
    return left_out


def _nested_fields(snapshot: Snapshot, drafts: list[Draft], left_out: Container[int]) -> set[int]:
    """Of each field in a combobox, the node of the one of both that takes no typing."""
    nodes, nested = snapshot.nodes, set[int]()
    for outer in drafts:
        if outer.role != "combobox" or outer.index in left_out:
            continue
        inside = _within(drafts, outer.index + 1, nodes[outer.index].end)
        inner = next((one for one in inside if one.role in FIELD_ROLES), None)
        if inner is None:
            continue
        if nodes[outer.index].is_pointed or "disabled" in nodes[outer.index].attributes:
            outer.level = nodes[inner.index].text or inner.name
            nested.add(inner.index)
        else:
            inner.name = outer.name or inner.name
            nested.add(outer.index)
    return nested


def _is_hidden(box: Box | None) -> bool:
    return box is not None and 0 < min(box[2:]) <= HIDDEN_SIZE


def _stand_in(snapshot: Snapshot, drafts: list[Draft], index: int) -> Draft | None:
    """What a person sees in place of a hidden select: the first control after it, in the box around both."""
    nodes, parent = snapshot.nodes, snapshot.nodes[index].parent
    end = min(nodes[parent].end if parent >= 0 else len(nodes), nodes[index].end + 6)
    after = (one for one in drafts if nodes[index].end <= one.index < end)
    first, box = next(after, None), nodes[index].box
    if first is None or first.box is None or box is None or _is_hidden(first.box):
        return None
    is_over = first.role == "button" and overlaps((box[0], box[1], 1, 1), first.box)
    return first if first.role in SELECTS or is_over else None


def _put_covers(
    snapshot: Snapshot, drafts: list[Draft], covers: tuple[Cover, ...], viewport: tuple[int, int]
) -> list[Draft]:
    """Let the choices that something else is drawn over be clicked there."""
    nodes: dict[tuple[int, ...], int] = {}
    for index, node in enumerate(snapshot.nodes):
        if node.box and node.ref:
            nodes.setdefault(_rounded(node.box), index)
    choices = {_rounded(draft.box): draft for draft in drafts if draft.role in CHOICES}
    boxes, added, taken = _Bands(snapshot), list[Draft](), set[int]()
    for cover in covers:
        at = nodes.get(_rounded(cover.by))
        ref = snapshot.nodes[at].ref if at is not None else cover.target
        if not ref:
            continue
        choice = choices.get(_rounded(cover.by)) or choices.get(
            _rounded(cover.box) if any(cover.box[2:]) else ()
        )
        if choice is None:
            found = Clickable(box=cover.by, tag=cover.role, name=cover.name, target=ref)
            choice = _loose(snapshot, boxes, found, viewport) if at is None else _draft(snapshot, at)
            added.append(choice)
        choice.role, choice.ref, choice.box = cover.role, ref, cover.by
        choice.seen = overlaps(cover.by, (0, 0, *viewport))
        choice.states = frozenset(word for word in ("checked", "disabled") if getattr(cover, word))
        choice.name = choice.name or cover.name or (label_of_choice(snapshot, at) if at is not None else "")
        if at is not None:
            taken.add(at)
    kept = [draft for draft in drafts if draft.place not in taken or draft.role in CHOICES]
    return sorted([*kept, *added], key=_READING_ORDER)


class _Repeats:
    """Containers that are clicked for what is in them, and parts of one control that have no name."""

    def __init__(self, snapshot: Snapshot, drafts: Sequence[Draft], extra: Extra) -> None:
        self._nodes, self._drafts = snapshot.nodes, drafts
        self._listed = _by_box(extra.clickables)
        covers = [one.by for one in extra.covers]
        self._wholes = [one.box for one in extra.clickables if one.tag == "svg"] + covers
        by_choice = set(map(_rounded, covers))
        self._choices = [one for one in drafts if one.role in CHOICES and _rounded(one.box) in by_choice]
        self._hosts = _hosts(drafts) if len(extra.clickables) < MAX_LISTED_ELEMENTS else {}

    def has(self, at: int) -> bool:
        draft = self._drafts[at]
        if draft.role not in LOOSE_ROLES or draft.box is None:
            return False
        if not draft.name:
            return any(_holds(whole, draft.box) for whole in self._around(draft.box))
        if any(_is_part(draft, choice) for choice in self._choices):
            return True
        listed = self._listed.get(_rounded(draft.box))
        if draft.node is None or (listed and listed.listens):
            return False
        return _is_said_inside(draft, self._nodes[draft.index].end, islice(self._drafts, at + 1, None))

    def _around(self, box: Box) -> list[Box]:
        """What a part without a name may belong to; one that the script lists, to drawings only."""
        if _rounded(box) in self._listed:
            return self._wholes
        near = (self._hosts.get(_band(box[1]) + band, ()) for band in (-2, -1, 0))
        return [*self._wholes, *chain.from_iterable(near)]


def _hosts(drafts: Sequence[Draft]) -> dict[int, list[Box]]:
    """The boxes of low controls with a name, by band."""
    hosts: dict[int, list[Box]] = {}
    for one in drafts:
        if one.role in HOSTS and one.name and one.box and one.box[3] <= HOST_HEIGHT:
            hosts.setdefault(_band(one.box[1]), []).append(one.box)
    return hosts


def _is_part(draft: Draft, choice: Draft) -> bool:
    """Whether it is drawn in a choice and says no more than that."""
    is_in = draft.box is not None and choice.box is not None and _holds(choice.box, draft.box)
    return is_in and draft.name.casefold() in choice.name.casefold()


def _is_said_inside(draft: Draft, end: int, after: Iterable[Draft]) -> bool:
    """Whether the controls in it have all the words of its name."""
    inside = takewhile(lambda one: one.place < end, after)
    left = Counter(draft.name.casefold().split())
    for one in inside:
        if draft.box and one.box and _holds(draft.box, one.box):
            left.subtract(one.name.casefold().split())
    return max(left.values(), default=1) <= 0


def _holds(outer: Box, inner: Box) -> bool:
    return intersect(outer, inner) == inner


def _rounded(box: Box | None) -> tuple[int, ...]:
    return tuple(map(round, box)) if box else ()


def _draft_clickable(snapshot: Snapshot, index: int, clickable: Clickable) -> Draft:
    draft = _draft(snapshot, index)
    if clickable.tag == "editable":
        draft.role, draft.name = "textbox", clickable.name or label_of_field(snapshot, index)
    if clickable.tag in DRAG_ROLES:
        draft.role = clickable.tag
    if clickable.tag == "media":
        draft.role, draft.name = clickable.tag, clickable.name
    if clickable.tag in ("dropzone", "svg"):
        draft.name = clickable.name
    draft.name = draft.name or clickable.name
    return draft


class _Bands:
    """The boxes of a snapshot's nodes by horizontal bands of the page, so that few are compared with one place."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._bands: dict[int, list[tuple[int, Box]]] = {}
        for at, node in enumerate(snapshot.nodes):
            if node.box is None:
                continue
            top, bottom = node.box[1], node.box[1] + node.box[3]
            for band in range(_band(max(top, _FAR[0])), _band(min(bottom, _FAR[1])) + 1):
                self._bands.setdefault(band, []).append((at, node.box))

    def upwards(self, y: float) -> Iterator[Sequence[tuple[int, Box]]]:
        """For the band at this height and each above it: the first MAX_BOXES nodes that reach it, in reading order."""
        for band in range(_band(y), _band(_FAR[0]) - 1, -1):
            yield self._bands.get(band, ())[:MAX_BOXES]


_FAR = (-1_000.0, 3_000.0)
"""CSS pixels above and below the window's top: farther away, the page script lists nothing."""


def _band(y: float) -> int:
    return int(y // 64)


def _loose(snapshot: Snapshot, boxes: _Bands, clickable: Clickable, viewport: tuple[int, int]) -> Draft:
    """A draft for an element that the snapshot lacks, placed after what begins before it in the box around it."""
    x, y, width, height = clickable.box
    middle = (x + width / 2, y + height / 2, 1.0, 1.0)
    near = next(boxes.upwards(middle[1]), ())
    around = [(box[2] * box[3], -at) for at, box in near if overlaps(middle, box)]
    first = -min(around)[1] if around else 0
    end = snapshot.nodes[first].end if around else len(snapshot.nodes)
    before: list[int] = []
    for near in boxes.upwards(middle[1]):
        in_it = ((at, box) for at, box in near if first <= at < end and box[1] <= middle[1])
        before = [at for at, box in in_it if _begins(box, clickable.box)]
        if before:
            break
    place = max(before, default=first if around else -1) + 0.5
    role = TAG_ROLES.get(clickable.tag, "clickable")
    seen = overlaps(clickable.box, (0, 0, *viewport))
    return Draft(place, clickable.target, role, clickable.name, box=clickable.box, seen=seen)


def _begins(one: Box, other: Box) -> bool:
    """Whether the first box is above the second, or to its left in one line."""
    return one[1] + one[3] <= other[1] or one[0] <= other[0]
