"""Questions and the ends of runs get positions in their session's sequence of rows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0002"
down_revision = "0001"

BEFORE = (
    "SELECT max(messages.seq) FROM messages WHERE messages.run_id = {run} AND messages.created_at <= {moment}"
)
"""Of what happened before there were positions, the last message before it; both have its number then."""


def upgrade() -> None:
    op.add_column("interrupts", sa.Column("position", sa.Integer, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("end_position", sa.Integer, nullable=False, server_default="0"))
    asked = BEFORE.format(run="interrupts.run_id", moment="interrupts.created_at")
    ended = BEFORE.format(run="runs.id", moment="runs.finished_at")
    op.execute(f"UPDATE interrupts SET position = coalesce(({asked}), 0)")
    op.execute(f"UPDATE runs SET end_position = coalesce(({ended}), 0) WHERE finished_at IS NOT NULL")


def downgrade() -> None:
    raise CommandError("the order of the rows would be lost; restore a backup instead")
