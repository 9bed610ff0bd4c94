"""The text of a page that is not the name of an element, as weighted blocks in reading order.

A visible piece of text is either in the line of an element or in a block, as often as it is on the page.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from server.browser.observation.elements import Draft
from server.browser.observation.names import packed
from server.browser.observation.outline import SIDE, Outline
from server.browser.observation.page_script import Extra
from server.browser.observation.rendering import SEEN_CHARS, clean, code_lines, value_chars
from server.browser.observation.snapshot import CHOICES, FIELD_ROLES, Snapshot
from server.browser.observation.visible_text import TextPiece, find_pieces
from server.text import cut

ROWS = frozenset({"row", "listitem", "article"})
URGENT_ROLES = frozenset({"alert", "status", "log", "tooltip"})
LABELLED = FIELD_ROLES | CHOICES | {"slider"}
LABEL_REACH = 8
"""Most nodes between a field and the text that is its label."""
SHORT_CHARS = 80

_TEXT_WORD = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff]|[^\W\u2e80-\u9fff\uf900-\ufaff]+")


@dataclass(slots=True)
class Block:
    place: float
    text: str
    weight: float
    seen: bool
    visible: bool = False
    """It is visible in the window."""
    on_top: bool = False
    is_urgent: bool = False
    """An alert or a status message."""
    y: float | None = None
    """Top edge in CSS pixels of the viewport; None if there is no box."""


@dataclass
class _Run:
    """Adjacent pieces of one paragraph, cell or container."""

    first: TextPiece
    pieces: list[TextPiece] = field(default_factory=list)
    plain: list[TextPiece] = field(default_factory=list)
    """The pieces that are not in the line of a link."""

    @cached_property
    def text(self) -> str:
        """The joined pieces, without the links if these are at least half of it: they are elements."""
        size, plain = (sum(len(piece.text) for piece in some) for some in (self.pieces, self.plain))
        return _joined(self.pieces if 2 * plain > size else self.plain)


def _joined(pieces: Sequence[TextPiece]) -> str:
    if len(pieces) == 1 and "\n" in pieces[0].text:
        return code_lines(pieces[0].text)
    return clean("".join(piece.text if piece.tight else f" {piece.text}" for piece in pieces))


def find_text(
    snapshot: Snapshot, outline: Outline, drafts: Sequence[Draft], chars: int, extra: Extra
) -> list[Block]:
    """The blocks of a page. What is out of view is cut at `chars` characters."""
    pieces = find_pieces(snapshot, outline, drafts, extra)
    _space_names(pieces)
    named = {_key(draft.name) for draft in drafts}
    blocks: list[Block] = []
    known: set[str] = set()
    for runs in _join(snapshot, outline, _runs(snapshot, outline, drafts, pieces), chars):
        first = runs[0].first
        texts = [run.text for run in runs]
        if not first.visible:
            is_heading = _is_heading(snapshot, first)
            texts = list(dict.fromkeys(text for text in texts if is_heading or _key(text) not in named))
        text = " | ".join(filter(None, texts))
        text = text if "\n" in text else text.lstrip("#").strip()
        is_mark = len(text) < 2 and not _TEXT_WORD.search(text)
        if is_mark or (not first.visible and (len(text) < 2 or _key(text) in known)):
            continue
        known.add(_key(text))
        blocks.append(_weigh(snapshot, outline, first, text if first.visible else cut(text, chars)))
    return blocks


def _key(text: str) -> str:
    return text.casefold().strip(" :*.…")


def _words(text: str) -> Counter[str]:
    return Counter(_TEXT_WORD.findall(text.casefold()))


def _space_names(pieces: Sequence[TextPiece]) -> None:
    """Put spaces into the guessed names of clickable elements where they are on the page.

    A snapshot joins the inline parts of an element without them.
    """
    parts: dict[int, tuple[Draft, list[TextPiece]]] = {}
    for piece in pieces:
        if piece.visible and piece.owner is not None and piece.owner.role in ("clickable", "draggable"):
            parts.setdefault(id(piece.owner), (piece.owner, []))[1].append(piece)
    for draft, own in parts.values():
        spaced = _joined(own)
        if not (draft.node and draft.node.name) and packed(spaced) == packed(draft.name):
            draft.name = spaced


class _LineWords:
    """The words that the lines of the elements will have, each of them used for one piece of text."""

    def __init__(self, drafts: Sequence[Draft], outline: Outline, snapshot: Snapshot) -> None:
        self._left: dict[int, Counter[str]] = {}
        self._outline, self._snapshot, self._nodes = outline, snapshot, snapshot.nodes
        self._fields = [draft for draft in drafts if draft.role in LABELLED]
        self._places = [draft.place for draft in self._fields]

    def has(self, piece: TextPiece) -> bool:
        """Whether an element's line has this piece of text. It is then used up."""
        if piece.owner is not None:
            return self._take(piece.owner, piece)
        same = [draft for draft in self._near(piece) if packed(draft.name) == packed(piece.text)]
        others = [] if _is_heading(self._snapshot, piece) else self._near(piece)
        return any(self._is_label(piece, draft) and self._take(draft, piece) for draft in (*same, *others))

    def _near(self, piece: TextPiece) -> list[Draft]:
        at = bisect_left(self._places, piece.place)
        return self._fields[at : at + 2] + self._fields[max(0, at - 1) : at]

    def _is_label(self, piece: TextPiece, draft: Draft) -> bool:
        """Whether the text next to a field is its name. A cell names only what is in its row."""
        if abs(draft.place - piece.place) > LABEL_REACH or packed(piece.text).rstrip(":*") not in packed(
            draft.name
        ):
            return False
        one, other = self._unit(piece.place), self._unit(draft.place)
        return one == other or one < 0 or self._nodes[one].role != "row"

    def _unit(self, place: float) -> int:
        return self._outline.unit[int(place)] if place >= 0 else -1

    def _take(self, draft: Draft, piece: TextPiece) -> bool:
        words, lead = _words(piece.text), draft.same_as or draft
        if words and lead.name != draft.name:  # its line has both names
            return words <= _words(draft.name)
        draft = lead
        if not words:  # signs, such as of code
            return piece.owner is None or packed(piece.text) in packed(self._line(draft))
        if id(draft) not in self._left:
            self._left[id(draft)] = _words(self._line(draft))
        left = self._left[id(draft)]
        if not words <= left:
            return False
        left.subtract(words)
        return True

    def _line(self, draft: Draft) -> str:
        node, parts = draft.node, [cut(clean(draft.name), SEEN_CHARS), draft.shows]
        if node is not None and draft.role in LABELLED:
            parts += [
                cut(clean(node.text or draft.level), value_chars(draft.box)),
                node.placeholder if not node.text else "",
            ]
        return " ".join(parts)


