"""Every query, by topic; each method is one transaction. The only folder that says select or insert."""

from __future__ import annotations

import time
from collections.abc import Callable

from server.database import Database
from server.store.accepting import MessageQueries
from server.store.choices import ChoiceQueries
from server.store.owners import LeaseWatch, is_gone, process_name
from server.store.questions import QuestionQueries
from server.store.records import AcceptedMessage, FinishedRun, Overview, StartedRun, new_id, title_of
from server.store.running import RunQueries
from server.store.sessions import SessionQueries

__all__ = [
    "AcceptedMessage",
    "FinishedRun",
    "Overview",
    "StartedRun",
    "Store",
    "is_gone",
    "new_id",
    "process_name",
    "title_of",
]


class Store(SessionQueries, MessageQueries, RunQueries, QuestionQueries, ChoiceQueries):
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
