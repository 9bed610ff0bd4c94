"""Find a text on a page, in view or not, in the MCP server's snapshot. Pure."""

from __future__ import annotations

from typing import NamedTuple

from server.browser.observation.snapshot import FIELD_ROLES, Node, parse_snapshot

PASSAGE_CHARS = 400
"""Characters up to which the text of a part is searched as a whole: words of it may be in several elements."""


class TextPlace(NamedTuple):
    ref: str
    """The element that has the text, or the nearest one around it; "" if the snapshot names none."""
    seen: bool
    """Whether it is in the viewport."""


def find_place(
    raw: str, query: str, viewport: tuple[int, int], *, backwards: bool = False
) -> TextPlace | None:
    """The next place with the words of `query`: the first one below the middle of the viewport, else the first one of
    the page. `backwards`: the last one above the middle, else the last one.

    Letter case and spaces make no difference. Values of fields are not searched: they may be secret.
    """
    wanted = _plain(query)
    nodes = parse_snapshot(raw, viewport).nodes
    found = _innermost(nodes, wanted) if wanted else []
    if not found:
        return None
    middle = viewport[1] / 2
    ordered = found[::-1] if backwards else found
    ahead = (
        at
        for at in ordered
        if (_middle_of(nodes, at) < middle if backwards else _middle_of(nodes, at) > middle)
    )
    at = next(ahead, ordered[0])
    return TextPlace(_ref_of(nodes, at), nodes[at].seen)


def _innermost(nodes: list[Node], wanted: str) -> list[int]:
    """Nodes whose text has the words while that of none in them has, in document order."""
    texts = list(map(_searched, nodes))
    inner: list[list[str] | None] = [[] for _ in nodes]
    """The texts of its children, from the last one; None if they are too long."""
    has_match = [False] * len(nodes)
    found = []
    for at in range(len(nodes) - 1, -1, -1):
        below = inner[at]
        whole = " ".join((texts[at], *reversed(below))).strip() if below is not None else texts[at]
        if wanted in whole and not has_match[at]:
            found.append(at)
            has_match[at] = True
        parent = nodes[at].parent
        if parent < 0:
            continue
        has_match[parent] |= has_match[at]
        around = inner[parent]
        if around is None:
            continue
        if below is None or len(whole) + sum(map(len, around)) > PASSAGE_CHARS:
            inner[parent] = None
        else:
            around.append(whole)
    return found[::-1]


def _searched(node: Node) -> str:
    return _plain(node.name if node.role in FIELD_ROLES else f"{node.name} {node.text}")


def _middle_of(nodes: list[Node], at: int) -> float:
    while at >= 0:
        if (box := nodes[at].box) is not None:
            return box[1] + box[3] / 2
        at = nodes[at].parent
    return 0.0


def _ref_of(nodes: list[Node], at: int) -> str:
    while at >= 0:
        if nodes[at].ref:
            return nodes[at].ref
        at = nodes[at].parent
    return ""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
