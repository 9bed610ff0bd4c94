"""Queries for channels, and for the messages that wait to be delivered to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from unicodedata import category
from urllib.parse import urlsplit

from sqlalchemy import Connection, Update, bindparam, delete, func, select, update
from sqlalchemy import insert as insert_into

from server.database import Database, reading, writing
from server.database.models import AutomationRow, ChannelRow, DeliveryRow, InterruptRow, RunRow, SessionRow
from server.errors import NotFound
from server.events import ConfirmQuestion, LoginQuestion, Question, now, read_question
from server.ops.json_types import JsonObject
from server.results.changes import Change, words_of
from server.store.digests import COLLECTED, end_of_window
from server.store.records import new_id
from server.store.rows import change, every, first, get, insert
from wording.catalogue import Wording, joined, parts_of, sentence
from wording.step_words import act_words

CHANNELS = select(ChannelRow).order_by(ChannelRow.created_at, ChannelRow.id)
OF_DEVICE = select(ChannelRow).where(ChannelRow.device == bindparam("device"))
DUE_DELIVERIES = (
    select(DeliveryRow)
    .where(DeliveryRow.status == "pending", DeliveryRow.next_at <= bindparam("moment"))
    .order_by(DeliveryRow.next_at)
    .limit(bindparam("most"))
)
TOGETHER = (
    select(DeliveryRow)
    .where(
        DeliveryRow.channel_id == bindparam("channel_id"), DeliveryRow.status == "pending",
        DeliveryRow.type.in_(COLLECTED), DeliveryRow.next_at == bindparam("next_at"),
    )
    .order_by(DeliveryRow.created_at, DeliveryRow.id)
)  # fmt: skip
NEXT_DIGEST = select(func.min(DeliveryRow.next_at)).where(
    DeliveryRow.channel_id == bindparam("channel_id"), DeliveryRow.status == "pending",
    DeliveryRow.type.in_(COLLECTED), DeliveryRow.tries == 0, DeliveryRow.next_at > bindparam("moment"),
)  # fmt: skip
NEEDS_YOU = "needs_you"
"""The event, and the error code, of a run that ended because its question was not answered."""
NOTICE = "notice"
"""What each channel is sent, whatever events it takes and whether the person is away."""
CHANNEL_NAME_CHARS = 80
"""Characters of a control's name that leave the server."""


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A message that this process delivers now."""

    delivery: DeliveryRow
    channel: ChannelRow
    session_title: str
    is_current: bool
    """False if it is about a question that is closed by now."""
    others: list[tuple[DeliveryRow, str]] = field(default_factory=list)
    """What is sent in the same message, each with the title of its session."""

    @property
    def rows(self) -> list[DeliveryRow]:
        return [self.delivery, *(row for row, _ in self.others)]


class ChannelQueries:
    database: Database

    @reading
    def channels(self, db: Connection) -> list[ChannelRow]:
        return every(db, ChannelRow, CHANNELS)

    @reading
    def channel(self, db: Connection, channel_id: str) -> ChannelRow:
        return _channel_of(db, channel_id)

    @writing
    def add_channel(self, db: Connection, /, **values: object) -> ChannelRow:
        """A new channel; that of the device, if it has one."""
        device = values.get("device")
        known = first(db, ChannelRow, OF_DEVICE, device=device) if device else None
        if known:
            change(db, known, **(values | {"failing": None}))
            return known
        return insert(db, ChannelRow(id=new_id(), created_at=now(), **values))

    @writing
    def change_channel(self, db: Connection, channel_id: str, /, **values: object) -> ChannelRow:
        row = _channel_of(db, channel_id, lock=True)
        if device := values.get("device"):
            db.execute(delete(ChannelRow).where(ChannelRow.device == device, ChannelRow.id != channel_id))
        if values:
            change(db, row, **values)
        return row

    @writing
    def remove_channel(self, db: Connection, channel_id: str) -> None:
        if not db.execute(delete(ChannelRow).where(ChannelRow.id == channel_id)).rowcount:
            raise NotFound(sentence("channel.unknown"), code="channel_unknown")

    @reading
    def next_delivery(self, db: Connection) -> datetime | None:
        """When the next pending message is due; None if there is none."""
        return db.scalar(select(func.min(DeliveryRow.next_at)).where(DeliveryRow.status == "pending"))

    @writing
    def claim_deliveries(
        self, db: Connection, *, moment: datetime, until: datetime, most: int
    ) -> list[DueDelivery]:
        """Take the due messages: no other process takes them before `until`, when they are due again."""
        claimed: list[DueDelivery] = []
        for row in every(db, DeliveryRow, DUE_DELIVERIES, moment=moment, most=most):
            if any(row.id == taken.id for one in claimed for taken in one.rows):
                continue
            channel = get(db, ChannelRow, row.channel_id, lock=_is_collected(row.type))
            together = [row]
            if channel and channel.digest and _is_collected(row.type):
                together = every(db, DeliveryRow, TOGETHER, channel_id=channel.id, next_at=row.next_at)
            taken = [one for one in together if _take(db, one, until)]
            listed = [(one, title) for one in taken if (title := _title_of(db, one)) is not None]
            if channel and listed:
                (first_row, title), *others = listed
                claimed.append(DueDelivery(first_row, channel, title, _is_current(db, first_row), others))
        return claimed

    @writing
    def settle_deliveries(
        self, db: Connection, rows: Sequence[DeliveryRow], status: str, *, fault: str | None = None
    ) -> None:
        """Store how a message, or those of a digest, ended: delivered, failed or dropped.

        A message that has been put off, or claimed again, since it was claimed is left as it is.
        """
        for row in rows:
            db.execute(_claimed(row).values(status=status))
        channel = get(db, ChannelRow, rows[0].channel_id) if rows else None
        if channel and status != "dropped":
            change(db, channel, failing=fault, **({"last_delivery": now()} if fault is None else {}))

    @writing
    def postpone_deliveries(
        self, db: Connection, rows: Sequence[DeliveryRow], next_at: datetime, *, tries: int
    ) -> None:
        """Send the rows again at one moment, together as before. Skips those that another process has claimed since."""
        for row in rows:
            db.execute(_claimed(row).values(next_at=next_at, tries=tries))

    @writing
    def put_notice(self, db: Connection, words: Wording) -> None:
        """Let each channel say that something concerning the person's safety was done, whatever events it takes."""
        about, moment = new_id(), now()
        for channel in every(db, ChannelRow, CHANNELS):
            _insert_delivery(db, channel, None, about, NOTICE, _action(words), moment)

    @writing
    def forget_deliveries(self, db: Connection, older_than: timedelta) -> None:
        """Remove settled messages: they are kept only so that none is delivered again."""
        old = DeliveryRow.created_at < now() - older_than
        db.execute(delete(DeliveryRow).where(old, DeliveryRow.status != "pending"))


