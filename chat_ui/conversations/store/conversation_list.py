"""A person's list of conversations in the store: paging, search, and operations on whole conversations."""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, delete, exists, func, select, text, tuple_, update

from chat_ui.conversations.records.records import MAX_TITLE, ConversationRecord, Found, Status
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.rows import belongs_to, conversation_record, hold, storable, takes_decision
from chat_ui.errors import StillAnsweringError

MOST_PINNED: Final = 100
"""Pinned conversations of one person: the first page of the list begins with all of them."""
_WORD = re.compile(r"\w+")
_SEARCHED_WORDS: Final = 16

_SEARCH_SECONDS: Final = 2.0
_FOUND_AT_MOST: Final = 500
_MATCHES: Final = {
    True: "FROM {table}_search JOIN {table} ON {table}.serial = {table}_search.rowid"
    " JOIN conversation c ON c.id = {table}.conversation WHERE {table}_search MATCH :words",
    False: "FROM {table} JOIN conversation c ON c.id = {table}.conversation"
    " WHERE {table}.words @@ to_tsquery('simple', :words)",
}
"""The condition for rows with the words, by whether the database is SQLite."""
_SEARCHED: Final = (schema.turn.c.question, schema.generation.c.text)
_FIRST_OF_EACH: Final = (
    "SELECT coalesce(c.arm_of, c.id) AS id, min({table}.serial) AS serial {matches}"
    " AND c.owner = :owner AND c.deleted_at IS NULL"
    " GROUP BY coalesce(c.arm_of, c.id), c.updated_at ORDER BY c.updated_at DESC LIMIT :most"
)
EXCERPTED: Final = 20_000
"""Characters of a text that an excerpt looks at; for a later match the excerpt is the beginning."""
_BEFORE: Final = 40
_AFTER: Final = 80


@dataclass(frozen=True, slots=True)
class Place:
    """The end of a page of the list, after which the next one begins."""

    updated_at: float
    id: str


