"""Sealed credentials of people, for processes that share a database; with SQLite they have a separate file."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    if op.get_bind().dialect.name == "sqlite":
        return
    op.create_table(
        "credential",
        sa.Column("person", sa.Text, primary_key=True),
        sa.Column("origin", sa.Text, primary_key=True),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("kept_at", sa.Double, nullable=False),
    )
