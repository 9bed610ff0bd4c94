"""Makes each editor one element, whose value is the text that it shows, and gives code the lines that it has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.browser.observation.names import packed
from server.browser.observation.page_script import (
    Box,
    BoxGroup,
    Clickable,
    Editor,
    Extra,
    Verbatim,
    VisibleText,
)
from server.browser.observation.snapshot import FIELD_ROLES, SECRET_MASK, WIDGETS, Node, Snapshot, overlaps

_CODE_BOX_NUMBER = re.compile(r"\W*(\d+\W*(of|/)\W*\d+|\d+)\W*$", re.IGNORECASE)


def put_editors(snapshot: Snapshot, extra: Extra) -> Extra:
    """Make the node of each editor a text box, give code its lines, and silence what is in it. Returns `extra` without what is in them."""
    for group in extra.groups:
        _put_group(snapshot, group)
    for one in extra.verbatim:
        _put_lines(snapshot, one)
    if extra.texts and extra.verbatim:
        extra = extra.model_copy(update={"texts": _with_lines(extra.texts, extra.verbatim)})
    boxes = [editor.box for editor in extra.editors if _put(snapshot, editor)]
    if not boxes:
        return extra
    kept = tuple(one for one in extra.clickables if not _is_replaced(one, boxes))
    texts = extra.texts and tuple(one for one in extra.texts if not _is_in(one.box, boxes))
    return extra.model_copy(update={"clickables": kept, "texts": texts})


def _put(snapshot: Snapshot, editor: Editor) -> bool:
    """Whether its node is in the snapshot."""
    nodes, at = snapshot.nodes, _node_at(snapshot, editor.box)
    if at is None:
        return False
    inside = range(at, nodes[at].end)
    fields = [
        one for one in inside if nodes[one].role in FIELD_ROLES and _is_same(nodes[one].box, editor.own)
    ]
    fields = fields or [one for one in inside if nodes[one].role in FIELD_ROLES]
    name = next((nodes[one].name for one in fields if nodes[one].name), "")
    is_active = any("active" in nodes[one].attributes for one in inside)
    for one in inside:
        node = nodes[one]
        if node.role in WIDGETS and node.ref and node.name and one not in fields and one != at:
            continue  # such as the fields of its search
        nodes[one] = Node("generic", node.parent, end=node.end, seen=node.seen)
        if one == at:
            states = {"active": ""} if is_active else {}
            nodes[one] = Node(
                "textbox", node.parent, name, editor.text, node.ref, attributes=states, box=node.box,
                seen=node.seen, end=node.end,
            )  # fmt: skip
    return True


def _put_group(snapshot: Snapshot, group: BoxGroup) -> None:
    """Make the first box the field of the whole text, and leave the others out."""
    nodes = snapshot.nodes
    found = [at for box in group.boxes if (at := _node_at(snapshot, box)) is not None]
    if len(found) < len(group.boxes) or any(nodes[at].role not in FIELD_ROLES for at in found):
        return
    first, last = nodes[found[0]], nodes[found[-1]]
    start, end = _CODE_BOX_NUMBER.sub("", first.name), _CODE_BOX_NUMBER.sub("", last.name)
    first.name = start if start == end else ""
    first.text = group.value or SECRET_MASK * group.filled
    if any("active" in nodes[at].attributes for at in found):
        first.attributes["active"] = ""
    for at in found[1:]:
        nodes[at] = Node("generic", nodes[at].parent, end=nodes[at].end, seen=nodes[at].seen)


def _put_lines(snapshot: Snapshot, verbatim: Verbatim) -> None:
    nodes, at = snapshot.nodes, _node_at(snapshot, verbatim.box)
    if at is None or (
        nodes[at].role in FIELD_ROLES and not packed(verbatim.text).startswith(packed(nodes[at].text))
    ):
        return
    nodes[at].text = verbatim.text
    for one in snapshot.subtree(at):
        nodes[one] = Node("generic", nodes[one].parent, end=nodes[one].end, seen=nodes[one].seen)


def _with_lines(texts: Sequence[VisibleText], verbatim: Sequence[Verbatim]) -> tuple[VisibleText, ...]:
    """The texts in the window, those of code as one with its lines."""
    kept = list(texts)
    for code in verbatim:
        inside = [at for at, one in enumerate(kept) if _is_in(one.box, [code.box])]
        if not inside or inside[-1] - inside[0] >= len(inside):
            continue
        shown = packed("".join(kept[at].text for at in inside))
        signs = [at for at, sign in enumerate(code.text) if not sign.isspace()]
        start = "".join(code.text.split()).find(shown)
        if start < 0:
            continue
        first, end = signs[start], signs[start + len(shown) - 1] + 1
        indent = code.text.rfind("\n", 0, first) + 1
        lines = code.text[first if code.text[indent:first].strip() else indent : end]
        one, (x, y, *_), last = kept[inside[0]], kept[inside[0]].box, kept[inside[-1]].box
        box = x, y, max(kept[at].box[2] for at in inside), last[1] + last[3] - y
        kept[inside[0] : inside[-1] + 1] = [one.model_copy(update={"text": lines, "box": box})]
    return tuple(kept)


def _node_at(snapshot: Snapshot, box: Box) -> int | None:
    return next((at for at, one in enumerate(snapshot.nodes) if one.ref and _is_same(one.box, box)), None)


def _is_same(one: Box | None, other: Box) -> bool:
    return one is not None and all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True))


def _is_replaced(one: Clickable, boxes: Sequence[Box]) -> bool:
    """Whether it lies in an editor and is not the editor itself."""
    is_editor = one.tag == "editable" and any(_is_same(one.box, box) for box in boxes)
    return _is_in(one.box, boxes) and not is_editor


def _is_in(box: Box, boxes: Sequence[Box]) -> bool:
    middle = (box[0] + min(box[2], 8) / 2, box[1] + box[3] / 2, 1.0, 1.0)
    return any(overlaps(middle, one) for one in boxes)
