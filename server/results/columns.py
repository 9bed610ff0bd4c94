"""The columns of a result: read from the JSON Schema of a message, and checked against each value. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, get_args
from urllib.parse import urlsplit

from server.errors import Explained
from server.ops.json_types import Json, JsonObject
from server.text import cut
from wording.catalogue import Wording, sentence

Kind = Literal["string", "number", "integer", "boolean"]
COLUMN_KINDS: tuple[Kind, ...] = get_args(Kind)
Format = Literal["date", "date-time", "email", "uri"]
Value = str | int | float | bool | None
"""A cell. None: the value is not known."""

MAX_COLUMNS = 20
COLUMN_NAME_CHARS = 60
DESCRIPTION_CHARS = 200
MAX_CHOICES = 50
CHOICE_CHARS = 100
CELL_CHARS = 1000
MISSING_REASON_CHARS = 200
MAX_RESULT_ROWS = 1000
LARGEST = 2**53
"""Larger whole numbers are not exact in every program that reads JSON."""

MISSING_KEY = "missing"
"""The field of a recorded row that says why values are not known: no column may have this name."""

_SCHEMA_WORDS = frozenset({"$schema", "type", "title", "description", "items", "minItems", "maxItems"})
_ROW_WORDS = frozenset(
    {"$schema", "type", "title", "description", "properties", "required", "additionalProperties"}
)
_COLUMN_WORDS = frozenset({"type", "title", "description", "enum", "format"})
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


class SchemaRefused(Explained, ValueError):
    """The schema cannot be the columns of a table; the message says why."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    kind: Kind
    choices: tuple[str | int | float, ...] = ()
    """The only allowed values; empty if any is."""
    format: Format | None = None
    """Of a string."""
    description: str = ""

    def problem_of(self, value: Value) -> Wording | None:
        """Why the value does not fit, in words that name the column; None if it fits. None always fits."""
        if value is None:
            return None
        what = {"column": self.name, "value": cut(repr(value), 60)}
        if not _has_kind(value, self.kind):
            return sentence("cell.wrong_kind", kind=self.kind, **what)
        if isinstance(value, str) and len(value) > CELL_CHARS:
            return sentence("cell.too_long", n=CELL_CHARS, **what)
        if self.choices and value not in self.choices:
            return sentence("cell.no_choice", choices=", ".join(map(str, self.choices)), **what)
        if self.format and isinstance(value, str) and not _has_format(value, self.format):
            return sentence("cell.wrong_kind", kind=self.format, **what)
        return None

    def to_json(self) -> JsonObject:
        """As a property of the row's JSON Schema."""
        parts = {
            "type": self.kind,
            "enum": list(self.choices),
            "format": self.format,
            "description": self.description,
        }
        return {word: given for word, given in parts.items() if given}


@dataclass(frozen=True, slots=True)
class ResultSchema:
    """The columns of a table, and how many rows it has at least."""

    columns: tuple[Column, ...]
    least: int = 1
    most: int = MAX_RESULT_ROWS

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column | None:
        return next((column for column in self.columns if column.name == name), None)

    @property
    def keys(self) -> dict[str, Column]:
        """The columns by their name in a model's call: providers take few characters there."""
        if all(_PLAIN_NAME.fullmatch(name) for name in self.names):
            return {column.name: column for column in self.columns}
        return {f"c{number}": column for number, column in enumerate(self.columns, 1)}

    def to_json(self) -> JsonObject:
        """The schema as stored and returned. Every column is required: a value or None with a reason."""
        properties = {column.name: column.to_json() for column in self.columns}
        row = {"type": "object", "properties": properties, "required": list(self.names)}
        least = {"minItems": self.least} if self.least > 1 else {}
        most = {"maxItems": self.most} if self.most < MAX_RESULT_ROWS else {}
        return {"type": "array", "items": row, **least, **most}

    def model_schema(self) -> JsonObject:
        """The JSON Schema of `rows` in a model's call: flat, without unions, so that every provider takes it.

        A column whose value is not known is left out of the row, and named in its `missing`.
        """
        fields = {key: _asked(key, column) for key, column in self.keys.items()}
        why = {"type": "object", "properties": {key: {"type": "string"} for key in fields}}
        row = {"type": "object", "properties": {**fields, MISSING_KEY: why}}
        return {"type": "array", "items": row}


def read_schema(given: Json) -> ResultSchema:
    """The columns of a JSON Schema: of an array of rows, or of one row. Raises SchemaRefused."""
    schema = _object(given, sentence("schema.the_schema"))
    if schema.get("type") == "object" or "properties" in schema:
        return ResultSchema(_columns(schema))
    if schema.get("type") != "array":
        raise SchemaRefused(sentence("schema.no_array"))
    _only(schema, _SCHEMA_WORDS, sentence("schema.the_schema"))
    least, most = _count(schema, "minItems", 1), _count(schema, "maxItems", MAX_RESULT_ROWS)
    if not 0 < most <= MAX_RESULT_ROWS or least > most:
        raise SchemaRefused(sentence("table.rows_limit", n=MAX_RESULT_ROWS))
    return ResultSchema(_columns(_object(schema.get("items"), "items")), max(least, 1), most)


