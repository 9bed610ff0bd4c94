"""What a session's browser has of its own: zone, language and proxy, whose password is encrypted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("surroundings", sa.JSON, nullable=False, server_default="{}"))
    op.add_column("sessions", sa.Column("proxy_password", sa.LargeBinary))


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
