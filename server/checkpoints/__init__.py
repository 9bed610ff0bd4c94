"""LangGraph's checkpoints, on disk when it matters.

A graph saves after each of its steps, many times a second, and only the newest checkpoint of a thread is of use to
us. So what waits to be written is dropped when a newer one comes, and the tables hold one checkpoint of a thread.
"""

from __future__ import annotations

from server.checkpoints.open_thread import Durability, OpenThread
from server.checkpoints.saver import Checkpoints
from server.checkpoints.tables import DatabaseTables, MemoryTables, Put, Tables, Writes

__all__ = [
    "Checkpoints",
    "DatabaseTables",
    "Durability",
    "MemoryTables",
    "OpenThread",
    "Put",
    "Tables",
    "Writes",
]
