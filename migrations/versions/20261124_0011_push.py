"""Devices that get messages by Web Push, the key that signs them, links without a login, and digests."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0011"
down_revision = "0010"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
    )
    op.add_column("channels", sa.Column("device", sa.String(64)))
    op.add_column("channels", sa.Column("links", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("channels", sa.Column("digest", sa.JSON))
    op.create_index("ix_channels_device", "channels", ["device"], unique=True)
    op.create_table(
        "question_links",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("reference", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["reference"], ["interrupts.reference"], ondelete="CASCADE"),
    )
    op.create_index("ix_question_links_reference", "question_links", ["reference"])
    op.create_table(
        "handoffs",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("session_id", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("holder", sa.String(64)),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.Column("opened_at", MOMENT),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="CASCADE"),
        sa.UniqueConstraint("session_id"),
        sa.UniqueConstraint("digest"),
        sa.UniqueConstraint("holder"),
    )


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
