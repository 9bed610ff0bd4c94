"""Automations and their firings; messages to channels without a session; the sessions of an automation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0008"
down_revision = "0007"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "automations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("agent", sa.String(32), nullable=False),
        sa.Column("model", sa.String(200), nullable=False),
        sa.Column("max_tool_steps", sa.Integer, nullable=False),
        sa.Column("start_url", sa.Text),
        sa.Column("rule", sa.Text),
        sa.Column("zone", sa.String(64), nullable=False),
        sa.Column("next_at", MOMENT),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("paused_by", sa.String(16)),
        sa.Column("overlap", sa.String(8), nullable=False),
        sa.Column("missed", sa.String(8), nullable=False),
        sa.Column("patience", sa.Integer, nullable=False),
        sa.Column("session_mode", sa.String(8), nullable=False),
        sa.Column("keep", sa.Integer, nullable=False),
        sa.Column("session_id", sa.String(64)),
        sa.Column("budget", sa.JSON),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("hook", sa.String(64), unique=True),
        sa.Column("created_from", sa.String(64)),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("updated_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="SET NULL"),
    )
    op.create_index("ix_automations_next_at", "automations", ["next_at"])
    op.create_index("ix_automations_session_id", "automations", ["session_id"])
    op.create_table(
        "firings",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("automation_id", sa.String(32), nullable=False),
        sa.Column("cause", sa.String(8), nullable=False),
        sa.Column("slot", MOMENT),
        sa.Column("until", MOMENT),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("why", sa.String(16)),
        sa.Column("content", sa.Text),
        sa.Column("session_id", sa.String(64)),
        sa.Column("run_id", sa.String(32)),
        sa.Column("usage", sa.JSON),
        sa.Column("receipt", sa.JSON),
        sa.Column("finished_at", MOMENT),
        sa.ForeignKeyConstraint(["automation_id"], ["automations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="SET NULL"),
        sa.UniqueConstraint("automation_id", "slot", name="firing_once"),
    )
    op.create_index("firings_of", "firings", ["automation_id", "at"])
    op.create_index("ix_firings_session_id", "firings", ["session_id"])
    op.create_index("ix_firings_run_id", "firings", ["run_id"])
    op.add_column("sessions", sa.Column("automation_id", sa.String(32)))
    op.create_index("ix_sessions_automation_id", "sessions", ["automation_id"])
    _let_messages_have_no_session()


def _let_messages_have_no_session() -> None:
    """SQLite cannot change a column: the rows go to a new table."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("deliveries", "session_id", nullable=True)
        return
    op.create_table(
        "new_deliveries",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("channel_id", sa.String(32), nullable=False),
        sa.Column("session_id", sa.String(64)),
        sa.Column("about", sa.String(64), nullable=False),
        sa.Column("type", sa.String(16), nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("next_at", MOMENT, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["channel_id"], ["channels.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="CASCADE"),
        sa.UniqueConstraint("channel_id", "about", name="delivery_once"),
    )
    columns = "id, channel_id, session_id, about, type, facts, status, tries, next_at, created_at"
    op.execute(f"INSERT INTO new_deliveries ({columns}) SELECT {columns} FROM deliveries")
    op.drop_table("deliveries")
    op.rename_table("new_deliveries", "deliveries")
    op.create_index("ix_deliveries_session_id", "deliveries", ["session_id"])
    op.create_index("due_deliveries", "deliveries", ["next_at"], sqlite_where=sa.text("status = 'pending'"))


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
