"""Parse the page that the agent shows the demo model: an observation, a snapshot or a state. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

FIELDS = frozenset({"textbox", "searchbox", "combobox", "spinbutton", "textarea"})
LISTS = frozenset({"combobox", "listbox"})
_TEXT_ROLES = frozenset(
    {"heading", "paragraph", "text", "listitem", "cell", "alert", "status", "strong", "generic"}
)
_TAGS = {"a": "link", "button": "button", "input": "textbox", "textarea": "textbox", "select": "combobox"}


@dataclass(frozen=True)
class Thing:
    """An element to click or to type into. `ref` identifies it in tool calls."""

    ref: str
    role: str
    name: str
    disabled: bool = False


@dataclass
class DemoPage:
    url: str = ""
    title: str = ""
    things: list[Thing] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def find(self, name: str, roles: frozenset[str] = frozenset()) -> Thing | None:
        """The element that best matches `name`, restricted to `roles` if given; None if none matches."""
        able = [thing for thing in self.things if not thing.disabled and (not roles or thing.role in roles)]
        if not name:
            return able[0] if len(able) == 1 else None
        best = max(able, key=lambda thing: _likeness(name, thing), default=None)
        if best is not None and _likeness(name, best) > 0:
            return best
        return able[0] if roles and len(able) == 1 else None


def _likeness(wanted: str, thing: Thing) -> float:
    want, have = _plain(wanted), _plain(thing.name)
    if want == have:
        return 5.0
    if want in (thing.role, f"{have} {thing.role}") or (
        thing.role == "searchbox" and want in ("search", "поиск")
    ):
        return 4.0
    if have and (have.startswith(want) or want in have):
        return 2.0 + len(want) / (len(have) + 1)
    words, has = set(want.split()), set(have.split())
    return len(words & has) / len(words) if words and len(words & has) * 2 > len(words) else 0.0


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


_ELEMENT = re.compile(r'\[(\S+(?: > \S+)*)\] (\S+) "([^"]*)"(.*)')
"""Begins with an eid, a ref, an index or a selector."""


def _read_observation(lines: Iterable[str], whole: str) -> DemoPage:
    page = DemoPage()
    if heads := re.findall(r'^Page: (\S+)(?: "(.*)")?$', whole, re.MULTILINE):
        page.url, page.title = heads[-1]
    for line in lines:
        if match := _ELEMENT.match(line):
            page.things.append(Thing(match[1], match[2], match[3], " disabled" in match[4]))
        elif line.startswith("URL: "):
            page.url = line[5:].strip()
        elif line.startswith("Title: "):
            page.title = line[7:].strip()
        elif line.startswith(("- ", "# ")):
            page.texts.append(line[2:].strip())
    return page


_NODE = re.compile(
    r'\s*- (?P<role>[\w-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<marks>(?: \[[^\]]*\])*)(?::\s*(?P<text>.*))?$'
)


def _read_snapshot(lines: Iterable[str], whole: str) -> DemoPage:
    page = DemoPage()
    if match := re.search(r'^(?:- )?Page(?: URL)?: (\S+)(?: "(.*)")?$', whole, re.MULTILINE):
        page.url, page.title = match[1], match[2] or ""
    if title := re.search(r"^- Page Title: (.*)$", whole, re.MULTILINE):
        page.title = title[1]
    for line in lines:
        match = _NODE.match(line)
        if match is None:
            continue
        role, name, marks = match["role"], (match["name"] or "").replace('\\"', '"'), match["marks"]
        said = (match["text"] or "").strip().strip('"')
        ref = re.search(r"\[ref=(\w+)\]", marks)
        if ref and (role not in _TEXT_ROLES or "[cursor=pointer]" in marks):
            page.things.append(Thing(ref[1], role, name or said, "[disabled]" in marks))
        if role in _TEXT_ROLES and (name or said):
            page.texts.append(name or said)
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
            _TAGS.get(str(item.get("tag")), str(item.get("tag"))),
            item.get("text") or item.get("placeholder") or "",
        )
        for item in state.get("interactive_elements") or ()
        if isinstance(item, dict)
    ]
    texts = [str(state[key]) for key in ("page_text", "text", "content") if state.get(key)]
    return DemoPage(state.get("url", ""), state.get("title", ""), things, texts)
