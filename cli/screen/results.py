"""Tables that runs fill: the columns as the user writes them, and the rows as events bring them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cli.client import api_types as api
from cli.errors import UsageError
from cli.screen.items import ResultTable
from cli.words import t

KINDS = {
    "text": "string", "string": "string", "number": "number", "integer": "integer", "whole": "integer",
    "boolean": "boolean", "yesno": "boolean",
}  # fmt: skip
TableSchema = dict[str, object]
"""A JSON schema, as the API takes it."""
FORMATS = ("csv", "xlsx", "json")


def read_columns(text: str) -> TableSchema:
    """`name, price:number` as a result schema. A column without a type is text. Raises UsageError."""
    properties: dict[str, dict[str, str]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, colon, kind = part.rpartition(":")
        name, kind = (name.strip(), kind.strip().lower()) if colon else (part, "text")
        if kind not in KINDS:
            raise UsageError(
                t(
                    "A column is NAME or NAME:TYPE, with one of the types {types}: {part}",
                    types=", ".join(KINDS),
                    part=part,
                )
            )
        properties[name] = {"type": KINDS[kind]}
    if not properties:
        raise UsageError(t("Name the columns of the table, such as: name, price:number"))
    row = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "array", "items": row}


class Results:
    """The rows of each run, from the messages of its tool calls. A message that comes again replaces its rows."""

    def __init__(self) -> None:
        self._messages: dict[str, api.Message] = {}

    def take(self, message: api.Message) -> None:
        if message.get("role") == "tool" and (message.get("meta_json") or {}).get("result"):
            self._messages[message["id"]] = message

    @property
    def newest_run(self) -> str | None:
        """The run of the newest rows."""
        last = next(reversed(self._messages.values()), None)
        return last.get("run_id") if last else None

    def table_of(self, run_id: str | None) -> ResultTable | None:
        parts = [
            meta["result"]
            for message in self._messages.values()
            if message["run_id"] == run_id and (meta := message.get("meta_json"))
        ]
        if not parts:
            return None
        columns = tuple(parts[0]["schema"]["items"]["required"])
        rows = [row for part in parts for row in part["rows"]]
        notes = (f"{number}: {note}" for number, row in enumerate(rows, 1) for note in _notes(row))
        return ResultTable(columns, tuple(_cells(row, columns) for row in rows), tuple(notes))


def change_words(change: api.FiringChange) -> str:
    """How a result differs from the one before: `2 added, 1 changed`."""
    counts = change.get("counts") or {}
    parts = [
        t("{n} added", n=counts.get("added", 0)) if counts.get("added") else "",
        t("{n} removed", n=counts.get("removed", 0)) if counts.get("removed") else "",
        t("{n} changed", n=counts.get("changed", 0)) if counts.get("changed") else "",
    ]
    if any(parts):
        return ", ".join(filter(None, parts))
    if change["kind"] == "first":
        return t("first result")
    if change["kind"] == "same":
        return t("nothing has changed")
    return t("the answer has changed")


def changed_rows(change: Mapping[str, Any]) -> ResultTable | None:
    """The rows that a result differs by, as kept with the answer; a changed cell has both values."""
    columns = tuple(change.get("columns") or ())
    rows = [
        (t("changed"), *(_both(one["before"].get(name), one["after"].get(name)) for name in columns))
        for one in change.get("changed") or ()
    ]
    for sort in ("added", "removed"):
        named = t("added") if sort == "added" else t("removed")
        rows += [(named, *(_cell(row.get(name)) for name in columns)) for row in change.get(sort) or ()]
    return ResultTable((t("change"), *columns), tuple(rows)) if rows else None


def _both(before: object, after: object) -> str:
    return _cell(after) if before == after else f"{_cell(before)} → {_cell(after)}"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _cells(row: api.ResultRow, columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_shown(row, name) for name in columns)


def _shown(row: api.ResultRow, name: str) -> str:
    value = row["values"].get(name)
    if value is None:
        return "–"
    text = _cell(value)
    return f"{text} ?" if name in row.get("unverified", ()) else text


def _notes(row: api.ResultRow) -> list[str]:
    return [
        *(f"{name}: {why}" for name, why in row.get("missing", {}).items()),
        *(
            t("{path}: not found in what the agent was shown", path=name)
            for name in row.get("unverified", ())
        ),
    ]
