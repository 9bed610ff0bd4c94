"""Every query. The only file that says select or insert."""

from __future__ import annotations

import os
import re
import secrets
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, false, func, literal, or_, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from server.database import Database
from server.errors import BadRequest, Conflict, NotFound
from server.events import Message, Usage, now, sum_usage
from server.models import (
    GrantRow,
    InterruptRow,
    MessageRow,
    PreferenceRow,
    ProviderKeyRow,
    RunRow,
    SessionRow,
)

TITLE_LENGTH = 80
LEASE_SECONDS = 45
UNFINISHED = RunRow.finished_at.is_(None)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message that is safe in the database, and the run that answers it."""

    message: Message
    run: RunRow
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class Overview:
    session: SessionRow
    messages: list[Message]
    run: RunRow | None
    pending: InterruptRow | None


def new_id() -> str:
    return secrets.token_hex(12)


def to_message(row: MessageRow) -> Message:
    return Message.model_validate(row, from_attributes=True)


class Store:
    def __init__(self, database: Database, owner: str = "") -> None:
        self._database = database
        self.owner = owner
        """This process, as the runs name the one that executes them."""

    # Sessions

    async def create_session(
        self, *, id: str | None, title: str | None, agent: str, model: str, max_tool_steps: int
    ) -> SessionRow:
        """Raises Conflict when the id is taken."""
        moment = now()
        row = SessionRow(
            id=id or new_id(), title=title or "", pinned=False, unread=False, agent=agent, model=model,
            max_tool_steps=max_tool_steps, status="idle", epoch=0, last_seq=0, usage={},
            created_at=moment, updated_at=moment,
        )  # fmt: skip
        try:
            async with self._database.writing() as db:
                db.add(row)
        except IntegrityError as error:
            raise Conflict(f"A session with the id {id} exists already.", code="session_exists") from error
        return row

    async def session(self, session_id: str) -> SessionRow:
        async with self._database.reading() as db:
            return await _session(db, session_id)

    async def overview(self, session_id: str) -> Overview:
        """The session with all that a client draws first, as it was at one moment."""
        async with self._database.reading() as db:
            return Overview(
                await _session(db, session_id),
                await _messages(db, session_id),
                await _current_run(db, session_id),
                await _pending(db, session_id),
            )

    async def sessions(
        self, *, query: str | None, archived: bool, cursor: str | None, limit: int
    ) -> tuple[list[SessionRow], str | None]:
        """Newest first, pinned before the rest; with the cursor of the next page."""
        statement = select(SessionRow).where(
            SessionRow.archived_at.is_not(None) if archived else SessionRow.archived_at.is_(None)
        )
        if query:
            statement = statement.where(self._matches(query))
        if cursor:
            statement = statement.where(_after_cursor(cursor))
        order = (SessionRow.pinned.desc(), SessionRow.updated_at.desc(), SessionRow.id.desc())
        async with self._database.reading() as db:
            rows = list(await db.scalars(statement.order_by(*order).limit(limit + 1)))
        if len(rows) <= limit:
            return rows, None
        last = rows[limit - 1]
        return rows[:limit], f"{int(last.pinned)}|{last.updated_at.isoformat()}|{last.id}"

    def _matches(self, query: str) -> ColumnElement[bool]:
        """Sessions whose title or messages hold every word of the query, words taken as beginnings."""
        words = re.findall(r"\w+", query)[:12]
        if not words:
            return false()
        if self._database.is_sqlite:
            found = text(
                "sessions.id IN (SELECT session_id FROM search_titles WHERE search_titles MATCH :terms "
                "UNION SELECT session_id FROM search_messages WHERE search_messages MATCH :terms)"
            )
            return literal(True) & found.bindparams(terms=" ".join(f'"{word}"*' for word in words))
        terms = func.to_tsquery("simple", " & ".join(f"{word}:*" for word in words))
        in_text = func.to_tsvector("simple", MessageRow.content).op("@@")(terms)
        in_title = func.to_tsvector("simple", SessionRow.title).op("@@")(terms)
        return or_(in_title, SessionRow.id.in_(select(MessageRow.session_id).where(in_text)))

    async def change_session(self, session_id: str, **values: Any) -> SessionRow:
        async with self._database.writing() as db:
            row = await _session(db, session_id)
            for name, value in values.items():
                setattr(row, name, value)
            if values.keys() - {"unread", "status"}:
                row.updated_at = now()
        return row

    async def purge_session(self, session_id: str) -> None:
        async with self._database.writing() as db:
            await _session(db, session_id)
            await db.execute(delete(SessionRow).where(SessionRow.id == session_id))

    async def sessions_untouched_since(self, moment: datetime | None) -> list[str]:
        statement = select(SessionRow.id)
        if moment:
            statement = statement.where(SessionRow.updated_at < moment)
        async with self._database.reading() as db:
            return list(await db.scalars(statement))

    # Messages and runs

    async def accept(
        self, session_id: str, content: str, *, client_id: str | None = None, held: bool = False
    ) -> Accepted:
        """Save a user message and its run in one transaction.

        The same `client_id` again gives the same message and run. Raises Conflict when the session has
        an unfinished run, unless `held`: then the run waits behind it.
        """
        try:
            async with self._database.writing() as db:
                session = await _session(db, session_id, lock=True)
                if known := await _by_client_id(db, session_id, client_id):
                    return known
                busy = held and await db.scalar(
                    select(RunRow.id).where(RunRow.session_id == session_id, UNFINISHED).limit(1)
                )
                run = _new_run(session, self.owner, held=bool(busy))
                message = _new_message(
                    session, "user", content, id=run.message_id, run_id=run.id, client_id=client_id
                )
                session.title = session.title or title_of(content)
                session.archived_at = None
                db.add_all([run, message])
        except IntegrityError as error:
            # A twin with the same client_id may have won the race between our look and our insert.
            async with self._database.reading() as db:
                known = await _by_client_id(db, session_id, client_id)
            if known:
                return known
            raise Conflict("This session has a run in progress.", code="run_in_progress") from error
        return Accepted(to_message(message), run)

    async def known(self, session_id: str, client_id: str | None, content: str) -> Accepted | None:
        """What the same `client_id` was answered before. Raises BadRequest when it said something else."""
        if client_id is None:
            return None
        async with self._database.reading() as db:
            known = await _by_client_id(db, session_id, client_id)
        if known and known.message.content != content:
            raise BadRequest("This client_id belongs to another message.", code="idempotency_mismatch")
        return known

    async def add_message(
        self,
        session_id: str,
        role: str,
        content: str,
        *,
        run_id: str | None,
        meta: dict[str, Any] | None = None,
        client_id: str | None = None,
        ends_doing: bool = False,
    ) -> Message:
        async with self._database.writing() as db:
            session = await _session(db, session_id, lock=True)
            row = _new_message(session, role, content, run_id=run_id, meta=meta, client_id=client_id)
            db.add(row)
            if ends_doing:
                await db.execute(update(RunRow).where(RunRow.id == run_id).values(doing=None))
        return to_message(row)

    async def messages(self, session_id: str) -> list[Message]:
        async with self._database.reading() as db:
            return await _messages(db, session_id)

    async def run(self, run_id: str) -> RunRow:
        async with self._database.reading() as db:
            row = await db.get(RunRow, run_id)
        if row is None:
            raise NotFound("There is no such run.", code="run_unknown")
        return row

    async def current_run(self, session_id: str) -> RunRow | None:
        """The unfinished run of the session, else its last one."""
        async with self._database.reading() as db:
            return await _current_run(db, session_id)

    async def orphaned_runs(self) -> list[RunRow]:
        """Unfinished runs that nobody executes: their process is gone, or its lease has ended."""
        async with self._database.reading() as db:
            rows = await db.scalars(
                select(RunRow)
                .where(UNFINISHED, RunRow.status != "waiting_user", RunRow.owner != self.owner)
                .order_by(RunRow.created_at)
            )
            return [row for row in rows if not is_alive(row.owner) or (row.lease_until or now()) < now()]

    async def waiting_runs(self) -> list[tuple[RunRow, InterruptRow]]:
        """Runs with an open question, and the question."""
        async with self._database.reading() as db:
            rows = await db.execute(
                select(RunRow, InterruptRow)
                .join(InterruptRow, InterruptRow.run_id == RunRow.id)
                .where(UNFINISHED, RunRow.status == "waiting_user", InterruptRow.status == "open")
            )
            return [(run, question) for run, question in rows]

    async def begin_execution(self, run_id: str, status: str = "running") -> RunRow | None:
        """Take the run: its epoch and attempt grow. None when it is finished or held."""
        async with self._database.writing() as db:
            run = await db.get(RunRow, run_id, with_for_update=True)
            if run is None or run.finished_at or run.held:
                return None
            session = await _session(db, run.session_id, lock=True)
            session.epoch += 1 if run.attempt else 0
            session.status = status
            run.epoch, run.attempt = session.epoch, run.attempt + 1
            run.status, run.owner, run.lease_until = status, self.owner, _lease()
            run.started_at = run.started_at or now()
        return run

    async def set_doing(self, run: RunRow, action: str | None) -> None:
        async with self._database.writing() as db:
            await db.execute(
                update(RunRow).where(RunRow.id == run.id, RunRow.epoch == run.epoch).values(doing=action)
            )

    async def set_run_status(self, run: RunRow, status: str) -> bool:
        """False when the run was finished or taken over meanwhile."""
        async with self._database.writing() as db:
            result = await db.execute(
                update(RunRow)
                .where(RunRow.id == run.id, RunRow.epoch == run.epoch, UNFINISHED)
                .values(status=status)
            )
            changed = bool(result.rowcount)  # type: ignore[attr-defined]
            if changed:
                await db.execute(
                    update(SessionRow).where(SessionRow.id == run.session_id).values(status=status)
                )
        return changed

    async def finish_run(
        self,
        run_id: str,
        status: str,
        *,
        epoch: int | None = None,
        answer: str | None = None,
        answer_meta: dict[str, Any] | None = None,
        error_code: str | None = None,
        error: str | None = None,
        usage: Usage | None = None,
    ) -> tuple[RunRow, Message | None] | None:
        """End the run, with its answer, in one transaction. None when it was ended or taken over already."""
        async with self._database.writing() as db:
            run = await db.get(RunRow, run_id, with_for_update=True)
            if run is None or run.finished_at or (epoch is not None and run.epoch != epoch):
                return None
            session = await _session(db, run.session_id, lock=True)
            run.status, run.finished_at, run.held = status, now(), False
            run.error_code, run.error, run.doing = error_code, error, None
            if usage:
                run.usage = usage.model_dump()
                session.usage = sum_usage(Usage.model_validate(session.usage or {}), usage).model_dump()
            session.status = "error" if status == "failed" else "idle"
            session.unread = True
            row = None
            if answer is not None:
                row = _new_message(
                    session, "assistant", answer, id=run.answer_id, run_id=run.id, meta=answer_meta
                )
                db.add(row)
            session.updated_at = now()
            await db.execute(
                update(InterruptRow)
                .where(InterruptRow.run_id == run_id, InterruptRow.status == "open")
                .values(status="cancelled", decided_at=now())
            )
        return run, (to_message(row) if row else None)

    async def next_held(self, session_id: str) -> Accepted | None:
        """The oldest run that waited behind the one that ended, now free to start; its message comes last."""
        async with self._database.writing() as db:
            session = await _session(db, session_id, lock=True)
            busy = await db.scalar(
                select(RunRow.id).where(RunRow.session_id == session_id, UNFINISHED, ~RunRow.held).limit(1)
            )
            run = await db.scalar(
                select(RunRow)
                .where(RunRow.session_id == session_id, UNFINISHED, RunRow.held)
                .order_by(RunRow.created_at)
                .limit(1)
            )
            if busy or run is None:
                return None
            session.epoch += 1
            run.held, run.epoch = False, session.epoch
            message = await db.get_one(MessageRow, run.message_id)
            session.last_seq += 1
            message.seq = session.last_seq
        return Accepted(to_message(message), run)

    async def rerun(
        self, session_id: str, *, content: str | None = None, message_id: str | None = None
    ) -> Accepted:
        """A new run for the last user message; with `content` the message is changed and what followed is removed."""
        try:
            async with self._database.writing() as db:
                session = await _session(db, session_id, lock=True)
                message = await db.scalar(
                    select(MessageRow)
                    .where(MessageRow.session_id == session_id, MessageRow.role == "user")
                    .order_by(MessageRow.seq.desc())
                    .limit(1)
                )
                if message is None or (message_id and message.id != message_id):
                    raise Conflict("Only the last message can be changed.", code="not_last_message")
                run = _new_run(session, self.owner, message_id=message.id)
                if content is not None:
                    await db.execute(
                        delete(MessageRow).where(
                            MessageRow.session_id == session_id, MessageRow.seq > message.seq
                        )
                    )
                    message.content = content
                message.run_id = run.id
                session.updated_at = now()
                db.add(run)
        except IntegrityError as error:
            raise Conflict("This session has a run in progress.", code="run_in_progress") from error
        return Accepted(to_message(message), run)

    async def branch(self, session_id: str, message_id: str) -> SessionRow:
        """A new session with copies of the messages up to this one."""
        async with self._database.writing() as db:
            old = await _session(db, session_id)
            rows = list(
                await db.scalars(
                    select(MessageRow).where(MessageRow.session_id == session_id).order_by(MessageRow.seq)
                )
            )
            ids = [row.id for row in rows]
            if message_id not in ids:
                raise NotFound("There is no such message.", code="message_unknown")
            moment = now()
            session = SessionRow(
                id=new_id(), title=old.title, pinned=False, unread=False, agent=old.agent, model=old.model,
                max_tool_steps=old.max_tool_steps, status="idle", epoch=0, last_seq=0, usage={},
                created_at=moment, updated_at=moment,
            )  # fmt: skip
            db.add(session)
            await db.flush()
            for row in rows[: ids.index(message_id) + 1]:
                db.add(_new_message(session, row.role, row.content, run_id=None, meta=row.meta_json))
        return session

    # Interrupts and grants

    async def open_interrupt(
        self, run: RunRow, payload: dict[str, Any], *, expires_at: datetime | None, usage: Usage
    ) -> InterruptRow | None:
        """Ask, and let the run wait, in one transaction. None when the run was ended or taken over."""
        async with self._database.writing() as db:
            result = await db.execute(
                update(RunRow)
                .where(RunRow.id == run.id, RunRow.epoch == run.epoch, UNFINISHED)
                .values(
                    status="waiting_user", owner=None, lease_until=None, doing=None, usage=usage.model_dump()
                )
            )
            if not result.rowcount:  # type: ignore[attr-defined]
                return None
            session = await _session(db, run.session_id)
            session.status, session.unread, session.updated_at = "waiting_user", True, now()
            row = InterruptRow(
                reference=new_id(), session_id=run.session_id, run_id=run.id, kind=payload["kind"],
                status="open", payload=payload, created_at=now(), expires_at=expires_at,
            )  # fmt: skip
            db.add(row)
        return row

    async def amend_interrupt(self, reference: str, values: dict[str, Any]) -> None:
        async with self._database.writing() as db:
            row = await db.get_one(InterruptRow, reference)
            row.payload = row.payload | values

    async def last_interrupt(self, run_id: str) -> InterruptRow | None:
        async with self._database.reading() as db:
            return await db.scalar(
                select(InterruptRow)
                .where(InterruptRow.run_id == run_id)
                .order_by(InterruptRow.created_at.desc())
                .limit(1)
            )

    async def pending(self, session_id: str) -> InterruptRow | None:
        """The session's open question."""
        async with self._database.reading() as db:
            return await _pending(db, session_id)

    async def decide(self, session_id: str, reference: str, confirmed: bool) -> InterruptRow:
        """The first answer wins. Raises NotFound, or Conflict with already_decided / approval_expired.

        An expired question is marked so, in a transaction of its own, before the Conflict is raised.
        """
        async with self._database.writing() as db:
            row = await db.get(InterruptRow, reference, with_for_update=True)
            if row is None or row.session_id != session_id:
                raise NotFound("There is no such question.", code="reference_unknown")
            if row.status != "open":
                code = "approval_expired" if row.status == "expired" else "already_decided"
                raise Conflict("This question is closed already.", code=code)
            expired = row.expires_at is not None and row.expires_at <= now()
            row.status, row.decided_at = ("expired" if expired else "decided"), now()
            row.confirmed = None if expired else confirmed
            if not expired:
                await db.execute(
                    update(RunRow)
                    .where(RunRow.id == row.run_id)
                    .values(status="queued", owner=self.owner, lease_until=_lease())
                )
        return row

    async def grants(self, session_id: str) -> list[GrantRow]:
        async with self._database.reading() as db:
            return list(
                await db.scalars(
                    select(GrantRow).where(GrantRow.session_id == session_id).order_by(GrantRow.created_at)
                )
            )

    async def add_grant(self, session_id: str, site: str, kind: str) -> None:
        try:
            async with self._database.writing() as db:
                db.add(GrantRow(id=new_id(), session_id=session_id, site=site, kind=kind, created_at=now()))
        except IntegrityError:
            return  # it is there already

    async def remove_grant(self, session_id: str, grant_id: str) -> None:
        async with self._database.writing() as db:
            result = await db.execute(
                delete(GrantRow).where(GrantRow.id == grant_id, GrantRow.session_id == session_id)
            )
        if not result.rowcount:  # type: ignore[attr-defined]
            raise NotFound("There is no such grant.", code="grant_unknown")

    # Preferences and keys

    async def preferences(self) -> dict[str, Any]:
        async with self._database.reading() as db:
            return {row.name: row.value for row in await db.scalars(select(PreferenceRow))}

    async def set_preferences(self, values: dict[str, Any]) -> None:
        """None removes a preference: the environment's value holds again."""
        async with self._database.writing() as db:
            for name, value in values.items():
                await db.execute(delete(PreferenceRow).where(PreferenceRow.name == name))
                if value is not None:
                    db.add(PreferenceRow(name=name, value=value))

    async def provider_keys(self) -> dict[str, bytes]:
        async with self._database.reading() as db:
            return {row.provider: row.ciphertext for row in await db.scalars(select(ProviderKeyRow))}

    async def set_provider_key(self, provider: str, ciphertext: bytes | None) -> None:
        async with self._database.writing() as db:
            await db.execute(delete(ProviderKeyRow).where(ProviderKeyRow.provider == provider))
            if ciphertext is not None:
                db.add(ProviderKeyRow(provider=provider, ciphertext=ciphertext, updated_at=now()))

    # Checkpoints: the savers write them and never remove one

    async def prune_checkpoints(self, thread_id: str) -> None:
        """Keep the newest checkpoint of the thread only."""
        newest = "(SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = :thread_id)"
        older = f"thread_id = :thread_id AND checkpoint_id < {newest}"
        statements = [f"DELETE FROM writes WHERE {older}", f"DELETE FROM checkpoints WHERE {older}"]
        if not self._database.is_sqlite:
            unused = (
                "DELETE FROM checkpoint_blobs AS b WHERE thread_id = :thread_id AND NOT EXISTS ("
                "SELECT 1 FROM checkpoints AS c WHERE c.thread_id = b.thread_id AND "
                "c.checkpoint_ns = b.checkpoint_ns AND c.checkpoint->'channel_versions'->>b.channel = b.version)"
            )
            statements = [statements[0].replace("writes", "checkpoint_writes"), statements[1], unused]
        async with self._database.writing() as db:
            for statement in statements:
                await db.execute(text(statement), {"thread_id": thread_id})

    # Leases

    async def keep_leases(self) -> None:
        async with self._database.writing() as db:
            await db.execute(
                update(RunRow).where(RunRow.owner == self.owner, UNFINISHED).values(lease_until=_lease())
            )


