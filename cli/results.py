"""Tables that runs fill: the columns as the user writes them, and the rows as events bring them. Pure."""

from __future__ import annotations

from cli.errors import Misused
from cli.items import ResultTable
from cli.json_types import JsonObject
from cli.words import say

KINDS = {
    "text": "string", "string": "string", "number": "number", "integer": "integer", "whole": "integer",
    "boolean": "boolean", "yesno": "boolean",
}  # fmt: skip
FORMATS = ("csv", "xlsx", "json")


def read_columns(text: str) -> JsonObject:
    """`name, price:number` as a result schema. A column without a type is text. Raises Misused."""
    properties: JsonObject = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, colon, kind = part.rpartition(":")
        name, kind = (name.strip(), kind.strip().lower()) if colon else (part, "text")
        if kind not in KINDS:
            raise Misused(
                say(
                    "A column is NAME or NAME:TYPE, with one of the types {types}: {part}",
                    types=", ".join(KINDS),
                    part=part,
                )
            )
        properties[name] = {"type": KINDS[kind]}
    if not properties:
        raise Misused(say("Name the columns of the table, such as: name, price:number"))
    row = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "array", "items": row}


class Results:
    """The rows of each run, from the messages of its tool calls. A message that comes again replaces its rows."""

    def __init__(self) -> None:
        self._messages: dict[str, JsonObject] = {}

    def take(self, message: JsonObject) -> None:
        if message.get("role") == "tool" and (message.get("meta_json") or {}).get("result"):
            self._messages[message["id"]] = message

    @property
    def newest_run(self) -> str | None:
        """The run of the newest rows."""
        last = next(reversed(self._messages.values()), None)
        return last.get("run_id") if last else None

    def table_of(self, run_id: str | None) -> ResultTable | None:
        parts = [
            message["meta_json"]["result"]
            for message in self._messages.values()
            if message.get("run_id") == run_id
        ]
        if not parts:
            return None
        columns = tuple(parts[0]["schema"]["items"]["required"])
        rows = [row for part in parts for row in part["rows"]]
        notes = (f"{number}: {note}" for number, row in enumerate(rows, 1) for note in _notes(row))
        return ResultTable(columns, tuple(_cells(row, columns) for row in rows), tuple(notes))


def change_words(change: JsonObject) -> str:
    """How a result differs from the one before: `2 added, 1 changed`."""
    counts = change.get("counts") or {}
    parts = [
        say("{n} added", n=counts.get("added", 0)) if counts.get("added") else "",
        say("{n} removed", n=counts.get("removed", 0)) if counts.get("removed") else "",
        say("{n} changed", n=counts.get("changed", 0)) if counts.get("changed") else "",
    ]
    if any(parts):
        return ", ".join(filter(None, parts))
    if change["kind"] == "first":
        return say("first result")
    if change["kind"] == "same":
        return say("nothing has changed")
    return say("the answer has changed")


def changed_rows(change: JsonObject) -> ResultTable | None:
    """The rows that a result differs by, as kept with the answer; a changed cell has both values."""
    columns = tuple(change.get("columns") or ())
    rows = [
        (say("changed"), *(_both(one["before"].get(name), one["after"].get(name)) for name in columns))
        for one in change.get("changed") or ()
    ]
    for sort in ("added", "removed"):
        named = say("added") if sort == "added" else say("removed")
        rows += [(named, *(_cell(row.get(name)) for name in columns)) for row in change.get(sort) or ()]
    return ResultTable((say("change"), *columns), tuple(rows)) if rows else None


def _both(before: object, after: object) -> str:
    return _cell(after) if before == after else f"{_cell(before)} → {_cell(after)}"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _cells(row: JsonObject, columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_shown(row, name) for name in columns)


def _shown(row: JsonObject, name: str) -> str:
    value = row["values"].get(name)
    if value is None:
        return "–"
    text = _cell(value)
    return f"{text} ?" if name in row.get("unverified", ()) else text


def _notes(row: JsonObject) -> list[str]:
    return [
        *(f"{name}: {why}" for name, why in row.get("missing", {}).items()),
        *(
            say("{path}: not found in what the agent was shown", path=name)
            for name in row.get("unverified", ())
        ),
    ]
