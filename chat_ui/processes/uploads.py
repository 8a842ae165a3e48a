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
PLACE_SECONDS: Final = 15.0
"""Seconds for which a file has its place, whoever else of its address needs one."""
READ_SECONDS: Final = 5.0
"""Seconds of processor time that reading one file may take."""
_NICENESS: Final = 10
"""More than others have: work that is not for a file comes first."""


class NoPlaceError(Exception):
    """So many files arrive or wait that there is no place for one more."""


class Uploads(Processes):
    """Reads files in processes of their own, and gives them `places`, which addresses share evenly."""

    def __init__(
        self, *, places: int = PLACES, seconds: float = READ_SECONDS, place_seconds: float = PLACE_SECONDS
    ) -> None:
        super().__init__(at_once=2, seconds=seconds, niceness=_NICENESS)
        self._most = places
        self._place_seconds = place_seconds
        self._places: dict[asyncio.Timeout, tuple[str, float]] = {}
        """The address that has each place, and since when, the oldest first."""

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place in which a file arrives, waits and is read.

        Where all are taken, the newest file of the address that has the most makes room for a file of another one.
        Else the oldest file of the same address does, once it has had its time.

        Raises:
            NoPlaceError: all places are taken, or this one was needed.
        """
        address = address_of_caller()
        if len(self._places) >= self._most:
            self._make_room_for(address)
        try:
            async with asyncio.timeout(None) as until:
                self._places[until] = address, asyncio.get_running_loop().time()
                try:
                    yield
                finally:
                    self._places.pop(until, None)
        except TimeoutError:
            if until.expired():
                raise NoPlaceError from None
            raise

    def _make_room_for(self, address: str) -> None:
        now = asyncio.get_running_loop().time()
        counts = Counter(of for of, _ in self._places.values())
        fullest, count = counts.most_common(1)[0]
        if counts[address] + 1 < count:
            leaving = [place for place, (of, _) in self._places.items() if of == fullest][-1:]
        else:
            over = now - self._place_seconds
            leaving = [place for place, (of, since) in self._places.items() if of == address and since <= over][:1]
        if not leaving:
            raise NoPlaceError
        del self._places[leaving[0]]
        leaving[0].reschedule(now)
