"""Transactions. Each is one plain function, run from BEGIN to COMMIT in one trip to a thread."""

from __future__ import annotations

from server.database.database import FAULTS, HEAD, Database, reading, words_of, writing

__all__ = ["FAULTS", "HEAD", "Database", "reading", "words_of", "writing"]
