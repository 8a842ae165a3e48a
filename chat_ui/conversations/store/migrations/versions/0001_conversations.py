"""Conversations, turns, generations, and full-text search over questions and answers.

Earlier versions made these outside a transaction; if that broke off, this makes the missing ones.
"""

from __future__ import annotations

from functools import partial

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_SQLITE_SEARCH = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS {table}_search USING fts5({column}, content='{table}', content_rowid='serial',"
    " tokenize='unicode61 remove_diacritics 2', prefix='2 3')",
    "CREATE TRIGGER IF NOT EXISTS {table}_search_insert AFTER INSERT ON {table} WHEN new.{column} <> '' BEGIN"
    " INSERT INTO {table}_search(rowid, {column}) VALUES (new.serial, new.{column}); END",
    "CREATE TRIGGER IF NOT EXISTS {table}_search_delete AFTER DELETE ON {table} WHEN old.{column} <> '' BEGIN"
    " INSERT INTO {table}_search({table}_search, rowid, {column}) VALUES ('delete', old.serial, old.{column}); END",
    "CREATE TRIGGER IF NOT EXISTS {table}_search_update AFTER UPDATE OF {column} ON {table}"
    " WHEN new.{column} <> old.{column} BEGIN INSERT INTO {table}_search({table}_search, rowid, {column})"
    " SELECT 'delete', old.serial, old.{column} WHERE old.{column} <> '';"
    " INSERT INTO {table}_search(rowid, {column}) SELECT new.serial, new.{column} WHERE new.{column} <> ''; END",
)
# A tsvector has a megabyte at most: a longer text is searchable by its beginning.
_POSTGRESQL_SEARCH = (
    "ALTER TABLE {table} ADD COLUMN words tsvector"
    " GENERATED ALWAYS AS (to_tsvector('simple', left({column}, 100000))) STORED",
    "CREATE INDEX {table}_words ON {table} USING gin (words)",
)


def upgrade() -> None:
    """Make the tables."""
    create_table = partial(op.create_table, if_not_exists=True)
    create_index = partial(op.create_index, if_not_exists=True)
    serial = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    create_table(
        "conversation",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("renamed", sa.Boolean, nullable=False),
        sa.Column("pinned", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
        sa.Column("deleted_at", sa.Double),
    )
    create_index("conversation_list", "conversation", ["owner", "pinned", "updated_at", "id"])
    create_index("conversation_deleted", "conversation", ["deleted_at"])
    create_index("conversation_age", "conversation", ["updated_at"])
    create_table(
        "turn",
        sa.Column("serial", serial, sa.Identity(), primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("conversation", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("parent", sa.Text),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("asked_at", sa.Double, nullable=False),
        sa.Column("shown", sa.Boolean, nullable=False),
        sa.Column("chosen", sa.Integer, nullable=False),
    )
    create_index("turn_conversation", "turn", ["conversation", "place"])
    create_table(
        "generation",
        sa.Column("serial", serial, sa.Identity(), primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("conversation", sa.Text, sa.ForeignKey("conversation.id", ondelete="CASCADE"), nullable=False),
        sa.Column("turn", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("sources", sa.Integer, nullable=False),
        sa.Column("followups", sa.Text, nullable=False),
        sa.Column("backend", sa.Text, nullable=False),
        sa.Column("overrides", sa.Text, nullable=False),
        sa.Column("started_at", sa.Double, nullable=False),
        sa.Column("ended_at", sa.Double),
        sa.Column("alive_at", sa.Double, nullable=False),
    )
    create_index("generation_conversation", "generation", ["conversation"])
    create_index("generation_turn", "generation", ["turn"])
    create_index(
        "generation_running",
        "generation",
        ["alive_at"],
        sqlite_where=sa.text("status = 'running'"),
        postgresql_where=sa.text("status = 'running'"),
    )
    create_table(
        "piece",
        sa.Column("generation", sa.Text, sa.ForeignKey("generation.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("start", sa.Integer, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )
    create_table(
        "person",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("current", sa.Text, nullable=False),
    )
    search = _SQLITE_SEARCH if op.get_bind().dialect.name == "sqlite" else _POSTGRESQL_SEARCH
    for table, column in (("turn", "question"), ("generation", "text")):
        for statement in search:
            op.execute(statement.format(table=table, column=column))
