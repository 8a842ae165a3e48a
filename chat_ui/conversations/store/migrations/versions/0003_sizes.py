"""The bytes of each question, answer and conversation, so that a person's share is known at once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_OF_ROW = 200
_TEXTS = {
    "turn": ("question",),
    "generation": ("text", "answer", "error", "followups", "backend", "overrides"),
}


def upgrade() -> None:
    """Add the sizes, and measure the existing rows.

    Earlier versions added the first of them outside a transaction, which may have broken off after that.
    """
    conversation = sa.table("conversation", sa.column("id"), sa.column("size"))
    of_conversation: sa.ColumnElement[int] = sa.literal_column(str(_OF_ROW))
    for name, texts in _TEXTS.items():
        _add_size(name)
        table = sa.table(name, sa.column("conversation"), sa.column("size", sa.BigInteger))
        size = sum((_bytes(text) for text in texts), start=sa.literal_column(str(_OF_ROW)))
        op.execute(table.update().values(size=size))
        # The sum is read from the index: a row may have megabytes before its size.
        op.create_index(f"{name}_size", name, ["conversation", "size"])
        of_table = sa.select(sa.func.coalesce(sa.func.sum(table.c.size), 0)).where(
            table.c.conversation == conversation.c.id
        )
        of_conversation = of_conversation + of_table.scalar_subquery()
    op.drop_index("generation_conversation", "generation")
    _add_size("conversation")
    op.execute(conversation.update().values(size=of_conversation))
    op.create_index("conversation_size", "conversation", ["owner", "deleted_at", "size"])


def _add_size(table: str) -> None:
    if all(column["name"] != "size" for column in sa.inspect(op.get_bind()).get_columns(table)):
        op.add_column(table, sa.Column("size", sa.BigInteger, nullable=False, server_default="0"))


def _bytes(name: str) -> sa.ColumnElement[int]:
    text = sa.column(name, sa.Text)
    if op.get_bind().dialect.name == "sqlite":
        return sa.func.coalesce(sa.func.length(sa.cast(text, sa.LargeBinary)), 0)
    return sa.func.coalesce(sa.func.octet_length(text), 0)
