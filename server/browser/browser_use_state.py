"""Read the page state of the browser-use MCP server into the nodes that a snapshot has.

It names elements by index and says little of them: no box, no value, no label of a field. A label stands
as an element of its own before its field, or after its checkbox; it becomes the field's name here.
"""

from collections.abc import Mapping
from typing import Any

from server.browser.snapshot import Node, Snapshot

ROLES = {"a": "link", "button": "button", "input": "textbox", "textarea": "textbox", "select": "combobox"}
WRAPPERS = frozenset({"label", "details", "iframe", "form", "body", "html"})


def read_state(state: Mapping[str, Any]) -> Snapshot:
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


def _add(nodes: list[Node], element: Mapping[str, Any], tag: str, text: str, label: str) -> None:
    role = str(element.get("role") or ROLES.get(tag, "generic"))
    name = text if tag != "select" else ""
    node = Node(role, -1, name=name or label, ref=str(element.get("index", "")))
    node.url, node.placeholder = str(element.get("href") or ""), str(element.get("placeholder") or "")
    if role == "generic":
        node.attributes["cursor"] = "pointer"
    nodes.append(node)
    index = len(nodes) - 1
    for option in text.splitlines() if tag == "select" else ():
        nodes.append(Node("option", index, name=option, end=len(nodes) + 1))
    node.end = len(nodes)
