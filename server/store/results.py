"""Queries for the table of a run: its rows are in the messages of the tool calls that recorded them."""

from __future__ import annotations

from sqlalchemy import Connection, select

from server.database import Database, reading, writing
from server.database.models import AutomationRow, MessageRow, RunRow, SessionRow
from server.errors import BadRequest, NotFound
from server.events import Message, now
from server.results.changes import Change, ComparedResult, compare, result_of
from server.results.columns import Value
from server.results.rows import RESULT, ResultRow, recorded_in, table_of
from server.store.automations import automation_of_run
from server.store.lookups import OF_RUN, session_of
from server.store.records import to_message
from server.store.rows import change, every, get
from wording.catalogue import sentence

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
                raise NotFound(sentence("table.no_column"), code="column_unknown")
            if problem := known.problem_of(value):
                raise BadRequest(sentence("table.does_not_fit", column=problem), code="value_refused")
            edited = row.with_edit(column, value, now())
            rows = [(edited if one.id == row_id else one).to_json() for one in table.rows]
            meta = kept.meta_json or {}
            change(db, kept, meta_json={**meta, RESULT: {**meta[RESULT], "rows": rows}})
            return to_message(kept), edited
        raise NotFound(sentence("table.no_row"), code="row_unknown")


def note_result(db: Connection, session: SessionRow, run: RunRow, answer: str) -> Change | None:
    """How the result of a run that is done differs from the one before; it becomes the one to compare with.

    None if its automation reports each run, or if a table lacks rows: that is always reported.
    """
    automation = automation_of_run(db, session, run.id)
    if automation is None or not automation.only_changes:
        return None
    row = get(db, AutomationRow, automation.id, lock=True)
    if row is None:
        return None
    asked = get(db, MessageRow, run.message_id)
    others = [
        one for one in every(db, MessageRow, MESSAGES_OF_RUN, run_id=run.id) if one.id != run.message_id
    ]
    messages = [to_message(one) for one in (*([asked] if asked else ()), *others)]
    table = table_of(messages)
    if table and len(table.rows) < table.schema.least:
        return None  # it lacks rows, as its answer says: that is no result to compare with
    result = result_of(answer, table)
    before = ComparedResult.model_validate(row.last_result) if row.last_result else None
    change(db, row, last_result=result.model_dump(mode="json"))
    return compare(before, result)


def _run_of(db: Connection, run_id: str) -> RunRow:
    run = get(db, RunRow, run_id)
    if run is None:
        raise NotFound(sentence("run.unknown"), code="run_unknown")
    return run