def _runs(
    snapshot: Snapshot, outline: Outline, drafts: Sequence[Draft], pieces: Sequence[TextPiece]
) -> list[_Run | None]:
    """Runs in reading order; None marks an element between them."""
    lines = _LineWords(drafts, outline, snapshot)
    others = [draft.place for draft in drafts if draft.role != "link"]
    runs: list[_Run | None] = []
    before = -1.0
    for piece in pieces:
        is_link = piece.owner is not None and piece.owner.role == "link"
        has_line = lines.has(piece) if piece.visible else piece.owner is not None
        if bisect_right(others, before) != bisect_right(others, piece.place) or (has_line and not is_link):
            runs.append(None)
        before = piece.place
        if has_line and not is_link:
            continue
        run = runs[-1] if runs else None
        if run is None or run.first.holder != piece.holder or run.first.visible != piece.visible:
            run = _Run(piece)
            runs.append(run)
        run.pieces.append(piece)
        run.plain += [] if has_line else [piece]
    return runs


def _is_heading(snapshot: Snapshot, piece: TextPiece) -> bool:
    if piece.place < 0:
        return False
    at = int(piece.place)
    near = (at, *(up for up, _ in zip(snapshot.ancestors(at), range(3), strict=False)))
    return any(snapshot.nodes[up].role == "heading" for up in near)


def _join(snapshot: Snapshot, outline: Outline, runs: Sequence[_Run | None], chars: int) -> list[list[_Run]]:
    """Join adjacent runs of one row or card, and short ones. Runs of links alone are listed as elements."""
    joined: list[list[_Run]] = []
    length, is_open = 0, False
    for run in runs:
        if run is None or not run.plain:
            is_open = False
            continue
        size = len(run.text)
        if is_open and length + size <= chars and _belong(snapshot, outline, joined[-1][-1], run):
            joined[-1].append(run)
            length += size
        else:
            joined.append([run])
            length = size
        is_open = True
    return joined


def _belong(snapshot: Snapshot, outline: Outline, one: _Run, other: _Run) -> bool:
    nodes = snapshot.nodes
    if one.first.visible != other.first.visible or any(
        _is_heading(snapshot, run.first) for run in (one, other)
    ):
        return False
    if "\n" in one.text or "\n" in other.text:
        return False
    unit, before = (
        outline.unit[int(run.first.place)] if run.first.place >= 0 else -1 for run in (other, one)
    )
    if unit >= 0 and nodes[unit].role in ROWS:
        return unit == before
    return max(len(one.text), len(other.text)) <= SHORT_CHARS


def _weigh(snapshot: Snapshot, outline: Outline, piece: TextPiece, text: str) -> Block:
    nodes, at = snapshot.nodes, int(piece.place)
    weight = min(len(text), 200) / 200
    if piece.place < 0:
        return Block(piece.place, text, weight, piece.seen, piece.visible, y=piece.y)
    roles = {nodes[up].role for up in (at, *islice(snapshot.ancestors(at), 6))}
    mark, is_urgent = outline.mark[at], not URGENT_ROLES.isdisjoint(roles)
    on_top = piece.seen and outline.dialog[at] >= 0
    weight += 3 * is_urgent + 2 * on_top
    if "heading" in roles:
        text, weight = f"# {text}", weight + 0.7
    if mark >= 0:
        weight += -0.7 if nodes[mark].role in SIDE else 0.4
    if nodes[at].role == "img" or (piece.seen and not piece.visible):
        weight -= 0.6
    return Block(piece.place, text, weight, piece.seen, piece.visible, on_top, is_urgent, piece.y)
