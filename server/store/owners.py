"""Owners and leases: which process executes a run, and whether it still does."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, select

from server.database.models import RunRow
from server.errors import Conflict
from server.events import now
from server.ops.json_types import JsonObject
from wording.catalogue import sentence

LEASE_SECONDS = 45
UNRENEWED_SECONDS = 40.0
"""Seconds without a renewal after which a lease has expired."""
MAX_COUNTED = 20.0
"""Maximum seconds counted between two checks: while the database is unavailable no lease can be renewed."""


def process_name(installation: str | None = None) -> str:
    """This process's name as an owner of runs: `<installation>:<random>`, or two random parts."""
    return f"{installation or secrets.token_hex(8)}:{secrets.token_hex(4)}"


def is_gone(owner: str | None, me: str) -> bool:
    """True for an earlier process of the same installation as `me`; False if it cannot be decided."""
    return owner is not None and owner != me and owner.rpartition(":")[0] == me.rpartition(":")[0]


def lease() -> datetime:
    """The end of a lease that begins now. Other processes only check whether it changes, see `LeaseWatch`."""
    return now() + timedelta(seconds=LEASE_SECONDS)


class LeaseHeld(Conflict):
    """Another process may still be executing the run: its lease has not ended."""

    code = "lease_held"


Enqueue = Callable[[Connection, RunRow, float], None]
"""Adds the job of a run to a transaction; the seconds are those of a lease."""


class Ownership:
    """How runs get their owner. Without `enqueue`, this process executes what it accepts.

    With it, workers that share the database take jobs: a run that waits has no owner, and one whose lease has ended by
    the database's clock may be taken from its owner.
    """

    def __init__(
        self, owner: str, *, enqueue: Enqueue | None = None, lease_seconds: float = LEASE_SECONDS,
        continues: bool = False,
    ) -> None:  # fmt: skip
        """`continues`: runs go on in another process, also in one that is alone."""
        self.owner = owner
        self.continues = continues or enqueue is not None
        self.lease_seconds = lease_seconds
        self._enqueue = enqueue

    @property
    def is_shared(self) -> bool:
        return self._enqueue is not None

    def waiting(self) -> JsonObject:
        """Columns of a run that waits for its execution."""
        if self.is_shared:
            return {"owner": None, "lease_until": None}
        return {"owner": self.owner, "lease_until": lease()}

    def put_job(self, db: Connection, run: RunRow) -> None:
        """Add the run's job to the transaction that lets it wait; nothing with one process."""
        if self._enqueue:
            self._enqueue(db, run, self.lease_seconds)

    def end_of_lease(self, db: Connection) -> datetime:
        """The end of a lease that begins now."""
        if not self.is_shared:
            return lease()
        moment: datetime = db.execute(select(func.clock_timestamp())).scalar_one()
        return moment + timedelta(seconds=self.lease_seconds)

    def may_take(self, db: Connection, run: RunRow) -> bool:
        """Whether this process may begin to execute the run. Raises LeaseHeld if it may be able to later."""
        if not self.is_shared or run.owner is None:
            return run.status == "queued"
        if run.finished_at or run.status == "waiting_user":
            return False
        ended = db.execute(select(func.clock_timestamp() > run.lease_until)).scalar_one()
        if not ended:
            raise LeaseHeld(sentence("run.taken"), retry_after=1)
        return True


class LeaseWatch:
    """Finds leases that are not renewed any more, by this process's monotonic clock.

    Lease times come from the clocks of several machines, each of which may jump. So they are never compared
    with a clock, only with their previous values.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked: float | None = None
        self._unrenewed: dict[str, tuple[datetime | None, float]] = {}
        """By run: its lease at the last check, and the seconds for which it has not changed."""

    def ended(self, leases: Mapping[str, datetime | None]) -> set[str]:
        """The runs whose lease has expired. Call it periodically, with all leases of other processes."""
        moment = self._clock()
        passed = min(moment - self._looked, MAX_COUNTED) if self._looked is not None else 0.0
        self._looked = moment
        known = self._unrenewed
        self._unrenewed = {
            run: (lease, known[run][1] + passed if run in known and known[run][0] == lease else 0.0)
            for run, lease in leases.items()
        }
        return {run for run, (_, seconds) in self._unrenewed.items() if seconds >= UNRENEWED_SECONDS}
