"""Rank the elements of a page, for when not all of them fit."""

from collections.abc import Sequence

from server.browser.observation.element_context import Surroundings
from server.browser.observation.elements import Draft
from server.browser.observation.outline import Outline
from server.browser.observation.snapshot import FIELD_ROLES, Snapshot
from server.browser.observation.text_blocks import Block

CARD_NODES = 14
"""Two links to one address, fewer nodes apart than this, count as picture and title of one item."""
MEMORY = 8
FEW, NEIGHBOURS = 3, 20
"""A focused observation covers a box of up to `NEIGHBOURS` elements. If that has fewer than `FEW`, it shows
the `NEIGHBOURS` nearest elements."""
LINKS_NOWHERE = ("", "#")


def merge_duplicates(drafts: Sequence[Draft]) -> list[Draft]:
    """Merge links with equal address and name. In view they share a line, elsewhere only one is kept."""
    kept: dict[int, Draft] = {}
    by_url: dict[str, list[Draft]] = {}
    for draft in drafts:
        kept[id(draft)] = draft
        if draft.role != "link" or draft.url in LINKS_NOWHERE or draft.url.startswith("javascript:"):
            continue
        known = by_url.setdefault(draft.url, [])
        first = next((other for other in known if _is_same(other, draft)), None)
        if first is None:
            del known[: len(known) - MEMORY]
            known.append(draft)
        elif first.seen and draft.seen:
            first.name = first.name or draft.name
            draft.same_as = first
        elif first.name and draft.name and first.name != draft.name:
            known.append(draft)
        elif draft.seen:
            del kept[id(first)]
            known[known.index(first)] = draft
        else:
            first.name = first.name or draft.name
            del kept[id(draft)]
    return list(kept.values())


def _is_same(one: Draft, other: Draft) -> bool:
    if one.name == other.name:
        return True
    is_near = other.place - one.place < CARD_NODES
    return is_near and (one.name in other.name or other.name in one.name)


def rank(
    drafts: Sequence[Draft], outline: Outline, around: Surroundings, height: int
) -> tuple[list[Draft], int]:
    """Sort the drafts by priority. Returns them and how many must not be dropped: those in view, in an open
    dialog or in an active form."""
    for draft in drafts:
        draft.on_top = draft.node is not None and outline.dialog[draft.index] in around.dialogs
    keys: dict[int, tuple[int, float]] = {}
    for draft in drafts:
        urgency = _urgency(draft, around)
        keys[id(draft)] = (urgency, draft.place if urgency < 4 else _distance(draft, around, height))
    ranked = sorted(drafts, key=lambda draft: keys[id(draft)])
    return ranked, sum(keys[id(draft)][0] < 4 for draft in drafts)


def put_first(
    wanted: Sequence[Draft], ranked: Sequence[Draft], must: int, around: Surroundings
) -> tuple[list[Draft], int, int]:
    """Move the wanted drafts to the front, followed by the rest of their form, dialog or row.

    Returns the drafts, how many must not be dropped, and how many were moved, which are among these. A wanted link
    that was merged with another gets its own line again.
    """
    for draft in wanted:
        draft.same_as = None
    groups = {around.group_of(draft) for draft in wanted} - {""}
    known = set(map(id, wanted))
    beside = [draft for draft in ranked if around.group_of(draft) in groups and id(draft) not in known]
    known |= set(map(id, beside))
    kept = sum(id(draft) not in known for draft in ranked[:must])
    others = [draft for draft in ranked if id(draft) not in known]
    first = len(wanted) + len(beside)
    return [*wanted, *beside, *others], first + kept, first


def _urgency(draft: Draft, around: Surroundings) -> int:
    """0 in an open dialog, 1 there but out of view or in an active form, 2 in view (links 3), 4 elsewhere."""
    if draft.on_top:
        return 0 if draft.seen else 1
    if around.in_hand and draft.node is not None and around.form_of(draft) in around.in_hand:
        return 1
    if draft.seen:
        return 2 if draft.role != "link" else 3
    return 4


def _distance(draft: Draft, around: Surroundings, height: int) -> float:
    """Distance from the viewport in screen heights, less for fields, more for what is rarely needed."""
    y = draft.box[1] if draft.box else 0.0
    away = max(-y, y - height, 0.0) / max(height, 1)
    if draft.role in FIELD_ROLES:
        away -= 2
    elif draft.role != "link":
        away -= 0.5
    if not draft.name or around.is_footnote(draft):
        away += 2
    return away + (1.5 if around.is_aside(draft) else 0)


def select_around(
    snapshot: Snapshot, around: Surroundings, blocks: Sequence[Block], target: int
) -> tuple[list[Draft], list[Block]]:
    """The drafts and blocks around one node: itself first, then the rest of its form, dialog, row or section.

    If there are few of these, its nearest neighbours.
    """
    box = _box_around(snapshot, around, target)
    inside = range(box, snapshot.nodes[box].end)
    near = [draft for draft in around.drafts if draft.index in inside]
    if len(near) < FEW <= len(around.drafts) and around.outline.form[target] < 0:
        near = sorted(around.drafts, key=lambda draft: abs(draft.place - target))[:NEIGHBOURS]
        inside = range(min(draft.index for draft in near), max(draft.index for draft in near) + 1)
    near.sort(key=lambda draft: (draft.index != target, abs(draft.place - target)))
    return near, [block for block in blocks if int(block.place) in inside or abs(block.place - target) < FEW]


def _box_around(snapshot: Snapshot, around: Surroundings, target: int) -> int:
    """The widest ancestor with up to `NEIGHBOURS` elements, at least its form, dialog or unit of any size."""
    box, container = target, around.container_of(target)
    for ancestor in snapshot.ancestors(target):
        _, controls = around.count_controls(ancestor)
        if controls > NEIGHBOURS and (container < 0 or ancestor < container):
            break
        box = ancestor
    return box
