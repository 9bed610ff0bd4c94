"""Parse the page that the agent shows the demo model: an observation, a snapshot or a state. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

DEMO_FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "textarea"})
DEMO_LISTS = frozenset({"combobox", "listbox"})
_TEXT_ROLES = frozenset(
    {"heading", "paragraph", "text", "listitem", "cell", "alert", "status", "strong", "generic"}
)
_ROLES_OF_TAGS = {"a": "link", "input": "textbox", "textarea": "textbox", "select": "combobox"}


@dataclass(frozen=True)
class Thing:
    """An element to click or to type into. `ref` identifies it in tool calls."""

    ref: str
    role: str
    name: str
    disabled: bool = False
    place: str = ""
    """The heading or row that it belongs to, if several elements have its name and role."""
    options: tuple[str, ...] = ()
    copies: int = 0
    """Further elements that lead to the same address."""
    near: str = field(default="", compare=False)
    """The text between the element before it of this role and itself, such as the name and the price of what it buys."""
    section: str = field(default="", compare=False)
    """The heading above it."""


@dataclass
class DemoPage:
    url: str = ""
    title: str = ""
    things: list[Thing] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Notes of the observation: a status, a dialog, what was left out."""

    @property
    def is_blank(self) -> bool:
        return self.url in ("", "about:blank")

    @property
    def is_part(self) -> bool:
        """Whether the page has more elements than are shown."""
        return any(note.startswith("truncated") for note in self.notes)

    @property
    def is_drawn(self) -> bool:
        return any(note.startswith("drawn") for note in self.notes)

    def markdown(self) -> str:
        """The shown part of the text, for pages that cannot be read completely."""
        return "\n\n".join(f"# {text}" if text in self.headings else text for text in self.texts)

    def add_text(self, text: str, near: _Near, *, is_heading: bool) -> None:
        near.note(text, is_heading=is_heading)
        self.texts.append(text)
        self.headings += [text] if is_heading else []

    def find(
        self, name: str, roles: frozenset[str] = frozenset(), *, role: str = "", nth: int = 0
    ) -> list[Thing]:
        """The elements that match `name` best, in the order of the page: several if they match equally well.

        Only elements with one of `roles`, if given. `role` is the user's word for a role, ignored if no element has it. `nth`
        selects one of them, from 1; -1 is the last one.
        """
        able = [thing for thing in self.things if not thing.disabled and (not roles or thing.role in roles)]
        if meant := [thing for thing in able if thing.role in _MEANT.get(role, frozenset({role}))]:
            able = meant
        is_only = len(able) == 1
        found = able if not name and (meant or is_only) else _best(name, able)
        found = able if not found and roles and is_only else found
        return numbered(found, nth) if nth else found


def numbered(things: list[Thing], nth: int) -> list[Thing]:
    """The one of that number, from 1; -1 is the last one. Empty if there are fewer."""
    return things[nth - 1 : nth] if nth > 0 else things[-1:]


_MEANT = {"field": DEMO_FIELDS, "checkbox": frozenset({"checkbox", "switch", "radio"})}
"""Roles of a page by the user's word for them."""


def _best(name: str, things: Sequence[Thing]) -> list[Thing]:
    scores = [_likeness(name, thing) for thing in things] if name else []
    most = max(scores, default=0)
    return [thing for thing, score in zip(things, scores, strict=True) if score == most] if most else []


def _likeness(wanted: str, thing: Thing) -> int:
    """5 for the same name, 4 for the role, 3 to 1 for a common beginning, a part of the name, or half of the words."""
    want, have = _plain(wanted), _plain(thing.name)
    if want == have:
        return 5
    is_search = thing.role == "searchbox" and want in ("search", "поиск")
    if is_search or want in (thing.role, f"{have} {thing.role}"):
        return 4
    if not want:
        return 0
    if have.startswith(want) or f" {want} " in f" {have} ":
        return 3
    if want in have:
        return 2
    words, has = set(want.split()), set(have.split())
    return int(len(words & has) * 2 > len(words))


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s]", " ", text.casefold().replace("ё", "е")).split())


def read_page(text: str) -> DemoPage | None:
    """Parse the last page shown in a text; None if there is none."""
    if page := _read_json(text):
        return page
    shown = _last_shown(text)
    lines = shown.split("\n")
    if any("[ref=" in line for line in lines):
        return _read_snapshot(lines, text)
    if shown != text or any(_ELEMENT.match(line) or line.startswith("URL: ") for line in lines):
        return _read_observation(lines, text)
    return None


