"""First schema: sessions, runs, messages, interrupts, grants, preferences, search, checkpoints."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0001"
down_revision = None

MOMENT = sa.DateTime(timezone=True)
STATUSES = "'queued','running','waiting_user','paused','completed','failed','cancelled','interrupted'"
UNFINISHED = sa.text("finished_at IS NULL AND NOT held")


def session_id() -> sa.Column[str]:
    return sa.Column(
        "session_id", sa.String(64), sa.ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False
    )


def upgrade() -> None:
    create_tables()
    if op.get_bind().dialect.name == "postgresql":
        create_search_postgresql()
        create_checkpoints_postgresql()
    else:
        create_search_sqlite()
        create_checkpoints_sqlite()


def downgrade() -> None:
    raise CommandError(
        "before this schema there is nothing: all sessions would be lost; restore a backup instead"
    )


def create_tables() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("unread", sa.Boolean, nullable=False),
        sa.Column("agent", sa.String(32), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("max_tool_steps", sa.Integer, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("last_seq", sa.Integer, nullable=False),
        sa.Column("usage", sa.JSON, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False, index=True),
        sa.Column("archived_at", MOMENT),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(32), primary_key=True),
        session_id(),
        sa.Column("message_id", sa.String(32), nullable=False),
        sa.Column("answer_id", sa.String(32), nullable=False),
        sa.Column("agent", sa.String(32), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("held", sa.Boolean, nullable=False),
        sa.Column("error_code", sa.String(64)),
        sa.Column("error", sa.Text),
        sa.Column("usage", sa.JSON, nullable=False),
        sa.Column("doing", sa.Text),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("owner", sa.String(64)),
        sa.Column("lease_until", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("started_at", MOMENT),
        sa.Column("finished_at", MOMENT),
        sa.CheckConstraint(f"status IN ({STATUSES})", name="run_status"),
    )
    op.create_index("ix_runs_session_id", "runs", ["session_id"])
    op.create_index(
        "one_unfinished_run", "runs", ["session_id"], unique=True,
        sqlite_where=UNFINISHED, postgresql_where=UNFINISHED,
    )  # fmt: skip
    op.create_table(
        "messages",
        sa.Column("id", sa.String(32), primary_key=True),
        session_id(),
        sa.Column("run_id", sa.String(32), index=True),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("meta_json", sa.JSON),
        sa.Column("client_id", sa.String(64)),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.CheckConstraint("role IN ('user','assistant','tool')", name="message_role"),
        sa.UniqueConstraint("session_id", "seq", name="message_seq"),
        sa.UniqueConstraint("session_id", "client_id", name="message_client_id"),
    )
    op.create_table(
        "interrupts",
        sa.Column("reference", sa.String(64), primary_key=True),
        session_id(),
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("confirmed", sa.Boolean),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT),
        sa.Column("decided_at", MOMENT),
    )
    op.create_index("ix_interrupts_session_id", "interrupts", ["session_id"])
    op.create_index("ix_interrupts_run_id", "interrupts", ["run_id"])
    op.create_table(
        "grants",
        sa.Column("id", sa.String(32), primary_key=True),
        session_id(),
        sa.Column("site", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.UniqueConstraint("session_id", "site", "kind", name="grant_once"),
    )
    op.create_index("ix_grants_session_id", "grants", ["session_id"])
    op.create_table(
        "preferences",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.JSON, nullable=False),
    )
    op.create_table(
        "provider_keys",
        sa.Column("provider", sa.String(32), primary_key=True),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
    )


def create_search_sqlite() -> None:
    """Two indexes, kept by triggers: a changed title must not scan the text of all messages."""
    create_index_sqlite("search_titles", "sessions", key="id", body="title")
    create_index_sqlite("search_messages", "messages", key="session_id", body="content")


def create_index_sqlite(index: str, table: str, key: str, body: str) -> None:
    op.execute(
        f"CREATE VIRTUAL TABLE {index} USING fts5(session_id UNINDEXED, row_id UNINDEXED, body, "
        "tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')"
    )
    insert = f"INSERT INTO {index} (session_id, row_id, body) VALUES (new.{key}, new.id, new.{body});"
    delete = f"DELETE FROM {index} WHERE row_id = old.id;"
    op.execute(f"CREATE TRIGGER {index}_insert AFTER INSERT ON {table} BEGIN {insert} END")
    op.execute(f"CREATE TRIGGER {index}_delete AFTER DELETE ON {table} BEGIN {delete} END")
    op.execute(f"CREATE TRIGGER {index}_update AFTER UPDATE OF {body} ON {table} BEGIN {delete} {insert} END")


def create_search_postgresql() -> None:
    for table, body in (("sessions", "title"), ("messages", "content")):
        op.execute(f"CREATE INDEX {table}_search ON {table} USING gin (to_tsvector('simple', {body}))")


def create_checkpoints_sqlite() -> None:
    op.execute(
        "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', "
        "checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, "
        "PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id))"
    )
    op.execute(
        "CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', "
        "checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '', "
        "idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB, "
        "PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))"
    )


def create_checkpoints_postgresql() -> None:
    """What the saver's own setup would run, inside our transaction (hence not CONCURRENTLY)."""
    from langgraph.checkpoint.postgres.base import MIGRATIONS

    for version, statement in enumerate(MIGRATIONS):
        op.execute(statement.replace("CONCURRENTLY ", ""))
        op.execute(f"INSERT INTO checkpoint_migrations (v) VALUES ({version})")
