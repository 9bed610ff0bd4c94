"""Automations whose runs never use the second model."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column(
        "automations", sa.Column("only_first_model", sa.Boolean, nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
