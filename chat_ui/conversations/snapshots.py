"""Snapshots: copies of conversations that people share by a link."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final

from chat_ui.conversations.keeper import Keeper
from chat_ui.conversations.people.limits import LimitReachedError
from chat_ui.conversations.store.shares import Shares
from chat_ui.conversations.store.stored_snapshots import SharedDocument, Snapshot, StoredSnapshots
from chat_ui.protocol.translatable import msg

MOST_SNAPSHOTS: Final = 100
"""Snapshots of one person: their list is one page."""


class Snapshots:
    """The snapshots that `keeper` stores; `shares` says whether there is room, and `changed` takes a person whose list
    of conversations is another now. Everything here raises StoreUnavailableError where the store cannot be used.
    """

    def __init__(self, keeper: Keeper, shares: Shares, changed: Callable[[str], None]) -> None:
        self._keeper = keeper
        self._shares = shares
        self._changed = changed

    async def keep(self, owner: str, snapshot: Snapshot, document: SharedDocument) -> bool:
        """Keep a snapshot; False where the person has no such conversation.

        Raises:
            LimitReachedError: there is no room for it, or the person has as many as they may.
        """
        await self._shares.check(owner, document.size)
        if len(await self._stored.of(owner, time.time())) >= MOST_SNAPSHOTS:
            raise LimitReachedError(
                msg("You share {most} links already. Revoke one, then make this one.", most=MOST_SNAPSHOTS)
            )
        is_kept = await self._stored.keep(owner, snapshot, document)
        self._changed(owner)
        return is_kept

    async def of(self, owner: str) -> list[Snapshot]:
        """The person's snapshots that can be read, newest first."""
        return await self._stored.of(owner, time.time())

    async def shared_among(self, owner: str, conversation_ids: Sequence[str]) -> set[str]:
        """Those of the person's conversations of which there is a snapshot that can be read."""
        return await self._stored.shared_among(owner, conversation_ids, time.time())

    async def revoke(self, owner: str, snapshot_id: str) -> bool:
        """Remove a snapshot, whose link leads nowhere from now on; False where the person has no such one."""
        is_gone = await self._stored.remove(owner, snapshot_id)
        self._changed(owner)
        return is_gone

    async def document(self, digest: str) -> SharedDocument | None:
        """The document behind the link with this digest, whoever reads it; None where the link leads nowhere."""
        return await self._stored.document(digest, time.time())

    @property
    def _stored(self) -> StoredSnapshots:
        return self._keeper.snapshots
