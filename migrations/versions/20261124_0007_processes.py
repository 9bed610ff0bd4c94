"""Several processes: which ones there are, which has a session's browser, and what users asked of a run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0007"
down_revision = "0006"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "processes",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("address", sa.String(300), nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("browsers", sa.Integer, nullable=False),
        sa.Column("is_draining", sa.Boolean, nullable=False),
        sa.Column("started_at", MOMENT, nullable=False),
        sa.Column("seen_at", MOMENT, nullable=False),
    )
    op.add_column("sessions", sa.Column("worker", sa.String(64)))
    op.add_column("runs", sa.Column("wishes", sa.JSON))


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
