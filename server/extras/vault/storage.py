"""Queries for logins and their log. What is in a login is decided, sealed and opened elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta

from sqlalchemy import Connection, String, bindparam, cast, delete, func, or_, select, update

from server.database import Database, reading, writing, writing_synced
from server.database.models import AutomationRow, LoginRow, SessionRow, VaultLogRow
from server.errors import Conflict, NotFound
from server.events import now
from server.store.records import new_id
from server.store.rows import change, every, first, get, insert
from wording.catalogue import sentence

MAX_LOGINS = 5000
LOG_KEPT = timedelta(days=400)
NEVER_OFFER = "never"
KEPT_FOR_GOOD = (NEVER_OFFER,)
"""Events of the log that are settings of the person, too."""
ALL_LOGINS = select(LoginRow).order_by(LoginRow.site, func.lower(LoginRow.title), LoginRow.id)
OF_SOURCE = select(LoginRow).where(LoginRow.source == bindparam("source"))
NEWEST_LOGGED = select(VaultLogRow).order_by(VaultLogRow.at.desc(), VaultLogRow.id.desc())
FILLED = (
    select(VaultLogRow.login_id)
    .where(VaultLogRow.session_id == bindparam("session_id"), VaultLogRow.event.in_(("filled", "code")))
    .distinct()
)
DECLINED = select(VaultLogRow.id).where(
    VaultLogRow.event == NEVER_OFFER, VaultLogRow.host == bindparam("host")
)


class LoginStore:
    """The tables `logins` and `vault_log`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @reading
    def all(self, db: Connection) -> list[LoginRow]:
        """By site, then title."""
        return every(db, LoginRow, ALL_LOGINS)

    @reading
    def has_any(self, db: Connection) -> bool:
        return db.execute(select(LoginRow.id).limit(1)).first() is not None

    @reading
    def near(self, db: Connection, site: str, host: str) -> list[LoginRow]:
        """Those of the site, and those to which the person has added this host."""
        added = cast(LoginRow.hosts, String).contains(f'"{host}"', autoescape=True)
        return every(db, LoginRow, ALL_LOGINS.where(or_(LoginRow.site == site, added)))

    @reading
    def find(self, db: Connection, login_id: str) -> LoginRow | None:
        return get(db, LoginRow, login_id)

    @reading
    def filled_in(self, db: Connection, session_id: str) -> list[LoginRow]:
        """Those of which something was filled in this session."""
        ids = db.scalars(FILLED, {"session_id": session_id}).all()
        return every(db, LoginRow, select(LoginRow).where(LoginRow.id.in_(ids)))

    @reading
    def names(self, db: Connection) -> tuple[dict[str, str], dict[str, str]]:
        """Titles of the sessions and names of the automations that there are, by id."""
        sessions = {row.id: row.title for row in db.execute(select(SessionRow.id, SessionRow.title))}
        automations = {row.id: row.name for row in db.execute(select(AutomationRow.id, AutomationRow.name))}
        return sessions, automations

    @writing_synced
    def add(self, db: Connection, rows: Sequence[LoginRow], event: VaultLogRow) -> None:
        """All or none. Raises Conflict if there are too many."""
        if (db.scalar(select(func.count()).select_from(LoginRow)) or 0) + len(rows) > MAX_LOGINS:
            raise Conflict(sentence("vault.too_many", n=MAX_LOGINS), code="too_many_logins")
        for row in rows:
            insert(db, row)
        _log(db, event)

    @writing_synced
    def change(
        self, db: Connection, login_id: str, event: VaultLogRow | None, /, **values: object
    ) -> LoginRow:
        row = _known(db, login_id)
        change(db, row, **values)
        if event:
            _log(db, event)
        return row

    @writing_synced
    def remove(self, db: Connection, login_id: str, event: VaultLogRow) -> None:
        _known(db, login_id)
        db.execute(delete(LoginRow).where(LoginRow.id == login_id))
        _log(db, event)

    @writing
    def keep_listed(
        self, db: Connection, source: str, rows: Sequence[LoginRow], listed: Collection[str] | None
    ) -> None:
        """Add or change what a source has listed; `listed` are all of its references, and others go. Grants and counts
        stay."""
        known = {row.source_ref: row for row in every(db, LoginRow, OF_SOURCE, source=source)}
        for row in rows:
            if same := known.get(row.source_ref):
                change(db, same, site=row.site, hosts=row.hosts, title=row.title, cipher=row.cipher)
            else:
                insert(db, row)
        for reference, row in known.items():
            if listed is not None and reference not in listed:
                db.execute(delete(LoginRow).where(LoginRow.id == row.id))

    @writing
    def ids_of(self, db: Connection, source: str) -> dict[str, str]:
        """By reference."""
        return {str(row.source_ref): row.id for row in every(db, LoginRow, OF_SOURCE, source=source)}

    @writing_synced
    def grant(self, db: Connection, login_id: str, kind: str, allowed_id: str, event: VaultLogRow) -> None:
        """Let one session or automation use it without a question."""
        row = _known(db, login_id)
        ids = [*row.grant.get(kind, []), allowed_id]
        change(db, row, grant={**row.grant, kind: list(dict.fromkeys(ids))})
        _log(db, event)

    @writing_synced
    def take_period(self, db: Connection, login_id: str, period: int) -> bool:
        """Whether the code of this period was not given out yet; then it is now."""
        unused = or_(LoginRow.code_period.is_(None), LoginRow.code_period < period)
        taken = db.execute(update(LoginRow).where(LoginRow.id == login_id, unused).values(code_period=period))
        return bool(taken.rowcount)

    @writing_synced
    def record(self, db: Connection, event: VaultLogRow, *, is_use: bool = False) -> None:
        _log(db, event)
        if is_use:
            used = update(LoginRow).where(LoginRow.id == event.login_id)
            db.execute(used.values(uses=LoginRow.uses + 1, last_used_at=event.at))

    @reading
    def log(self, db: Connection, login_id: str | None, before: str | None, most: int) -> list[VaultLogRow]:
        """Newest first; `before` is the id of the last row of the page before."""
        query = NEWEST_LOGGED.limit(most)
        if login_id:
            query = query.where(VaultLogRow.login_id == login_id)
        if before and (last := get(db, VaultLogRow, before)):
            older = VaultLogRow.at < last.at
            query = query.where(or_(older, (VaultLogRow.at == last.at) & (VaultLogRow.id < last.id)))
        return every(db, VaultLogRow, query)

    @reading
    def is_declined(self, db: Connection, host: str) -> bool:
        """Whether the person wants no login of this host kept."""
        return first(db, VaultLogRow, DECLINED, host=host) is not None

    @writing_synced
    def encrypt_anew(self, db: Connection, rotate: Callable[[bytes], bytes]) -> int:
        """Replace each cipher, all in one transaction. Returns how many."""
        rows = every(db, LoginRow, select(LoginRow))
        for row in rows:
            change(db, row, cipher=rotate(row.cipher))
        return len(rows)


def _known(db: Connection, login_id: str) -> LoginRow:
    row = get(db, LoginRow, login_id, lock=True)
    if row is None:
        raise NotFound(sentence("login.gone"), code="login_unknown")
    return row


def _log(db: Connection, event: VaultLogRow) -> None:
    insert(db, event)
    old = VaultLogRow.at < now() - LOG_KEPT, VaultLogRow.event.not_in(KEPT_FOR_GOOD)
    db.execute(delete(VaultLogRow).where(*old))


def log_row(
    event: str, actor: str, login: LoginRow | None = None, *, host: str = "", fields: Collection[str] = (),
    session_id: str | None = None, run_id: str | None = None, reason: str = "",
) -> VaultLogRow:  # fmt: skip
    return VaultLogRow(
        id=new_id(), at=now(), event=event, login_id=login.id if login else None, title=login.title if login else "",
        host=host[:255], fields=list(fields), actor=actor, session_id=session_id, run_id=run_id, reason=reason[:200],
    )  # fmt: skip
