"""Quotas of conversations in the store: of one person, and of all."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Final

from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.errors import LimitReachedError
from chat_ui.protocol.translatable import msg, size_in_words

logger = logging.getLogger(__name__)

PERSON_BYTES: Final = 256 * 1024 * 1024
STORE_BYTES: Final = 10 * 1024**3
_KNOWN_FOR: Final = 50
"""The sum of all is used for as many times as long as it took to find: two hundredths of the time go into it."""


class Quotas:
    """The quotas of one person and of all people; `lists` measure the use, `pending` the person's unwritten bytes."""

    def __init__(
        self, lists: Callable[[], StoredList], pending: Callable[[str], int], person_bytes: int, store_bytes: int
    ) -> None:
        self._lists = lists
        self._pending = pending
        self._person_bytes = person_bytes
        self._store_bytes = store_bytes
        self._all = 0
        self._known_until = 0.0
        self._told = False

    async def check(self, owner: str, more: int = 0, *, was_deleted: bool = False) -> None:
        """Check that the person may keep `more` bytes in addition, or restore as many deleted ones.

        Deleted conversations count as well, up to a further share.

        Raises:
            LimitReachedError: the quota is exhausted.
            StoreUnavailableError: the use is unknown.
        """
        # Before the store is asked: a write in between counts twice, not never.
        pending = self._pending(owner)
        kept, deleted = await self._lists().bytes_of(owner)
        kept += pending
        quota = self._person_bytes
        if kept + more >= quota:
            raise LimitReachedError(_over_quota(kept, more, quota))
        if was_deleted:
            return
        if kept + deleted + more >= 2 * quota:
            raise LimitReachedError(
                msg(
                    "Your storage is full: deleted conversations take {size} until they are removed "
                    "for good. Try again in ten minutes, or use “Delete all conversations”.",
                    size=size_in_words(deleted),
                )
            )
        if not await self._is_within_store_quota(more):
            raise LimitReachedError(
                msg(
                    "The storage of this server is full: tell its operator. Conversations that you "
                    "delete free space after ten minutes."
                )
            )

    async def _is_within_store_quota(self, more: int) -> bool:
        """Whether the use of all people leaves room, measured again at times and before a refusal."""
        began = time.monotonic()
        if began >= self._known_until or self._all + more >= self._store_bytes:
            self._all = await self._lists().bytes_of_all()
            self._known_until = time.monotonic() + _KNOWN_FOR * (time.monotonic() - began)
            self._tell()
        has_capacity = self._all + more < self._store_bytes
        self._all += more if has_capacity else 0
        return has_capacity

    def _tell(self) -> None:
        is_full = self._all >= self._store_bytes
        if is_full and not self._told:
            logger.warning(
                "the store is full: conversations use %s of CHAT_UI_STORE_BYTES, %s; new ones are refused",
                size_in_words(self._all),
                size_in_words(self._store_bytes),
            )
        self._told = is_full


def _over_quota(kept: int, more: int, quota: int) -> str:
    advice = msg("Export the conversations you want to keep, delete some of them, then try again.")
    problem = (
        msg(
            "Not enough storage: this takes {more}, and your conversations take {kept} of your {share}.",
            more=size_in_words(more),
            kept=size_in_words(kept),
            share=size_in_words(quota),
        )
        if kept < quota
        else msg(
            "Your storage is full: your conversations take {kept} of your {share}.",
            kept=size_in_words(kept),
            share=size_in_words(quota),
        )
    )
    return msg("{problem} {advice}", problem=problem, advice=advice)
