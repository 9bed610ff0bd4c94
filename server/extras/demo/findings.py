"""Find in a page's text what answers a question: sentences, items of lists and rows of tables. Pure.

The text is the Markdown of the action `read_page`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Literal

from server.extras.demo.stems import asked_words, stem, stems_of
from server.text import cut

MAX_FOUND = 5
"""Most sentences, items and rows in one answer."""
MAX_NEAR = 2
"""The same if none of them has all the words."""
LONG = 400
"""Characters of a sentence in an answer."""
BRIEF = 110
"""Characters of a finding that is kept for a later answer; the operator's facts quote no more in a row."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, an item of a list or a row of a table. `head` has the names of the row's columns."""

    kind: Literal["text", "item", "row", "heading"]
    text: str
    section: str = ""
    cells: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    paragraph: int = 0
    """Equal for the sentences of one paragraph."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What matches a question. `missing` are its words that are in none of `units`."""

    units: tuple[Unit, ...] = ()
    missing: tuple[str, ...] = ()


_HEADING_LINE = re.compile(r"#{1,6} +(.*)")
_ITEM_LINE = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)")
_ROW_CELLS, _RULE_LINE = re.compile(r"\s*\|(.*)\|\s*$"), re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*(?: \"[^\"]*\")?\)")
_MARKDOWN_MARKS = re.compile(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)|\\(?=[^\w\s])|`")
_SENTENCE_GAP = re.compile(r"(?<=[.!?…])[»”\")]?\s+(?=[\"“«(]?[A-ZА-ЯЁ0-9])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|No|pp?|vs|approx|e\.g|i\.e|г|с|стр|ул|д|им|т\.е|т\.д|руб)\.|\b[A-ZА-ЯЁ]\.)$"
)
"""An abbreviation, after which a sentence continues."""


def units_of(markdown: str) -> list[Unit]:
    """The parts of the text, in order."""
    units: list[Unit] = []
    section, before = "", ""
    head: tuple[str, ...] = ()
    for number, line in enumerate(markdown.split("\n"), 1):
        if not line.strip() or line.strip() == "…":
            before = ""
        elif match := _HEADING_LINE.match(line):
            section = _bare(match[1])
            units.append(Unit("heading", section))
        elif _RULE_LINE.match(line):
            head = _cells(before)
            if units and units[-1].cells == head:
                units.pop()
        elif _ROW_CELLS.match(line):
            head = head if before else ()
            cells = _cells(line)
            units.append(Unit("row", " | ".join(filter(None, cells)), section, cells, head))
            before = line
        elif match := _ITEM_LINE.match(line):
            units.append(Unit("item", _bare(match[1]), section))
            before = line
        else:
            units += [Unit("text", part, section, paragraph=number) for part in sentences(_bare(line))]
            before = line
    return [unit for unit in units if unit.text]


def _cells(line: str) -> tuple[str, ...]:
    match = _ROW_CELLS.match(line)
    return tuple(_bare(cell) for cell in re.split(r"(?<!\\)\|", match[1])) if match else ()


def _bare(text: str) -> str:
    """The text without links and marks of Markdown."""
    return " ".join(_MARKDOWN_MARKS.sub("", _LINK.sub(r"\1", text)).split())


def sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph."""
    begin = 0
    for end in _SENTENCE_GAP.finditer(text):
        if not _ABBREVIATION.search(text[: end.start()]):
            yield text[begin : end.end()].strip()
            begin = end.end()
    if rest := text[begin:].strip():
        yield rest


def find(question: str, markdown: str) -> Finding:
    """The parts that have the most of the question's words, in any of their forms.

    The heading above a part and the names of a row's columns count, but the part itself has to match too. What
    has less than half of the words is not taken.
    """
    asked = asked_words(question)
    stems = {stem(word) for word in asked}
    scored = [(_score(unit, stems), unit) for unit in units_of(markdown)]
    most = max((len(score) for score, _ in scored), default=0)
    if not stems or 2 * most < len(stems):
        return Finding((), tuple(asked))
    best = [(score, unit) for score, unit in scored if len(score) == most]
    if any(unit.kind != "heading" for _, unit in best):
        best = [(score, unit) for score, unit in best if unit.kind != "heading"]
    best = best[: MAX_FOUND if most == len(stems) else MAX_NEAR]
    found = frozenset().union(*(score for score, _ in best))
    return Finding(tuple(unit for _, unit in best), tuple(word for word in asked if stem(word) not in found))


def _score(unit: Unit, stems: set[str]) -> frozenset[str]:
    """The asked stems that the part and its context have; none if the part itself has none."""
    own = stems_of(unit.text) & stems
    if not own:
        return frozenset()
    context = f"{unit.section} {' '.join(unit.head)}" if unit.kind != "heading" else ""
    return own | (stems_of(context) & stems)


def section_of(heading: Unit, units: Sequence[Unit]) -> list[Unit]:
    """The first parts below a heading."""
    at = next(place for place, unit in enumerate(units) if unit is heading or unit == heading)
    below = []
    for unit in units[at + 1 : at + 1 + MAX_FOUND]:
        if unit.kind == "heading":
            break
        below.append(unit)
    return below


def shown(units: Sequence[Unit]) -> str:
    """The parts as Markdown: quoted sentences, items, and rows as tables with their columns."""
    blocks: list[str] = []
    for (kind, _, paragraph), group in groupby(units, lambda unit: (unit.kind, unit.head, unit.paragraph)):
        if kind == "row":
            blocks.append(_table(list(group)))
        elif paragraph:
            blocks.append(f"> {' '.join(cut(unit.text, LONG) for unit in group)}")
        else:
            blocks += [_QUOTED_AS[kind].format(cut(unit.text, LONG)) for unit in group]
    return _joined(blocks)


_QUOTED_AS = {"item": "> - {}", "heading": "> **{}**", "text": "> {}"}


def _joined(blocks: Sequence[str]) -> str:
    """Neighbouring quotations are one quotation."""
    text = "".join(blocks[:1])
    for before, block in pairwise(blocks):
        are_items = before.startswith("> - ") and block.startswith("> - ")
        are_quotes = before.startswith(">") and block.startswith(">")
        text += ("\n" if are_items else "\n>\n" if are_quotes else "\n\n") + block
    return text


def _table(rows: Sequence[Unit]) -> str:
    wide = max(len(row.cells) for row in rows)
    head = (*rows[0].head, *[""] * wide)[:wide]
    lines = [head, ("---",) * wide, *((*row.cells, *[""] * wide)[:wide] for row in rows)]
    return "\n".join(f"| {' | '.join(cut(cell, 80) for cell in cells)} |" for cells in lines)


def in_brief(finding: Finding, question: str) -> str:
    """The first part that was found, in one short line around the asked words."""
    unit = finding.units[0]
    if unit.kind == "row" and unit.head:
        pairs = (f"{name}: {cell}" for name, cell in zip(unit.head, unit.cells, strict=False) if cell)
        return cut("; ".join(pairs), BRIEF)
    if len(unit.text) <= BRIEF:
        return unit.text
    stems = {stem(word) for word in asked_words(question)}
    places = [m.start() for m in re.finditer(r"\w+", unit.text) if stem(m[0].casefold()) in stems]
    begin = max(0, min(places[0] if places else 0, len(unit.text) - BRIEF + 2))
    begin = unit.text.rfind(" ", 0, begin) + 1 if begin else 0
    return ("…" if begin else "") + cut(unit.text[begin:], BRIEF - 1)
