"""What a node is called: its accessible name, else the best guess from what it holds or stands beside."""

import re
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from server.browser.observation.snapshot import FIELDS, WIDGETS, Node, Snapshot

_NODES = 60
_SILENT = frozenset({"option", "iframe", "progressbar", "scrollbar", "separator"})
_WORD = re.compile(r"[^\W_]{2,}")


def own_text(node: Node) -> str:
    """The words of the node itself; what stands in a field is a value, not text."""
    return node.name if node.role in FIELDS or not node.text else node.text


def text_of(
    snapshot: Snapshot, index: int, chars: int = 120, without: range = range(0), most: int = _NODES
) -> str:
    """The text of a subtree in reading order, repeats left out: `chars` characters or a little more, of its
    first `most` nodes."""
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
    """What stands before and after a node in reading order, whatever it belongs to."""
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
    """For a field without a name: the text right before it, within its next two ancestors."""
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
    """For a nameless checkbox or radio button: the text right after it, else right before it."""
    nodes = snapshot.nodes
    parent = nodes[index].parent
    after = range(
        nodes[index].end, min(nodes[parent].end if parent >= 0 else len(nodes), nodes[index].end + 3)
    )
    return next((text for at in after if (text := own_text(nodes[at]))), "")


def name_of_link(url: str) -> str:
    """Words of an address, for a link that has no text: its last part with letters in it, else the host."""
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
