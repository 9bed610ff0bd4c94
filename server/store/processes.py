"""Several processes on one database: who they are, which one has a session's browser, and the users' requests for its run.

Every time is the database's own, so that the clocks of the processes do not matter.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, bindparam, delete, func, select, text, update

from server.database import Database, reading, writing
from server.database.models import MessageRow, ProcessRow, RunRow, SessionRow
from server.errors import Conflict
from server.events import Message, Usage
from server.ops.json_types import JsonObject
from server.store.lookups import is_ours, is_unread, session_of
from server.store.owners import Ownership
from server.store.records import to_message
from server.store.rows import change, every, first, get
from wording.catalogue import sentence

CLOCK = func.clock_timestamp()
FORGOTTEN = timedelta(days=1)
"""Age at which the row of a process that is gone is removed."""
LOST_RUNS = text("""
SELECT r.id FROM runs AS r
WHERE r.finished_at IS NULL AND NOT r.held AND r.status IN ('queued', 'running', 'paused')
AND (r.owner IS NULL OR r.lease_until < clock_timestamp())
AND NOT EXISTS (
    SELECT 1 FROM pgqueuer AS q WHERE q.payload = convert_to(r.id, 'UTF8') AND q.status IN ('queued', 'picked')
    AND (q.entrypoint = 'run' OR q.heartbeat > clock_timestamp() - CAST(:lease AS interval))
)
""")
"""Runs that have to be executed, and that no job leads a worker to. A job that only one worker may take counts while
that worker lives."""
FORGET_JOBS = text("""
DELETE FROM pgqueuer WHERE payload = convert_to(:run_id, 'UTF8') AND entrypoint <> 'run'
AND heartbeat < clock_timestamp() - CAST(:lease AS interval)
""")
OF_RUNS = bindparam("run_ids", type_=RunRow.id.type)
WISHES = select(RunRow.id, RunRow.wishes).where(RunRow.id.in_(OF_RUNS))
UNHEARD = (
    select(MessageRow)
    .where(MessageRow.run_id.in_(OF_RUNS), MessageRow.role == "user", MessageRow.meta_json.is_not(None))
    .order_by(MessageRow.seq)
)


@dataclass(frozen=True, slots=True)
class Wishes:
    """What users have asked of a run until now."""

    cancel: bool
    pause: bool
    resume: bool
    plan: list[str] | None
    dismissed: list[str] | None
    messages: list[Message]
    """Steering messages that its agent has not read."""


class ProcessQueries:
    database: Database
    owner: str
    ownership: Ownership

    @writing
    def report_alive(
        self, db: Connection, *, role: str, address: str, runs: int, browsers: int, is_draining: bool
    ) -> None:
        """Store that this process lives, and remove the rows of long-gone ones."""
        from sqlalchemy.dialects.postgresql import insert  # 2 MB, for several processes only

        values = {
            "role": role,
            "address": address,
            "runs": runs,
            "browsers": browsers,
            "is_draining": is_draining,
        }
        added = insert(ProcessRow).values(name=self.owner, started_at=CLOCK, seen_at=CLOCK, **values)
        db.execute(added.on_conflict_do_update(index_elements=["name"], set_={**values, "seen_at": CLOCK}))
        db.execute(delete(ProcessRow).where(ProcessRow.seen_at < CLOCK - FORGOTTEN))

    @writing
    def forget_process(self, db: Connection) -> None:
        """This process ends: it has no browsers any more."""
        db.execute(update(SessionRow).where(SessionRow.worker == self.owner).values(worker=None))
        db.execute(delete(ProcessRow).where(ProcessRow.name == self.owner))

    @reading
    def live_processes(self, db: Connection) -> list[ProcessRow]:
        fresh = ProcessRow.seen_at > CLOCK - timedelta(seconds=self.ownership.lease_seconds)
        return every(db, ProcessRow, select(ProcessRow).where(fresh).order_by(ProcessRow.started_at))

    @reading
    def browser_holder(self, db: Connection, session_id: str) -> ProcessRow | None:
        """The live process that has the session's browser."""
        session = get(db, SessionRow, session_id)
        return self._holder(db, session.worker) if session else None

    @writing
    def claim_browser(self, db: Connection, session_id: str) -> ProcessRow | str | None:
        """Make this process the one that has the session's browser.

        Returns the live process that has it now, which has to close it first; the name of a process that had
        it and is gone, or may be frozen; None if no process had it.
        """
        session = session_of(db, session_id, lock=True)
        if session.worker == self.owner:
            return None
        if holder := self._holder(db, session.worker):
            return holder
        former = session.worker
        change(db, session, worker=self.owner)
        return former

    @writing
    def leave_browser(self, db: Connection, session_id: str) -> None:
        """This process has closed the session's browser."""
        mine = (SessionRow.id == session_id, SessionRow.worker == self.owner)
        db.execute(update(SessionRow).where(*mine).values(worker=None))

    # Browsers on hosts

    @writing
    def raise_browser_epoch(self, db: Connection, session_id: str) -> tuple[int, str | None]:
        """The next fencing token of the session's browser, and the host that has its profile.

        Raises Conflict if another process has claimed the browser.
        """
        session = session_of(db, session_id, lock=True)
        if self.ownership.is_shared and session.worker != self.owner:
            raise Conflict(sentence("browser.other_process"))
        change(db, session, browser_epoch=session.browser_epoch + 1)
        return session.browser_epoch, session.browser_host

    @writing
    def set_browser_host(self, db: Connection, session_id: str, host: str) -> None:
        db.execute(update(SessionRow).where(SessionRow.id == session_id).values(browser_host=host))

    @reading
    def known_sessions(self, db: Connection, session_ids: Collection[str]) -> set[str]:
        """Those of these sessions that exist, archived ones included."""
        return set(db.scalars(select(SessionRow.id).where(SessionRow.id.in_(session_ids))))

    def _holder(self, db: Connection, name: str | None) -> ProcessRow | None:
        fresh = ProcessRow.seen_at > CLOCK - timedelta(seconds=self.ownership.lease_seconds)
        return first(db, ProcessRow, select(ProcessRow).where(ProcessRow.name == (name or ""), fresh))

    # Runs that another process executes

    @writing
    def wish(self, db: Connection, run_id: str, wishes: JsonObject) -> RunRow | None:
        """Store what a user asks of an unfinished run; None if it has ended."""
        run = get(db, RunRow, run_id)
        if run is None:
            return None
        session_of(db, run.session_id, lock=True)
        run = get(db, RunRow, run_id)
        if run is None or run.finished_at:
            return None
        change(db, run, wishes={**(run.wishes or {}), **wishes})
        return run

    @writing
    def take_wishes(self, db: Connection, run: RunRow, names: Collection[str]) -> JsonObject:
        """Remove these wishes and return them; none if the run was ended or taken over."""
        session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return {}
        present = get(db, RunRow, run.id)
        wishes = (present.wishes if present else None) or {}
        taken = {name: value for name, value in wishes.items() if name in names}
        if taken:
            change(db, run, wishes={name: value for name, value in wishes.items() if name not in names})
        return taken

    @reading
    def wishes(self, db: Connection, run_ids: Collection[str]) -> dict[str, Wishes]:
        """By run."""
        asked = list(run_ids)
        said = [row for row in every(db, MessageRow, UNHEARD, run_ids=asked) if is_unread(row)]
        found = {}
        for run_id, wishes in db.execute(WISHES, {"run_ids": asked}):
            known = wishes or {}
            found[run_id] = Wishes(
                cancel=bool(known.get("cancel")), pause=bool(known.get("pause")), resume=bool(known.get("resume")),
                plan=known.get("plan"), dismissed=known.get("dismissed"),
                messages=[to_message(row) for row in said if row.run_id == run_id],
            )  # fmt: skip
        return found

    @writing
    def hand_back_run(self, db: Connection, run: RunRow, usage: Usage) -> bool:
        """Leave the run to another worker, which counts on from `usage`. False if it was ended or taken over.

        Its job is handed back by the caller; if that fails, `requeue_lost_runs` adds one.
        """
        session = session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return False
        change(db, run, status="queued", usage=usage.model_dump(), **self.ownership.waiting())
        change(db, session, status="queued")
        return True

    @writing
    def requeue_lost_runs(self, db: Connection) -> list[str]:
        """Add the jobs of runs that have lost theirs; return the runs."""
        lease = timedelta(seconds=self.ownership.lease_seconds)
        found: list[str] = list(db.scalars(LOST_RUNS, {"lease": lease}))
        for run_id in found:
            db.execute(FORGET_JOBS, {"run_id": run_id, "lease": lease})
            run = get(db, RunRow, run_id)
            if run is not None and run.finished_at is None:
                self.ownership.put_job(db, run)
        return found

    @reading
    def gone_sessions(self, db: Connection, session_ids: Collection[str]) -> set[str]:
        """Those of these sessions that are archived or deleted, or whose browser another process has."""
        kept = select(SessionRow.id).where(
            SessionRow.id.in_(session_ids), SessionRow.archived_at.is_(None), SessionRow.worker == self.owner
        )
        return set(session_ids) - set(db.scalars(kept))
