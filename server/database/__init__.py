"""Transactions. Each is one plain function, run from BEGIN to COMMIT in one trip to a thread."""

from __future__ import annotations

from server.database.database import HEAD, Database, reading, writing

__all__ = ["HEAD", "Database", "reading", "writing"]
