"""Queries for automations: due ones, firings, what becomes of them.

A firing is one transaction with its message and its run. Locks are taken in this order: session, automation.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, or_, select, update

from server.database import Database, reading, writing, writing_synced
from server.database.models import AutomationRow, FiringRow, InterruptRow, RunRow, SessionRow
from server.errors import Conflict, NotFound, TooMany
from server.events import Usage, now
from server.ops.json_types import JsonObject
from server.results.changes import Change
from server.results.rows import SCHEMA_KEY
from server.store.channels import put_automation
from server.store.lookups import IS_UNFINISHED, add_message, free_title, new_run
from server.store.owners import Ownership
from server.store.records import AcceptedMessage, new_id, to_message
from server.store.rows import change, every, first, get, insert
from server.store.sessions import new_session
from wording.catalogue import Wording, sentence

MAX_HOOK_CALLS, CALL_SECONDS = 10, 60.0
"""Runs that one webhook may ask for in this time, at all processes together."""
MAX_FAILED_RUNS = 3
"""In a row: then the automation is paused."""
OF_AUTOMATION = bindparam("automation_id", type_=FiringRow.automation_id.type)
AUTOMATIONS = select(AutomationRow).order_by(AutomationRow.created_at, AutomationRow.id)
DUE_AUTOMATIONS = (
    select(AutomationRow)
    .where(
        AutomationRow.enabled, AutomationRow.next_at <= bindparam("moment", type_=AutomationRow.next_at.type)
    )
    .order_by(AutomationRow.next_at)
)
BY_HOOK = select(AutomationRow).where(AutomationRow.hook == bindparam("hook"))
BY_RUN = select(FiringRow).where(FiringRow.run_id == bindparam("run_id"))
LATEST = (
    select(FiringRow)
    .where(FiringRow.automation_id == OF_AUTOMATION)
    .order_by(FiringRow.at.desc(), FiringRow.id.desc())
    .limit(1)
)
CALLED = (
    select(FiringRow.at)
    .where(
        FiringRow.automation_id == OF_AUTOMATION,
        FiringRow.cause == "hook",
        FiringRow.at > bindparam("since", type_=FiringRow.at.type),
    )
    .order_by(FiringRow.at.desc())
    .limit(MAX_HOOK_CALLS)
)
WAITING = select(FiringRow).where(FiringRow.outcome == "waiting").order_by(FiringRow.at, FiringRow.id)
UNENDED = (
    select(FiringRow.id)
    .join(RunRow, RunRow.id == FiringRow.run_id)
    .where(FiringRow.automation_id == OF_AUTOMATION, IS_UNFINISHED)
    .limit(1)
)
USED = select(FiringRow.usage).where(
    FiringRow.automation_id == OF_AUTOMATION,
    FiringRow.finished_at >= bindparam("since", type_=FiringRow.at.type),
)


@dataclass(frozen=True, slots=True)
class Due:
    """What has become due of an automation, as the rule says."""

    expected: datetime
    """The `next_at` that this was worked out from."""
    next_at: datetime | None
    slot: datetime | None
    """The due time that begins a run."""
    missed: tuple[datetime, datetime, int] | None
    """First, last and number of the due times at which the server was away."""


@dataclass(frozen=True, slots=True)
class Fired:
    """The rows of a firing, and the run that it has begun."""

    rows: tuple[FiringRow, ...]
    accepted: AcceptedMessage | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A run of an automation that waits for an answer."""

    run: RunRow
    question: InterruptRow
    automation: AutomationRow


@dataclass(frozen=True, slots=True)
class AutomationSummary:
    row: AutomationRow
    last: FiringRow | None
    """Its newest firing."""
    used: Usage
    """Of its runs in this month."""