class StoredList:
    """The lists of conversations in `database`. Every method raises StoreUnavailableError if it cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, owner: str, after: Place | None, limit: int) -> list[ConversationRecord]:
        """The person's conversations that are not pinned, newest first, `limit` at most, from `after` on.

        The cost is the same for each page.
        """
        table = schema.conversation.c
        query = _listed(owner).where(table.pinned.is_(False)).limit(limit)
        if after is not None:
            query = query.where(tuple_(table.updated_at, table.id) < tuple_(after.updated_at, after.id))
        return await self._read(query)

    async def pinned(self, owner: str) -> list[ConversationRecord]:
        """The person's pinned conversations, newest first."""
        return await self._read(_listed(owner).where(schema.conversation.c.pinned.is_(True)))

    async def search(self, owner: str, words: str, limit: int) -> list[Found]:
        """The person's conversations in which one question or answer, or the title, has all `words`, newest first. A
        match in a second column gives its conversation.

        Case and, on SQLite, accents make no difference; each word also finds longer words with it as their beginning.

        Raises:
            TooCostlyError: the search exceeded its timeout.
        """
        sought = _WORD.findall(words)[:_SEARCHED_WORDS]
        if not sought:
            return []
        if self._database.is_sqlite:
            match = " ".join(f'"{word}"*' for word in sought)
        else:
            match = " & ".join(f"'{word}':*" for word in sought)
        table = schema.conversation.c
        titled = [table.title.icontains(word, autoescape=True) for word in sought]
        async with self._database.reading(_SEARCH_SECONDS) as connection:
            first: list[dict[str, int]] = []
            for column in _SEARCHED:
                name = column.table.name
                matches = _MATCHES[self._database.is_sqlite].format(table=name)
                query = text(_FIRST_OF_EACH.format(table=name, matches=matches))
                rows = await connection.execute(query, {"words": match, "owner": owner, "most": _FOUND_AT_MOST})
                of_each: dict[str, int] = {}
                for row in rows:
                    of_each.setdefault(row.id, row.serial)
                first.append(of_each)
            is_found = table.id.in_(set().union(*first)) | and_(*titled)
            found = await connection.execute(_listed(owner).where(is_found).limit(limit))
            records = list(map(conversation_record, found))
            excerpts: dict[str, str] = {}
            for column, serials in zip(_SEARCHED, first, strict=True):
                shown = {serials[one.id]: one.id for one in records if one.id in serials and one.id not in excerpts}
                of_row = column.table.c
                beginning = func.substr(column, 1, EXCERPTED)
                for row in await connection.execute(
                    select(of_row.serial, beginning.label("text")).where(of_row.serial.in_(shown))
                ):
                    excerpts[shown[row.serial]] = excerpt_of(row.text, sought)
            return [Found(one, excerpts.get(one.id, "")) for one in records]

    async def updated(self, owner: str, conversation_ids: Sequence[str]) -> dict[str, float]:
        """The last change of each of these conversations that is the person's."""
        table = schema.conversation.c
        wanted = select(table.id, table.updated_at).where(belongs_to(owner), table.id.in_(conversation_ids))
        async with self._database.reading() as connection:
            return {row.id: row.updated_at for row in await connection.execute(wanted)}

    async def waiting_among(self, owner: str, conversation_ids: Sequence[str]) -> set[str]:
        """Those of the person's conversations in which an agent waits for them, also in the second column. Recorded
        and imported answers do not count.
        """
        conversation, turn, generation = schema.conversation.c, schema.turn.c, schema.generation.c
        later, listed = schema.turn.alias().c, func.coalesce(conversation.compared_with, conversation.id)
        is_listed = conversation.id.in_(conversation_ids) | conversation.compared_with.in_(conversation_ids)
        is_last = ~exists().where(later.conversation == turn.conversation, later.shown, later.place > turn.place)
        waiting = (
            select(listed)
            .join_from(schema.conversation, schema.turn, turn.conversation == conversation.id)
            .join(schema.generation, (generation.turn == turn.id) & (generation.number == turn.chosen))
            .where(belongs_to(owner), is_listed, turn.shown, is_last)
            .where(generation.status == Status.WAITING.value, takes_decision(generation.backend))
        )
        async with self._database.reading() as connection:
            return set((await connection.execute(waiting)).scalars())

    async def rename(self, owner: str, conversation_id: str, title: str) -> bool:
        """Give it a title of at most `MAX_TITLE` characters; False if it is not the person's."""
        own = _own(owner, conversation_id)
        return await self._change(own, title=storable(title)[:MAX_TITLE], renamed=True)

    async def pin(self, owner: str, conversation_id: str, pinned: bool) -> bool:
        """Pin or unpin it; False if it is not the person's."""
        return await self._change(_own(owner, conversation_id), pinned=pinned)

    async def delete(self, owner: str, conversation_id: str) -> bool:
        """Delete it with its second column; both can be restored until purged. False if it is not the person's."""
        return await self._change(belongs_to(owner) & _is_of(conversation_id), deleted_at=time.time())

    async def restore(self, owner: str, conversation_id: str) -> bool:
        """Restore a deleted one with the second column that was deleted with it; False if it is purged."""
        is_theirs = schema.conversation.c.owner == owner
        return await self._change(is_theirs & _was_deleted_with(conversation_id), deleted_at=None)

    async def bytes_of(self, owner: str) -> tuple[int, int]:
        """The bytes of the person's conversations, and of their deleted ones."""
        table = schema.conversation.c
        own = select(func.sum(table.size)).where(table.owner == owner)
        async with self._database.reading() as connection:
            kept = await connection.scalar(own.where(table.deleted_at.is_(None)))
            deleted = await connection.scalar(own.where(table.deleted_at.is_not(None)))
            return int(kept or 0), int(deleted or 0)

    async def bytes_to_restore(self, owner: str, conversation_id: str) -> int:
        """The bytes that `restore` would bring back."""
        table = schema.conversation.c
        deleted = select(func.sum(table.size)).where(table.owner == owner, _was_deleted_with(conversation_id))
        async with self._database.reading() as connection:
            return int(await connection.scalar(deleted) or 0)

    async def bytes_of_all(self) -> int:
        """The bytes of everything in the store."""
        async with self._database.reading() as connection:
            return int(await connection.scalar(select(func.sum(schema.conversation.c.size))) or 0)

    async def delete_all(self, owner: str) -> int:
        """Remove everything of the person for good; the number of conversations."""
        async with self._database.writing() as connection:
            own = schema.conversation.c.owner == owner
            await hold(connection, own, to_delete=True)
            removed = await connection.execute(delete(schema.conversation).where(own))
            await connection.execute(delete(schema.person).where(schema.person.c.id == owner))
            return removed.rowcount

    async def hand_over(self, owner: str, to: str, only: str = "") -> list[str]:
        """Make everything of the person, or `only` one conversation with its second column, another person's; the ids
        of the conversations.

        Raises:
            StillAnsweringError: an answer of them runs, in any process.
        """
        table, preference = schema.conversation.c, schema.preference
        which = belongs_to(owner) & _is_of(only) if only else table.owner == owner
        theirs = schema.generation.c.conversation.in_(select(table.id).where(which))
        answers = select(schema.generation.c.id).where(theirs)
        async with self._database.writing() as connection:
            await hold(connection, which)
            if await connection.scalar(answers.where(schema.generation.c.status == Status.RUNNING.value).limit(1)):
                raise StillAnsweringError
            of_answers = preference.c.left_answer.in_(answers)
            await connection.execute(update(preference).where(of_answers).values(owner=to))
            if not only:
                await connection.execute(delete(schema.person).where(schema.person.c.id == owner))
            moved = update(schema.conversation).where(which).values(owner=to).returning(table.id)
            return list((await connection.execute(moved)).scalars())

    async def count(self, owner: str) -> int:
        """The number of the person's conversations in the list."""
        listed = _listed(owner).order_by(None).subquery()
        async with self._database.reading() as connection:
            return int(await connection.scalar(select(func.count()).select_from(listed)) or 0)

    async def second_columns_of(self, owner: str, conversation_id: str) -> list[str]:
        """The ids of the second columns of the person's conversation, the newest first: two processes can begin two."""
        table = schema.conversation.c
        newest = (
            select(table.id)
            .where(belongs_to(owner), table.compared_with == conversation_id)
            .order_by(table.created_at.desc())
        )
        async with self._database.reading() as connection:
            return list((await connection.execute(newest)).scalars())

    async def part(self, owner: str, conversation_id: str) -> None:
        """Make the second column of the person's conversation a conversation in the list."""
        is_second = schema.conversation.c.compared_with == conversation_id
        await self._change(belongs_to(owner) & is_second, compared_with=None)

    async def newest_date(self) -> float | None:
        """The newest time at which a conversation was changed or deleted; None without conversations."""
        table = schema.conversation.c
        async with self._database.reading() as connection:
            dates = [await connection.scalar(select(func.max(one))) for one in (table.updated_at, table.deleted_at)]
            return max((date for date in dates if date is not None), default=None)

    async def purge(
        self, *, deleted_before: float, older_than: float | None = None, in_use: Collection[str] = ()
    ) -> int:
        """Remove for good conversations deleted before a time, and those not touched since another unless they are
        `in_use`; their number. A second column is touched and removed with its conversation.
        """
        table = schema.conversation.c
        gone: ColumnElement[bool] = table.deleted_at < deleted_before
        if older_than is not None:
            column, first = schema.conversation.alias().c, schema.conversation.alias().c
            touched = select(column.compared_with).where(
                column.compared_with.is_not(None), column.updated_at >= older_than
            )
            old = select(first.id).where(
                first.updated_at < older_than, first.id.not_in(touched), first.id.not_in(in_use)
            )
            gone = gone | func.coalesce(table.compared_with, table.id).in_(old)
        async with self._database.writing() as connection:
            await hold(connection, gone, to_delete=True)
            removed = (await connection.execute(delete(schema.conversation).where(gone))).rowcount
            if removed:
                await connection.execute(delete(schema.person).where(schema.person.c.id.not_in(select(table.owner))))
            return removed

    async def _read(self, query: Select[Any]) -> list[ConversationRecord]:
        async with self._database.reading() as connection:
            return list(map(conversation_record, await connection.execute(query)))

    async def _change(self, which: ColumnElement[bool], **values: object) -> bool:
        """Set these columns of some conversations; False if none was found."""
        async with self._database.writing() as connection:
            changed = await connection.execute(update(schema.conversation).where(which).values(**values))
            return changed.rowcount > 0


