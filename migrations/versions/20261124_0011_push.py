"""Devices that get messages by Web Push, and the key that signs them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
    )
    op.add_column("channels", sa.Column("device", sa.String(64)))
    op.create_index("ix_channels_device", "channels", ["device"], unique=True)


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
