"""The tables. Alembic owns the schema; `tests/real/test_migrations.py` compares the two."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    DateTime,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from server.ops.json_types import JsonObject
from wording.catalogue import Parts

RUN_STATUSES = (
    "queued", "running", "waiting_user", "paused", "completed", "failed", "cancelled", "interrupted",
)  # fmt: skip
ROLES = ("user", "assistant", "tool")


class UtcDateTime(TypeDecorator[datetime]):
    """A datetime in UTC. SQLite stores no time zone, so it is set when a row is read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


SettingValue = bool | int | float | str | list[str]
"""The value of a setting that is changed at run time."""


class Base(DeclarativeBase):
    """Of partial indexes only `sqlite_where` is stated: for `postgresql_where`, which the migrations state, SQLAlchemy
    would import that dialect in every process, 2 MB."""

    type_annotation_map = {datetime: UtcDateTime, JsonObject: JSON}


class SessionRow(Base):
    __tablename__ = "sessions"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    title: Mapped[str] = mapped_column(String(200))
    pinned: Mapped[bool] = mapped_column(default=False)
    unread: Mapped[bool] = mapped_column(default=False)
    agent: Mapped[str] = mapped_column(String(32))
    model: Mapped[str] = mapped_column(String(200))
    max_tool_steps: Mapped[int]
    status: Mapped[str] = mapped_column(String(16), default="idle")
    epoch: Mapped[int] = mapped_column(default=0)
    """The fencing token: incremented for every execution of a run of this session."""
    last_seq: Mapped[int] = mapped_column(default=0)
    """The newest number in the session's one sequence of rows: `seq` of messages, positions of all else."""
    usage: Mapped[JsonObject] = mapped_column(default=dict)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime] = mapped_column(index=True)
    archived_at: Mapped[datetime | None]
    icon: Mapped[str | None] = mapped_column(String(200))
    """The address of the icon of the site that it worked on last."""
    worker: Mapped[str | None] = mapped_column(String(64))
    """With several processes: the name of the one that has its browser."""
    browser_host: Mapped[str | None] = mapped_column(String(200))
    """The address of the browser host that has its profile."""
    ask_first: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Its runs ask before they start, unless an automation has begun them."""
    browser_epoch: Mapped[int] = mapped_column(default=0)
    """The fencing token of its browser on a host: incremented for every process that starts or takes it."""
    automation_id: Mapped[str | None] = mapped_column(String(32), index=True)
    """The automation whose runs it has."""
    surroundings: Mapped[JsonObject] = mapped_column(default=dict, server_default="{}")
    """What its browser has of its own: time_zone, locale, proxy: {address, user}."""
    proxy_password: Mapped[bytes | None]
    """Encrypted as provider keys are."""
    instructions: Mapped[str | None] = mapped_column(Text)
    """What the person wants all its runs to heed."""


class RunRow(Base):
    __tablename__ = "runs"
    __table_args__ = (
        CheckConstraint(f"status IN {RUN_STATUSES}", name="run_status"),
        Index(
            "one_unfinished_run", "session_id", unique=True,
            sqlite_where=text("finished_at IS NULL AND NOT held"),
        ),
    )  # fmt: skip

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    message_id: Mapped[str] = mapped_column(String(32))
    """The user message that it answers."""
    answer_id: Mapped[str] = mapped_column(String(32))
    """The id its assistant message will have; tokens carry it before the row exists."""
    agent: Mapped[str] = mapped_column(String(32))
    model: Mapped[str] = mapped_column(String(200))
    status: Mapped[str] = mapped_column(String(16), default="queued")
    held: Mapped[bool] = mapped_column(default=False)
    """True while it waits for the end of the session's current run."""
    error_code: Mapped[str | None] = mapped_column(String(64))
    error: Mapped[str | None] = mapped_column(Text)
    error_parts: Mapped[Parts | None] = mapped_column(JSON(none_as_null=True))
    """The sentences of `error`; None in rows of earlier versions, and where there are none. So is `doing_parts`."""
    usage: Mapped[JsonObject] = mapped_column(default=dict)
    doing: Mapped[str | None] = mapped_column(Text)
    """The action in progress: after a crash it may or may not have happened."""
    doing_parts: Mapped[Parts | None] = mapped_column(JSON(none_as_null=True))
    attempt: Mapped[int] = mapped_column(default=0)
    epoch: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None] = mapped_column(String(64))
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    end_position: Mapped[int] = mapped_column(default=0, server_default="0")
    """Where its end without an answer stands among the session's rows; 0 if it has none."""
    wishes: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    """With several processes: what users asked of it, for the one that executes it. `cancel` and `pause` stay,
    `plan` and `dismissed` are taken by the execution. `resumed`: the answered question at which it was resumed last."""


