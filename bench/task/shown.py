"""What a request shows of a page: its controls with their ids and its words, and how a control is found in them.

The observation of the operator is lines in reading order, the snapshot of Playwright MCP a tree: a control of a row or
section is the nearest one in the lines, or the one in the smallest part of the tree that has the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.task.script import Target

FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "textarea"})
WIDGETS = FIELDS | {
    "button", "link", "checkbox", "radio", "switch", "tab", "option", "menuitem", "slider", "clickable", "gridcell",
}  # fmt: skip
NEAR_LINES = 8
"""A control so many lines from the words of its row does not belong to them."""


@dataclass(frozen=True, slots=True)
class Item:
    """A line of what is shown. `id` is the eid or ref, "" for mere text; `path` are the places of its ancestors."""

    id: str
    role: str
    name: str
    words: str
    """All that the line says."""
    hint: str = ""
    """The observation's words that distinguish it from others of its name."""
    path: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    items: Sequence[Item]
    text: str
    """All words in one line, without the marks of the format."""
    is_partial: bool = False
    """Whether it says that the page has more."""
    is_tree: bool = False

    def find(self, target: Target) -> str | None:
        """The id of the control that is meant; None if it is not there or several are meant equally."""
        candidates = self._named(target)
        if not target.near:
            return self.items[candidates[0]].id if candidates else None
        hinted = [at for at in candidates if _says(self.items[at].hint, target.near)]
        if hinted:
            return self.items[hinted[0]].id
        places = [at for at, item in enumerate(self.items) if _says(item.words, target.near)]
        found = self._in_part(candidates, places) if self.is_tree else self._nearest(candidates, places)
        return None if found is None else self.items[found].id

    def _named(self, target: Target) -> list[int]:
        """Places of the controls of this name: whole names before others, controls before other elements."""
        pattern = re.compile(target.name, re.IGNORECASE)
        able = [at for at, item in enumerate(self.items) if item.id]
        if target.kind != "any":
            roles = FIELDS if target.kind == "field" else {"button", "clickable"}
            able = [at for at in able if self.items[at].role in roles]
        for fits in (pattern.fullmatch, pattern.match):
            found = [at for at in able if fits(self.items[at].name)]
            widgets = [at for at in found if self.items[at].role in WIDGETS]
            if found:
                return widgets or self._innermost(found)
        return []

    def _innermost(self, places: Sequence[int]) -> list[int]:
        around = {above for at in places for above in self.items[at].path}
        return [at for at in places if at not in around]

    def _nearest(self, candidates: Sequence[int], places: Sequence[int]) -> int | None:
        """In lines: those after the words before those above them."""
        far = [
            (at - place if at >= place else (place - at) + 0.5, at)
            for place in places
            for at in candidates
            if abs(at - place) <= NEAR_LINES
        ]
        return min(far)[1] if far else None

    def _in_part(self, candidates: Sequence[int], places: Sequence[int]) -> int | None:
        best: tuple[int, int] | None = None
        for place in places:
            near = (*self.items[place].path, place)
            for at in candidates:
                own = (*self.items[at].path, at)
                depth = next((level for level, (a, b) in enumerate(zip(near, own, strict=False)) if a != b),
                             min(len(near), len(own)))  # fmt: skip
                if best is None or depth > best[0]:
                    best = (depth, at)
        return best[1] if best else None


def _says(text: str, words: str) -> bool:
    return words.casefold() in text.casefold()


