"""The end of deliveries of feedback to an address."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Remove the pending deliveries."""
    op.drop_table("feedback_delivery", if_exists=True)
