"""A migrated SQLite database, by a copy. Imported without the server: a process that only starts one needs no more."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from server.fs.permissions import keep_private


@functools.cache
def _migrated() -> bytes:
    from server.database.migrate import migrate

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pilothouse.db"
        migrate(f"sqlite:///{file}")
        return file.read_bytes()


def create_migrated(file: Path) -> None:
    """Create an SQLite database at head, by a copy: the migrations themselves run once per process."""
    keep_private(file.parent)
    file.touch(mode=0o600, exist_ok=False)
    file.write_bytes(_migrated())