class AutomationQueries:
    database: Database
    ownership: Ownership

    @writing
    def add_automation(self, db: Connection, /, most: int, **values: object) -> AutomationRow:
        """Raises Conflict if there are `most` already."""
        if (db.scalar(select(func.count()).select_from(AutomationRow)) or 0) >= most:
            raise Conflict(sentence("automation.too_many", n=most), code="too_many_automations")
        moment = now()
        return insert(
            db, AutomationRow(id=new_id(), failures=0, created_at=moment, updated_at=moment, **values)
        )

    @reading
    def automation(self, db: Connection, automation_id: str) -> AutomationRow:
        return _automation_of(db, automation_id)

    @reading
    def automation_by_hook(self, db: Connection, hook: str) -> AutomationRow:
        row = first(db, AutomationRow, BY_HOOK, hook=hook)
        if row is None:
            raise NotFound(sentence("address.nothing_here"))
        return row

    @reading
    def automations(self, db: Connection, moment: datetime) -> list[AutomationSummary]:
        return [
            AutomationSummary(row, first(db, FiringRow, LATEST, automation_id=row.id), _used(db, row, moment))
            for row in every(db, AutomationRow, AUTOMATIONS)
        ]

    @writing
    def change_automation(self, db: Connection, automation_id: str, /, **values: object) -> AutomationRow:
        row = _automation_of(db, automation_id, lock=True)
        change(db, row, **values, updated_at=now())
        if not row.enabled:
            _drop_waiting(db, row, "paused")
        return row

    @writing
    def remove_automations(self, db: Connection) -> None:
        """Remove all automations and their logs."""
        db.execute(update(SessionRow).where(SessionRow.automation_id.is_not(None)).values(automation_id=None))
        db.execute(delete(AutomationRow))

    @writing
    def remove_automation(self, db: Connection, automation_id: str) -> None:
        """Remove it and its log. Its sessions stay."""
        _automation_of(db, automation_id, lock=True)
        mine = SessionRow.automation_id == automation_id
        db.execute(update(SessionRow).where(mine).values(automation_id=None))
        db.execute(delete(AutomationRow).where(AutomationRow.id == automation_id))

    @reading
    def firings(
        self, db: Connection, automation_id: str, *, cursor: str | None = None, limit: int = 50
    ) -> tuple[list[FiringRow], str | None]:
        """A page of its firings, the newest first, and the cursor of the next page. Raises NotFound."""
        _automation_of(db, automation_id)
        found = select(FiringRow).where(FiringRow.automation_id == automation_id)
        if cursor:
            found = found.where(_before(cursor))
        order = FiringRow.at.desc(), FiringRow.id.desc()
        rows = every(db, FiringRow, found.order_by(*order).limit(limit + 1))
        last = rows[limit - 1] if len(rows) > limit else None
        return rows[:limit], f"{last.at.isoformat()}|{last.id}" if last else None

    @writing
    def forget_firings(self, db: Connection, older_than: timedelta) -> None:
        """Remove old rows of the logs, but none whose run has not ended."""
        old = FiringRow.at < now() - older_than
        db.execute(delete(FiringRow).where(old, FiringRow.outcome.not_in(("running", "waiting"))))

    # What is due

    @reading
    def due_automations(self, db: Connection, moment: datetime) -> list[AutomationRow]:
        return every(db, AutomationRow, DUE_AUTOMATIONS, moment=moment)

    @reading
    def next_due(self, db: Connection) -> datetime | None:
        """When the next automation is due; None if none is."""
        return db.scalar(select(func.min(AutomationRow.next_at)).where(AutomationRow.enabled))

    @reading
    def coming_automations(
        self, db: Connection, moment: datetime
    ) -> list[tuple[AutomationRow, frozenset[datetime]]]:
        """Automations that are due after `moment`, each with its due times after it that have a firing already."""
        coming = select(AutomationRow).where(AutomationRow.enabled, AutomationRow.next_at > moment)
        slots = select(FiringRow.automation_id, FiringRow.slot).where(FiringRow.slot > moment)
        begun = [(one, slot) for one, slot in db.execute(slots) if slot]
        return [
            (row, frozenset(slot for one, slot in begun if one == row.id))
            for row in every(db, AutomationRow, coming)
        ]

    @writing
    def move_due(self, db: Connection, row: AutomationRow, next_at: datetime | None) -> None:
        """Set when it is due, unless it was begun or changed since `row` was read."""
        same = AutomationRow.next_at == row.next_at, AutomationRow.updated_at == row.updated_at
        db.execute(update(AutomationRow).where(AutomationRow.id == row.id, *same).values(next_at=next_at))

    @reading
    def waiting_firings(self, db: Connection) -> list[tuple[FiringRow, bool]]:
        """Firings that wait for the end of a former run, one for each automation, and whether that has ended."""
        found: dict[str, tuple[FiringRow, bool]] = {}
        for firing in every(db, FiringRow, WAITING):
            row = get(db, AutomationRow, firing.automation_id)
            if row and row.enabled and firing.automation_id not in found:
                found[firing.automation_id] = firing, not _is_busy(db, row)
        return list(found.values())

    @reading
    def unanswered(self, db: Connection) -> list[Unanswered]:
        """Runs of automations that wait for an answer."""
        asked = db.execute(
            select(InterruptRow.reference, RunRow.id, FiringRow.automation_id)
            .join(RunRow, InterruptRow.run_id == RunRow.id)
            .join(FiringRow, FiringRow.run_id == RunRow.id)
            .where(IS_UNFINISHED, RunRow.status == "waiting_user", InterruptRow.status == "open")
        )
        found = [
            (get(db, RunRow, run), get(db, InterruptRow, reference), get(db, AutomationRow, automation))
            for reference, run, automation in asked.all()
        ]
        return [Unanswered(run, asked, row) for run, asked, row in found if run and asked and row]

    @reading
    def old_sessions(self, db: Connection, automation_id: str, kept: int) -> list[str]:
        """The sessions of its runs without the newest `kept` ones, pinned ones, and those with a run."""
        mine = SessionRow.automation_id == automation_id
        newest = select(SessionRow.id).where(mine).order_by(SessionRow.created_at.desc()).limit(kept)
        keeps = set(db.scalars(newest))
        busy = select(RunRow.id).where(RunRow.session_id == SessionRow.id, IS_UNFINISHED).exists()
        old = db.scalars(select(SessionRow.id).where(mine, ~SessionRow.pinned, ~busy))
        return [one for one in old if one not in keeps]

    # Firing

    @writing_synced
    def fire_due(
        self,
        db: Connection,
        row: AutomationRow,
        due: Due,
        content: str,
        new_session_id: str,
        moment: datetime,
    ) -> Fired | None:
        """Begin what is due, once: a compare-and-set on `next_at`. None if another process has done it.

        `row` as it was read when `due` was worked out. A changed automation is refused, too.
        """
        session = _locked_session(db, row)
        taken = db.execute(
            update(AutomationRow)
            .where(
                AutomationRow.id == row.id, AutomationRow.enabled, AutomationRow.next_at == due.expected,
                AutomationRow.updated_at == row.updated_at,
            )
            .values(next_at=due.next_at)
        )  # fmt: skip
        if not taken.rowcount:
            return None
        present = _same_session(db, row)
        rows: list[FiringRow] = []
        if due.missed:
            begin, until, count = due.missed
            missed = _new_firing(
                present, "time", moment, slot=begin, until=until, count=count, outcome="missed"
            )
            rows.append(insert(db, missed))
            put_automation(db, "failed", present, missed.id, "missed", _missed_words(missed))
            moment += timedelta(microseconds=1)  # the log is in the order of time
        if due.slot is None:
            return Fired(tuple(rows))
        fired = self._fire(db, present, session, "time", content, new_session_id, moment, slot=due.slot)
        return Fired((*rows, *fired.rows), fired.accepted)

    @writing_synced
    def fire_now(
        self,
        db: Connection,
        automation_id: str,
        cause: str,
        content: str,
        new_session_id: str,
        moment: datetime,
    ) -> Fired:
        """Begin it manually or by its webhook. A paused one begins manually only: raises Conflict.

        Raises TooMany for a webhook that is called too often; skipped calls count, too.
        """
        row = _automation_of(db, automation_id)
        session = _locked_session(db, row)
        row = _same_session(db, row)
        if cause == "hook" and not row.enabled:
            raise Conflict(sentence("automation.paused"), code="automation_paused")
        if cause == "hook":
            _check_calls(db, row, moment)
        return self._fire(db, row, session, cause, content, new_session_id, moment)

    @writing_synced
    def begin_waiting(self, db: Connection, firing_id: str, new_session_id: str) -> Fired | None:
        """Begin a firing that waited. None if it waits no more, or has to wait again."""
        firing = get(db, FiringRow, firing_id)
        row = get(db, AutomationRow, firing.automation_id) if firing else None
        if firing is None or row is None:
            return None
        session = _locked_session(db, row)
        row = _same_session(db, row)
        firing = get(db, FiringRow, firing_id)
        if firing is None or firing.outcome != "waiting" or not row.enabled or _is_busy(db, row):
            return None
        accepted = self._begin(db, row, session, firing, firing.content or row.task, new_session_id)
        return Fired((firing,), accepted)

    def _fire(
        self, db: Connection, row: AutomationRow, session: SessionRow | None, cause: str, content: str,
        new_session_id: str, moment: datetime, *, slot: datetime | None = None,
    ) -> Fired:  # fmt: skip
        firing = _new_firing(row, cause, moment, slot=slot)
        if is_used_up(row.budget, _used(db, row, firing.at)):
            return self._skip(db, row, firing, "budget")
        if _is_busy(db, row):
            waits = db.scalar(
                select(FiringRow.id)
                .where(FiringRow.automation_id == row.id, FiringRow.outcome == "waiting")
                .limit(1)
            )
            if row.overlap == "skip" or waits:
                return self._skip(db, row, firing, "overlap")
            firing.outcome, firing.content = "waiting", content
            return Fired((insert(db, firing),))
        insert(db, firing)
        return Fired((firing,), self._begin(db, row, session, firing, content, new_session_id))

    def _skip(self, db: Connection, row: AutomationRow, firing: FiringRow, why: str) -> Fired:
        """Log it, and report the first of several that are skipped one after another."""
        last = first(db, FiringRow, LATEST, automation_id=row.id)
        firing.outcome, firing.why, firing.finished_at = "skipped", why, firing.at
        insert(db, firing)
        if why == "budget":
            _pause(db, row, "budget")
            put_automation(db, "budget", row, firing.id, None, sentence("message.budget_paused"))
        elif not (last and last.outcome == "skipped"):
            put_automation(db, "failed", row, firing.id, "skipped", sentence("message.overlap"))
        return Fired((firing,))

    def _begin(
        self, db: Connection, row: AutomationRow, session: SessionRow | None, firing: FiringRow, content: str,
        new_session_id: str,
    ) -> AcceptedMessage:  # fmt: skip
        if session is None or row.session_mode == "new":
            session = _insert_session(db, row, new_session_id, firing.slot or firing.at)
        else:
            change(
                db,
                session,
                automation_id=row.id,
                agent=row.agent,
                model=row.model,
                max_tool_steps=row.max_tool_steps,
            )
        run = new_run(session, self.ownership)
        meta: JsonObject = {"automation": {"id": row.id, "name": row.name, "cause": firing.cause}}
        meta |= {SCHEMA_KEY: row.result_schema} if row.result_schema else {}
        message = add_message(db, session, "user", content, id=run.message_id, run_id=run.id, meta_json=meta)
        insert(db, run)
        change(db, session, epoch=run.epoch, archived_at=None)
        change(db, firing, outcome="running", content=None, session_id=session.id, run_id=run.id, why=None)
        if row.session_mode == "same" and row.session_id != session.id:
            change(db, row, session_id=session.id)
        self.ownership.put_job(db, run)
        return AcceptedMessage(to_message(message), run, session)


