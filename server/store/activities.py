"""Queries for activities: the rows of a session that are neither message nor question."""

from __future__ import annotations

from sqlalchemy import Connection, select

from server.database import Database, writing
from server.database.models import ActivityRow, SessionRow
from server.events import Activity, PlanEdited, What, now
from server.store.lookups import OF_SESSION, next_position, session_of
from server.store.records import is_known_activity, new_id, to_activity
from server.store.rows import change, every, first, insert

ACTIVITIES = (
    select(ActivityRow).where(ActivityRow.session_id == OF_SESSION).order_by(ActivityRow.position.desc())
)


class ActivityQueries:
    database: Database

    @writing
    def add_activity(
        self, db: Connection, session_id: str, what: What, *, run_id: str | None = None
    ) -> Activity:
        """Store it as the session's last row. An edit of the plan is merged with one that is the last row."""
        session = session_of(db, session_id, lock=True)
        last = first(db, ActivityRow, ACTIVITIES.limit(1), session_id=session_id)
        if isinstance(what, PlanEdited) and last and _follows_directly(last, session):
            change(db, last, details=last.details | {"plan": what.plan})
            return to_activity(last)
        return to_activity(add_activity(db, session, what, run_id=run_id))


def _follows_directly(last: ActivityRow, session: SessionRow) -> bool:
    return last.kind == "plan_edited" and last.position == session.last_seq


def add_activity(
    db: Connection, session: SessionRow, what: What, *, run_id: str | None = None
) -> ActivityRow:
    """The session must be locked."""
    details = what.model_dump(mode="json", exclude={"kind"})
    row = ActivityRow(
        id=new_id(), session_id=session.id, run_id=run_id, position=next_position(db, session), kind=what.kind,
        details=details, created_at=now(),
    )  # fmt: skip
    return insert(db, row)


def activities_of(db: Connection, session_id: str) -> list[Activity]:
    rows = reversed(every(db, ActivityRow, ACTIVITIES, session_id=session_id))
    return [to_activity(row) for row in rows if is_known_activity(row)]
