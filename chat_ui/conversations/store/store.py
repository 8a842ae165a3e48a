"""The store: conversations in a database.

All writes are of whole values and idempotent, so a write with an unknown outcome is repeated.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias, TypeVar

from sqlalchemy import ColumnElement, Double, Select, Table, cast, delete, extract, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from chat_ui.conversations.records.feedback import Feedback, Rating
from chat_ui.conversations.records.records import (
    AnswerHead,
    Changes,
    ConversationRecord,
    GenerationRecord,
    Outline,
    Status,
    StoredAnswer,
    Transcript,
)
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.rows import (
    Batch,
    answer_head,
    asked_of,
    belongs_to,
    conversation_record,
    conversation_row,
    feedback_of,
    generation_record,
    generation_row_in_turn,
    hold,
    measure,
    storable,
    turn_record,
    turn_row,
)
from chat_ui.errors import StoreRefusedError
from chat_ui.protocol.events import JsonObject

QUESTION_HEAD: Final = 2001
"""Characters of each question in an outline: one more than the page shows, which tells that it is cut."""
_EXPORTED_TOGETHER: Final = 20
_WRITTEN_TOGETHER: Final = 100
_READ_TOGETHER: Final = 50
T = TypeVar("T")
ShownTurn: TypeAlias = tuple[str, str | None, str]
"""A question, and its shown answer as it is kept, else None, with its text separate."""
Origin: TypeAlias = JsonObject
"""The memory of the backend of a turn's answer, perhaps empty."""
_DATABASE_CLOCK: Final = cast(extract("epoch", func.clock_timestamp()), Double)


