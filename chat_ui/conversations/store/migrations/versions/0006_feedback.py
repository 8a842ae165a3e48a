"""People's feedback on answers, and its pending deliveries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add both, or the missing parts. Feedback is deleted with its answer, and its receiver is informed."""
    op.create_table(
        "feedback",
        sa.Column("answer", sa.Text, sa.ForeignKey("generation.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("rating", sa.Text),
        sa.Column("reasons", sa.Text, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("doubted", sa.Text, nullable=False),
        sa.Column("given_at", sa.Double, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        if_not_exists=True,
    )
    op.create_index("feedback_conversation", "feedback", ["conversation"], if_not_exists=True)
    op.create_index("feedback_order", "feedback", ["given_at", "answer"], if_not_exists=True)
    op.create_table(
        "feedback_delivery",
        sa.Column("answer", sa.Text, primary_key=True),
        sa.Column("changed_at", sa.Double, nullable=False),
        sa.Column("due_at", sa.Double),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("is_told", sa.Boolean, nullable=False),
        if_not_exists=True,
    )
    op.create_index("feedback_delivery_due", "feedback_delivery", ["due_at"], if_not_exists=True)
