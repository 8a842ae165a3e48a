"""The second columns of conversations, and people's preferences between two answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add both, or the missing parts; a preference is deleted with either of its answers."""
    if all(column["name"] != "arm_of" for column in sa.inspect(op.get_bind()).get_columns("conversation")):
        op.add_column("conversation", sa.Column("arm_of", sa.Text))
    op.create_index("conversation_arm", "conversation", ["arm_of"], if_not_exists=True)
    op.create_table(
        "preference",
        sa.Column("left_answer", sa.Text, sa.ForeignKey("generation.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("right_answer", sa.Text, sa.ForeignKey("generation.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("better", sa.Text, nullable=False),
        sa.Column("chosen_at", sa.Double, nullable=False),
        if_not_exists=True,
    )
    op.create_index("preference_owner", "preference", ["owner"], if_not_exists=True)
    op.create_index("preference_right", "preference", ["right_answer"], if_not_exists=True)
