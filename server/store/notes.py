"""Queries for standing instructions, and notes about sites. What may be one is decided in `server/knowledge/rules.py`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from sqlalchemy import Connection, bindparam, delete, func, or_, select, update

from server.database import Database, reading, writing
from server.database.models import AutomationRow, FiringRow, NoteRow, PreferenceRow, RunRow, SessionRow
from server.errors import Conflict, NotFound
from server.events import now
from server.store.lookups import session_of
from server.store.records import new_id
from server.store.rows import change, every, first, get, insert
from wording.catalogue import sentence

NoteSource = Literal["run", "correction", "person", "import"]

INSTRUCTIONS = "instructions"
"""The name under which the person's own are stored among the preferences."""
MAX_STORED_NOTES = 1000
MAX_PROPOSED = 2
"""Notes that one run may propose."""
SITE_NOTES = (
    select(NoteRow)
    .where(NoteRow.site.in_(bindparam("sites", expanding=True)), NoteRow.confirmed_at.is_not(None))
    .order_by(NoteRow.confirmed_at.desc(), NoteRow.id)
    .limit(20)
)
SAME_NOTE = select(NoteRow).where(
    NoteRow.site == bindparam("site"), func.lower(NoteRow.text) == func.lower(bindparam("text"))
)
ALL_NOTES = select(NoteRow).order_by(NoteRow.site, NoteRow.confirmed_at.desc(), NoteRow.created_at.desc())
OF_AUTOMATION_RUN = (
    select(AutomationRow.instructions)
    .join(FiringRow, FiringRow.automation_id == AutomationRow.id)
    .where(FiringRow.run_id == bindparam("run_id"))
)
OF_RUN_SESSION = select(SessionRow.instructions).where(SessionRow.id == bindparam("session_id"))
ANYTHING = (
    select(PreferenceRow.name).where(PreferenceRow.name == INSTRUCTIONS),
    select(NoteRow.id).where(NoteRow.confirmed_at.is_not(None)).limit(1),
    select(SessionRow.id).where(SessionRow.instructions.is_not(None)).limit(1),
    select(AutomationRow.id).where(AutomationRow.instructions.is_not(None)).limit(1),
)


@dataclass(frozen=True, slots=True)
class StandingTexts:
    """Instructions that hold for one run; "" where there are none."""

    person: str
    automation: str
    session: str


