"""Every query, by topic; each method is one transaction. The only folder that says select or insert."""

from __future__ import annotations

from server.database import Database
from server.store.accepting import Accepting
from server.store.choices import Choices
from server.store.owners import is_alive, process_name
from server.store.questions import Questions
from server.store.records import Accepted, Begun, Ended, Overview, title_of
from server.store.running import Running
from server.store.sessions import Sessions

__all__ = ["Accepted", "Begun", "Ended", "Overview", "Store", "is_alive", "process_name", "title_of"]


class Store(Sessions, Accepting, Running, Questions, Choices):
    def __init__(self, database: Database, owner: str = "") -> None:
        self.database = database
        self.owner = owner
        """This process, as the runs name the one that executes them."""