class Store:
    """Conversations in `database`. Every method raises StoreUnavailableError if the database cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def write(self, changes: Changes) -> set[str]:
        """Write all of `changes`, or nothing; the ids of those `alive` that another process has closed.

        Of an existing conversation only the time changes: `StoredList` changes its title and pin.

        Raises:
            StoreRefusedError: a conversation, or the question before one, is gone; or the database does not take a
                value.
        """
        closed: set[str] = set()
        ended = [record.id for record in changes.generations if record.status is not Status.RUNNING]
        generations = [await generation_row_in_turn(record) for record in changes.generations]
        concerned = {turn.conversation for turn in changes.turns} | {one.conversation for one in changes.generations}
        written = concerned | {one.id for one in changes.conversations}
        async with self._database.writing() as connection:
            await hold(connection, schema.conversation.c.id.in_(written))
            if before := {one.parent for one in changes.turns if one.parent} - {one.id for one in changes.turns}:
                there = select(func.count()).where(schema.turn.c.id.in_(before))
                if await connection.scalar(there) != len(before):
                    raise StoreRefusedError("an earlier question is not there any more")
            await self._put(
                connection,
                schema.conversation,
                map(conversation_row, changes.conversations),
                ("updated_at",),
                only_if=lambda new: new.updated_at > schema.conversation.c.updated_at,
            )
            await self._put(connection, schema.turn, map(turn_row, changes.turns), ("shown", "chosen"))
            await self._put(
                connection,
                schema.generation,
                generations,
                (
                    "status",
                    "text",
                    "answer",
                    "error",
                    "sources",
                    "followups",
                    "backend",
                    "ended_at",
                    "alive_at",
                    "size",
                ),
                alive_at=self._now(),
            )
            if dropped := (*ended, *changes.anew):
                await connection.execute(delete(schema.piece).where(schema.piece.c.generation.in_(dropped)))
            await self._put(
                connection,
                schema.piece,
                (
                    {"generation": piece.generation, "start": piece.start, "text": storable(piece.text)}
                    for piece in changes.pieces
                ),
                ("text",),
                key=("generation", "start"),
            )
            if changes.alive:
                generation = schema.generation.c
                alive = update(schema.generation).where(generation.id.in_(changes.alive)).values(alive_at=self._now())
                renewed = await connection.execute(alive.returning(generation.id, generation.status))
                closed = {row.id for row in renewed if row.status != Status.RUNNING.value}
            people = ({"id": owner, "current": current} for owner, current in changes.current.items())
            await self._put(connection, schema.person, people, ("current",))
            await measure(connection, concerned)
        return closed

    async def bring_in(self, batch: Batch) -> None:
        """Write a batch of an import, all of it or nothing.

        Its conversations are hidden as if deleted until the last batch. An import that breaks off therefore leaves
        nothing visible, can be repeated, and is purged. Feedback is given then.
        """
        async with self._database.writing() as connection:
            await self._put(connection, schema.conversation, batch.conversations, ("updated_at",))
            await self._put(connection, schema.turn, batch.turns, ("shown",))
            await self._put(connection, schema.generation, batch.generations, ("status",), alive_at=self._now())
            await self._put(connection, schema.feedback, batch.feedback, ("given_at",), key=("answer",))
            parts = (*batch.turns, *batch.generations, *batch.feedback)
            await measure(connection, {row["conversation"] for row in parts})
            if batch.ends is not None:
                owner, mark = batch.ends
                conversation = schema.conversation.c
                is_its = (conversation.owner == owner) & (conversation.deleted_at == mark)
                of_its = schema.feedback.c.conversation.in_(select(conversation.id).where(is_its))
                await connection.execute(update(schema.feedback).where(of_its).values(given_at=time.time()))
                await connection.execute(update(schema.conversation).where(is_its).values(deleted_at=None))

    async def has(self, conversation_id: str) -> bool:
        """Whether a conversation of this id exists, deleted or not."""
        table = schema.conversation.c
        async with self._database.reading() as connection:
            return await connection.scalar(select(table.id).where(table.id == conversation_id)) is not None

    async def current(self, owner: str) -> str | None:
        """The id of the conversation that the person had open last."""
        async with self._database.reading() as connection:
            current = select(schema.person.c.current).where(schema.person.c.id == owner)
            return (await connection.execute(current)).scalar_one_or_none()

    async def outline(self, owner: str, conversation_id: str) -> Outline | None:
        """The structure of the person's conversation; None for other people's and deleted ones."""
        turn, generation = schema.turn.c, schema.generation.c
        async with self._database.reading() as connection:
            record = await _conversation(connection, owner, conversation_id)
            if record is None:
                return None
            question = func.substr(turn.question, 1, QUESTION_HEAD).label("question")
            others = (turn.id, turn.conversation, turn.parent, turn.place, turn.asked_at, turn.shown, turn.chosen)
            decided = (turn.decides, turn.decision)
            turns = await _read(
                connection,
                select(question, *others, *decided)
                .where(turn.conversation == conversation_id)
                .order_by(turn.place, turn.asked_at, turn.serial),
                turn_record,
            )
            heads: defaultdict[str, list[AnswerHead]] = defaultdict(list)
            for turn_id, head in await _read(
                connection,
                select(
                    generation.id,
                    generation.turn,
                    generation.number,
                    generation.status,
                    generation.error,
                    generation.sources,
                    generation.followups,
                    generation.backend,
                    func.length(generation.text).label("characters"),
                )
                .where(generation.conversation == conversation_id)
                .order_by(generation.number),
                lambda row: (row.turn, answer_head(row)),
            ):
                heads[turn_id].append(head)
            given = select(schema.feedback.c.answer, schema.feedback.c.rating).where(
                schema.feedback.c.conversation == conversation_id, schema.feedback.c.rating.is_not(None)
            )
            ratings = dict(await _read(connection, given, lambda row: (row.answer, Rating(row.rating))))
            by_turn = {turn_id: tuple(found) for turn_id, found in heads.items()}
            return Outline(record, tuple(turns), by_turn, ratings)

    async def answer(self, owner: str, generation_id: str) -> StoredAnswer | None:
        """The person's answer of that id, as far as it is kept; None for other people's."""
        return (await self._answers((schema.generation.c.id == generation_id) & belongs_to(owner))).get(generation_id)

    async def answers(self, generation_ids: Sequence[str]) -> dict[str, StoredAnswer]:
        """The existing ones of these answers, by their ids; the caller checks their owner."""
        return await self._answers(schema.generation.c.id.in_(generation_ids))

    async def _answers(self, which: ColumnElement[bool]) -> dict[str, StoredAnswer]:
        generation = schema.generation
        async with self._database.reading() as connection:
            found = await connection.execute(
                select(generation, schema.turn.c.question)
                .join(schema.turn, schema.turn.c.id == generation.c.turn)
                .join(schema.conversation, schema.conversation.c.id == generation.c.conversation)
                .where(which)
            )
            rows = found.all()
            texts = await _texts(connection, rows)
            return {row.id: StoredAnswer(generation_record(row, texts[row.id]), row.question) for row in rows}

    async def are_decided(self, answers: Iterable[str | None]) -> bool:
        """Whether a turn decides on one of these answers."""
        decides = schema.turn.c.decides
        async with self._database.reading() as connection:
            return await connection.scalar(select(decides).where(decides.in_(answers))) is not None

    async def transcript(self, owner: str, conversation_id: str) -> Transcript | None:
        """The person's whole conversation; None for other people's."""
        async with self._database.reading() as connection:
            record = await _conversation(connection, owner, conversation_id)
            return (await _transcripts(connection, [record]))[0] if record else None

    async def shown_with_origins(
        self, owner: str, conversation_id: str
    ) -> tuple[str, list[ShownTurn], list[Origin]] | None:
        """The title, the shown turns, unread, and the origin of each answer; None as in `transcript`."""
        turn, generation = schema.turn.c, schema.generation.c
        async with self._database.reading() as connection:
            record = await _conversation(connection, owner, conversation_id)
            if record is None:
                return None
            chosen = (generation.turn == turn.id) & (generation.number == turn.chosen)
            rows = await _read(
                connection,
                select(
                    turn.question,
                    generation.id,
                    generation.status,
                    generation.answer,
                    generation.text,
                    generation.backend,
                )
                .join_from(schema.turn, schema.generation, chosen, isouter=True)
                .where(turn.conversation == conversation_id, turn.shown.is_(True))
                .order_by(turn.place),
                lambda row: row,
            )
            texts = await _texts(connection, rows)
            shown = [(row.question, row.answer, texts[row.id] or "") for row in rows]
            return record.title, shown, [asked_of(row.backend or "{}") for row in rows]

    async def transcripts(self, owner: str) -> AsyncIterator[Transcript]:
        """All conversations of the person, oldest first, read a few at a time."""
        conversation = schema.conversation
        after = ""
        while True:
            # A slow reader of these does not keep a connection meanwhile.
            async with self._database.reading() as connection:
                found = await connection.execute(
                    select(conversation)
                    .where(belongs_to(owner), conversation.c.id > after)
                    .order_by(conversation.c.id)
                    .limit(_EXPORTED_TOGETHER)
                )
                transcripts = await _transcripts(connection, list(map(conversation_record, found)))
            if not transcripts:
                return
            after = transcripts[-1].conversation.id
            for transcript in transcripts:
                yield transcript

    async def lapsed(self, seconds: float) -> list[str]:
        """The ids of running generations that were not renewed for `seconds`, or by a clock that was ahead by as many.
        Negative seconds also give those that were renewed up to so many seconds ahead.
        """
        generation = schema.generation.c
        async with self._database.reading() as connection:
            found = await connection.execute(select(generation.id).where(*self._lapsed(seconds)))
            return list(found.scalars())

    async def close_lapsed(self, seconds: float, texts: Mapping[str, str]) -> set[str]:
        """Mark these generations as interrupted, unless they were renewed; the ids of their conversations.

        The text becomes the flushed one, or that in `texts` by the generation's id if longer.
        """
        generation = schema.generation
        lapsed = self._lapsed(seconds)
        async with self._database.writing() as connection:
            rows = (await connection.execute(select(generation).where(generation.c.id.in_(texts), *lapsed))).all()
            await hold(connection, schema.conversation.c.id.in_({row.conversation for row in rows}))
            flushed = await _texts(connection, rows)
            closed = []
            for row in rows:
                changed = await connection.execute(
                    update(generation)
                    .where(generation.c.id == row.id, *lapsed)
                    .values(
                        status=Status.INTERRUPTED.value,
                        text=(text := max(flushed[row.id], storable(texts[row.id]), key=len)),
                        size=row.size + len(text.encode()),
                        ended_at=row.alive_at,
                    )
                )
                if changed.rowcount:
                    closed.append(row)
            await connection.execute(delete(schema.piece).where(schema.piece.c.generation.in_([r.id for r in closed])))
            concerned = {row.conversation for row in closed}
            await measure(connection, concerned)
            return concerned

    def _lapsed(self, seconds: float) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        generation, now = schema.generation.c, self._now()
        lapsed = generation.alive_at < now - seconds
        if seconds > 0:
            lapsed = lapsed | (generation.alive_at > now + seconds)
        return generation.status == Status.RUNNING.value, lapsed

    def _now(self) -> ColumnElement[float] | float:
        """The time by one clock for all processes: of the machine, or of PostgreSQL for several machines."""
        return time.time() if self._database.is_sqlite else _DATABASE_CLOCK

    async def _put(
        self,
        connection: AsyncConnection,
        table: Table,
        rows: Iterable[Mapping[str, Any]],
        changing: Sequence[str],
        *,
        key: Sequence[str] = ("id",),
        only_if: Callable[[Any], ColumnElement[bool]] | None = None,
        **same: ColumnElement[float] | float,
    ) -> None:
        """Insert the rows, with the `same` values. Update `changing` columns of existing ones that meet `only_if`."""
        insert = (sqlite if self._database.is_sqlite else postgresql).insert(table).values(same)
        statement = insert.on_conflict_do_update(
            index_elements=list(key),
            set_={column: insert.excluded[column] for column in changing},
            where=only_if(insert.excluded) if only_if is not None else None,
        )
        # Other tasks run in between.
        remaining = iter(rows)
        while values := list(islice(remaining, _WRITTEN_TOGETHER)):
            await connection.execute(statement, values)


async def _read(connection: AsyncConnection, query: Select[Any], made_of: Callable[[Any], T]) -> list[T]:
    """The result of `made_of` for each row of `query`; other tasks run in between."""
    made: list[T] = []
    async for rows in (await connection.stream(query)).partitions(_READ_TOGETHER):
        made += map(made_of, rows)
    return made


async def _conversation(connection: AsyncConnection, owner: str, conversation_id: str) -> ConversationRecord | None:
    table = schema.conversation
    found = await connection.execute(select(table).where(table.c.id == conversation_id, belongs_to(owner)))
    row = found.one_or_none()
    return conversation_record(row) if row else None


async def _transcripts(connection: AsyncConnection, records: Sequence[ConversationRecord]) -> list[Transcript]:
    ids = [record.id for record in records]
    turn, generation = schema.turn, schema.generation
    by_conversation = defaultdict(list)
    for record in await _read(
        connection,
        select(turn).where(turn.c.conversation.in_(ids)).order_by(turn.c.place, turn.c.asked_at, turn.c.serial),
        turn_record,
    ):
        by_conversation[record.conversation].append(record)
    rows = await _read(
        connection,
        select(generation).where(generation.c.conversation.in_(ids)).order_by(generation.c.started_at),
        lambda row: row,
    )
    texts = await _texts(connection, rows)
    made: defaultdict[str, list[GenerationRecord]] = defaultdict(list)
    for number, row in enumerate(rows):
        if number % _READ_TOGETHER == 0:
            await asyncio.sleep(0)
        made[row.conversation].append(generation_record(row, texts[row.id]))
    feedback: defaultdict[str, dict[str, Feedback]] = defaultdict(dict)
    given = select(schema.feedback).where(schema.feedback.c.conversation.in_(ids))
    for of, answer, found in await _read(
        connection, given, lambda row: (row.conversation, row.answer, feedback_of(row))
    ):
        feedback[of][answer] = found
    return [Transcript(one, tuple(by_conversation[one.id]), tuple(made[one.id]), feedback[one.id]) for one in records]


async def _texts(connection: AsyncConnection, rows: Sequence[Any]) -> dict[str, str]:
    texts = {row.id: row.text for row in rows}
    running = [row.id for row in rows if row.status == Status.RUNNING.value]
    if running:
        piece = schema.piece
        pieces = await connection.execute(
            select(piece).where(piece.c.generation.in_(running)).order_by(piece.c.generation, piece.c.start)
        )
        for row in pieces:
            texts[row.generation] += row.text
    return texts
