"""Every query, by topic; each method is one transaction. The only folder that says select or insert."""

from __future__ import annotations

import time
from collections.abc import Callable

from server.database import Database
from server.store.accepting import Accepting
from server.store.choices import Choices
from server.store.owners import LeaseWatch, is_gone, process_name
from server.store.questions import Questions
from server.store.records import Accepted, Begun, Ended, Overview, new_id, title_of
from server.store.running import Running
from server.store.sessions import Sessions

__all__ = ["Accepted", "Begun", "Ended", "Overview", "Store", "is_gone", "new_id", "process_name", "title_of"]


class Store(Sessions, Accepting, Running, Questions, Choices):
    def __init__(
        self,
        database: Database,
        owner: str = "",
        *,
        is_alone: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.database = database
        self.owner = owner
        """This process, as the runs name the one that executes them."""
        self.is_alone = is_alone
        """Nobody else works on this database: owners that are not this process are gone."""
        self.leases = LeaseWatch(clock)
