"""The name of a node: its accessible name, else a guess from its contents or the text next to it."""

import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote, urlsplit

from server.browser.observation.snapshot import CHOICES, FIELD_ROLES, WIDGETS, Node, Snapshot
from server.text import cut, visible

_NODES = 60
_SILENT_ROLES = frozenset({"option", "iframe", "progressbar", "scrollbar", "separator"})
_NAME_WORD = re.compile(r"[^\W_]{2,}")
_SPACES = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")
_LINES = frozenset(
    {"row", "listitem", "article", "paragraph", "heading", "list", "table", "code", "treeitem", "rowgroup"}
)
CELL_ROLES = frozenset({"cell", "gridcell", "rowheader", "columnheader"})


def packed(text: str) -> str:
    """The text without spaces and invisible characters, for comparison."""
    return _SPACES.sub("", text if text.isascii() else visible(text))


def own_text(node: Node) -> str:
    """The text of the node itself; for a field its name, since its text is its value."""
    return node.name if node.role in FIELD_ROLES or not node.text else node.text


def text_of(
    snapshot: Snapshot, index: int, chars: int = 120, without: range = range(0), most: int = _NODES
) -> str:
    """The text of a subtree's first `most` nodes in reading order, except repeats and nodes in `without`.

    Stops after the piece that reaches `chars` characters.
    """
    nodes, joined = snapshot.nodes, ""
    for at in range(index, min(nodes[index].end, index + most)):
        node = nodes[at]
        piece = "" if node.role in _SILENT_ROLES or at in without else own_text(node)
        if piece and piece not in joined:
            joined = f"{joined} {piece}" if joined else piece
            if len(joined) >= chars:
                break
    return joined


def whole_text(snapshot: Snapshot, start: int, end: int, most: int = 20_000) -> Iterator[str]:
    """The text of the nodes from `start` to `end` in reading order, each piece with what separates it from the last.

    Nothing is left out but names that only repeat what is in them, or around them. A row begins a line, a cell is set
    off by a bar.
    """
    nodes, named = snapshot.nodes, list[tuple[int, str]]()
    separator = ""
    for at in range(start, min(end, start + most, len(nodes))):
        node = nodes[at]
        named = [one for one in named if one[0] > at]
        if node.role in _LINES:
            separator = "\n"
        elif node.role in CELL_ROLES and separator != "\n":
            separator = " | "
        text = "" if node.role in _SILENT_ROLES else own_text(node)
        if not text or any(packed(text) in name for _, name in named):
            continue
        if node.end > at + 1 and not node.text:
            inside = (own_text(nodes[one]) for one in range(at + 1, min(node.end, at + _NODES)))
            if packed(text) in packed("".join(inside)):
                continue
            named.append((node.end, packed(text)))
        yield f"{separator}{text}"
        separator = " "


def words_around(snapshot: Snapshot, index: int, chars: int) -> str:
    """The text of a node and of the nodes before and after it in reading order, across containers."""
    end = snapshot.nodes[index].end
    before = "".join(whole_text(snapshot, max(0, index - _NODES), index))
    after = "".join(whole_text(snapshot, end, end + _NODES))
    own = "".join(whole_text(snapshot, index, end))
    return "\n".join(filter(None, (before[-(chars // 3) :], cut(own, chars // 3), after[: chars // 3])))


def name_of_widget(snapshot: Snapshot, index: int) -> str:
    node = snapshot.nodes[index]
    if node.name:
        return node.name
    if node.role in FIELD_ROLES or node.role == "slider":
        return label_of_field(snapshot, index)
    text = text_of(snapshot, index) or name_of_link(node.url)
    return text or (label_of_choice(snapshot, index) if node.role in CHOICES else "")


def label_of_field(snapshot: Snapshot, index: int) -> str:
    """A name for an unnamed field: the text right before it, within its three nearest ancestors, or its column's or row's head.

    No label is a paragraph or a heading, a sign without a letter, or the field's own value. Falls back to the placeholder,
    also if another control comes first.
    """
    nodes = snapshot.nodes
    chosen = (nodes[at] for at in snapshot.subtree(index) if "selected" in nodes[at].attributes)
    own = {packed(nodes[index].text), *(packed(one.name) for one in chosen)}
    for ancestor in islice(snapshot.ancestors(index), 3):
        if nodes[ancestor].role == "row" and (
            head := _column_head(snapshot, index) or _row_head(snapshot, ancestor, index)
        ):
            return head
        for at in range(index - 1, max(ancestor - 1, index - 6), -1):
            node = nodes[at]
            if node.ref and (node.role in WIDGETS or node.is_pointed):
                return nodes[index].placeholder
            text = node.text or ("" if node.end > index else node.name)
            if text and _is_label(node, text) and packed(text) not in own:
                return text.rstrip(" :*")
    return nodes[index].placeholder


def _is_label(node: Node, text: str) -> bool:
    is_passage = node.role == "heading" or (node.role == "paragraph" and not text.rstrip(" *").endswith(":"))
    return not is_passage and _LETTER.search(text) is not None


def _column_head(snapshot: Snapshot, index: int) -> str:
    """The head of the table's column that the field is in, "" without one."""
    nodes, above = snapshot.nodes, [index, *snapshot.ancestors(index)]
    at = next((place for place, one in enumerate(above) if nodes[one].role == "row"), 0)
    table = next((one for one in above[at:] if nodes[one].role in ("table", "grid")), -1)
    if at < 1 or table < 0:
        return ""
    column = list(snapshot.children(above[at])).index(above[at - 1])
    first = next((one for one in range(table, above[at]) if nodes[one].role == "row"), above[at])
    heads = list(snapshot.children(first))
    is_head = column < len(heads) and nodes[heads[column]].role == "columnheader"
    return own_text(nodes[heads[column]]) if is_head else ""


def _row_head(snapshot: Snapshot, row: int, index: int) -> str:
    """The row's head, of several the one right before the field: a row may be a form of two columns."""
    heads = [at for at in snapshot.children(row) if snapshot.nodes[at].role == "rowheader"]
    before = [at for at in heads if at < index]
    return next((own_text(snapshot.nodes[at]) for at in (*before[-1:], *heads)), "")


def label_of_choice(snapshot: Snapshot, index: int) -> str:
    """A name for an unnamed checkbox or radio button: the text right after it, "" if there is none."""
    nodes = snapshot.nodes
    parent = nodes[index].parent
    after = range(
        nodes[index].end, min(nodes[parent].end if parent >= 0 else len(nodes), nodes[index].end + 3)
    )
    return next((text for at in after if (text := own_text(nodes[at]))), "")


def name_of_link(url: str) -> str:
    """A name for a link without text: the last path segment that has a word in it, else the host."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in ("", "http", "https"):
        return url if parts.scheme in ("mailto", "tel") and len(url) < 60 else ""
    pieces = [unquote(piece) for piece in parts.path.split("/")]
    words = next((piece for piece in reversed(pieces) if _NAME_WORD.search(piece)), parts.netloc)
    words = re.sub(r"\.\w{2,5}$", "", words) if words != parts.netloc else words
    return " ".join(re.split(r"[-_+.\s]+", words))[:40].strip()