class NoteQueries:
    database: Database

    @reading
    def instructions(self, db: Connection) -> str:
        return _instructions(db)

    @writing
    def set_instructions(self, db: Connection, text: str) -> None:
        db.execute(delete(PreferenceRow).where(PreferenceRow.name == INSTRUCTIONS))
        if text:
            insert(db, PreferenceRow(name=INSTRUCTIONS, value=text))

    @reading
    def knowledge_of(
        self, db: Connection, run: RunRow, sites: Sequence[str]
    ) -> tuple[StandingTexts, list[NoteRow]]:
        """What a model call of the run may read: instructions, and the kept notes of one of the sites, newest confirmed
        first."""
        texts = StandingTexts(
            _instructions(db),
            db.scalar(OF_AUTOMATION_RUN, {"run_id": run.id}) or "",
            db.scalar(OF_RUN_SESSION, {"session_id": run.session_id}) or "",
        )
        return texts, every(db, NoteRow, SITE_NOTES, sites=sites) if sites else []

    @reading
    def has_knowledge(self, db: Connection) -> bool:
        """Whether there is anything that a model may read."""
        return any(db.execute(query).first() for query in ANYTHING)

    @writing
    def count_notes(self, db: Connection, ids: Collection[str], run_id: str) -> None:
        """A model reads these notes in the run; a second time in one run does not count."""
        mine = NoteRow.id.in_(ids), or_(NoteRow.last_run.is_(None), NoteRow.last_run != run_id)
        used = update(NoteRow).where(*mine)
        db.execute(used.values(used_count=NoteRow.used_count + 1, last_run=run_id, last_used=now()))

    @reading
    def notes(
        self, db: Connection, *, site: str | None = None, session_id: str | None = None, kept: bool | None = None
    ) -> list[NoteRow]:  # fmt: skip
        """By site, then newest confirmed first."""
        found = ALL_NOTES
        if site is not None:
            found = found.where(NoteRow.site == site)
        if session_id is not None:
            found = found.where(NoteRow.session_id == session_id)
        if kept is not None:
            found = found.where(NoteRow.confirmed_at.is_not(None) if kept else NoteRow.confirmed_at.is_(None))
        return every(db, NoteRow, found)

    @writing
    def add_note(self, db: Connection, site: str, text: str, source: NoteSource, *, kept: bool) -> NoteRow:
        """Add a note, or keep the one of the site that says the same. Raises Conflict if there are too many."""
        if same := first(db, NoteRow, SAME_NOTE, site=site, text=text):
            if kept and same.confirmed_at is None:
                change(db, same, confirmed_at=now())
            return same
        return _insert(db, site, text, source, confirmed_at=now() if kept else None)

    @writing
    def propose_notes(
        self, db: Connection, site: str, texts: Sequence[str], source: NoteSource, *, session_id: str, run_id: str
    ) -> int:  # fmt: skip
        """Add proposals of a run that say something new, at most `MAX_PROPOSED` of them in all. Returns how many.

        Raises NotFound if there is no such session.
        """
        session_of(db, session_id, lock=True)  # the run and a decision may propose at one time
        mine = select(func.count()).select_from(NoteRow)
        room = MAX_PROPOSED - (db.scalar(mine.where(NoteRow.run_id == run_id)) or 0)
        new = [text for text in texts if first(db, NoteRow, SAME_NOTE, site=site, text=text) is None]
        added = new[: max(0, room)]
        for text in added:
            _insert(db, site, text, source, session_id=session_id, run_id=run_id)
        return len(added)

    @writing
    def change_note(self, db: Connection, note_id: str, /, **values: object) -> NoteRow:
        """Change it; a text that was edited is confirmed with it. Raises NotFound."""
        row = get(db, NoteRow, note_id, lock=True)
        if row is None:
            raise NotFound(sentence("note.unknown"), code="note_unknown")
        if values:
            change(db, row, **values)
        return row

    @writing
    def remove_note(self, db: Connection, note_id: str) -> NoteRow:
        row = get(db, NoteRow, note_id)
        if row is None:
            raise NotFound(sentence("note.unknown"), code="note_unknown")
        db.execute(delete(NoteRow).where(NoteRow.id == note_id))
        return row

    @writing
    def remove_notes(self, db: Connection, site: str | None = None) -> None:
        """Remove all notes, or those of one site."""
        removed = delete(NoteRow)
        db.execute(removed if site is None else removed.where(NoteRow.site == site))

    @writing
    def forget_notes(self, db: Connection, unused: timedelta) -> None:
        """Remove notes that were not used for so long, unless they are pinned."""
        touched = func.coalesce(NoteRow.last_used, NoteRow.confirmed_at, NoteRow.created_at)
        db.execute(delete(NoteRow).where(~NoteRow.pinned, touched < now() - unused))


def _instructions(db: Connection) -> str:
    row = get(db, PreferenceRow, INSTRUCTIONS)
    return str(row.value) if row else ""


def _insert(db: Connection, site: str, text: str, source: NoteSource, **values: object) -> NoteRow:
    if (db.scalar(select(func.count()).select_from(NoteRow)) or 0) >= MAX_STORED_NOTES:
        raise Conflict(sentence("note.too_many", n=MAX_STORED_NOTES), code="too_many_notes")
    row = NoteRow(
        id=new_id(), site=site, text=text, source=source, pinned=False, used_count=0, created_at=now(), **values
    )  # fmt: skip
    return insert(db, row)
