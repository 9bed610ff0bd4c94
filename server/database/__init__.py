"""Transactions. Each is one plain function, executed from BEGIN to COMMIT in one call to a thread."""

from __future__ import annotations

from server.database.database import FAULTS, HEAD, Database, reading, writing, writing_synced
from server.database.engines import is_refusal

__all__ = ["FAULTS", "HEAD", "Database", "is_refusal", "reading", "writing", "writing_synced"]
