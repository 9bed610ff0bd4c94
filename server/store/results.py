"""Queries for the table of a run: its rows are in the messages of the tool calls that recorded them."""

from __future__ import annotations

from sqlalchemy import Connection, select

from server.database import Database, reading, writing
from server.database.models import MessageRow, RunRow
from server.errors import BadRequest, NotFound
from server.events import Message
from server.results.columns import Value
from server.results.rows import RESULT, ResultRow, recorded_in
from server.store.lookups import OF_RUN, session_of
from server.store.records import to_message
from server.store.rows import change, every, get

MESSAGES_OF_RUN = select(MessageRow).where(MessageRow.run_id == OF_RUN).order_by(MessageRow.seq)


class ResultQueries:
    database: Database

    @reading
    def run_with_messages(self, db: Connection, run_id: str) -> tuple[RunRow, list[Message]]:
        """The run, the message that it answers, then its other messages in order. Raises NotFound."""
        run = _run_of(db, run_id)
        asked = get(db, MessageRow, run.message_id)
        rows = every(db, MessageRow, MESSAGES_OF_RUN, run_id=run_id)
        others = [row for row in rows if row.id != run.message_id]
        return run, [to_message(row) for row in (*([asked] if asked else ()), *others)]

    @writing
    def change_cell(
        self, db: Connection, run_id: str, row_id: str, column: str, value: Value
    ) -> tuple[Message, ResultRow]:
        """Replace the value of a cell by the user's. Returns the changed message and row.

        Raises NotFound if there is no such row or column, BadRequest if the value does not fit the column.
        """
        run = _run_of(db, run_id)
        session_of(db, run.session_id, lock=True)
        for kept in every(db, MessageRow, MESSAGES_OF_RUN, run_id=run_id):
            table = recorded_in(to_message(kept))
            row = next((row for row in table.rows if row.id == row_id), None) if table else None
            if table is None or row is None:
                continue
            known = table.schema.column(column)
            if known is None:
                raise NotFound("The table has no such column.", code="column_unknown")
            if problem := known.problem_of(value):
                raise BadRequest(f"This does not fit the column {problem}.", code="value_refused")
            edited = row.with_edit(column, value)
            rows = [(edited if one.id == row_id else one).to_json() for one in table.rows]
            result = {"schema": table.schema.to_json(), "rows": rows}
            change(db, kept, meta_json={**(kept.meta_json or {}), RESULT: result})
            return to_message(kept), edited
        raise NotFound("The table has no such row.", code="row_unknown")


def _run_of(db: Connection, run_id: str) -> RunRow:
    run = get(db, RunRow, run_id)
    if run is None:
        raise NotFound("There is no such run.", code="run_unknown")
    return run
