"""The size of conversations in the store."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import BigInteger, ColumnElement, cast, func, literal, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from chat_ui.conversations.store import schema
from chat_ui.conversations.store.rows import ROW_BYTES

_PARTS: Final = (schema.turn, schema.generation, schema.snapshot, schema.feedback)


async def measure(connection: AsyncConnection, conversation_ids: Collection[str]) -> None:
    """Have each of these conversations know its size."""
    if not conversation_ids:
        return
    conversation = schema.conversation
    size: ColumnElement[int] = literal(ROW_BYTES)
    for part in _PARTS:
        of_part = select(func.coalesce(func.sum(part.c.size), 0)).where(part.c.conversation == conversation.c.id)
        size = size + of_part.scalar_subquery()
    of_these = conversation.c.id.in_(conversation_ids)
    await connection.execute(update(conversation).where(of_these).values(size=cast(size, BigInteger)))