def settle_firing(
    db: Connection, session: SessionRow, run: RunRow, receipt: JsonObject | None = None,
    difference: Change | None = None,
) -> None:  # fmt: skip
    """Store how the run of a firing has ended, in the transaction of its end; pause the automation if it has to."""
    firing = first(db, FiringRow, BY_RUN, run_id=run.id) if session.automation_id else None
    row = get(db, AutomationRow, firing.automation_id, lock=True) if firing else None
    if firing is None or row is None:
        return
    outcome = "needs_you" if run.error_code == "needs_you" else run.status
    change(
        db, firing, outcome=outcome, usage=run.usage, finished_at=run.finished_at, receipt=receipt,
        change=difference.numbers() if difference else None,
    )  # fmt: skip
    failures = {"completed": 0, "failed": row.failures + 1}.get(outcome, row.failures)
    change(db, row, failures=failures)
    if run.error_code == "automation_budget":
        _stop(db, row, run, "budget", sentence("message.run_budget_paused"))
    elif is_used_up(row.budget, _used(db, row, now())):
        _stop(db, row, run, "budget", sentence("message.budget_paused"))
    elif failures >= MAX_FAILED_RUNS:
        _stop(db, row, run, "failures", sentence("message.failures_paused", n=failures))


def automation_of_run(db: Connection, session: SessionRow, run_id: str) -> AutomationRow | None:
    """The automation whose firing began this run."""
    firing = first(db, FiringRow, BY_RUN, run_id=run_id) if session.automation_id else None
    return get(db, AutomationRow, firing.automation_id) if firing else None


