"""The job of a run on PostgreSQL: a row of PgQueuer's table, committed together with the run that is to be executed.

On SQLite there are no jobs: one process executes everything, see `server/runs/queue.py`.
"""

from __future__ import annotations

from datetime import timedelta

from pgqueuer.ports.driver import SyncDriver
from pgqueuer.queries import SyncQueries
from psycopg import Connection as PsycopgConnection
from psycopg import RawCursor
from psycopg.rows import dict_row
from sqlalchemy import Connection, text

from server.database.models import RunRow

ENTRYPOINT = "run"
PREFERENCE_SECONDS = 3
"""How long only the preferred worker may take a job."""


PREFERRED = text(
    "SELECT p.name FROM sessions AS s JOIN processes AS p ON p.name = s.worker WHERE s.id = :session_id "
    "AND NOT p.is_draining AND p.seen_at > clock_timestamp() - CAST(:lease AS interval)"
)


def entrypoint_of(worker_id: str) -> str:
    """The entrypoint of jobs that this worker takes before all others."""
    return f"{ENTRYPOINT}@{worker_id}"


def enqueue_run(db: Connection, run_id: str, *, attempt: int = 0, prefer: str | None = None) -> None:
    """Add the job to the transaction of `db`: it exists, and wakes workers, when that commits.

    `prefer`: the worker that has the session's browser; all others wait PREFERENCE_SECONDS for it. It means two
    jobs, of which the first that is taken removes the other. `attempt` is the run's: a second job for the same
    one is left out while the first is queued or in progress.
    """
    key, payload = f"{run_id}.{attempt}", run_id.encode()
    jobs = SyncQueries(InTransaction(db))
    if prefer is None:
        jobs.enqueue(ENTRYPOINT, payload, dedupe_key=key, on_conflict="skip")
        return
    jobs.enqueue(
        [entrypoint_of(prefer), ENTRYPOINT], [payload, payload], [0, 0],
        [timedelta(0), timedelta(seconds=PREFERENCE_SECONDS)], [f"{key}@", key], on_conflict="skip",
    )  # fmt: skip


def put_job(db: Connection, run: RunRow, lease_seconds: float) -> None:
    """Add the job of a run that waits, for the worker that has its session's browser if that lives."""
    holder = db.scalar(PREFERRED, {"session_id": run.session_id, "lease": timedelta(seconds=lease_seconds)})
    enqueue_run(db, run.id, attempt=run.attempt, prefer=holder)


class InTransaction(SyncDriver):
    """PgQueuer's driver on the connection of a transaction; its own ones refuse any but autocommit."""

    def __init__(self, db: Connection) -> None:
        connection = db.connection.driver_connection
        assert isinstance(connection, PsycopgConnection)
        self._connection = connection

    def fetch(self, query: str, *args: object) -> list[dict[str, object]]:
        cursor = RawCursor(self._connection, row_factory=dict_row)
        cursor.execute(query, args or None)
        return cursor.fetchall()
