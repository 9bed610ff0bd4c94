"""The browser host of each session, and the fencing token of its browser there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("browser_host", sa.String(200)))
    op.add_column("sessions", sa.Column("browser_epoch", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