def put_question(db: Connection, row: InterruptRow, question: Question) -> None:
    """Store the messages about a new question, in its transaction."""
    _put(
        db,
        row.session_id,
        row.reference,
        "manual" if row.kind == "manual" else "question",
        facts_of(question),
    )


def put_question_off(db: Connection, row: InterruptRow, until: datetime) -> None:
    """Deliver the messages about a question, also those that were delivered, at `until`."""
    mine = (DeliveryRow.about == row.reference, DeliveryRow.session_id == row.session_id)
    db.execute(update(DeliveryRow).where(*mine).values(status="pending", next_at=until, tries=0))


def put_end(
    db: Connection, run: RunRow, question: InterruptRow | None, difference: Change | None = None
) -> bool:
    """Store the messages about the end of a run; False if there are none. A person who has cancelled it knows.

    `question`: the one at which it has ended, because it was not answered. `difference`: of its result from the one
    before, where only changes are reported.
    """
    if run.error_code == NEEDS_YOU:
        facts = facts_of(read_question(question.payload)) if question else {}
        return _put(db, run.session_id, run.id, NEEDS_YOU, facts)
    if run.status == "completed":
        facts = _action(words_of(difference)) if difference else {}
        is_news = difference is None or difference.kind != "same"
        return is_news and _put(db, run.session_id, run.id, "done", facts)
    return run.status in ("failed", "interrupted") and _put(db, run.session_id, run.id, "failed", {})


def put_automation(
    db: Connection, type: str, row: AutomationRow, about: str, outcome: str | None, words: Wording
) -> None:
    """Store the messages about an automation that did not begin, or that is paused now.

    `outcome`: skipped or missed; `words` say what happened.
    """
    facts = {"automation": row.name} | _action(words) | ({"outcome": outcome} if outcome else {})
    _put(db, row.session_id, about, type, facts)


