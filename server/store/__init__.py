"""All queries, by topic; each method is one transaction. No other folder builds SQL for these tables."""

from __future__ import annotations

import time
from collections.abc import Callable

from server.database import Database
from server.store.activities import ActivityQueries
from server.store.automations import AutomationQueries
from server.store.channels import ChannelQueries
from server.store.grants import GrantQueries
from server.store.links import LinkQueries
from server.store.messages import MessageQueries
from server.store.notes import NoteQueries
from server.store.owners import LeaseHeld, LeaseWatch, Ownership, is_gone, process_name
from server.store.preferences import PreferenceQueries
from server.store.processes import ProcessQueries, Wishes
from server.store.questions import QuestionQueries
from server.store.records import AcceptedMessage, FinishedRun, Overview, StartedRun, new_id
from server.store.results import ResultQueries
from server.store.runs import RunQueries
from server.store.sessions import SessionQueries
from server.store.titles import is_first_title, title_of
from server.store.tool_servers import ToolServerQueries

__all__ = [
    "AcceptedMessage",
    "FinishedRun",
    "LeaseHeld",
    "Overview",
    "Ownership",
    "StartedRun",
    "Store",
    "Wishes",
    "is_first_title",
    "is_gone",
    "new_id",
    "process_name",
    "title_of",
]


class Store(
    SessionQueries,
    MessageQueries,
    RunQueries,
    ResultQueries,
    QuestionQueries,
    ActivityQueries,
    PreferenceQueries,
    ProcessQueries,
    ChannelQueries,
    AutomationQueries,
    GrantQueries,
    LinkQueries,
    NoteQueries,
    ToolServerQueries,
):
    def __init__(
        self,
        database: Database,
        owner: str = "",
        *,
        is_alone: bool = False,
        ownership: Ownership | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.database = database
        self.owner = owner
        """This process's name, stored in the `owner` column of the runs that it executes."""
        self.ownership = ownership or Ownership(owner)
        self.is_alone = is_alone
        """No other process uses this database: runs of any other owner are orphaned."""
        self.leases = LeaseWatch(clock)
