"""The name of a node: its accessible name, else a guess from its contents or the text next to it."""

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from server.browser.observation.snapshot import FIELDS, WIDGETS, Node, Snapshot

_NODES = 60
_SILENT = frozenset({"option", "iframe", "progressbar", "scrollbar", "separator"})
_WORD = re.compile(r"[^\W_]{2,}")


def own_text(node: Node) -> str:
    """The text of the node itself; for a field its name, since its text is its value."""
    return node.name if node.role in FIELDS or not node.text else node.text


def text_of(
    snapshot: Snapshot, index: int, chars: int = 120, without: range = range(0), most: int = _NODES
) -> str:
    """The text of a subtree's first `most` nodes in reading order, except repeats and nodes in `without`.

    Stops after the piece that reaches `chars` characters.
    """
    nodes, joined = snapshot.nodes, ""
    for at in range(index, min(nodes[index].end, index + most)):
        node = nodes[at]
        piece = "" if node.role in _SILENT or at in without else own_text(node)
        if piece and piece not in joined:
            joined = f"{joined} {piece}" if joined else piece
            if len(joined) >= chars:
                break
    return joined


def words_around(snapshot: Snapshot, index: int, chars: int) -> str:
    """The text of a node and of the nodes before and after it in reading order, across containers."""
    nodes, end = snapshot.nodes, snapshot.nodes[index].end
    before = _gather((own_text(nodes[at]) for at in range(index - 1, -1, -1)), chars // 3)
    after = _gather((own_text(nodes[at]) for at in range(end, len(nodes))), chars // 2)
    return " ".join([*reversed(before), text_of(snapshot, index, chars // 3), *after])


def _gather(texts: Iterable[str], chars: int) -> list[str]:
    found: list[str] = []
    for text in texts:
        if text and text not in found:
            found.append(text)
            chars -= len(text)
            if chars < 0:
                break
    return found


def label_of_field(snapshot: Snapshot, index: int) -> str:
    """A name for an unnamed field: the text right before it, within its three nearest ancestors.

    Falls back to the placeholder, also if another control comes first.
    """
    nodes = snapshot.nodes
    for level, ancestor in enumerate(snapshot.ancestors(index)):
        if level > 2:
            break
        for at in range(index - 1, max(ancestor - 1, index - 6), -1):
            if nodes[at].ref and (nodes[at].role in WIDGETS or nodes[at].is_pointed):
                return nodes[index].placeholder
            if text := nodes[at].text or (nodes[at].name if at != ancestor else ""):
                return text.rstrip(" :*")
    return nodes[index].placeholder


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
    words = next((piece for piece in reversed(pieces) if _WORD.search(piece)), parts.netloc)
    words = re.sub(r"\.\w{2,5}$", "", words) if words != parts.netloc else words
    return " ".join(re.split(r"[-_+.\s]+", words))[:40].strip()
