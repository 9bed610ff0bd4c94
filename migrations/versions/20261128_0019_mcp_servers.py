"""MCP servers that the person has added."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0019"
down_revision = "0018"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "mcp_servers",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(32), nullable=False, unique=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("place", sa.LargeBinary, nullable=False),
        sa.Column("headers", sa.JSON, nullable=False),
        sa.Column("login", sa.LargeBinary),
        sa.Column("needs_login", sa.Boolean, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column("tools", sa.JSON, nullable=False),
        sa.Column("fault", sa.Text),
        sa.Column("listed_at", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
    )


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
