"""The pieces of a page's text, each with its place among the nodes and whether it is visible.

The page script lists exactly what is visible in the window, but not its place in the snapshot. Both list the
text in one order, so each piece is searched for from where the last one was found.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from server.browser.observation.elements import Draft
from server.browser.observation.names import packed
from server.browser.observation.outline import Outline
from server.browser.observation.page_script import Box, Extra, VisibleText
from server.browser.observation.snapshot import FIELD_ROLES, WIDGETS, Node, Snapshot

INLINE = frozenset({
    "text", "strong", "emphasis", "code", "mark", "time", "superscript", "subscript", "deletion", "insertion", "img",
})  # fmt: skip
PHRASES = frozenset({"paragraph", "heading", "caption", "term", "definition"})
"""The contents of these are one text, inline links and generics included."""
SILENT = frozenset({"option", "separator", "scrollbar"})
SEARCHED_CHARS = 200_000
MAX_COMPARED = 8
"""Occurrences of one text that are compared with its position."""
SLACK_PIXELS = 4
"""Pixels by which a text may extend beyond the box of its element."""
MAX_TEXT_BOXES = 400


@dataclass(slots=True)
class TextPiece:
    place: float
    """A node index, or a value between two."""
    text: str
    holder: tuple[str, int]
    """Equal for pieces of one paragraph, cell or container."""
    owner: Draft | None = None
    """The element that it is a part of."""
    visible: bool = False
    """Whether it is visible in the window."""
    seen: bool = False
    """Whether its element is in the window."""
    tight: bool = False
    """It follows the piece before it without a space."""
    y: float | None = None
    """Top edge in CSS pixels of the viewport; None if there is no box."""


def find_pieces(
    snapshot: Snapshot, outline: Outline, drafts: Sequence[Draft], extra: Extra
) -> list[TextPiece]:
    """All pieces in reading order. Text that the page script listed is not repeated from the snapshot."""
    owners = _owners(snapshot.nodes, drafts)
    listed, covered = _place(snapshot, extra.texts or (), drafts, owners)
    # What the script did not list although it is in the window is hidden, or a label that replaces text.
    is_known = extra.texts is not None and extra.all_texts
    return sorted([*listed, *_others(snapshot, owners, covered, is_known)], key=lambda piece: piece.place)


def find_hidden(snapshot: Snapshot, extra: Extra) -> dict[int, str]:
    """By node in the window, the text that the page does not paint there: all of its words, or one with a digit.

    Nothing if it is not known what is painted. The text of a picture is painted in a way that cannot be read.
    """
    if extra.texts is None or not extra.all_texts:
        return {}
    joined = packed("".join(text.text for text in extra.texts))
    words = {word for text in extra.texts for word in text.text.split()}
    hidden, frames = dict[int, str](), _frames(snapshot.nodes)
    for at, node in enumerate(snapshot.nodes):
        if not node.seen or frames[at] >= 0 or node.role in SILENT | FIELD_ROLES | {"iframe"}:
            continue
        for text in filter(None, (node.name, node.text)):
            unseen = [
                one
                for one in text.split()
                if one not in words and (len(one) < 3 or packed(one) not in joined)
            ]
            is_all = node.role != "img" and len(unseen) == len(text.split())
            if packed(text) not in joined and (is_all or any(map(_has_digit, unseen))):
                hidden[at] = text
    return hidden


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _owners(nodes: Sequence[Node], drafts: Sequence[Draft]) -> list[Draft | None]:
    """For each node, the nearest element that it is or is in."""
    own = {draft.index: draft for draft in drafts if draft.node is not None}
    owners: list[Draft | None] = []
    for at, node in enumerate(nodes):
        owners.append(own.get(at) or (owners[node.parent] if node.parent >= 0 else None))
    return owners


def _own_texts(node: Node, at: int) -> list[str]:
    """The node's text, and its name if it has no children: otherwise the name repeats the children's text."""
    is_leaf = node.end == at + 1
    return [text for text in (node.name if is_leaf and not node.text else "", node.text) if text]


def _others(
    snapshot: Snapshot, owners: Sequence[Draft | None], covered: set[int], is_known: bool
) -> list[TextPiece]:
    nodes, pieces = snapshot.nodes, list[TextPiece]()
    holders, boxes, frames = _holders(nodes), _boxes(nodes), _frames(nodes)
    at = 0
    while at < len(nodes):
        node, owner = nodes[at], owners[at]
        if node.role in SILENT:
            at = node.end
            continue
        if at not in covered and node.role not in FIELD_ROLES and node.role != "iframe":
            visible = node.seen and boxes[at] is not None and not (is_known and frames[at] < 0)
            box = boxes[at]
            for text in _own_texts(node, at):
                holder = (
                    holders[owner.node.parent]
                    if owner and owner.node and owner.role == "link" and owner.node.parent >= 0
                    else holders[at]
                )
                pieces.append(
                    TextPiece(
                        at, text, ("node", holder), owner, visible, node.seen, y=box[1] if box else None
                    )
                )
        at += 1
    return pieces


def _holders(nodes: Sequence[Node]) -> list[int]:
    """For each node, the nearest node that is not inline, itself included."""
    holders: list[int] = []
    for at, node in enumerate(nodes):
        above = holders[node.parent] if node.parent >= 0 else -1
        in_phrase = above >= 0 and nodes[above].role in PHRASES
        is_inline = node.role in INLINE or (in_phrase and node.role in ("generic", "link"))
        holders.append(above if is_inline else at)
    return holders


def _boxes(nodes: Sequence[Node]) -> list[Box | None]:
    """For each node, its box, or that of the nearest ancestor with an area."""
    boxes: list[Box | None] = []
    for node in nodes:
        has_area = node.box is not None and node.box[2] * node.box[3] > 0
        above = boxes[node.parent] if node.parent >= 0 else None
        boxes.append(node.box if has_area else above or node.box)
    return boxes


def _frames(nodes: Sequence[Node]) -> list[int]:
    """For each node, the frame that it is in; -1 if none."""
    frames: list[int] = []
    for node in nodes:
        above = node.parent
        frames.append(-1 if above < 0 else above if nodes[above].role == "iframe" else frames[above])
    return frames


def _place(
    snapshot: Snapshot, texts: Sequence[VisibleText], drafts: Sequence[Draft], owners: Sequence[Draft | None]
) -> tuple[list[TextPiece], set[int]]:
    """The script's texts as pieces, and the nodes whose text they are."""
    nodes, boxes = snapshot.nodes, _boxes(snapshot.nodes)
    places, parts, room = list[int](), list[str](), SEARCHED_CHARS
    for at, node in enumerate(nodes if texts else ()):
        if not node.seen or room < 0 or node.role in SILENT:
            continue
        for own in (node.name if node.role in WIDGETS or node.end == at + 1 else "", node.text):
            if part := packed(own):
                places.append(at)
                parts.append(part)
                room -= len(part)
    starts = [0, *accumulate(map(len, parts))]
    whole = "".join(parts)
    loose = [draft for draft in drafts if draft.node is None and draft.seen and draft.box][:MAX_TEXT_BOXES]
    boxed = [draft for draft in drafts if draft.seen and draft.box][:MAX_TEXT_BOXES]
    pieces, covered = list[TextPiece](), set[int]()
    cursor, place = 0, -0.5
    for text in texts:
        middle = text.box[0] + text.box[2] / 2, text.box[1] + text.box[3] / 2
        part = packed(text.text)

        def fits(start: int, middle: tuple[float, float] = middle) -> bool:
            return _holds(boxes[places[bisect_right(starts, start) - 1]], middle)

        def has_room(start: int, box: Box = text.box, size: int = len(part)) -> bool:
            at = bisect_right(starts, start) - 1
            node = boxes[places[at]]
            is_all = start == starts[at] and start + size == starts[at + 1]
            return (
                is_all
                and node is not None
                and box[2] <= node[2] + SLACK_PIXELS
                and box[3] <= node[3] + SLACK_PIXELS
            )

        start = _search(whole, part, cursor, fits)
        if start is None:  # it may have moved since the snapshot
            start = _first(whole, part, cursor, len(whole), has_room)
        if start is None:
            owner = _smallest(boxed, middle)
            place = max(place, owner.place) if owner else place
        else:
            first = bisect_right(starts, start) - 1
            place = places[first]
            cursor = start + len(part)
            covered.update(places[first : bisect_right(starts, cursor - 1)])
            owner = _smallest(loose, middle) or owners[places[first]]
        pieces.append(
            TextPiece(place, text.text, ("block", text.block), owner, True, True, text.tight, text.box[1])
        )
    return pieces, covered


def _search(whole: str, part: str, cursor: int, fits: Callable[[int], bool]) -> int | None:
    """Where `part` begins in `whole`: the first occurrence that fits, from the cursor on, else from the start."""
    start = _first(whole, part, cursor, len(whole), fits)
    return _first(whole, part, 0, cursor, fits) if start is None else start


def _first(whole: str, part: str, start: int, end: int, fits: Callable[[int], bool]) -> int | None:
    for _ in range(MAX_COMPARED if part else 0):
        start = whole.find(part, start, end)
        if start < 0:
            break
        if fits(start):
            return start
        start += 1
    return None


def _holds(box: Box | None, point: tuple[float, float]) -> bool:
    if box is None:
        return True
    (x, y), (left, top, width, height) = point, box
    return (
        left - SLACK_PIXELS <= x <= left + width + SLACK_PIXELS
        and top - SLACK_PIXELS <= y <= top + height + SLACK_PIXELS
    )


def _smallest(drafts: Sequence[Draft], point: tuple[float, float]) -> Draft | None:
    around = [draft for draft in drafts if draft.box and _holds(draft.box, point)]
    return min(around, key=lambda draft: draft.box[2] * draft.box[3] if draft.box else 0, default=None)
