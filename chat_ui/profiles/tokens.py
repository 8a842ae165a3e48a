"""The tokens that an authenticating proxy passed on: in memory alone, the newest of each person."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

_KEPT: Final = 10_000


class Tokens:
    """The newest token of each person."""

    def __init__(self) -> None:
        self._by_person: OrderedDict[str, str] = OrderedDict()

    def keep(self, person: str, token: str) -> None:
        """Remember the person's token; an empty one changes nothing."""
        if not token:
            return
        self._by_person[person] = token
        self._by_person.move_to_end(person)
        if len(self._by_person) > _KEPT:
            self._by_person.popitem(last=False)

    def of(self, person: str) -> str | None:
        """The newest token of the person."""
        return self._by_person.get(person)
