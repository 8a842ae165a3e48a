"""The order in which writers take rows in PostgreSQL.

Each takes the conversations first, by their ids, and then what is in them. Two that took rows in other orders would
wait for each other, and PostgreSQL would end one of them. SQLite has one writer at a time.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, select
from sqlalchemy.ext.asyncio import AsyncConnection

from chat_ui.conversations.store import schema


async def hold(connection: AsyncConnection, which: ColumnElement[bool], *, to_delete: bool = False) -> None:
    """Hold these conversations until the transaction ends: no other writer changes or deletes them or their content."""
    if connection.dialect.name == "postgresql":
        table = schema.conversation.c
        held = select(table.id).where(which).order_by(table.id)
        await connection.execute(held.with_for_update(key_share=not to_delete))
