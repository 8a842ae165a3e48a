"""The tokens that an authenticating proxy passed on: the newest of each person, in memory alone."""

from __future__ import annotations

import sys
from typing import Final

from chat_ui.protocol.recently_used import RecentlyUsed

KEPT_BYTES: Final = 32 * 1024 * 1024


class Tokens:
    """The newest token of each person; each request of the person brings it again."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        self._by_person: RecentlyUsed[str, str] = RecentlyUsed(kept_bytes)

    def keep(self, person: str, token: str) -> None:
        """Remember the person's token; an empty one changes nothing."""
        if token:
            self._by_person.put(person, token, sys.getsizeof(token))

    def of(self, person: str) -> str | None:
        """The newest token of the person."""
        return self._by_person.get(person)
