"""Runs that ask before they start; automations that report changes only, and that fill a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    for table in ("sessions", "automations"):
        op.add_column(table, sa.Column("ask_first", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column(
        "automations", sa.Column("only_changes", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column("automations", sa.Column("result_schema", sa.JSON))
    op.add_column("automations", sa.Column("last_result", sa.JSON))
    op.add_column("firings", sa.Column("change", sa.JSON))


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
