"""Decisions of people on paused answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the columns and the index, or the missing ones: an answer is decided on once."""
    there = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("turn")}
    for column in (sa.Column("decides", sa.Text), sa.Column("decision", sa.Text, nullable=False, server_default="")):
        if column.name not in there:
            op.add_column("turn", column)
    op.create_index("turn_decides", "turn", ["decides"], unique=True, if_not_exists=True)
