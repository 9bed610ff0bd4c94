"""Notes per site, and standing instructions of automations and sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0017"
down_revision = "0016"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "notes",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("site", sa.String(255), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("session_id", sa.String(64)),
        sa.Column("run_id", sa.String(32)),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("used_count", sa.Integer, nullable=False),
        sa.Column("last_run", sa.String(32)),
        sa.Column("last_used", MOMENT),
        sa.Column("confirmed_at", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="SET NULL"),
    )
    op.create_index("notes_of", "notes", ["site", "confirmed_at"])
    op.create_index("ix_notes_session_id", "notes", ["session_id"])
    for table in ("sessions", "automations"):
        op.add_column(table, sa.Column("instructions", sa.Text))


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
