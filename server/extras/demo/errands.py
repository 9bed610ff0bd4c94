"""Commands that may need several acts: put into a basket, order, reply; and the rows of a table. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.extras.demo.commands import ERRANDS, DemoCommand
from server.extras.demo.findings import Unit, units_of
from server.extras.demo.grammar import GRAMMAR, pattern
from server.extras.demo.page import DEMO_FIELDS, DemoPage, Thing
from server.extras.demo.stems import asked_words, stem, stems_of
from server.ops.json_types import JsonObject

MAX_ACTS = 5
"""Most acts of one command: more means that it leads nowhere."""

_ADD, _ORDER, _TOWARDS = pattern("add"), pattern("order"), pattern("towards")
_REPLY, _SEND = pattern("reply"), pattern("send")
_CHEAPEST, _NEWEST = pattern("cheapest"), pattern("newest")
_PRICE = re.compile(
    r"(?:[€$£₽]|\b(?:EUR|USD|GBP)) ?(\d[\d.,]*)|(\d[\d.,]*) ?(?:[€$£₽]|(?:EUR|USD|GBP|руб|₽)\b)"
)
CONFIRMED = pattern("confirmed")
"""What a page says once an order is placed."""
_ORDER_NUMBER = pattern("order_number")


def number_of_order(texts: Sequence[str]) -> str:
    """The line with the order's number; "" if there is none."""
    return next((text for text in texts if _ORDER_NUMBER.search(text)), "")


def is_reached(command: DemoCommand, step: str) -> bool:
    """Whether this executed step, as a line of the prompt, has ended the command; else it was on the way to it."""
    names = re.findall(r'"([^"]*)"', step)
    if command.kind not in ERRANDS or not names:
        return True
    if step.startswith(("type", "browser_type")):
        return False
    wanted = {"add": _ADD, "order": _ORDER, "reply": _SEND}[command.kind]
    is_link = " link " in step.partition('"')[0]
    return bool(wanted.search(names[-1])) and not (command.kind == "add" and is_link)


def next_things(command: DemoCommand, page: DemoPage, on_way: Sequence[str]) -> list[Thing]:
    """The elements of which one is to be used next: several if they fit equally, none if nothing leads there."""
    if len(on_way) >= MAX_ACTS:
        return []
    able = [thing for thing in page.things if not thing.disabled]
    if command.kind == "add":
        return _to_add(command.target, able)
    if command.kind == "order":
        towards = [thing for thing in _matching(_TOWARDS, able) if not _ADD.search(thing.name)]
        return _matching(_ORDER, able, "button") or _matching(_ORDER, able, "link") or towards[:1]
    return _to_reply(command.target, able, on_way)


def _matching(pattern: re.Pattern[str], things: Sequence[Thing], role: str = "") -> list[Thing]:
    roles = (role,) if role else ("button", "link")
    return [thing for thing in things if thing.role in roles and pattern.search(thing.name)]


def _to_add(target: str, able: Sequence[Thing]) -> list[Thing]:
    wanted = stems_of(_CHEAPEST.sub("", target))
    buttons = _matching(_ADD, able, "button")
    fitting = [thing for thing in buttons if wanted <= stems_of(f"{thing.name} {thing.place} {thing.near}")]
    if _CHEAPEST.search(target):
        priced = [(price, thing) for thing in fitting if (price := price_in(thing.near))]
        return [min(priced, key=lambda one: one[0])[1]] if priced else []
    links = [thing for thing in able if thing.role == "link" and wanted and wanted <= stems_of(thing.name)]
    return fitting or (links if len(links) == 1 else buttons if len(buttons) == 1 and not links else [])


def _to_reply(target: str, able: Sequence[Thing], on_way: Sequence[str]) -> list[Thing]:
    fields = [thing for thing in able if thing.role in DEMO_FIELDS and _REPLY.search(thing.name)]
    if fields and any(step.startswith(("type", "browser_type")) for step in on_way):
        return _matching(_SEND, able, "button")[:1]
    if fields:
        return fields[:1]
    wanted = {stem(word) for word in asked_words(_NEWEST.sub(" ", target.casefold()))}
    listed = [thing for thing in able if thing.role == "link" and thing.section]
    fitting = [thing for thing in listed if not wanted or wanted & stems_of(f"{thing.near} {thing.name}")]
    return _matching(_REPLY, able)[:1] or fitting[:1]


def price_in(text: str) -> float | None:
    """The first price of a text."""
    found = _PRICE.search(text)
    return number_in(found[1] or found[2]) if found else None


def number_in(text: str) -> float | None:
    """The first number, with a point or a comma before its last one or two digits as the decimal sign."""
    found = re.search(r"-?\d[\d.,\s]*", text)
    if found is None:
        return None
    whole, _, part = re.sub(r"\s", "", found[0]).rstrip(".,").replace(",", ".").rpartition(".")
    has_part = whole and len(part) != 3
    digits = f"{whole.replace('.', '')}.{part}" if has_part else f"{whole}{part}".replace(".", "")
    return float(digits)


# Tables

_SAME_COLUMNS = tuple(map(stems_of, GRAMMAR["tables"]["same_columns"]))
"""Words for one thing, as headings of tables have them."""


@dataclass(frozen=True, slots=True)
class ReadTable:
    rows: tuple[JsonObject, ...]
    headings: tuple[str, ...] = ()
    """Of the page's tables, if none has the columns."""


def read_table(markdown: str, columns: JsonObject) -> ReadTable:
    """The rows of the table whose headings match the most columns; none if less than half of them match.

    `columns` has for each name the type of its values, as in JSON Schema.
    """
    tables: dict[tuple[str, ...], list[Unit]] = {}
    for unit in units_of(markdown):
        if unit.kind == "row" and unit.head:
            tables.setdefault(unit.head, []).append(unit)
    best, places = max(
        ((head, _places(head, columns)) for head in tables), key=lambda one: len(one[1]), default=((), {})
    )
    if 2 * len(places) < max(1, len(columns)):
        return ReadTable((), tuple(name for head in tables for name in head))
    return ReadTable(tuple(_row(unit.cells, columns, places) for unit in tables[best]))


def _places(head: Sequence[str], columns: JsonObject) -> dict[str, int]:
    """For each column the place of its heading."""
    found: dict[str, int] = {}
    for name in columns:
        same = [at for at, title in enumerate(head) if stems_of(title) == stems_of(name)]
        like = [at for at, title in enumerate(head) if _meant(name) & _meant(title)]
        if same or like:
            found[name] = (same or like)[0]
    return found


def _meant(name: str) -> frozenset[str]:
    own = stems_of(name)
    return own.union(*(group for group in _SAME_COLUMNS if own & group))


def _row(cells: Sequence[str], columns: JsonObject, places: dict[str, int]) -> JsonObject:
    row: JsonObject = {}
    for name, schema in columns.items():
        cell = "".join(cells[places[name] :][:1]) if name in places else ""
        value = _value(cell, str(schema.get("type")))
        row |= {} if value is None else {name: value}
    missing = {name: "-" for name in columns if name not in row}
    return row | ({"missing": missing} if missing else {})


def _value(cell: str, kind: str) -> str | float | None:
    """The cell as a value of that type of JSON Schema; None if it is none."""
    is_whole = "integer" in kind
    number = number_in(cell) if is_whole or "number" in kind else None
    if number is not None:
        return int(number) if is_whole else number
    return cell if cell and "string" in kind else None
