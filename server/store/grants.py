"""Queries for grants. What one covers is decided in `server/grants/coverage.py`, also within the transaction of a use."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, or_, select, update

from server.database import Database, reading, writing, writing_synced
from server.database.models import AutomationRow, FiringRow, GrantRow, GrantUseRow, RunRow, SessionRow
from server.errors import BadRequest, Conflict, NotFound
from server.events import now
from server.grants.coverage import GrantUse, HeldGrant, WantedGrant, covers, month_of, spent_in_month
from server.store.automations import BY_RUN
from server.store.lookups import IS_UNFINISHED, is_ours, session_of
from server.store.records import new_id
from server.store.rows import change, every, first, get, insert
from wording.catalogue import sentence

logger = logging.getLogger(__name__)

MAX_SITE = 255
"""Characters, as in `GrantRow`."""
MAX_GRANTS = 500
OF_RUN_NOW = (
    select(GrantRow)
    .where(
        or_(
            GrantRow.scope == "always",
            (GrantRow.scope == "session") & (GrantRow.session_id == bindparam("session_id")),
            (GrantRow.scope == "run") & (GrantRow.run_id == bindparam("run_id")),
            (GrantRow.scope == "automation")
            & GrantRow.automation_id.in_(
                select(FiringRow.automation_id).where(FiringRow.run_id == bindparam("run_id"))
            ),
        )
    )
    .order_by(GrantRow.created_at, GrantRow.id)
)
COUNTED = select(GrantUseRow.key).where(GrantUseRow.key == bindparam("key")).limit(1)


class NewGrant(WantedGrant):
    site: str
    kind: str


@dataclass(frozen=True, slots=True)
class ListedGrant:
    row: GrantRow
    session_title: str | None
    automation_name: str | None


class GrantQueries:
    database: Database

    @writing
    def add_grant(
        self, db: Connection, grant: NewGrant, *, session_id: str | None = None, automation_id: str | None = None
    ) -> GrantRow:  # fmt: skip
        """Add a grant that was not given with an answer. A run is the session's current one.

        Raises NotFound, Conflict `run_finished` if no run is in progress, BadRequest if its name is too long.
        """
        run = None
        if grant.scope in ("run", "session"):
            session_of(db, session_id or "", lock=True)
        if grant.scope == "run":
            unfinished = select(RunRow).where(RunRow.session_id == session_id, IS_UNFINISHED, ~RunRow.held)
            run = first(db, RunRow, unfinished)
            if run is None:
                raise Conflict(sentence("run.none_in_progress"), code="run_finished")
        if grant.scope == "automation" and get(db, AutomationRow, automation_id or "") is None:
            raise NotFound(sentence("automation.unknown"), code="automation_unknown")
        if len(grant.site) > MAX_SITE:
            raise BadRequest(sentence("grant.long_site", n=MAX_SITE))
        if len(db.execute(select(GrantRow.id).limit(MAX_GRANTS)).all()) >= MAX_GRANTS:
            raise Conflict(sentence("grant.too_many", n=MAX_GRANTS), code="too_many_grants")
        return _insert(
            db, grant, session_id=session_id, run_id=run.id if run else None, automation_id=automation_id
        )

    @reading
    def grants(
        self, db: Connection, *, session_id: str | None = None, automation_id: str | None = None
    ) -> list[ListedGrant]:
        """The newest first, without those of runs that have ended; of one session or automation if it is named."""
        is_live = select(RunRow.id).where(RunRow.id == GrantRow.run_id, IS_UNFINISHED).exists()
        found = select(GrantRow).where(or_(GrantRow.run_id.is_(None), is_live))
        if session_id is not None:
            found = found.where(GrantRow.session_id == session_id)
        if automation_id is not None:
            found = found.where(GrantRow.automation_id == automation_id)
        rows = every(db, GrantRow, found.order_by(GrantRow.created_at.desc(), GrantRow.id))
        return [_listed(db, row) for row in rows]

    @writing_synced
    def set_automation_grants(
        self, db: Connection, automation_id: str, kept: Sequence[str], added: Sequence[NewGrant]
    ) -> None:
        """Replace the grants of an automation by those of `kept` that it has, with their uses, and new ones."""
        if get(db, AutomationRow, automation_id, lock=True) is None:
            raise NotFound(sentence("automation.unknown"), code="automation_unknown")
        db.execute(delete(GrantRow).where(GrantRow.automation_id == automation_id, GrantRow.id.not_in(kept)))
        for grant in added:
            _insert(db, grant, session_id=None, run_id=None, automation_id=automation_id)

    @writing_synced
    def remove_grant(self, db: Connection, grant_id: str, *, session_id: str | None = None) -> None:
        """Take a grant back: from then on no act can use it. Raises NotFound."""
        mine: list[ColumnElement[bool]] = [GrantRow.id == grant_id]
        if session_id is not None:
            mine.append(GrantRow.session_id == session_id)
        if not db.execute(delete(GrantRow).where(*mine)).rowcount:
            raise NotFound(sentence("grant.unknown"), code="grant_unknown")

    @writing_synced
    def remove_grants(self, db: Connection) -> None:
        db.execute(delete(GrantRow))

    @reading
    def held_grants(self, db: Connection, run: RunRow) -> list[HeldGrant]:
        """The grants that apply to the run now."""
        values = {"session_id": run.session_id, "run_id": run.id}
        return [to_held(row) for row in every(db, GrantRow, OF_RUN_NOW, **values)]

    @writing_synced
    def use_grants(
        self, db: Connection, run: RunRow, uses: Sequence[GrantUse], act: str, key: str, *, again: bool = False,
        moment: datetime | None = None,
    ) -> bool:  # fmt: skip
        """Record that an act begins, and count the grants that it uses: all of them or none.

        False if a grant is gone or does not cover its effect any more, or if the run was ended or taken over.
        `key` is new for each attempt of an act; `again` marks a retry, which counts nothing twice.
        """
        session_of(db, run.session_id, lock=True)
        if not is_ours(db, run):
            return False
        if again and db.execute(COUNTED, {"key": key}).first():
            return True
        moment, found = moment or now(), dict[str, GrantRow]()
        for use in sorted(uses, key=lambda one: one.grant_id):  # one order for all: no deadlock
            row = get(db, GrantRow, use.grant_id, lock=True)
            if row is None or not _applies(db, row, run) or not covers(to_held(row), use.need, moment):
                return False
            found[row.id] = row
        if len(found) != len(uses):
            return False  # one grant covers one effect of an act
        for use in uses:
            if not _count(db, found[use.grant_id], use, moment):
                raise Conflict(sentence("grant.used_meanwhile"), code="grant_used")
            insert(
                db, GrantUseRow(key=key, grant_id=use.grant_id, run_id=run.id, parts=_parts(use), at=moment)
            )
        change(db, run, doing=act[:300], doing_parts=None)
        return True


def insert_grant(db: Connection, grant: NewGrant, run: RunRow) -> None:
    """Store what the person allowed together with a yes to a question of this run.

    Raises BadRequest `no_automation` if it is for an automation, and none has begun the run.
    """
    if len(grant.site) > MAX_SITE:
        logger.warning("the name of a site has %d characters: it is asked about each time", len(grant.site))
        return
    firing = first(db, FiringRow, BY_RUN, run_id=run.id) if grant.scope == "automation" else None
    if grant.scope == "automation" and firing is None:
        raise BadRequest(sentence("grant.no_automation"), code="no_automation")
    _insert(
        db,
        grant,
        session_id=run.session_id if grant.scope in ("run", "session") else None,
        run_id=run.id if grant.scope == "run" else None,
        automation_id=firing.automation_id if firing else None,
    )


def _insert(db: Connection, grant: NewGrant, **owners: str | None) -> GrantRow:
    """An equal grant that has no limits is kept instead."""
    values: dict[str, Any] = grant.model_dump()
    if not any(values[name] is not None for name in ("count", "ends_at", "act_parts", "month_parts")):
        same = [getattr(GrantRow, name) == value for name, value in (values | owners).items() if value]
        same += [
            getattr(GrantRow, name).is_(None) for name in ("count", "ends_at", "act_parts", "month_parts")
        ]
        if kept := first(db, GrantRow, select(GrantRow).where(*same).limit(1)):
            return kept
    row = GrantRow(
        id=new_id(), **values, **owners, uses=0, month="", month_spent=0, last_use=None, created_at=now()
    )
    return insert(db, row)


def _listed(db: Connection, row: GrantRow) -> ListedGrant:
    session = get(db, SessionRow, row.session_id) if row.session_id else None
    automation = get(db, AutomationRow, row.automation_id) if row.automation_id else None
    return ListedGrant(row, session.title if session else None, automation.name if automation else None)


def _applies(db: Connection, row: GrantRow, run: RunRow) -> bool:
    values = {"session_id": run.session_id, "run_id": run.id}
    return db.execute(OF_RUN_NOW.where(GrantRow.id == row.id), values).first() is not None


def _count(db: Connection, row: GrantRow, use: GrantUse, moment: datetime) -> bool:
    """A compare-and-set on the number of uses; False if another act has used the grant since it was read."""
    values: dict[str, Any] = {"uses": row.uses + 1, "last_use": moment}
    if (parts := _parts(use)) is not None:
        spent = spent_in_month(to_held(row), moment) + parts
        values |= {"month": month_of(moment), "month_spent": spent}
    same = (GrantRow.id == row.id, GrantRow.uses == row.uses)
    return bool(db.execute(update(GrantRow).where(*same).values(**values)).rowcount)


def _parts(use: GrantUse) -> int | None:
    return use.need.amount.parts if use.need.amount else None


def to_held(row: GrantRow) -> HeldGrant:
    return HeldGrant.model_validate({name: getattr(row, name) for name in HeldGrant.model_fields})
