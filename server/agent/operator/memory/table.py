"""The table that a task asks for, as far as its rows are recorded. Pure."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from server.ops.json_types import JsonObject
from server.results.columns import ResultSchema, Value, read_schema


class Collected(BaseModel):
    """What the state keeps of the table: the rows themselves are in the tool messages of the run."""

    model_config = ConfigDict(frozen=True)
    asked: JsonObject
    """The columns, as `ResultSchema.to_json`."""
    known: tuple[str, ...] = ()
    """`digest_of` each recorded row."""
    last: tuple[dict[str, Value], ...] = ()
    """The values of the newest rows."""
    parts: frozenset[str] = frozenset()
    """Sites whose list has more rows than it showed when the last rows of it were recorded."""
    turned_back: bool = False
    """A `stop` with too few rows was returned to the model; the next one counts."""

    @property
    def wanted(self) -> ResultSchema:
        return read_schema(self.asked)

    @property
    def is_part(self) -> bool:
        """Whether a list was not read to its end, and the table has not as many rows as it may have."""
        return bool(self.parts) and len(self.known) < self.wanted.most

    def lacks(self) -> str | None:
        """Why the table is not complete, in words for the model; None if it is."""
        count, least = len(self.known), self.wanted.least
        if count >= least:
            goes_on = "the list goes on after what was recorded: scroll down or turn its pages"
            return goes_on if self.is_part else None
        return f"the table has {count} of at least {least} rows" if count else "the table has no row yet"
