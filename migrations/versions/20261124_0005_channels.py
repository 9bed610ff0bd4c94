"""Channels that reach the person outside of the web UI, and what is to be delivered to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0005"
down_revision = "0004"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "channels",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("address", sa.LargeBinary, nullable=False),
        sa.Column("shown", sa.String(200), nullable=False),
        sa.Column("secret", sa.LargeBinary),
        sa.Column("events", sa.JSON, nullable=False),
        sa.Column("mode", sa.String(16), nullable=False),
        sa.Column("quiet", sa.JSON),
        sa.Column("failing", sa.Text),
        sa.Column("last_delivery", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("channel_id", sa.String(32), nullable=False),
        sa.Column("session_id", sa.String(64), nullable=False),
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
    op.create_index("ix_deliveries_session_id", "deliveries", ["session_id"])
    due = sa.text("status = 'pending'")
    op.create_index("due_deliveries", "deliveries", ["next_at"], sqlite_where=due, postgresql_where=due)


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