def _listed(owner: str) -> Select[Any]:
    """The person's listed conversations, newest first, without second columns."""
    table = schema.conversation
    listed = select(table).where(belongs_to(owner), table.c.compared_with.is_(None))
    return listed.order_by(table.c.updated_at.desc(), table.c.id.desc())


def _own(owner: str, conversation_id: str) -> ColumnElement[bool]:
    return belongs_to(owner) & (schema.conversation.c.id == conversation_id)


def _is_of(conversation_id: str) -> ColumnElement[bool]:
    """The conversation, or its second column."""
    table = schema.conversation.c
    return (table.id == conversation_id) | (table.compared_with == conversation_id)


def _was_deleted_with(conversation_id: str) -> ColumnElement[bool]:
    """The conversation, or its second column that was deleted at the same time."""
    first = schema.conversation.alias().c
    deleted_at = select(first.deleted_at).where(first.id == conversation_id).scalar_subquery()
    return _is_of(conversation_id) & (schema.conversation.c.deleted_at == deleted_at)


def excerpt_of(text: str, words: Sequence[str]) -> str:
    """The text around the first of `words`, in any case and accents, on one line."""
    plain = _plain(text)
    # If plain letters have another length, places in both texts are not the same.
    same = len(plain) == len(text)
    begins = (re.search(rf"(?<!\w){re.escape(_plain(word))}", plain) for word in words if same)
    at = next((found.start() for found in begins if found), 0)
    start = max(0, at - _BEFORE)
    if start:
        start = text.find(" ", start, at) + 1 or at
    end = at + _AFTER
    if end < len(text):
        end = max(text.rfind(" ", at + 1, end), at) if " " in text[at + 1 : end] else end
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def _plain(text: str) -> str:
    lower = text.lower()
    if lower.isascii():
        return lower
    return "".join(unicodedata.normalize("NFD", character)[0] for character in lower)
