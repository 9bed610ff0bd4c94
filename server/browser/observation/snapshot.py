"""Parse the accessibility snapshot of an MCP server: text in, nodes in reading order out.

The tree is stored flat: `nodes` are in document order, each with its parent and the end of its subtree. Plain
loops can walk a page of any size or depth. Lines that are not nodes are skipped.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from server.browser.observation.page_script import Box

FIELD_ROLES = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
CHOICES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
WIDGETS = (
    FIELD_ROLES | CHOICES | {"button", "link", "slider", "tab", "menuitem", "option", "treeitem", "listbox"}
)

SECRET_MASK = "•••"
MAX_SNAPSHOT_VALUE = 8000
"""One text is read up to this many characters."""
NOTE_CHARS, MAX_NOTES = 300, 20

_SECTIONS = (
    "Error",
    "Result",
    "Ran Playwright code",
    "Open tabs",
    "Page",
    "Modal state",
    "WebMCP tools",
    "Snapshot",
    "Events",
    "Paused",
)
"""Sections of a Playwright MCP reply, in order."""
MAX_TREE_NODES = 100_000
MAX_TREE_DEPTH = 150
"""Nodes deeper than this become children of the last node that is less deep."""

_NODE_KEY = re.compile(
    r'([^\s":\[]+)(?: ("[^"\\]*(?:\\.[^"\\]*)*"))?((?: \[[^\]]*\])*)(?:: ?(.*))?$', re.DOTALL
)
_QUOTED_KEY = re.compile(r"'((?:[^']|'')*)'(?:: ?(.*))?$", re.DOTALL)
_ATTRIBUTE = re.compile(r"\[([a-z-]+)(?:=([^\]]*))?\]")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_GLYPHS = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]+")
"""Private use: what icon fonts draw. To a model, and to the policy, such a name says nothing."""


@dataclass(slots=True)
class Node:
    role: str
    parent: int
    name: str = ""
    text: str = ""
    """Direct text of the node; for a field, its value."""
    ref: str = ""
    url: str = ""
    placeholder: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    box: Box | None = None
    """In viewport coordinates of the top page, after `_place`."""
    seen: bool = True
    """Whether its box, or that of the nearest ancestor with one, is in the viewport."""
    end: int = 0
    """Index after the last node of its subtree."""
    secret: bool = False
    filled: bool = False
    """It is a secret field that was not empty; its value is removed."""

    @property
    def is_pointed(self) -> bool:
        return self.attributes.get("cursor") == "pointer"


@dataclass(slots=True)
class Snapshot:
    nodes: list[Node]
    url: str = ""
    title: str = ""
    notes: tuple[str, ...] = ()

    def ancestors(self, index: int) -> Iterator[int]:
        """Indexes from the parent up to the top-level node."""
        index = self.nodes[index].parent
        while index >= 0:
            yield index
            index = self.nodes[index].parent

    def subtree(self, index: int) -> range:
        """Indexes of the node's descendants, without the node itself."""
        return range(index + 1, self.nodes[index].end)

    def children(self, index: int) -> Iterator[int]:
        at = index + 1
        while at < self.nodes[index].end:
            yield at
            at = self.nodes[at].end

    def focused(self) -> str:
        """The ref of the focused element, inside the focused frame if there is one; "" if unknown."""
        frame, found = -1, ""
        for index, node in enumerate(self.nodes):
            if "active" not in node.attributes:
                continue
            if frame != next((at for at in self.ancestors(index) if self.nodes[at].role == "iframe"), -1):
                continue
            found = node.ref
            if node.role != "iframe":
                break
            frame = index
        return found

    def find(self, ref: str) -> int | None:
        return (
            next((index for index, node in enumerate(self.nodes) if node.ref == ref), None) if ref else None
        )


def parse_snapshot(text: str, viewport: tuple[int, int]) -> Snapshot:
    """Parse a whole reply of `browser_snapshot` or only its YAML. Accepts any text without errors."""
    yaml, sections = text.replace("\r\n", "\n"), dict[str, str]()
    if yaml.startswith("### ") or "\n### " in yaml:
        sections = split_sections(yaml)
        yaml = yaml_of(sections.get("Snapshot", ""))
    snapshot = Snapshot(_parse_nodes(yaml))
    _read_page(sections, snapshot)
    _place(snapshot.nodes, viewport)
    return snapshot


def split_sections(reply: str) -> dict[str, str]:
    """Split a reply into its `### Title` sections, without their headings. Linear time.

    Page text may repeat a heading inside a section, so each heading counts once and only in the known order.
    Of several snapshots the last one counts: no line of a snapshot begins with `#`, but a dialog's text may.
    """
    sections: dict[str, list[str]] = {}
    title, place = "", -1
    for part in f"\n{reply}".split("\n### ")[1:]:
        part = f"### {part}\n"
        heading, _, body = part.partition("\n")
        name = heading.removeprefix("### ").strip()
        is_last_snapshot = name == title == "Snapshot"
        if heading.startswith("### ") and (name in _SECTIONS[place + 1 :] or is_last_snapshot):
            title, place = name, _SECTIONS.index(name)
            sections[title] = [body]
        elif title:
            sections[title].append(part)
    return {name: "".join(parts) for name, parts in sections.items()}


def yaml_of(section: str) -> str:
    """The Snapshot section without its code fence."""
    return section.removeprefix("```yaml\n").rstrip().removesuffix("```").rstrip()


