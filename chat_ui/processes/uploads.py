"""Files that people send, on their way to a process that reads them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from chat_ui.processes.caller import address_of_caller
from chat_ui.processes.pool import Processes

PLACES: Final = 32
"""Files that arrive or wait at once."""
READ_SECONDS: Final = 5.0
"""Seconds of processor time that reading one file may take."""
_NICENESS: Final = 10
"""More than others have: work that is not for a file comes first."""


class NoPlaceError(Exception):
    """So many files arrive or wait that there is no place for one more."""


class Uploads(Processes):
    """Reads files in processes of their own, and gives them `places`, which addresses share evenly."""

    def __init__(self, *, places: int = PLACES, seconds: float = READ_SECONDS) -> None:
        super().__init__(at_once=2, seconds=seconds, niceness=_NICENESS)
        self._most = places
        self._places: dict[asyncio.Timeout, str] = {}
        """The address that has each place, the oldest first."""

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place in which a file arrives, waits and is read.

        Where all are taken, the newest file of the address that has the most makes room for a file of another one.

        Raises:
            NoPlaceError: all places are taken, or this one was needed.
        """
        address = address_of_caller()
        if len(self._places) >= self._most:
            self._make_room_for(address)
        try:
            async with asyncio.timeout(None) as until:
                self._places[until] = address
                try:
                    yield
                finally:
                    self._places.pop(until, None)
        except TimeoutError:
            if until.expired():
                raise NoPlaceError from None
            raise

    def _make_room_for(self, address: str) -> None:
        counts = Counter(self._places.values())
        fullest, count = counts.most_common(1)[0]
        if counts[address] + 1 >= count:
            raise NoPlaceError
        newest = next(place for place, of in reversed(self._places.items()) if of == fullest)
        del self._places[newest]
        newest.reschedule(asyncio.get_running_loop().time())