def is_used_up(budget: JsonObject | None, used: Usage) -> bool:
    """Whether this month's usage has reached the budget of a month."""
    cost, tokens = (budget or {}).get("month_cost"), (budget or {}).get("month_tokens")
    is_paid = cost is not None and (used.cost or 0) >= cost
    return is_paid or (tokens is not None and used.input_tokens + used.output_tokens >= tokens)


def _stop(db: Connection, row: AutomationRow, run: RunRow, why: str, words: Wording) -> None:
    if row.enabled:
        _pause(db, row, why)
        type = "budget" if why == "budget" else "failed"
        put_automation(db, type, row, f"{why}:{run.id}", None, words)


def _pause(db: Connection, row: AutomationRow, why: str) -> None:
    change(db, row, enabled=False, paused_by=why, next_at=None)
    _drop_waiting(db, row, why)


def _check_calls(db: Connection, row: AutomationRow, moment: datetime) -> None:
    """Raises TooMany."""
    lasting = timedelta(seconds=CALL_SECONDS)
    calls = list(db.scalars(CALLED, {"automation_id": row.id, "since": moment - lasting}))
    if len(calls) == MAX_HOOK_CALLS:
        raise too_often((calls[-1] + lasting - moment).total_seconds())


def too_often(seconds: float) -> TooMany:
    return TooMany(sentence("hook.too_often"), code="hook_limit", retry_after=seconds)


