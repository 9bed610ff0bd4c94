"""Grants with a scope, limits and uses; questions put off."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0010"
down_revision = "0009"

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _add_grants()
    op.create_table(
        "grant_uses",
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("grant_id", sa.String(32), primary_key=True),
        sa.Column("run_id", sa.String(32), nullable=False),
        sa.Column("parts", sa.BigInteger),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["grant_id"], ["lasting_grants.id"], ondelete="CASCADE"),
    )
    op.create_index("ix_grant_uses_grant_id", "grant_uses", ["grant_id"])
    op.add_column("interrupts", sa.Column("later_at", MOMENT))


def _add_grants() -> None:
    """A new table: a process of the version before would take a grant with limits for one without. It does not know
    these, and asks. A later version drops the old table."""
    op.create_table(
        "lasting_grants",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("scope", sa.String(16), nullable=False),
        sa.Column("session_id", sa.String(64)),
        sa.Column("run_id", sa.String(32)),
        sa.Column("automation_id", sa.String(32)),
        sa.Column("site", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("count", sa.Integer),
        sa.Column("ends_at", MOMENT),
        sa.Column("act_parts", sa.BigInteger),
        sa.Column("month_parts", sa.BigInteger),
        sa.Column("currency", sa.String(8)),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.Column("month", sa.String(7), nullable=False),
        sa.Column("month_spent", sa.BigInteger, nullable=False),
        sa.Column("last_use", MOMENT),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["automation_id"], ["automations.id"], ondelete="CASCADE"),
    )
    op.execute(
        "INSERT INTO lasting_grants (id, scope, session_id, site, kind, uses, month, month_spent, created_at)"
        " SELECT id, 'session', session_id, site, kind, 0, '', 0, created_at FROM grants"
    )
    op.create_index("ix_lasting_grants_session_id", "lasting_grants", ["session_id"])
    op.create_index("ix_lasting_grants_automation_id", "lasting_grants", ["automation_id"])


def downgrade() -> None:
    raise CommandError("a schema is not taken back; restore a backup instead")
