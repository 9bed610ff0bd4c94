"""Links to a replay of a session, which open without a login."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "replay_links",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "session_id", sa.String(64), sa.ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("last_position", sa.Integer, nullable=False),
        sa.Column("with_files", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("expires_at", sa.DateTime, nullable=False),
    )
    op.create_index("ix_replay_links_session_id", "replay_links", ["session_id"])


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
