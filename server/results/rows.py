"""Rows of a result: read from a model's call, kept in the tool message that recorded them, joined to a table. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from pydantic import BaseModel, ConfigDict

from server.errors import Explained
from server.events import POINTERS, Message
from server.ops.json_types import Json, JsonObject
from server.results.columns import (
    MISSING_KEY,
    MISSING_REASON_CHARS,
    Column,
    ResultSchema,
    Value,
    read_schema,
)
from server.text import cut
from wording.catalogue import Wording, sentence

RESULT = "result"
"""The key in the meta of a tool message: `{schema, rows, is_part}`, the rows that this call recorded."""
SCHEMA_KEY = "result_schema"
"""The key in the meta of a user message: the schema that it asks for."""

TABLES_BY = sentence("table.operator_only")


class EditedCell(BaseModel):
    """The user has replaced a value: what the cell was before."""

    model_config = ConfigDict(frozen=True)
    column: str
    at: datetime
    """UTC."""
    value: Value = None
    missing: str | None = None
    unverified: bool = False


class ResultRow(BaseModel):
    """One row, with the page, the time and the picture that it comes from."""

    model_config = ConfigDict(frozen=True)
    id: str
    """Unique in the run."""
    values: dict[str, Value]
    """By column, in the order of the columns; None where `missing` says why."""
    missing: dict[str, str] = {}
    """By column: why there is no value."""
    unverified: tuple[str, ...] = ()
    """Columns whose value was not found in what the model was shown."""
    edited: dict[str, Value] = {}
    """By column: the recorded value that the user has replaced."""
    edits: tuple[EditedCell, ...] = ()
    """The oldest first."""
    url: str = ""
    """Address of the page, without a login; "" for a row from a file."""
    file: str = ""
    """Name of the session's file that the row was read from."""
    at: datetime
    """UTC."""
    screenshot: str | None = None
    """Address of the picture of that moment."""

    def to_json(self) -> JsonObject:
        return {"id": self.id, **self.model_dump(mode="json", exclude_defaults=True)}

    def with_edit(self, column: str, value: Value, at: datetime) -> Self:
        """The row with the user's value: it needs no reason and no support by the page."""
        before = self.values.get(column)
        edit = EditedCell(
            column=column, at=at, value=before, missing=self.missing.get(column), unverified=column in self.unverified
        )  # fmt: skip
        return self._with_cell(column, value).model_copy(
            update={
                "edited": {**self.edited, column: self.edited.get(column, before)},
                "edits": (*self.edits, edit),
            }
        )

    def before(self, moment: datetime) -> Self:
        """The row as it was then. Edits without a time were made before."""
        row = self
        for edit in reversed([one for one in self.edits if one.at > moment]):
            row = row._with_cell(edit.column, edit.value, edit.missing, unverified=edit.unverified)
        kept = tuple(one for one in self.edits if one.at <= moment)
        later = {one.column for one in self.edits} - {one.column for one in kept}
        edited = {name: value for name, value in self.edited.items() if name not in later}
        return row.model_copy(update={"edits": kept, "edited": edited})

    def _with_cell(
        self, column: str, value: Value, missing: str | None = None, *, unverified: bool = False
    ) -> Self:
        others = {name: why for name, why in self.missing.items() if name != column}
        unsure = tuple(name for name in self.unverified if name != column)
        return self.model_copy(
            update={
                "values": {**self.values, column: value},
                "missing": {**others, **({column: missing} if missing else {})},
                "unverified": (*unsure, column) if unverified else unsure,
            }
        )

    def notes(self) -> list[Wording]:
        """What is to be said about its cells, in words."""
        return [
            *(Wording(f"{name}: {why}") for name, why in self.missing.items()),
            *(sentence("cell.unverified", column=name) for name in self.unverified),
            *(sentence("cell.edited", column=name) for name in self.edited),
        ]


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The rows of one run."""

    schema: ResultSchema
    rows: tuple[ResultRow, ...] = ()
    is_part: bool = False
    """A list was not read to its end when its last rows were recorded."""

    @property
    def is_complete(self) -> bool:
        """Whether there are as many rows as asked for, from lists that were read to their ends; each row fits its
        columns when it is recorded."""
        return len(self.rows) >= self.schema.least and not self.is_part


class RowRefused(Explained, ValueError):
    """A row does not fit its columns; the message names what is wrong."""


def read_row(given: Json, schema: ResultSchema) -> tuple[dict[str, Value], dict[str, str]]:
    """The values and reasons of a row as a model gives it. Raises RowRefused.

    Numbers and truth values given as text are read as such; an empty text is no value.
    """
    if not isinstance(given, dict):
        raise RowRefused(sentence("row.no_object"))
    given = dict(given)
    reasons = given.pop(MISSING_KEY, None)
    named = _by_name(given, schema)
    why = _by_name(reasons if isinstance(reasons, dict) else {}, schema)
    values = {column.name: _read(named.get(column.name), column) for column in schema.columns}
    missing: dict[str, str] = {}
    for column in schema.columns:
        value, reason = values[column.name], why.get(column.name)
        if problem := column.problem_of(value):
            raise RowRefused(problem)
        if value is None:
            if not isinstance(reason, str) or not reason.strip():
                raise RowRefused(sentence("row.no_reason", column=column.name, word=MISSING_KEY))
            missing[column.name] = cut(" ".join(reason.split()), MISSING_REASON_CHARS)
    if len(missing) == len(values):
        raise RowRefused(sentence("row.empty"))
    return values, missing


def _by_name(given: Mapping[str, Json], schema: ResultSchema) -> dict[str, Json]:
    """Fields by the column's name. A model may use the name instead of the key, in other case."""
    known = {key.casefold(): column.name for key, column in schema.keys.items()}
    known |= {name.casefold(): name for name in schema.names}
    if unknown := [key for key in given if key.strip().casefold() not in known]:
        raise RowRefused(
            sentence("row.no_column", column=repr(cut(unknown[0], 40)), known=", ".join(schema.names))
        )
    return {known[key.strip().casefold()]: value for key, value in given.items()}


