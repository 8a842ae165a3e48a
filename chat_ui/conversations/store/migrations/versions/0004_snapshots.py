"""Copies of conversations that people share by a link."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table, or the missing parts of it."""
    op.create_table(
        "snapshot",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("digest", sa.Text, nullable=False, unique=True),
        sa.Column("conversation", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("made_at", sa.Double, nullable=False),
        sa.Column("ends_at", sa.Double, nullable=False),
        sa.Column("policy", sa.Text, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        if_not_exists=True,
    )
    # The sum is read from the index: a row may have megabytes.
    op.create_index("snapshot_size", "snapshot", ["conversation", "size"], if_not_exists=True)
    op.create_index("snapshot_end", "snapshot", ["ends_at"], if_not_exists=True)
