"""Conversations that a deployment keeps as well."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the table, or the missing parts of it."""
    op.create_table(
        "deployment_session",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("service", sa.Text, primary_key=True),
        sa.Column("session", sa.Text, primary_key=True),
        sa.Column("conversation", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        if_not_exists=True,
    )
    op.create_index("deployment_session_conversation", "deployment_session", ["conversation"], if_not_exists=True)