_FENCE = re.compile(r"<((?:untrusted-)?page(?:-\d{1,6})?)>\n")


def _last_shown(text: str) -> str:
    """The content of the last page fence; the whole text if there is none."""
    shown, at = text, 0
    while start := _FENCE.search(text, at):
        end = text.find(f"\n</{start[1]}>", start.end() - 1)
        if end < 0:
            break
        shown, at = text[start.end() : end], end
    return shown


_ELEMENT = re.compile(r'\[(\S+(?: > \S+)*)\] (\S+) "([^"]*)"(?: \(([^)]*)\))?(.*)')
"""Begins with an eid, a ref, an index or a selector."""
_OPTION_PATTERNS, _COPIES = re.compile(r" options=\[([^\]]*)\]"), re.compile(r" also=(\S+)")


def _read_observation(lines: Iterable[str], whole: str) -> DemoPage:
    page, near = DemoPage(), _Near()
    if heads := re.findall(r'^Page: (\S+)(?: "(.*)")?$', whole, re.MULTILINE):
        page.url, page.title = heads[-1]
    for line in lines:
        if match := _ELEMENT.match(line):
            page.things.append(_observed(match, near))
        elif line.startswith("URL: "):
            page.url = line[5:].strip()
        elif line.startswith("Title: "):
            page.title = line[7:].strip()
        elif line.startswith("Note: "):
            page.notes.append(line[6:].strip())
        elif line.startswith(("- ", "# ")):
            page.add_text(line[2:].strip(), near, is_heading=line[0] == "#")
    return page


def _observed(match: re.Match[str], near: _Near) -> Thing:
    ref, role, name, place, rest = match.groups()
    options, copies = _OPTION_PATTERNS.search(rest), _COPIES.search(rest)
    return Thing(
        ref, role, name, " disabled" in rest, place or "", tuple(options[1].split(", ")) if options else (),
        copies[1].count(",") + 1 if copies else 0, near.of(role, name), near.section,
    )  # fmt: skip


class _Near:
    """What was read since the last heading, and since the last element of each role."""

    def __init__(self) -> None:
        self.section = ""
        self._texts: list[str] = []
        self._begins: dict[str, int] = {}

    def note(self, text: str, *, is_heading: bool) -> None:
        self._texts.append(text)
        if is_heading:
            self.section, self._begins = text, dict.fromkeys(self._begins, len(self._texts))

    def of(self, role: str, name: str) -> str:
        text = " ".join(self._texts[self._begins.get(role, 0) :])
        self._texts.append(name)
        self._begins[role] = len(self._texts)
        return text


_NODE = re.compile(
    r'\s*- (?P<role>[\w-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<marks>(?: \[[^\]]*\])*)(?::\s*(?P<text>.*))?$'
)


def _read_snapshot(lines: Iterable[str], whole: str) -> DemoPage:
    page, near = DemoPage(), _Near()
    if match := re.search(r'^(?:- )?Page(?: URL)?: (\S+)(?: "(.*)")?$', whole, re.MULTILINE):
        page.url, page.title = match[1], match[2] or ""
    if title := re.search(r"^- Page Title: (.*)$", whole, re.MULTILINE):
        page.title = title[1]
    for node in filter(None, map(_NODE.match, lines)):
        role, marks = node["role"], node["marks"]
        said = (node["name"] or "").replace('\\"', '"') or (node["text"] or "").strip().strip('"')
        is_text, ref = role in _TEXT_ROLES, re.search(r"\[ref=(\w+)\]", marks)
        if ref and not (is_text and "[cursor=pointer]" not in marks):
            is_disabled, text = "[disabled]" in marks, near.of(role, said)
            page.things.append(Thing(ref[1], role, said, is_disabled, near=text, section=near.section))
        if is_text and said:
            page.add_text(said, near, is_heading=role == "heading")
    return page


def _read_json(text: str) -> DemoPage | None:
    """Parse browser-use's state; None if the text has none."""
    start = text.find("{")
    if start < 0 or '"interactive_elements"' not in text:
        return None
    try:
        state, _ = json.JSONDecoder().raw_decode(text[start:])
    except ValueError:
        return None
    things = [
        Thing(
            str(item.get("index")),
            _ROLES_OF_TAGS.get(str(item.get("tag")), str(item.get("tag"))),
            item.get("text") or item.get("placeholder") or "",
        )
        for item in state.get("interactive_elements") or ()
        if isinstance(item, dict)
    ]
    texts = [str(state[key]) for key in ("page_text", "text", "content") if state.get(key)]
    return DemoPage(state.get("url", ""), state.get("title", ""), things, texts)
