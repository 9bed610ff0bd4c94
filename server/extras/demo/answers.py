"""Answer a question about a page from its text and its elements. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

from server.extras.demo.commands import DemoCommand
from server.extras.demo.errands import read_table
from server.extras.demo.findings import BRIEF, MAX_FOUND, Unit, find, in_brief, section_of, shown, units_of
from server.extras.demo.page import DemoPage, Thing
from server.extras.demo.words import DEMO_CONTROLS, Words

SUMMARY_CHARS = 900
MAX_LISTED_NAMES = 30


@dataclass(frozen=True, slots=True)
class Found:
    """The answer in full, and in one line for an answer that is given later."""

    text: str
    note: str
    is_found: bool = True
    is_short: bool = False
    """Whether the note says all of it."""


def look_up(command: DemoCommand, page: DemoPage, reading: str | None, words: Words) -> Found:
    """Answer one question. `reading` is the page's Markdown; None if it could not be read."""
    markdown = page.markdown() if reading is None else reading
    match command.kind:
        case "ask":
            return _ask(command.text, page, markdown, words)
        case "table":
            return _tables(command, page, markdown, words)
        case "list" | "count":
            return _parts(command, page, markdown, words)
    return _summary(page, markdown, words)


def _name(page: DemoPage) -> str:
    return page.title or page.url


def _ask(query: str, page: DemoPage, markdown: str, words: Words) -> Found:
    finding, name = find(query, markdown), _name(page)
    if not finding.units:
        text = words.say("not found", query=query, page=name)
        return Found(f"{text} {words.say('drawn')}" if page.is_drawn else text, text, is_found=False)
    units = list(finding.units)
    if all(unit.kind == "heading" for unit in units):
        parts = units_of(markdown)
        units = [part for unit in units for part in (unit, *section_of(unit, parts))]
    missing = ", ".join(finding.missing)
    head = words.say("not all" if missing else "found", page=name, query=query, missing=missing)
    note = words.say("note", query=query, page=name, text=in_brief(finding, query))
    is_short = len(units) == 1 and units[0].kind in ("text", "item") and len(units[0].text) <= BRIEF
    return Found(f"{head}\n\n{shown(units)}", note, is_short=is_short and not missing)


def _parts(command: DemoCommand, page: DemoPage, markdown: str, words: Words) -> Found:
    name, part = _name(page), command.target
    if part == "title":
        text = words.say("title of", page=name)
        return Found(text, text)
    found = _listed(part, page, markdown, words)
    number = len(found) + (sum(thing.copies for thing in _things(part, page)) if part == "links" else 0)
    if command.kind == "count":
        is_part = page.is_part and part in ("links", "buttons", "fields")
        said = "count of part" if is_part else "count of"
        text = words.say(said, page=name, n=number, part=words.part(part))
        return Found(text, text)
    if not found:
        text = words.say("list of none", page=name, part=words.say(part))
        return Found(text, text, is_found=False)
    head = words.say("list of", page=name, part=words.say(part))
    lines = [f"{at}. {text}" for at, text in enumerate(found[:MAX_LISTED_NAMES], 1)]
    more = [words.say("more", n=len(found) - MAX_LISTED_NAMES)] if len(found) > MAX_LISTED_NAMES else []
    in_short = ", ".join(found[:MAX_FOUND])
    return Found("\n\n".join((head, "\n".join(lines), *more)), f"{head} {in_short}")


def _tables(command: DemoCommand, page: DemoPage, markdown: str, words: Words) -> Found:
    """The page's tables; with columns, those of the table that has them."""
    rows = [unit for unit in units_of(markdown) if unit.kind == "row" and unit.head]
    names = [name for name in re.split(r"\s*(?:[,;]|\band\b|\bи\b)\s*", command.text) if name]
    if names:
        found = read_table(markdown, {name: {"type": "string"} for name in names})
        cells = [tuple(str(row.get(name, "")) for name in names) for row in found.rows]
        rows = [Unit("row", " | ".join(filter(None, row)), cells=row, head=tuple(names)) for row in cells]
    if not rows:
        text = words.say("no table", page=_name(page), columns=", ".join(names) or "–")
        return Found(text, text, is_found=False)
    head = words.say("table of", page=_name(page), n=len(rows))
    return Found(f"{head}\n\n{shown(rows)}", head)


def _things(part: str, page: DemoPage) -> list[Thing]:
    roles = {"links": frozenset({"link"}), "buttons": frozenset({"button"}), "fields": DEMO_CONTROLS}[part]
    return [thing for thing in page.things if thing.role in roles]


def _listed(part: str, page: DemoPage, markdown: str, words: Words) -> list[str]:
    if part in ("links", "buttons", "fields"):
        shown = words.field if part == "fields" else words.thing
        return [shown(thing) for thing in _things(part, page)]
    kind = {"headings": "heading", "rows": "row", "items": "item"}[part]
    return [unit.text for unit in units_of(markdown) if unit.kind == kind]


def _summary(page: DemoPage, markdown: str, words: Words) -> Found:
    """The beginning of the text in whole sentences, the names of its sections, its form."""
    units = units_of(markdown)
    ends = list(accumulate(len(unit.text) for unit in units))
    kept = sum(1 for end in [0, *ends[:-1]] if end < SUMMARY_CHARS) if units else 0
    kept = next((at for at in range(kept, 0, -1) if units[at - 1].kind != "heading"), kept)
    text = shown([unit for unit in units[:kept] if unit.text != page.title])
    said = [words.say("says"), text] if text else []
    if len(units) > kept > 0:
        rest = [unit.text for unit in units[kept:] if unit.kind == "heading"]
        said.append(words.say("went on"))
        said += [words.say("further", names=", ".join(rest[:MAX_LISTED_NAMES]))] if rest else []
    return Found(words.page(page, said), words.where(page))
