"""Opinions of people on answers, in the store: feedback, and preferences between two answers.

Feedback is deleted with its answer, and counts as a part of the conversation.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Final

from sqlalchemy import Integer, delete, func, literal, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from chat_ui.conversations.records.feedback import Feedback
from chat_ui.conversations.records.records import Better, FeedbackEntry
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.rows import belongs_to, feedback_of, feedback_row, generation_record, hold, measure

MOST_SAID_BEFORE: Final = 50
"""Turns before a question that are given with it."""
MOST_SAID_CHARACTERS: Final = 1_000_000
"""Characters of these turns, the nearest first."""
_READ_TOGETHER: Final = 20


class StoredFeedback:
    """The feedback in `database`. Every method raises StoreUnavailableError if it cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, owner: str, answer: str) -> Feedback:
        """The person's feedback on the answer of this id; empty if it is not theirs."""
        table, conversation = schema.feedback, schema.conversation.c
        query = (
            select(table)
            .join(schema.conversation, conversation.id == table.c.conversation)
            .where(table.c.answer == answer, belongs_to(owner))
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
            return feedback_of(row) if row is not None else Feedback()

    async def change(
        self, owner: str, answer: str, change: Callable[[Feedback], Feedback]
    ) -> tuple[Feedback, Feedback] | None:
        """Replace the person's feedback on an answer by `change` of it, and return both; None if the answer is not
        theirs, or gone. Errors of `change` are raised, and change nothing.
        """
        table, conversation, generation = schema.feedback, schema.conversation.c, schema.generation.c
        its_own = select(generation.conversation).where(generation.id == answer).scalar_subquery()
        is_theirs = (conversation.id == its_own) & belongs_to(owner)
        async with self._database.writing() as connection:
            await hold(connection, is_theirs)
            found = await connection.scalar(select(conversation.id).where(is_theirs))
            if found is None:
                return None
            row = (await connection.execute(select(table).where(table.c.answer == answer))).one_or_none()
            former = feedback_of(row) if row is not None else Feedback()
            changed = replace(change(former), given_at=former.given_at)
            if changed == former:
                return former, former
            changed = replace(changed, given_at=time.time())
            await connection.execute(delete(table).where(table.c.answer == answer))
            if changed:
                await connection.execute(table.insert().values(feedback_row(answer, found, changed)))
            await measure(connection, [found])
            return former, changed

    async def given(self, owner: str | None = None, since: float = 0.0) -> AsyncIterator[FeedbackEntry]:
        """The feedback of a person or of all people since `since`, in seconds since 1970, oldest change first."""
        table, conversation = schema.feedback.c, schema.conversation.c
        after: tuple[float, str] = (since, "")
        while True:
            query = (
                select(table.given_at, table.answer)
                .join(schema.conversation, conversation.id == table.conversation)
                .where(conversation.deleted_at.is_(None), tuple_(table.given_at, table.answer) > tuple_(*after))
                .order_by(table.given_at, table.answer)
                .limit(_READ_TOGETHER)
            )
            if owner is not None:
                query = query.where(conversation.owner == owner)
            # A slow reader of these does not keep a connection meanwhile.
            async with self._database.reading() as connection:
                rows = (await connection.execute(query)).all()
            for row in rows:
                # Each separately: an answer with its history may be large.
                if (one := await self.given_for(row.answer)) is not None:
                    yield one
            if len(rows) < _READ_TOGETHER:
                return
            after = (rows[-1].given_at, rows[-1].answer)

    async def given_for(self, answer: str) -> FeedbackEntry | None:
        """The feedback on the answer of this id; None if missing, or if its conversation is deleted."""
        table, generation, conversation = schema.feedback, schema.generation, schema.conversation.c
        is_it = (table.c.answer == answer) & conversation.deleted_at.is_(None)
        its_feedback = select(table).join(schema.conversation, conversation.id == table.c.conversation).where(is_it)
        its_answer = (
            select(generation, schema.turn.c.question, schema.turn.c.decides)
            .join(schema.turn, schema.turn.c.id == generation.c.turn)
            .where(generation.c.id == answer)
        )
        async with self._database.reading() as connection:
            feedback = (await connection.execute(its_feedback)).one_or_none()
            row = (await connection.execute(its_answer)).one_or_none()
            if feedback is None or row is None:
                return None
            said_before = await _said_before(connection, row.turn)
            question = said_before.pop()[0] if row.decides is not None and said_before else row.question
            made = generation_record(row, row.text)
            return FeedbackEntry(feedback_of(feedback), made, question, tuple(said_before))


async def _said_before(connection: AsyncConnection, turn_id: str) -> list[tuple[str, str]]:
    """Questions and chosen answers before a turn, on its path. The answer after a decision belongs to its question."""
    turn, generation = schema.turn.c, schema.generation.c
    way = select(turn.id, turn.parent, literal(0, Integer).label("back")).where(turn.id == turn_id).cte(recursive=True)
    step = select(turn.id, turn.parent, (way.c.back + 1).label("back"))
    way = way.union_all(step.join_from(schema.turn, way, turn.id == way.c.parent).where(way.c.back < MOST_SAID_BEFORE))
    chosen = (generation.turn == turn.id) & (generation.number == turn.chosen)
    characters = func.length(turn.question) + func.length(generation.text)
    sizes = (
        select(generation.id, way.c.back, func.sum(characters).over(order_by=way.c.back).label("so_far"))
        .join_from(schema.turn, way, turn.id == way.c.id)
        .join(schema.generation, chosen)
        .where(way.c.back > 0)
        .subquery()
    )
    found = await connection.execute(
        select(turn.question, turn.decides, generation.text)
        .join_from(schema.generation, sizes, generation.id == sizes.c.id)
        .join(schema.turn, turn.id == generation.turn)
        .where(sizes.c.so_far <= MOST_SAID_CHARACTERS)
        .order_by(sizes.c.back.desc())
    )
    said: list[tuple[str, str]] = []
    for row in found:
        if row.decides is not None and said:
            question, text = said.pop()
            said.append((question, f"{text}\n\n{row.text}".strip()))
        else:
            said.append((row.question, row.text))
    return said


class Preferences:
    """The preferences in `database`. Every method raises StoreUnavailableError if it cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, owner: str, left: str, right: str, better: Better) -> bool:
        """Replace the preference between two answers to one question; False if they are not the person's."""
        table, generation, conversation, turn = (
            schema.preference,
            schema.generation.c,
            schema.conversation.c,
            schema.turn.c,
        )
        theirs = (
            select(generation.id, generation.conversation, conversation.compared_with, turn.question)
            .join(schema.conversation, conversation.id == generation.conversation)
            .join(schema.turn, turn.id == generation.turn)
            .where(belongs_to(owner), generation.id.in_((left, right)))
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
            if (other.compared_with, other.question) != (one.conversation, one.question):
                return False
            await connection.execute(
                row.on_conflict_do_update(
                    index_elements=["left_answer", "right_answer"],
                    set_={"better": row.excluded.better, "chosen_at": row.excluded.chosen_at},
                )
            )
            return True

    async def of(self, column: str, most: int) -> list[tuple[str, str, Better]]:
        """The newest `most` preferences about answers of this second column, oldest first: two ids, and the better."""
        table, generation = schema.preference.c, schema.generation.c
        newest = (
            select(table.left_answer, table.right_answer, table.better)
            .join(schema.generation, generation.id == table.right_answer)
            .where(generation.conversation == column)
            .order_by(table.chosen_at.desc())
            .limit(most)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(newest)).all()
            return [(row.left_answer, row.right_answer, Better(row.better)) for row in reversed(rows)]