def labels_of(section: str) -> dict[str, str]:
    """The `- Label: value` lines of the Page section. Lines end at `\n` only; the first of a label counts."""
    labels: dict[str, str] = {}
    for line in section.split("\n", 20)[:20]:
        label, colon, value = line.removeprefix("- ").partition(": ")
        if colon:
            labels.setdefault(label, value)
    return labels


def _read_page(sections: dict[str, str], snapshot: Snapshot) -> None:
    labels = labels_of(sections.get("Page", ""))
    snapshot.url, snapshot.title = (
        labels.get("Page URL", ""),
        labels.get("Page Title", "")[:MAX_SNAPSHOT_VALUE],
    )
    notes = []
    for label, value in labels.items():
        if label == "Console" and not value.startswith("0 errors"):
            notes.append(f"console: {value.removesuffix(', 0 warnings')}")
        elif label in ("HTTP status", "Page status"):
            notes.append(f"{label}: {value}")
    for line in _lines(sections.get("Modal state", "")):
        notes.append(f"open now: {line.removeprefix('- ').partition(']: can be')[0].lstrip('[')}")
    tabs = _lines(sections.get("Open tabs", ""))
    if len(tabs) > 1:
        notes.append(f"{len(tabs)} tabs are open")
    for line in _lines(sections.get("Events", "")):
        if line.startswith("- Download"):
            notes.append(line.removeprefix("- ").partition(' to "')[0])
    snapshot.notes = tuple(note[:NOTE_CHARS] for note in notes)


def _lines(section: str) -> list[str]:
    return list(filter(None, section[:MAX_SNAPSHOT_VALUE].split("\n", MAX_NOTES)[:MAX_NOTES]))


def _parse_nodes(yaml: str) -> list[Node]:
    nodes: list[Node] = []
    open_nodes = [(-1, -1)]
    for line in yaml.split("\n"):
        body = line.lstrip(" ")
        if not body.startswith("- "):
            continue
        if len(nodes) >= MAX_TREE_NODES:
            break
        depth, body = min(len(line) - len(body), 2 * MAX_TREE_DEPTH), body[2:]
        while open_nodes[-1][0] >= depth:
            nodes[open_nodes.pop()[1]].end = len(nodes)
        parent = open_nodes[-1][1]
        around = nodes[parent] if parent >= 0 else Node("", -1)
        if body.startswith("/"):
            _put_property(around, body)
            continue
        node = _read_node(body, parent)
        if node.role == "text" and around.role in FIELD_ROLES:
            around.text = node.text
            continue
        open_nodes.append((depth, len(nodes)))
        nodes.append(node)
    for _, index in open_nodes[1:]:
        nodes[index].end = len(nodes)
    return nodes


def _put_property(node: Node, line: str) -> None:
    name, _, value = line.partition(": ")
    if name == "/url":
        node.url = _unquote(value)
    elif name == "/placeholder":
        node.placeholder = _unquote(value)


def _read_node(body: str, parent: int) -> Node:
    if body.startswith("text: "):
        return Node("text", parent, text=_unquote(body[6:]))
    value = None
    if quoted := _QUOTED_KEY.match(body):
        body, value = quoted[1].replace("''", "'"), quoted[2]
    key = _NODE_KEY.match(body)
    if key is None:
        return Node("text", parent, text=body)
    node = Node(key[1], parent, name=_unquote(key[2] or ""), text=_unquote(value or key[4] or ""))
    if key[3]:
        node.attributes = attributes = dict(_ATTRIBUTE.findall(key[3]))
        node.ref = attributes.get("ref", "")
        node.box = _read_box(attributes.get("box", ""))
    return node


def _unquote(value: str) -> str:
    if len(value) > MAX_SNAPSHOT_VALUE:
        value = value[:MAX_SNAPSHOT_VALUE] + ('"' if value[0] == '"' else "")
    if len(value) >= 2 and value.startswith('"') and value.endswith('"'):
        value = value[1:-1]
        value = _ESCAPE.sub(_unescape, value) if "\\" in value else value
    return _GLYPHS.sub(" ", value).strip() if _GLYPHS.search(value) else value


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(found[3], found[3])


def _read_box(text: str) -> Box | None:
    try:
        x, y, width, height = map(float, text.split(","))
    except ValueError:
        return None
    return x, y, width, height


def _place(nodes: list[Node], viewport: tuple[int, int]) -> None:
    """Move boxes inside frames to page coordinates, and set `seen`."""
    whole = (0.0, 0.0, float(viewport[0]), float(viewport[1]))
    frames: dict[int, tuple[Box, Box]] = {-1: (whole, whole)}
    inside: list[int] = []
    for index, node in enumerate(nodes):
        parent = nodes[node.parent] if node.parent >= 0 else None
        frame = -1 if parent is None else node.parent if node.parent in frames else inside[node.parent]
        inside.append(frame)
        if node.box is None:
            node.seen = parent.seen if parent else True
            continue
        origin, clip = frames[frame]
        x, y, width, height = node.box
        node.box = box = (x + origin[0], y + origin[1], width, height) if frame >= 0 else node.box
        node.seen = overlaps(box, clip)
        if node.role == "iframe":
            frames[index] = (box, intersect(box, clip))


def overlaps(box: Box, clip: Box) -> bool:
    return min(intersect(box, clip)[2:]) >= 1


def intersect(one: Box, other: Box) -> Box:
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right = min(one[0] + one[2], other[0] + other[2])
    bottom = min(one[1] + one[3], other[1] + other[3])
    return left, top, max(0.0, right - left), max(0.0, bottom - top)
