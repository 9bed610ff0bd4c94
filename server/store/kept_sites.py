"""Queries for the sites that stay signed in, and for the sessions that have been given their cookies."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from server.database import Database, reading, writing
from server.database.models import KeptSiteRow, KeptSiteUseRow
from server.errors import NotFound
from server.events import now
from server.store.rows import change, every, get, insert
from wording.catalogue import sentence

ALL_SITES = select(KeptSiteRow).where(KeptSiteRow.expires_at > bindparam("now")).order_by(KeptSiteRow.site)
GIVEN_TO = select(KeptSiteUseRow).where(KeptSiteUseRow.session_id == bindparam("session_id"))


class KeptSiteStore:
    """The tables `kept_sites` and `kept_site_uses`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @reading
    def all(self, db: Connection) -> list[KeptSiteRow]:
        """Those that have not ended, by site."""
        return every(db, KeptSiteRow, ALL_SITES, now=now())

    @reading
    def given_to(self, db: Connection, session_id: str) -> set[str]:
        return {row.kept_id for row in every(db, KeptSiteUseRow, GIVEN_TO, session_id=session_id)}

    @writing
    def replace(self, db: Connection, row: KeptSiteRow, session_id: str) -> None:
        """In place of what was kept of the site. The session that it is from has these cookies."""
        db.execute(
            delete(KeptSiteRow).where((KeptSiteRow.site == row.site) | (KeptSiteRow.expires_at <= now()))
        )
        insert(db, row)
        insert(db, KeptSiteUseRow(kept_id=row.id, session_id=session_id))

    @writing
    def note_given(self, db: Connection, kept_id: str, session_id: str, at: datetime) -> None:
        row = get(db, KeptSiteRow, kept_id)
        if row is None:  # taken back since
            return
        change(db, row, last_used_at=at)
        if kept_id not in {use.kept_id for use in every(db, KeptSiteUseRow, GIVEN_TO, session_id=session_id)}:
            insert(db, KeptSiteUseRow(kept_id=kept_id, session_id=session_id))

    @writing
    def remove(self, db: Connection, kept_id: str) -> None:
        """Raises NotFound."""
        if not db.execute(delete(KeptSiteRow).where(KeptSiteRow.id == kept_id)).rowcount:
            raise NotFound(sentence("kept_site.unknown"))
