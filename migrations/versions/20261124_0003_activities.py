"""Activities of a session: rows of the conversation that are neither message nor question; the icon of its site."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "activities",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "session_id", sa.String(64), sa.ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("run_id", sa.String(32)),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("details", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_activities_session_id", "activities", ["session_id"])
    op.add_column("sessions", sa.Column("icon", sa.String(200)))


def downgrade() -> None:
    raise CommandError("activities would be lost; restore a backup instead")
