"""Which of two answers to one question each person prefers."""

from __future__ import annotations

import time

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite

from chat_ui.conversations.records.records import Better
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database


class Preferences:
    """The preferences in `database`. Every method raises StoreUnavailableError where it cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, owner: str, left: str, right: str, better: Better) -> bool:
        """Keep which of two answers, by their ids, is better, in place of what was kept of both before. False where
        they are not the person's, of a conversation and of its second arm, to one question.
        """
        table, generation, conversation, turn = (
            schema.preference,
            schema.generation.c,
            schema.conversation.c,
            schema.turn.c,
        )
        theirs = (
            select(generation.id, generation.conversation, conversation.arm_of, turn.question)
            .join(schema.conversation, conversation.id == generation.conversation)
            .join(schema.turn, turn.id == generation.turn)
            .where(conversation.owner == owner, conversation.deleted_at.is_(None), generation.id.in_((left, right)))
        )
        insert = (sqlite if self._database.is_sqlite else postgresql).insert(table)
        row = insert.values(
            left_answer=left, right_answer=right, owner=owner, better=better.value, chosen_at=time.time()
        )
        async with self._database.writing() as connection:
            found = {row.id: row for row in await connection.execute(theirs)}
            one, other = found.get(left), found.get(right)
            if one is None or other is None:
                return False
            if (other.arm_of, other.question) != (one.conversation, one.question):
                return False
            await connection.execute(
                row.on_conflict_do_update(
                    index_elements=["left_answer", "right_answer"],
                    set_={"better": row.excluded.better, "chosen_at": row.excluded.chosen_at},
                )
            )
            return True

    async def of(self, arm: str, most: int) -> list[tuple[str, str, Better]]:
        """The newest `most` preferences that regard answers of this second arm, oldest first: the ids of two answers,
        and which is better.
        """
        table, generation = schema.preference.c, schema.generation.c
        newest = (
            select(table.left_answer, table.right_answer, table.better)
            .join(schema.generation, generation.id == table.right_answer)
            .where(generation.conversation == arm)
            .order_by(table.chosen_at.desc())
            .limit(most)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(newest)).all()
            return [(row.left_answer, row.right_answer, Better(row.better)) for row in reversed(rows)]
