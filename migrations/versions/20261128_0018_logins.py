"""Stored logins, and the log of what happened to them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0018"
down_revision = "0017"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "logins",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("site", sa.String(255), nullable=False),
        sa.Column("hosts", sa.JSON, nullable=False),
        sa.Column("exact", sa.Boolean, nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("cipher", sa.LargeBinary, nullable=False),
        sa.Column("source", sa.String(8), nullable=False),
        sa.Column("source_ref", sa.String(200)),
        sa.Column("grant", sa.JSON, nullable=False),
        sa.Column("code_period", sa.BigInteger),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("last_used_at", MOMENT),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.UniqueConstraint("source", "source_ref", name="login_of_source"),
    )
    op.create_index("ix_logins_site", "logins", ["site"])
    op.create_table(
        "vault_log",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("event", sa.String(16), nullable=False),
        sa.Column("login_id", sa.String(32)),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("fields", sa.JSON, nullable=False),
        sa.Column("actor", sa.String(8), nullable=False),
        sa.Column("session_id", sa.String(64)),
        sa.Column("run_id", sa.String(32)),
        sa.Column("reason", sa.String(200), nullable=False),
    )
    op.create_index("ix_vault_log_at", "vault_log", ["at"])
    op.create_index("vault_log_of_session", "vault_log", ["session_id", "event"])


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