def _put(db: Connection, session_id: str | None, about: str, type: str, facts: JsonObject) -> bool:
    """Store a message for each channel that takes this type; False if none does."""
    moment, is_stored = now(), False
    for channel in every(db, ChannelRow, CHANNELS):
        if type in channel.events:
            is_stored = True
            first = _first_try(db, channel, type, moment)
            _insert_delivery(db, channel, session_id, about, type, facts, first)
    return is_stored


def _insert_delivery(
    db: Connection, channel: ChannelRow, session_id: str | None, about: str, type: str, facts: JsonObject,
    next_at: datetime,
) -> None:  # fmt: skip
    db.execute(insert_into(DeliveryRow), {
        "id": new_id(), "channel_id": channel.id, "session_id": session_id, "about": about, "type": type,
        "facts": facts, "status": "pending", "tries": 0, "created_at": now(), "next_at": next_at,
    })  # fmt: skip


def _first_try(db: Connection, channel: ChannelRow, type: str, moment: datetime) -> datetime:
    """Now, or with the others of a digest that has not been tried yet."""
    if not channel.digest or not _is_collected(type):
        return moment
    begun = db.scalar(NEXT_DIGEST, {"channel_id": channel.id, "moment": moment})
    return begun or end_of_window(channel.digest, moment)


def facts_of(question: Question) -> JsonObject:
    """What a message says of a question. Never its reason, which may quote the page."""
    site = urlsplit(question.url).hostname
    if isinstance(question, LoginQuestion):
        return {"kind": "account", "site": question.login.host, **_action(act_words("login"))}
    if not isinstance(question, ConfirmQuestion):
        return {"site": site} if site else {}
    act = act_words(str(question.action.get("kind") or "act"))
    name = _plain(question.target.name if question.target else "")[:CHANNEL_NAME_CHARS]
    if question.start:
        site = (
            ", ".join(dict.fromkeys(effect.site for effect in question.start.effects))[:CHANNEL_NAME_CHARS]
            or site
        )
    action = joined((act, sentence("quoted", text=name) if name else ""))
    known = {
        "kind": question.risk, "action": action, "action_parts": parts_of(action), "site": site,
        "would_send": _plain(question.would_send or "")[:CHANNEL_NAME_CHARS], "would_send_parts": question.would_send_parts,
        "amount": question.amount,
    }  # fmt: skip
    return {key: value for key, value in known.items() if value}


def _action(words: Wording) -> JsonObject:
    return {"action": words, "action_parts": parts_of(words)}


def _plain(name: str) -> str:
    """A control's name on one line, without what could end its quotes or turn the direction of the words behind."""
    shown = (" " if sign in "“”·" or sign.isspace() else sign for sign in name if category(sign) != "Cf")
    return " ".join("".join(shown).split())


def _channel_of(db: Connection, channel_id: str, *, lock: bool = False) -> ChannelRow:
    row = get(db, ChannelRow, channel_id, lock=lock)
    if row is None:
        raise NotFound(sentence("channel.unknown"), code="channel_unknown")
    return row


def _is_collected(type: str) -> bool:
    return type in COLLECTED


def _take(db: Connection, row: DeliveryRow, until: datetime) -> bool:
    taken = db.execute(
        update(DeliveryRow)
        .where(DeliveryRow.id == row.id, DeliveryRow.status == "pending", DeliveryRow.next_at == row.next_at)
        .values(next_at=until, tries=row.tries + 1)
    )
    row.next_at = until
    row.tries += 1
    return bool(taken.rowcount)


def _claimed(row: DeliveryRow) -> Update:
    """Change a message that this process has claimed, unless it was put off or claimed again since."""
    return update(DeliveryRow).where(
        DeliveryRow.id == row.id, DeliveryRow.status == "pending", DeliveryRow.next_at == row.next_at
    )


def _title_of(db: Connection, row: DeliveryRow) -> str | None:
    """Of its session, or the name of its automation; None if it is gone."""
    if row.session_id is None:
        return str(row.facts.get("automation") or "")
    session = get(db, SessionRow, row.session_id)
    return session.title if session else None


def _is_current(db: Connection, row: DeliveryRow) -> bool:
    if row.type not in ("question", "manual"):
        return True
    question = get(db, InterruptRow, row.about)
    return question is not None and question.status == "open"
