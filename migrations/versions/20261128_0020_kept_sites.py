"""Sites that stay signed in for all sessions, and which sessions have their cookies."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0020"
down_revision = "0019"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "kept_sites",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("site", sa.String(255), nullable=False, unique=True),
        sa.Column("cipher", sa.LargeBinary, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("last_used_at", MOMENT),
    )
    op.create_table(
        "kept_site_uses",
        sa.Column(
            "kept_id", sa.String(32), sa.ForeignKey("kept_sites.id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column(
            "session_id", sa.String(64), sa.ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True
        ),
    )
    op.create_index("ix_kept_site_uses_session_id", "kept_site_uses", ["session_id"])


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
