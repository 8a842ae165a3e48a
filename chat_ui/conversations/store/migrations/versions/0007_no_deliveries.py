"""Feedback is delivered to no address any more."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Remove the deliveries that were due."""
    op.drop_table("feedback_delivery", if_exists=True)