def _text(value: Value) -> Value:
    """Texts and numbers as a text in one line; an empty one is no value."""
    if isinstance(value, str) or type(value) in (int, float):
        return " ".join(str(value).split()) or None
    return value


def _read(value: Json, column: Column) -> Value:
    """Raises RowRefused for a list or an object."""
    if isinstance(value, list | dict):
        raise RowRefused(sentence("row.several", column=column.name))
    if column.kind == "string":
        return _text(value)
    if isinstance(value, float) and column.kind == "integer" and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if column.kind == "boolean":
        return {"true": True, "false": False, "": None}.get(text.lower(), text)
    try:
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return text or None


def digest_of(values: Mapping[str, Value]) -> str:
    """Equal for rows with equal values, whatever the case of their letters."""
    plain = json.dumps(values, sort_keys=True, ensure_ascii=False).casefold()
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def schema_of(message: Message) -> ResultSchema | None:
    """The table that a user message asks for."""
    asked = (message.meta_json or {}).get(SCHEMA_KEY)
    return read_schema(asked) if message.role == "user" and asked else None


def recorded_in(message: Message) -> ResultTable | None:
    """The rows that a tool message recorded."""
    kept = (message.meta_json or {}).get(RESULT)
    if message.role != "tool" or not kept:
        return None
    rows = tuple(map(ResultRow.model_validate, kept["rows"]))
    return ResultTable(read_schema(kept["schema"]), rows, bool(kept.get("is_part")))


def as_of(message: Message, moment: datetime) -> Message:
    """The message with the cells that it had at this moment."""
    table, meta = recorded_in(message), message.meta_json or {}
    if table is None or not any(row.edits for row in table.rows):
        return message
    rows = [row.before(moment).to_json() for row in table.rows]
    return message.model_copy(update={"meta_json": {**meta, RESULT: {**meta[RESULT], "rows": rows}}})


def table_of(messages: Sequence[Message]) -> ResultTable | None:
    """The table of one run, from its messages; None if it was not asked for one."""
    asked = next(filter(None, map(schema_of, messages)), None)
    parts = [part for part in map(recorded_in, messages) if part]
    schema = parts[0].schema if parts else asked
    rows = tuple(row for part in parts for row in part.rows)
    return ResultTable(schema, rows, bool(parts) and parts[-1].is_part) if schema else None


def tables_of(messages: Sequence[Message]) -> dict[int, ResultTable]:
    """The tables of a conversation, by the index of the message that recorded the last row of each."""
    groups: dict[tuple[str | None, int], list[int]] = {}
    asked = -1
    for at, message in enumerate(messages):
        asked = at if message.role == "user" else asked
        if (message.meta_json or {}).get(RESULT):
            # The copies of a branch have no run: there a table belongs to the message before it.
            groups.setdefault((message.run_id, -1 if message.run_id else asked), []).append(at)
    found = {places[-1]: table_of([messages[at] for at in places]) for places in groups.values()}
    return {at: table for at, table in found.items() if table}


def pictures_in(meta: JsonObject) -> list[str]:
    """Addresses of the pictures that a message's meta names: its own, and those of its rows and pointers."""
    rows = (meta.get(RESULT) or {}).get("rows", [])
    kept = [one["screenshot"] for one in (meta, *rows) if one.get("screenshot")]
    return [*kept, *(one["picture"] for one in meta.get(POINTERS, ()))]


def with_pictures(meta: JsonObject, address_of: Callable[[str], str]) -> JsonObject:
    """The meta with other addresses of its pictures."""

    def moved(one: JsonObject) -> JsonObject:
        return one | {"screenshot": address_of(one["screenshot"])} if one.get("screenshot") else one

    result = meta.get(RESULT)
    rows = {RESULT: result | {"rows": [moved(row) for row in result["rows"]]}} if result else {}
    pointers = [one | {"picture": address_of(one["picture"])} for one in meta.get(POINTERS, ())]
    return moved(meta) | rows | ({POINTERS: pointers} if pointers else {})
