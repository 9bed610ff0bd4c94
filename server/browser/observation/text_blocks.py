"""The text of a page that is not the name of an element, as weighted blocks in reading order."""

from collections.abc import Sequence
from dataclasses import dataclass

from server.browser.observation.elements import Draft
from server.browser.observation.names import own_text
from server.browser.observation.outline import SIDE, Outline
from server.browser.observation.rendering import clean
from server.browser.observation.snapshot import Node, Snapshot
from server.text import cut

INLINE = frozenset({
    "text", "strong", "emphasis", "code", "mark", "time", "superscript", "subscript", "deletion", "insertion", "img",
})  # fmt: skip
PHRASES = frozenset({"paragraph", "heading", "caption", "term", "definition"})
"""The contents of these are one text, inline links and generics included."""
ROWS = frozenset({"row", "listitem", "article"})
URGENT = frozenset({"alert", "status", "log", "tooltip"})
SILENT = frozenset({"option", "iframe", "separator", "scrollbar"})
SHORT_CHARS = 80


@dataclass(slots=True)
class Block:
    place: int
    text: str
    weight: float
    seen: bool
    on_top: bool = False
    y: float | None = None
    """Top edge in CSS pixels of the viewport; None if there is no box."""


@dataclass(slots=True)
class _Run:
    """Adjacent pieces of one paragraph, cell or container."""

    holder: int
    first: int
    pieces: list[str]
    plain: list[str]
    """The pieces that are not links."""

    @property
    def text(self) -> str:
        """The joined pieces, without the links if these are at least half of it: they are elements."""
        kept = self.pieces if 2 * sum(map(len, self.plain)) > sum(map(len, self.pieces)) else self.plain
        return " ".join(kept)


def find_text(snapshot: Snapshot, outline: Outline, drafts: Sequence[Draft], chars: int) -> list[Block]:
    named = {_key(draft.name) for draft in drafts}
    blocks: list[Block] = []
    known: set[str] = set()
    for runs in _join(snapshot, outline, _runs(snapshot, drafts), chars):
        is_heading = runs[0].holder >= 0 and snapshot.nodes[runs[0].holder].role == "heading"
        texts = [clean(run.text) for run in runs]
        pieces = [text for text in texts if is_heading or _key(text) not in named]
        text = " | ".join(dict.fromkeys(pieces)).lstrip("#").strip()
        if len(text) < 2 or _key(text) in known:
            continue
        known.add(_key(text))
        blocks.append(_weigh(snapshot, outline, runs[0].first, cut(text, chars)))
    return blocks


def _key(text: str) -> str:
    return text.casefold().strip(" :*.…")


def _runs(snapshot: Snapshot, drafts: Sequence[Draft]) -> list[_Run | None]:
    """Runs in reading order; None marks an element between them."""
    nodes = snapshot.nodes
    links = {draft.index for draft in drafts if draft.role == "link"}
    others = {draft.index for draft in drafts if draft.role != "link" and draft.node is not None}
    holders = _holders(nodes)
    runs: list[_Run | None] = []
    at = 0
    while at < len(nodes):
        node = nodes[at]
        if at in others or node.role in SILENT - {"iframe"}:
            runs.append(None)
            at = node.end
            continue
        is_link = at in links
        within = (own_text(nodes[inner]) for inner in snapshot.subtree(at))
        text = (node.name or next(filter(None, within), "")) if is_link else _words(nodes, at)
        if text:
            run = runs[-1] if runs else None
            holder = holders[node.parent] if is_link and node.parent >= 0 else holders[at]
            if run is None or run.holder != holder:
                run = _Run(holder, at, [], [])
                runs.append(run)
            run.pieces.append(text)
            run.plain += [] if is_link else [text]
        at = node.end if is_link else at + 1
    return runs


def _words(nodes: Sequence[Node], at: int) -> str:
    """The node's text, or its name if it has no children: otherwise the name repeats the children's text."""
    node = nodes[at]
    return node.text or (node.name if node.end == at + 1 else "")


def _holders(nodes: Sequence[Node]) -> list[int]:
    """For each node, the nearest node that is not inline, itself included."""
    holders: list[int] = []
    for at, node in enumerate(nodes):
        above = holders[node.parent] if node.parent >= 0 else -1
        in_phrase = above >= 0 and nodes[above].role in PHRASES
        is_inline = node.role in INLINE or (in_phrase and node.role in ("generic", "link"))
        holders.append(above if is_inline else at)
    return holders


def _join(snapshot: Snapshot, outline: Outline, runs: list[_Run | None], chars: int) -> list[list[_Run]]:
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
    if any(run.holder >= 0 and nodes[run.holder].role == "heading" for run in (one, other)):
        return False
    unit = outline.unit[other.first]
    if unit >= 0 and nodes[unit].role in ROWS:
        return unit == outline.unit[one.first]
    return max(len(one.text), len(other.text)) <= SHORT_CHARS


def _weigh(snapshot: Snapshot, outline: Outline, at: int, text: str) -> Block:
    nodes = snapshot.nodes
    roles = {nodes[at].role} | {
        nodes[up].role for up, _ in zip(snapshot.ancestors(at), range(6), strict=False)
    }
    box = nodes[at].box or next((nodes[up].box for up in snapshot.ancestors(at) if nodes[up].box), None)
    mark = outline.mark[at]
    weight = min(len(text), 200) / 200
    if "heading" in roles:
        text, weight = f"# {text}", weight + 0.7
    if roles & URGENT:
        weight += 3
    on_top = nodes[at].seen and outline.dialog[at] >= 0
    if on_top:
        weight += 2
    if mark >= 0:
        weight += -0.7 if nodes[mark].role in SIDE else 0.4
    if nodes[at].role == "img":
        weight -= 0.6
    return Block(at, text, weight, nodes[at].seen, on_top, box[1] if box else None)
