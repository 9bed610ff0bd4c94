"""The sentences of runs' errors and of the steps in progress, for other languages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("runs", sa.Column("error_parts", sa.JSON))
    op.add_column("runs", sa.Column("doing_parts", sa.JSON))


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