def _drop_waiting(db: Connection, row: AutomationRow, why: str) -> None:
    waiting = (FiringRow.automation_id == row.id, FiringRow.outcome == "waiting")
    db.execute(update(FiringRow).where(*waiting).values(outcome="skipped", why=why, finished_at=now()))


def _automation_of(db: Connection, automation_id: str, *, lock: bool = False) -> AutomationRow:
    row = get(db, AutomationRow, automation_id, lock=lock)
    if row is None:
        raise NotFound(sentence("automation.unknown"), code="automation_unknown")
    return row


def _locked_session(db: Connection, row: AutomationRow) -> SessionRow | None:
    """The automation's conversation, locked before the automation is."""
    if row.session_mode != "same" or row.session_id is None:
        return None
    return get(db, SessionRow, row.session_id, lock=True)


def _same_session(db: Connection, row: AutomationRow) -> AutomationRow:
    """The automation, locked. Raises Conflict if its session is not the one that was locked before."""
    present = _automation_of(db, row.id, lock=True)
    if (present.session_id, present.session_mode) != (row.session_id, row.session_mode):
        raise Conflict(sentence("automation.just_changed"), code="automation_busy")
    return present


def _is_busy(db: Connection, row: AutomationRow) -> bool:
    """Whether a run of it has not ended, or any run of its conversation."""
    if db.execute(UNENDED, {"automation_id": row.id}).first():
        return True
    if row.session_mode != "same" or row.session_id is None:
        return False
    unended = select(RunRow.id).where(RunRow.session_id == row.session_id, IS_UNFINISHED).limit(1)
    return db.execute(unended).first() is not None


def _new_firing(row: AutomationRow, cause: str, moment: datetime, **values: object) -> FiringRow:
    known: JsonObject = {
        "slot": None,
        "until": None,
        "count": 1,
        "outcome": "running",
        "why": None,
        "content": None,
    }
    known |= {"session_id": None, "run_id": None, "usage": None, "receipt": None, "finished_at": None}
    known["change"] = None
    return FiringRow(id=new_id(), automation_id=row.id, cause=cause, at=moment, **(known | values))


def _insert_session(db: Connection, row: AutomationRow, session_id: str, moment: datetime) -> SessionRow:
    title = row.name
    if row.session_mode == "new":
        title = f"{row.name[:170]} {moment.astimezone(ZoneInfo(row.zone)):%Y-%m-%d %H:%M}"
    session = new_session(
        id=session_id,
        title=free_title(db, title),
        agent=row.agent,
        model=row.model,
        max_tool_steps=row.max_tool_steps,
    )
    session.automation_id = row.id
    return insert(db, session)


def _used(db: Connection, row: AutomationRow, moment: datetime) -> Usage:
    """The usage of its runs that have ended in this month, in its zone."""
    local = moment.astimezone(ZoneInfo(row.zone))
    since = local.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    found = [
        Usage.model_validate(usage)
        for usage in db.scalars(USED, {"automation_id": row.id, "since": since.astimezone(moment.tzinfo)})
        if usage
    ]
    costs = [usage.cost for usage in found if usage.cost is not None]
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in found),
        output_tokens=sum(usage.output_tokens for usage in found),
        cached_tokens=sum(usage.cached_tokens for usage in found),
        model_calls=sum(usage.model_calls for usage in found),
        cost=sum(costs) if costs else None,
    )


def _missed_words(firing: FiringRow) -> Wording:
    return sentence("message.missed", n=firing.count)


def _before(cursor: str) -> ColumnElement[bool]:
    """A condition for rows after the cursor `at|id`. Raises NotFound."""
    try:
        moment, firing_id = cursor.split("|", 1)
        at = datetime.fromisoformat(moment)
    except ValueError as error:
        raise NotFound(sentence("cursor.unknown"), code="cursor_unknown") from error
    return or_(FiringRow.at < at, (FiringRow.at == at) & (FiringRow.id < firing_id))