class MessageRow(Base):
    __tablename__ = "messages"
    __table_args__ = (
        CheckConstraint(f"role IN {ROLES}", name="message_role"),
        UniqueConstraint("session_id", "seq", name="message_seq"),
        UniqueConstraint("session_id", "client_id", name="message_client_id"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    run_id: Mapped[str | None] = mapped_column(String(32), index=True)
    seq: Mapped[int]
    """Its position among the session's rows. A tool call gets it when it begins."""
    role: Mapped[str] = mapped_column(String(16))
    content: Mapped[str] = mapped_column(Text)
    meta_json: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    client_id: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime]


class InterruptRow(Base):
    """A question to the user. At most one per run is open at a time."""

    __tablename__ = "interrupts"
    __table_args__ = (
        Index(
            "open_questions", "expires_at",
            sqlite_where=text("status = 'open'"),
        ),
    )  # fmt: skip

    reference: Mapped[str] = mapped_column(String(64), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    run_id: Mapped[str] = mapped_column(String(32), index=True)
    kind: Mapped[str] = mapped_column(String(16))
    status: Mapped[str] = mapped_column(String(16), default="open")
    """open, decided, expired or cancelled."""
    payload: Mapped[JsonObject]
    confirmed: Mapped[bool | None]
    position: Mapped[int] = mapped_column(default=0, server_default="0")
    """Where it stands among the session's rows: where it was asked."""
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    decided_at: Mapped[datetime | None]
    later_at: Mapped[datetime | None]
    """The person has put it off until then."""


class ActivityRow(Base):
    """Something that the conversation shows as a row, and that is neither message nor question."""

    __tablename__ = "activities"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    run_id: Mapped[str | None] = mapped_column(String(32))
    position: Mapped[int]
    """Where it stands among the session's rows."""
    kind: Mapped[str] = mapped_column(String(16))
    details: Mapped[JsonObject]
    """The fields of the class of this kind in `server/events.py`."""
    created_at: Mapped[datetime]


class GrantRow(Base):
    """The user's permission for a kind of effect on a site. Amounts are in thousandths of the currency's unit."""

    __tablename__ = "lasting_grants"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    scope: Mapped[str] = mapped_column(String(16))
    """run, session, automation or always."""
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    """Of the scopes run and session."""
    run_id: Mapped[str | None] = mapped_column(String(32))
    """Of the scope run."""
    automation_id: Mapped[str | None] = mapped_column(
        ForeignKey("automations.id", ondelete="CASCADE"), index=True
    )
    """Of the scope automation."""
    site: Mapped[str] = mapped_column(String(255))
    kind: Mapped[str] = mapped_column(String(64))
    count: Mapped[int | None]
    """How many acts it allows in total; None: any number. The other limits likewise."""
    ends_at: Mapped[datetime | None]
    act_parts: Mapped[int | None] = mapped_column(BigInteger)
    """The most that one act may spend."""
    month_parts: Mapped[int | None] = mapped_column(BigInteger)
    """The most that its acts may spend in a calendar month (UTC)."""
    currency: Mapped[str | None] = mapped_column(String(8))
    uses: Mapped[int] = mapped_column(default=0)
    """Acts that it has allowed; a use is a compare-and-set on it."""
    month: Mapped[str] = mapped_column(String(7), default="")
    """The month of its last use with an amount, like `2026-11`."""
    month_spent: Mapped[int] = mapped_column(BigInteger, default=0)
    """What its acts have spent in that month."""
    last_use: Mapped[datetime | None]
    created_at: Mapped[datetime]


class GrantUseRow(Base):
    """One use of a grant: a retry finds by it that the use is counted already."""

    __tablename__ = "grant_uses"

    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    """Of one attempt of an act."""
    grant_id: Mapped[str] = mapped_column(
        ForeignKey("lasting_grants.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    run_id: Mapped[str] = mapped_column(String(32))
    parts: Mapped[int | None] = mapped_column(BigInteger)
    """The amount that was counted."""
    at: Mapped[datetime]


class NoteRow(Base):
    """A short fact about a site. A proposed one (`confirmed_at` is None) is for the person only, and no model reads it."""

    __tablename__ = "notes"
    __table_args__ = (Index("notes_of", "site", "confirmed_at"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    site: Mapped[str] = mapped_column(String(255))
    """Registrable domain; an IP address or a local name with its port."""
    text: Mapped[str] = mapped_column(Text)
    source: Mapped[str] = mapped_column(String(16))
    """run, correction, person or import."""
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="SET NULL"), index=True)
    """The session that has proposed it."""
    run_id: Mapped[str | None] = mapped_column(String(32))
    """The run that has proposed it."""
    pinned: Mapped[bool] = mapped_column(default=False)
    used_count: Mapped[int] = mapped_column(default=0)
    """In how many runs a model has read it."""
    last_run: Mapped[str | None] = mapped_column(String(32))
    """The run that was counted last."""
    last_used: Mapped[datetime | None]
    confirmed_at: Mapped[datetime | None]
    """When the person kept it, or changed it last."""
    created_at: Mapped[datetime]


class LoginRow(Base):
    """A login of the vault. Only `cipher` has user name, password and seed."""

    __tablename__ = "logins"
    __table_args__ = (UniqueConstraint("source", "source_ref", name="login_of_source"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    site: Mapped[str] = mapped_column(String(255), index=True)
    """Of its first host, as `server.browser.sites` has it."""
    hosts: Mapped[list[str]] = mapped_column(JSON)
    """Its own host, then those that the person has added."""
    exact: Mapped[bool] = mapped_column(default=False)
    title: Mapped[str] = mapped_column(String(200))
    cipher: Mapped[bytes] = mapped_column(LargeBinary)
    source: Mapped[str] = mapped_column(String(8))
    """local, op or bw."""
    source_ref: Mapped[str | None] = mapped_column(String(200))
    """Where that program keeps it."""
    grant: Mapped[JsonObject] = mapped_column(default=dict)
    """`sessions` and `automations`: ids of those that use it without a question."""
    code_period: Mapped[int | None] = mapped_column(BigInteger)
    """The period of the newest one-time code that was given out."""
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    uses: Mapped[int] = mapped_column(default=0)


class VaultLogRow(Base):
    """What happened to logins, without values. Rows are only added, and removed by age."""

    __tablename__ = "vault_log"
    __table_args__ = (Index("vault_log_of_session", "session_id", "event"),)

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    at: Mapped[datetime] = mapped_column(index=True)
    event: Mapped[str] = mapped_column(String(16))
    login_id: Mapped[str | None] = mapped_column(String(32))
    title: Mapped[str] = mapped_column(String(200), default="")
    host: Mapped[str] = mapped_column(String(255), default="")
    fields: Mapped[list[str]] = mapped_column(JSON, default=list)
    actor: Mapped[str] = mapped_column(String(8))
    """person, agent or server."""
    session_id: Mapped[str | None] = mapped_column(String(64))
    run_id: Mapped[str | None] = mapped_column(String(32))
    reason: Mapped[str] = mapped_column(String(200), default="")


class ProcessRow(Base):
    """With several processes: one of them. Times are those of the database's clock."""

    __tablename__ = "processes"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    role: Mapped[str] = mapped_column(String(16))
    address: Mapped[str] = mapped_column(String(300))
    runs: Mapped[int] = mapped_column(default=0)
    browsers: Mapped[int] = mapped_column(default=0)
    is_draining: Mapped[bool] = mapped_column(default=False)
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime]


class PreferenceRow(Base):
    """A setting changed while the server runs."""

    __tablename__ = "preferences"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[SettingValue] = mapped_column(JSON)


class ProviderKeyRow(Base):
    """A provider's API key, encrypted with a key that is stored outside the database."""

    __tablename__ = "provider_keys"

    provider: Mapped[str] = mapped_column(String(32), primary_key=True)
    ciphertext: Mapped[bytes] = mapped_column(LargeBinary)
    updated_at: Mapped[datetime]


class ChannelRow(Base):
    """A way to reach the person outside of the web UI."""

    __tablename__ = "channels"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    address: Mapped[bytes] = mapped_column(LargeBinary)
    """Encrypted as provider keys are, as `secret`."""
    shown: Mapped[str] = mapped_column(String(200))
    """The address as it may be shown."""
    secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    """The key of a webhook's signatures."""
    device: Mapped[str | None] = mapped_column(String(64), index=True, unique=True)
    """SHA-256 of the address at the push service: a device that is added again takes the place of its row."""
    links: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Its messages have links that answer one question without a login."""
    events: Mapped[list[str]] = mapped_column(JSON)
    mode: Mapped[str] = mapped_column(String(16))
    quiet: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    digest: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    """When the ends of runs are sent together: `{minutes}` after the first of them, or `{at, zone}` each day."""
    failing: Mapped[str | None] = mapped_column(Text)
    """Why the last message was given up; None if it was delivered."""
    last_delivery: Mapped[datetime | None]
    created_at: Mapped[datetime]


class QuestionLinkRow(Base):
    """A link that shows and answers one question without a login, as long as it is open."""

    __tablename__ = "question_links"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    """SHA-256 of the secret in it."""
    reference: Mapped[str] = mapped_column(ForeignKey("interrupts.reference", ondelete="CASCADE"), index=True)


class HandoffRow(Base):
    """A link that gives the live view and the take-over of one session to the first who opens it."""

    __tablename__ = "handoffs"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), unique=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the secret in the link, which is good for opening it once."""
    holder: Mapped[str | None] = mapped_column(String(64), unique=True)
    """SHA-256 of the token that the device which has opened it got."""
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    opened_at: Mapped[datetime | None]


class ReplayLinkRow(Base):
    """A link that shows one session as it was when the link was made, to all who have it."""

    __tablename__ = "replay_links"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    """SHA-256 of the secret in it."""
    last_position: Mapped[int]
    """Of the session's rows when the link was made: later ones are not shown."""
    with_files: Mapped[bool]
    """Whether the session's files can be downloaded, too."""
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class SecretRow(Base):
    """A secret of this installation, encrypted as provider keys are."""

    __tablename__ = "secrets"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    ciphertext: Mapped[bytes] = mapped_column(LargeBinary)


class ToolServerRow(Base):
    """An MCP server that the person has added."""

    __tablename__ = "mcp_servers"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(32), unique=True)
    """Before the names of its tools."""
    kind: Mapped[str] = mapped_column(String(8))
    """url or command."""
    shown: Mapped[str] = mapped_column(Text)
    """Its address or command as it may be shown."""
    place: Mapped[bytes] = mapped_column(LargeBinary)
    """`{address, headers}`, encrypted as provider keys are, as `login`."""
    headers: Mapped[list[str]] = mapped_column(JSON)
    """The names of the headers."""
    login: Mapped[bytes | None] = mapped_column(LargeBinary)
    """What its authorization server has given."""
    needs_login: Mapped[bool]
    enabled: Mapped[bool]
    tools: Mapped[list[JsonObject]] = mapped_column(JSON)
    """As they were listed last, with what the person allows of each."""
    fault: Mapped[str | None] = mapped_column(Text)
    """Why it could not be used the last time; None if it could."""
    listed_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class DeliveryRow(Base):
    """One message for one channel, stored in the transaction of what it is about."""

    __tablename__ = "deliveries"
    __table_args__ = (
        UniqueConstraint("channel_id", "about", name="delivery_once"),
        Index(
            "due_deliveries", "next_at",
            sqlite_where=text("status = 'pending'"),
        ),
    )  # fmt: skip

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    channel_id: Mapped[str] = mapped_column(ForeignKey("channels.id", ondelete="CASCADE"))
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"), index=True)
    """None for an automation that has no session yet."""
    about: Mapped[str] = mapped_column(String(64))
    """The question's reference, the id of the run that ended, or of a firing that began none."""
    type: Mapped[str] = mapped_column(String(16))
    facts: Mapped[JsonObject]
    """`kind, action, site, amount` of a question; `automation`, its name, and `action` of an automation."""
    status: Mapped[str] = mapped_column(String(16), default="pending")
    """pending, delivered, failed or dropped."""
    tries: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime]
    created_at: Mapped[datetime]


class AutomationRow(Base):
    """A task that begins by time, by a webhook or manually."""

    __tablename__ = "automations"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    task: Mapped[str] = mapped_column(Text)
    agent: Mapped[str] = mapped_column(String(32))
    model: Mapped[str] = mapped_column(String(200))
    max_tool_steps: Mapped[int]
    start_url: Mapped[str | None] = mapped_column(Text)
    rule: Mapped[str | None] = mapped_column(Text)
    """As `DueTimes.text`; None if it begins by a webhook or manually only."""
    zone: Mapped[str] = mapped_column(String(64))
    next_at: Mapped[datetime | None] = mapped_column(index=True)
    """When it is due; firing is a compare-and-set on it. None while it is paused, or if nothing is due any more."""
    enabled: Mapped[bool]
    paused_by: Mapped[str | None] = mapped_column(String(16))
    """Why it is paused: person, failures or budget."""
    overlap: Mapped[str] = mapped_column(String(8))
    missed: Mapped[str] = mapped_column(String(8))
    patience: Mapped[int]
    """Seconds that a question of its runs waits for an answer."""
    session_mode: Mapped[str] = mapped_column(String(8))
    keep: Mapped[int]
    """How many sessions are kept, where each firing has its own."""
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="SET NULL"), index=True)
    """Its one conversation, once it has begun."""
    ask_first: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Its runs ask before they start."""
    only_changes: Mapped[bool] = mapped_column(default=False, server_default=false())
    """A run that is done is reported only if its result is not that of the last one."""
    only_first_model: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Its runs fail where their model does: `FALLBACK_MODEL` is not asked."""
    instructions: Mapped[str | None] = mapped_column(Text)
    """What the person wants all its runs to heed."""
    result_schema: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    """The table that its runs fill, as `ResultSchema.to_json`."""
    last_result: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    """With `only_changes`: the result of the last run that was done, as `results.changes.ComparedResult`."""
    budget: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    """`run_cost`, `month_cost` in US dollars, `run_tokens`, `month_tokens`."""
    failures: Mapped[int]
    """Its last runs that failed, in a row."""
    hook: Mapped[str | None] = mapped_column(String(64), unique=True)
    """SHA-256 of the secret in its webhook's address."""
    created_from: Mapped[str | None] = mapped_column(String(64))
    """The session that it was made from."""
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    """Of the last change by a person: a firing of a former rule is refused by it."""


class FiringRow(Base):
    """One due time of an automation, or one call of it, with what became of it."""

    __tablename__ = "firings"
    __table_args__ = (
        UniqueConstraint("automation_id", "slot", name="firing_once"),
        Index("firings_of", "automation_id", "at"),
    )

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    automation_id: Mapped[str] = mapped_column(ForeignKey("automations.id", ondelete="CASCADE"))
    cause: Mapped[str] = mapped_column(String(8))
    """time, hand or hook."""
    slot: Mapped[datetime | None]
    """The due time; the first one, if several were missed. None if it did not begin by time."""
    until: Mapped[datetime | None]
    """The last one of several missed due times."""
    count: Mapped[int]
    """How many due times it stands for."""
    at: Mapped[datetime]
    outcome: Mapped[str] = mapped_column(String(16))
    """waiting, running, completed, failed, cancelled, interrupted, needs_you, skipped or missed."""
    why: Mapped[str | None] = mapped_column(String(16))
    """Of a skipped one: overlap, paused, failures or budget."""
    content: Mapped[str | None] = mapped_column(Text)
    """The message of a waiting one."""
    session_id: Mapped[str | None] = mapped_column(ForeignKey("sessions.id", ondelete="SET NULL"), index=True)
    run_id: Mapped[str | None] = mapped_column(String(32), index=True)
    usage: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    receipt: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    """Of one that needs the person: `done`, `left`, `waited_for`."""
    change: Mapped[JsonObject | None] = mapped_column(JSON(none_as_null=True))
    """With `only_changes`: how its result differs from the last one, as `results.changes.Change`."""
    finished_at: Mapped[datetime | None]


class KeptSiteRow(Base):
    """A site that stays signed in for all sessions. Only `cipher` has its cookies."""

    __tablename__ = "kept_sites"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    site: Mapped[str] = mapped_column(String(255), unique=True)
    """As `server.browser.site_cookies.cookie_site` has it."""
    cipher: Mapped[bytes] = mapped_column(LargeBinary)
    count: Mapped[int]
    """Of its cookies."""
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]


class KeptSiteUseRow(Base):
    """A session that has been given the cookies."""

    __tablename__ = "kept_site_uses"

    kept_id: Mapped[str] = mapped_column(ForeignKey("kept_sites.id", ondelete="CASCADE"), primary_key=True)
    session_id: Mapped[str] = mapped_column(
        ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True, index=True
    )
