"""Convert the page state of the browser-use MCP server into snapshot nodes.

The state identifies elements by index and has no boxes, no values and no field labels. A label is a separate
element; it becomes the name of the next element that has no text of its own.
"""

from collections.abc import Sequence

from server.browser.observation.snapshot import Node, Snapshot
from server.ops.json_types import JsonView

ROLES = {"a": "link", "button": "button", "input": "textbox", "textarea": "textbox", "select": "combobox"}
SEARCHED_CHARS = 60
WRAPPERS = frozenset({"label", "details", "iframe", "form", "body", "html"})


def read_state(state: JsonView) -> Snapshot:
    tree = Snapshot([], str(state.get("url") or ""), str(state.get("title") or ""))
    tabs = state.get("tabs") or ()
    if len(tabs) > 1:
        tree.notes = (f"{len(tabs)} tabs are open",)
    label = ""
    for element in state.get("interactive_elements") or ():
        tag, text = str(element.get("tag") or "").lower(), str(element.get("text") or "")
        if tag == "label":
            label = text
        if tag in WRAPPERS:
            continue
        _add(tree.nodes, element, tag, text, label)
        label = ""
    return tree


def read_pieces(state: JsonView, pieces: Sequence[tuple[int | None, str]]) -> Snapshot:
    """Convert part of a page in reading order. A piece is an index into `interactive_elements`, or text."""
    tree = Snapshot([Node("group", -1)], str(state.get("url") or ""), str(state.get("title") or ""))
    elements, label = state.get("interactive_elements") or (), ""
    for at, words in pieces:
        if at is None:
            tree.nodes.append(Node("paragraph", 0, text=words, end=len(tree.nodes) + 1))
            label = words
            continue
        tag, text = str(elements[at].get("tag") or "").lower(), str(elements[at].get("text") or "")
        if tag not in WRAPPERS:
            _add(tree.nodes, elements[at], tag, text, label, parent=0)
            label = ""
        elif text:
            tree.nodes.append(Node("paragraph", 0, text=text, end=len(tree.nodes) + 1))
            label = text
    tree.nodes[0].end = len(tree.nodes)
    return tree


def described(element: JsonView) -> dict[str, str]:
    """What to search the page for to find an element: tag, href, placeholder and the start of its text."""
    tag = str(element.get("tag") or "").lower()
    words = "" if tag == "select" else " ".join(str(element.get("text") or "").split())[:SEARCHED_CHARS]
    href, placeholder = str(element.get("href") or ""), str(element.get("placeholder") or "")
    return {"tag": tag, "href": href, "placeholder": placeholder, "text": words}


def _add(nodes: list[Node], element: JsonView, tag: str, text: str, label: str, parent: int = -1) -> None:
    role = str(element.get("role") or ROLES.get(tag, "generic"))
    name = text if tag != "select" else ""
    node = Node(role, parent, name=name or label, ref=str(element.get("index", "")))
    node.url, node.placeholder = str(element.get("href") or ""), str(element.get("placeholder") or "")
    if role == "generic":
        node.attributes["cursor"] = "pointer"
    nodes.append(node)
    index = len(nodes) - 1
    for option in text.split("\n") if tag == "select" else ():
        nodes.append(Node("option", index, name=option, end=len(nodes) + 1))
    node.end = len(nodes)
