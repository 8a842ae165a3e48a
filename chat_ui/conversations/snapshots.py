"""Snapshots: copies of conversations that their owners share by a link.

A snapshot belongs to its conversation: it is deleted with it, cannot be read while that is deleted, and counts as a
part of it. The store has only a digest of its link.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from chat_ui.conversations.store import schema
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.quotas import Quotas
from chat_ui.conversations.store.rows import ROW_BYTES, belongs_to, hold, measure, storable
from chat_ui.errors import LimitReachedError
from chat_ui.protocol.translatable import msg

MOST_SNAPSHOTS: Final = 100


@dataclass(frozen=True, slots=True)
class SharedDocument:
    """An unchanging document, compressed with gzip, and the content security policy of its page."""

    compressed: bytes
    policy: str

    @property
    def size(self) -> int:
        """The bytes that it takes in the store."""
        return ROW_BYTES + len(self.compressed) + len(self.policy)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The facts of a snapshot beside its document; times are seconds since 1970."""

    id: str
    digest: str
    conversation: str
    title: str
    made_at: float
    ends_at: float


class Snapshots:
    """The snapshots in the database that `opened` gives. `quotas` checks the room, and `changed` takes a person with a
    changed list. They end by the clock `now`, in seconds since 1970. Links to them work if they `are_readable`. Every
    method raises StoreUnavailableError if the database cannot be used.
    """

    def __init__(
        self,
        opened: Callable[[], Database],
        quotas: Quotas,
        changed: Callable[[str], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._opened = opened
        self._quotas = quotas
        self._changed = changed
        self._now = now
        self.are_readable = False

    async def keep(self, owner: str, snapshot: Snapshot, document: SharedDocument) -> bool:
        """Keep a snapshot; False if the conversation is not the person's.

        Raises:
            LimitReachedError: the quota is exhausted, or the person has as many as they may.
        """
        await self._quotas.check(owner, document.size)
        if len(await self.of(owner)) >= MOST_SNAPSHOTS:
            raise LimitReachedError(
                msg(
                    "You have {most} shared links, which is the limit. Revoke one, then create this one.",
                    most=MOST_SNAPSHOTS,
                )
            )
        row = {
            "id": snapshot.id,
            "digest": snapshot.digest,
            "conversation": snapshot.conversation,
            "title": storable(snapshot.title),
            "made_at": snapshot.made_at,
            "ends_at": snapshot.ends_at,
            "policy": document.policy,
            "size": document.size,
            "document": document.compressed,
        }
        conversation = schema.conversation.c
        its_own = (conversation.id == snapshot.conversation) & belongs_to(owner)
        async with self._opened().writing() as connection:
            await hold(connection, its_own)
            if await connection.scalar(select(conversation.id).where(its_own)) is None:
                return False
            await connection.execute(insert(schema.snapshot).values(row))
            await measure(connection, [snapshot.conversation])
        self._changed(owner)
        return True

    async def of(self, owner: str) -> list[Snapshot]:
        """The person's snapshots that can be read, newest first."""
        table = schema.snapshot.c
        query = (
            select(table.id, table.digest, table.conversation, table.title, table.made_at, table.ends_at)
            .join(schema.conversation, schema.conversation.c.id == table.conversation)
            .where(belongs_to(owner), table.ends_at > self._now())
            .order_by(table.made_at.desc(), table.id)
        )
        async with self._opened().reading() as connection:
            return [Snapshot(**row) for row in (await connection.execute(query)).mappings()]

    async def shared_among(self, owner: str, conversation_ids: Sequence[str]) -> set[str]:
        """Those of the person's conversations with a readable snapshot."""
        if not self.are_readable:
            return set()
        table = schema.snapshot.c
        query = (
            select(table.conversation)
            .distinct()
            .join(schema.conversation, schema.conversation.c.id == table.conversation)
            .where(belongs_to(owner), table.conversation.in_(conversation_ids), table.ends_at > self._now())
        )
        async with self._opened().reading() as connection:
            return set((await connection.execute(query)).scalars())

    async def revoke(self, owner: str, snapshot_id: str) -> bool:
        """Remove a snapshot and so disable its link; False if it is not the person's."""
        conversation, table = schema.conversation.c, schema.snapshot.c
        query = select(table.conversation).join(schema.conversation, conversation.id == table.conversation)
        async with self._opened().writing() as connection:
            found = await connection.scalar(query.where(table.id == snapshot_id, conversation.owner == owner))
            is_gone = found is not None and await _remove(connection, [found], table.id == snapshot_id) > 0
        self._changed(owner)
        return is_gone

    async def document(self, digest: str) -> SharedDocument | None:
        """The document behind the link with this digest, for any reader; else None.

        A single query, which costs the same for every reason.
        """
        table = schema.snapshot.c
        query = (
            select(table.document, table.policy)
            .join(schema.conversation, schema.conversation.c.id == table.conversation)
            .where(table.digest == digest, table.ends_at > self._now(), schema.conversation.c.deleted_at.is_(None))
        )
        async with self._opened().reading() as connection:
            row = (await connection.execute(query)).one_or_none()
            return SharedDocument(row.document, row.policy) if row else None


async def purge_snapshots(database: Database, *, ended_before: float) -> int:
    """Remove for good the snapshots that ended before a time; their number.

    Raises:
        StoreUnavailableError: the database cannot be used.
    """
    table = schema.snapshot.c
    is_over = table.ends_at < ended_before
    async with database.writing() as connection:
        concerned = list((await connection.execute(select(table.conversation).where(is_over))).scalars())
        return await _remove(connection, concerned, is_over)


async def _remove(connection: AsyncConnection, conversations: Sequence[str], which: ColumnElement[bool]) -> int:
    """Remove snapshots of these conversations, and update their size; the number of snapshots."""
    if not conversations:
        return 0
    of_these = schema.conversation.c.id.in_(conversations)
    await hold(connection, of_these)
    removed = await connection.execute(
        delete(schema.snapshot).where(which, schema.snapshot.c.conversation.in_(conversations))
    )
    await measure(connection, conversations)
    return removed.rowcount
