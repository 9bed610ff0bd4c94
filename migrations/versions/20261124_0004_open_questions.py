"""An index of the open questions, for the inbox over all sessions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0004"
down_revision = "0003"

OPEN = sa.text("status = 'open'")


def upgrade() -> None:
    op.create_index("open_questions", "interrupts", ["expires_at"], sqlite_where=OPEN, postgresql_where=OPEN)


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
