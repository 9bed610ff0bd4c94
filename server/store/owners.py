"""Which server executes a run, and whether it still does."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from server.events import now

LEASE_SECONDS = 45
UNRENEWED_SECONDS = 40.0
"""A lease that was not renewed for so long has ended."""
MOST_COUNTED = 20.0
"""Seconds between two looks that count at most: while the database is away nobody can renew."""


def process_name(installation: str | None = None) -> str:
    """This process as an owner of runs: `<installation>:<random>`. Without an installation it is one of its own."""
    return f"{installation or secrets.token_hex(8)}:{secrets.token_hex(4)}"


def is_gone(owner: str | None, me: str) -> bool:
    """True for an earlier process of the installation that `me` holds now; of others nothing is known."""
    return owner is not None and owner != me and owner.rpartition(":")[0] == me.rpartition(":")[0]


def lease() -> datetime:
    """Until when a run is this process's unless it renews. Others only look whether it changes, see `LeaseWatch`."""
    return now() + timedelta(seconds=LEASE_SECONDS)


class LeaseWatch:
    """Finds leases that are not renewed any more, by this process's monotonic clock.

    Lease times are written by the clocks of several machines, and each may jump; so they are never compared with a
    clock, only with what they were before.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked: float | None = None
        self._unrenewed: dict[str, tuple[datetime | None, float]] = {}
        """By run: its lease as last seen, and for how many seconds it has been the same."""

    def ended(self, leases: Mapping[str, datetime | None]) -> set[str]:
        """Those of the runs whose lease has ended. To be called with all leases of others, again and again."""
        moment = self._clock()
        passed = min(moment - self._looked, MOST_COUNTED) if self._looked is not None else 0.0
        self._looked = moment
        known = self._unrenewed
        self._unrenewed = {
            run: (lease, known[run][1] + passed if run in known and known[run][0] == lease else 0.0)
            for run, lease in leases.items()
        }
        return {run for run, (_, seconds) in self._unrenewed.items() if seconds >= UNRENEWED_SECONDS}