def _columns(row: JsonObject) -> tuple[Column, ...]:
    _only(row, _ROW_WORDS, sentence("schema.the_row"))
    if row.get("type", "object") != "object":
        raise SchemaRefused(sentence("schema.row_no_object"))
    properties = _object(row.get("properties"), "properties")
    if not 0 < len(properties) <= MAX_COLUMNS:
        raise SchemaRefused(sentence("schema.columns_limit", n=MAX_COLUMNS, count=len(properties)))
    if len({name.strip().casefold() for name in properties}) < len(properties):
        raise SchemaRefused(sentence("table.equal_names"))
    required = row.get("required", [])
    if not isinstance(required, list) or any(name not in list(properties) for name in required):
        raise SchemaRefused(sentence("schema.required"))
    required = list(dict.fromkeys(required))
    # JavaScript puts names that are numbers first: a list of all names has the order.
    names = required if set(required) == set(properties) else list(properties)
    return tuple(
        _column(name, _object(properties[name], sentence("schema.column", name=repr(name)))) for name in names
    )


def _column(given_name: str, given: JsonObject) -> Column:
    name = given_name.strip()
    where = sentence("schema.column", name=repr(cut(name, COLUMN_NAME_CHARS)))
    if not name or len(name) > COLUMN_NAME_CHARS or not _is_printable(name):
        raise SchemaRefused(sentence("table.name_length", n=COLUMN_NAME_CHARS))
    if name.casefold() == MISSING_KEY:
        raise SchemaRefused(sentence("table.reserved_name", name=repr(MISSING_KEY)))
    _only(given, _COLUMN_WORDS, where)
    kind: Json = given.get("type", "string")
    if isinstance(kind, list):  # ["number", "null"]: every column may be null
        kind = next(iter([one for one in kind if one != "null"]), None) if len(kind) < 3 else None
    known = next((one for one in COLUMN_KINDS if one == kind), None)
    if known is None:
        raise SchemaRefused(sentence("schema.type", where=where, types=", ".join(COLUMN_KINDS)))
    text, form = given.get("description", ""), given.get("format")
    if not isinstance(text, str) or len(text) > DESCRIPTION_CHARS or not _is_printable(text):
        raise SchemaRefused(sentence("schema.description", where=where, n=DESCRIPTION_CHARS))
    if form is not None and (form not in get_args(Format) or known != "string"):
        raise SchemaRefused(sentence("schema.format", where=where, formats=", ".join(get_args(Format))))
    return Column(name, known, _choices(given.get("enum", []), known, where), form, text)


def _choices(given: Json, kind: Kind, where: str) -> tuple[str | int | float, ...]:
    if not isinstance(given, list) or len(given) > MAX_CHOICES:
        raise SchemaRefused(sentence("schema.choices_limit", where=where, n=MAX_CHOICES))
    choices = tuple(value for value in given if value is not None)
    if any(not _has_kind(value, kind) for value in choices):
        raise SchemaRefused(sentence("schema.choice_kind", where=where, kind=kind))
    if any(
        isinstance(value, str) and not (0 < len(value) <= CHOICE_CHARS and _is_printable(value))
        for value in choices
    ):
        raise SchemaRefused(sentence("schema.choice_length", where=where, n=CHOICE_CHARS))
    return choices


def _asked(key: str, column: Column) -> JsonObject:
    """A column as a model is asked for it; the name if the key is another, and the format in words."""
    words = (column.name if column.name != key else "", column.description, column.format or "")
    said = {"description": "; ".join(filter(None, words))} if any(words) else {}
    listed = {"enum": list(column.choices)} if column.choices and column.kind == "string" else {}
    return {"type": column.kind, **listed, **said}


def _object(given: Json, where: str) -> JsonObject:
    if not isinstance(given, dict):
        raise SchemaRefused(sentence("schema.no_object", where=where))
    return given


def _only(given: Mapping[str, Json], words: frozenset[str], where: str) -> None:
    if unknown := [word for word in given if word not in words]:
        known = ", ".join(sorted(words))
        raise SchemaRefused(
            sentence("schema.unknown_word", where=where, word=repr(cut(unknown[0], 40)), known=known)
        )


def _count(schema: JsonObject, word: str, default: int) -> int:
    given = schema.get(word, default)
    if type(given) is not int or given < 0:
        raise SchemaRefused(sentence("schema.no_count", word=word))
    return given


def _has_kind(value: Json, kind: Kind) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, float):
        return math.isfinite(value) and (kind == "number" or (kind == "integer" and value.is_integer()))
    if isinstance(value, int):
        return kind in ("number", "integer") and abs(value) <= LARGEST
    return isinstance(value, str) and kind == "string"


def _has_format(value: str, form: Format) -> bool:
    if form == "email":
        return bool(_EMAIL.fullmatch(value))
    try:
        if form == "uri":
            return bool(urlsplit(value).scheme) and " " not in value
        return bool((date if form == "date" else datetime).fromisoformat(value))
    except ValueError:
        return False


def _is_printable(text: str) -> bool:
    return text.isprintable() and not any("\ud800" <= char <= "\udfff" for char in text)