def one_line(text: str) -> str:
    """Words as a person reads them: no marks of Markdown or tables, single spaces."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(?:^|(?<=\n))#{1,6} ", " ", text)
    return re.sub(r"[\s|*\\`\u200e\u200f]+", " ", text).strip()


# The operator's observation

_ELEMENT = re.compile(r'\[(e\d+)\] (\S+) "([^"]*)"(?: \(([^)]*)\))?(.*)')
_SHOWS = re.compile(r'shows="([^"]*)"')
_PLACEHOLDER = re.compile(r'placeholder="([^"]*)"')


def fenced(text: str, name: str) -> str | None:
    """What the last fence of this name contains."""
    found = re.findall(rf"^<({name}(?:-\d+)?)>\n(.*?)\n?</\1>", text, re.MULTILINE | re.DOTALL)
    return found[-1][1] if found else None


def read_observation(text: str) -> Shown:
    items = []
    for line in text.split("\n"):
        if match := _ELEMENT.match(line):
            eid, role, name, hint, rest = match.groups()
            label = _PLACEHOLDER.search(rest)
            shows = _SHOWS.search(rest)
            named = name or (label[1] if label else "") or (shows[1] if shows else "")
            said = one_line(" ".join((name, re.sub(r'[\w-]+="([^"]*)"', r"\1", rest))))
            items.append(Item(eid, role, named, said, hint or ""))
        elif line.startswith(("- ", "# ")):
            items.append(Item("", "text", "", one_line(line[2:])))
        elif line.startswith(("Overlay:", "Note:", "Title:")):
            items.append(Item("", "note", "", line))
    return Shown(
        items,
        one_line(" ".join(item.words for item in items)),
        is_partial=any(mark in text for mark in ("\nNote: truncated", "\nBelow:", "out of view")),
    )


# The snapshot of Playwright MCP

_NODE = re.compile(r'([\w-]+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)(?:: ?(.*))?$', re.DOTALL)
_REF = re.compile(r"\[ref=(\w+)\]")


def read_snapshot(yaml: str) -> Shown:
    items: list[Item] = []
    above: list[tuple[int, int]] = []  # (indent, place)
    for line in yaml.split("\n"):
        if not (match := re.match(r"(\s*)- (.*)$", line)):
            continue
        indent, content = len(match[1]), match[2]
        while above and above[-1][0] >= indent:
            above.pop()
        path = tuple(place for _, place in above)
        item = _node(content, path)
        if item.role == "/placeholder" and path:
            _label(items, path[-1], item.words)
            continue
        if item.role.startswith("/"):
            continue
        above.append((indent, len(items)))
        items.append(item)
    _name_by_text(items)
    return Shown(items, one_line(" ".join(item.words for item in items)), is_tree=True)


def _node(content: str, path: tuple[int, ...]) -> Item:
    if content.startswith("/"):
        role, _, value = content.partition(": ")
        return Item("", role, "", value.strip("\"'"), path=path)
    if content.startswith("'"):
        quoted, _, rest = content[1:].rpartition("'")
        content = quoted.replace("''", "'") + rest
    match = _NODE.match(content)
    if match is None:
        return Item("", "text", "", one_line(content), path=path)
    role, name, marks, text = match.groups()
    name, text = (name or "").replace('\\"', '"'), (text or "").strip().strip('"')
    ref = _REF.search(marks)
    states = " ".join(re.findall(r"\[(checked|selected|expanded|disabled)\]", marks))
    words = one_line(" ".join((name, text, states)))
    if role == "generic" and "[cursor=pointer]" in marks:
        role = "clickable"
    return Item(ref[1] if ref else "", role, name or text, words, path=path)


def _label(items: list[Item], place: int, words: str) -> None:
    """A placeholder names a field that has no name."""
    old = items[place]
    if not old.name:
        items[place] = Item(old.id, old.role, words, old.words, path=old.path)


def _name_by_text(items: list[Item]) -> None:
    """A container without a name is known by the text in it, when that is short."""
    inner: dict[int, list[str]] = {}
    for item in items:
        for place in item.path:
            inner.setdefault(place, []).append(item.words)
    for place, words in inner.items():
        old, said = items[place], one_line(" ".join(words))
        if old.id and not old.name and len(said) <= 60:
            items[place] = Item(old.id, old.role, said, old.words, path=old.path)


def texts_of(found: Iterable[str | tuple[str, ...]]) -> list[str]:
    """The single texts of matches, whose groups may be several."""
    return [text for match in found for text in ((match,) if isinstance(match, str) else match)]


def words_of(pattern: str) -> str:
    """The longest words of a name that is a regular expression; "" where it has none."""
    return max(re.findall(r"[^\W_][\w ]*[^\W_]", re.sub(r"\\.", "|", pattern)), key=len, default="")
