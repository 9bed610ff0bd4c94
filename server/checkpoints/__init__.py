"""LangGraph checkpoints, persisted only when needed.

A graph saves after each step, many times per second, but only the newest checkpoint of a thread is used. So a
pending checkpoint is replaced by a newer one, and the tables hold one checkpoint per thread.
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