def process_name() -> str:
    """This process, in a form that `is_alive` can check: `<host>:<pid>:<random>`."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_alive(owner: str | None) -> bool:
    """False only when the process was on this machine and is gone, or is this one under a former name."""
    host, _, rest = (owner or "").partition(":")
    pid = rest.partition(":")[0]
    if host != socket.gethostname() or not pid.isdigit():
        return bool(owner)
    if int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def title_of(content: str) -> str:
    """The first line of the first message, until somebody gives a better name."""
    line = next((line.strip() for line in content.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


async def _session(db: AsyncSession, session_id: str, *, lock: bool = False) -> SessionRow:
    row = await db.get(SessionRow, session_id, with_for_update=lock or None)
    if row is None:
        raise NotFound("There is no such session.", code="session_unknown")
    return row


async def _messages(db: AsyncSession, session_id: str) -> list[Message]:
    rows = await db.scalars(
        select(MessageRow).where(MessageRow.session_id == session_id).order_by(MessageRow.seq)
    )
    return [to_message(row) for row in rows]


async def _current_run(db: AsyncSession, session_id: str) -> RunRow | None:
    return await db.scalar(
        select(RunRow)
        .where(RunRow.session_id == session_id, ~RunRow.held)
        .order_by(UNFINISHED.desc(), RunRow.created_at.desc())
        .limit(1)
    )


async def _pending(db: AsyncSession, session_id: str) -> InterruptRow | None:
    return await db.scalar(
        select(InterruptRow)
        .where(InterruptRow.session_id == session_id, InterruptRow.status == "open")
        .order_by(InterruptRow.created_at.desc())
        .limit(1)
    )


async def _by_client_id(db: AsyncSession, session_id: str, client_id: str | None) -> Accepted | None:
    if client_id is None:
        return None
    message = await db.scalar(
        select(MessageRow).where(MessageRow.session_id == session_id, MessageRow.client_id == client_id)
    )
    if message is None:
        return None
    run = await db.get_one(RunRow, message.run_id)
    return Accepted(to_message(message), run, is_new=False)


def _new_run(session: SessionRow, owner: str, *, held: bool = False, message_id: str | None = None) -> RunRow:
    """Its epoch is fixed here, so that its stream can be opened before its execution begins."""
    session.epoch += 0 if held else 1
    return RunRow(
        id=new_id(), session_id=session.id, message_id=message_id or new_id(), answer_id=new_id(),
        agent=session.agent, model=session.model, status="queued", held=held, usage={}, attempt=0,
        epoch=session.epoch,
        owner=owner, lease_until=_lease(), created_at=now(),
    )  # fmt: skip


def _lease() -> datetime:
    return now() + timedelta(seconds=LEASE_SECONDS)


def _new_message(
    session: SessionRow,
    role: str,
    content: str,
    *,
    run_id: str | None,
    id: str | None = None,
    meta: dict[str, Any] | None = None,
    client_id: str | None = None,
) -> MessageRow:
    session.last_seq += 1
    session.updated_at = now()
    return MessageRow(
        id=id or new_id(), session_id=session.id, run_id=run_id, seq=session.last_seq, role=role,
        content=content, meta_json=meta, client_id=client_id, created_at=now(),
    )  # fmt: skip


def _after_cursor(cursor: str) -> ColumnElement[bool]:
    """Rows that come after the cursor `pinned|updated_at|id` in the list's order."""
    try:
        pinned, moment, session_id = cursor.split("|")
        is_pinned, updated_at = bool(int(pinned)), datetime.fromisoformat(moment)
    except ValueError as error:
        raise NotFound("This cursor is not one of ours.", code="cursor_unknown") from error
    later = or_(
        SessionRow.updated_at < updated_at,
        (SessionRow.updated_at == updated_at) & (SessionRow.id < session_id),
    )
    same_group = (SessionRow.pinned == is_pinned) & later
    return or_(same_group, ~SessionRow.pinned) if is_pinned else same_group
