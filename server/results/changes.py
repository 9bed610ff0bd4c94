"""How a result differs from the one before: rows of a table by the first column whose values are unique. Pure."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from server.ops.json_types import JsonObject
from server.results.columns import Value
from server.results.rows import ResultTable
from server.text import cut
from wording.catalogue import Wording, joined, sentence

MAX_CHANGES_SHOWN = 50
"""Rows of each sort that are kept with a message; the numbers are those of all."""
COMPARED_CELL_CHARS = 200
_CHANGED_WORDS = re.compile(r"[-−]?\w+(?:[.,:/'’-]\w+)*|[%€$£¥₽₴]")
"""Numbers with their sign and separators, words, and what changes the meaning of a number."""

Values = dict[str, Value]


class ComparedResult(BaseModel):
    """What is compared: the rows of a table, else a hash of the answer's words."""

    model_config = ConfigDict(frozen=True)
    text: str = ""
    columns: list[str] = []
    rows: list[Values] | None = None
    """None: the task asks for no table."""


class ChangedRow(BaseModel):
    model_config = ConfigDict(frozen=True)
    before: Values
    after: Values


class Change(BaseModel):
    """How a result differs from the last one; lists have at most MAX_CHANGES_SHOWN rows."""

    model_config = ConfigDict(frozen=True)
    kind: Literal["first", "same", "changed"]
    """first: there is nothing to compare it with."""
    columns: list[str] = []
    added: list[Values] = []
    removed: list[Values] = []
    changed: list[ChangedRow] = []
    counts: dict[Literal["added", "removed", "changed"], int] = {}
    """Of all rows; empty without a table."""

    def to_json(self) -> JsonObject:
        return self.model_dump(mode="json", exclude_defaults=True) | {"kind": self.kind}

    def numbers(self) -> JsonObject:
        """Without the rows."""
        return {"kind": self.kind, **({"counts": dict(self.counts)} if self.counts else {})}


def result_of(answer: str, table: ResultTable | None) -> ComparedResult:
    if table is None:
        return ComparedResult(text=_digest(answer))
    return ComparedResult(columns=list(table.schema.names), rows=[dict(row.values) for row in table.rows])


def compare(before: ComparedResult | None, after: ComparedResult) -> Change:
    """`before` is None, or of another form, if there is nothing to compare with."""
    if before is None or (before.rows is None) != (after.rows is None) or before.columns != after.columns:
        return Change(kind="first")
    if before.rows is None or after.rows is None:
        return Change(kind="same" if before.text == after.text else "changed")
    added, removed, changed = _differences(before.rows, after.rows, after.columns)
    if not any((added, removed, changed)):
        return Change(kind="same")
    return Change(
        kind="changed", columns=after.columns,
        added=list(map(_shown, added[:MAX_CHANGES_SHOWN])), removed=list(map(_shown, removed[:MAX_CHANGES_SHOWN])),
        changed=[ChangedRow(before=_shown(old), after=_shown(new)) for old, new in changed[:MAX_CHANGES_SHOWN]],
        counts={"added": len(added), "removed": len(removed), "changed": len(changed)},
    )  # fmt: skip


def words_of(change: Change) -> Wording:
    """For a message that leaves the server: no value of a row, which is text of a page."""
    if change.kind == "first":
        return sentence("message.first_result")
    counts = [sentence(f"message.rows_{name}", n=number) for name, number in change.counts.items() if number]
    if not counts:
        return sentence("message.answer_changed")
    return sentence("message.rows", counts=joined(counts, ", "))


def _digest(text: str) -> str:
    """Equal for texts with the same words and numbers, whatever their case, marks and spaces."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("−", "-")
    return hashlib.sha256(
        " ".join(_CHANGED_WORDS.findall(plain)).encode("utf-8", "surrogatepass")
    ).hexdigest()


def _differences(
    before: Sequence[Values], after: Sequence[Values], columns: Sequence[str]
) -> tuple[list[Values], list[Values], list[tuple[Values, Values]]]:
    """Added and removed rows, and pairs of rows that have changed."""
    name = next((name for name in columns if _is_unique(name, before) and _is_unique(name, after)), None)
    if name is None:  # no column does: rows are whole
        return _without(after, before), _without(before, after), []
    old, new = ({_plain(row[name]): row for row in rows} for rows in (before, after))
    return (
        [row for key, row in new.items() if key not in old],
        [row for key, row in old.items() if key not in new],
        [(old[key], row) for key, row in new.items() if key in old and _whole(old[key]) != _whole(row)],
    )


def _is_unique(name: str, rows: Sequence[Values]) -> bool:
    keys = [_plain(row.get(name)) for row in rows]
    return None not in keys and len(set(keys)) == len(keys)


def _without(rows: Sequence[Values], others: Sequence[Values]) -> list[Values]:
    """The rows that are not among the others, as often as they are there."""
    known, left = Counter(map(_whole, others)), list[Values]()
    for row in rows:
        if known[_whole(row)]:
            known[_whole(row)] -= 1
        else:
            left.append(row)
    return left


def _whole(row: Mapping[str, Value]) -> str:
    return json.dumps(
        {name: _plain(value) for name, value in row.items()}, sort_keys=True, ensure_ascii=False
    )


def _plain(value: Value) -> str | float | None:
    """A value as it is compared; True is no number."""
    if isinstance(value, bool):
        return f"{value}"
    if isinstance(value, int | float):
        return float(value)
    return None if value is None else " ".join(unicodedata.normalize("NFKC", value).casefold().split())


def _shown(row: Values) -> Values:
    return {
        name: cut(value, COMPARED_CELL_CHARS) if isinstance(value, str) else value
        for name, value in row.items()
    }
