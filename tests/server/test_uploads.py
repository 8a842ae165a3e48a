"""Places for files that people send."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from chat_ui.processes.pool import NoPlaceError, Uploads
from tests.server.calling import calling_from


class Arriving:
    """A file that holds its place until it is told to end, or another one needs the place."""

    def __init__(self, uploads: Uploads, address: str) -> None:
        self._uploads = uploads
        self._address = address
        self._is_placed = asyncio.Event()
        self._end = asyncio.Event()
        self._task = asyncio.create_task(self._arrive())

    async def placed(self) -> bool:
        """Whether it has a place, once that is known."""
        waiting = asyncio.create_task(self._is_placed.wait())
        await asyncio.wait((waiting, self._task), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return not self._task.done()

    async def kept(self) -> bool:
        """Whether it had its place to its end."""
        self._end.set()
        await asyncio.wait([self._task])
        return self._task.exception() is None

    async def _arrive(self) -> None:
        with calling_from(self._address):
            async with self._uploads.place():
                self._is_placed.set()
                await self._end.wait()


@asynccontextmanager
async def arriving(uploads: Uploads, *addresses: str) -> AsyncIterator[list[Arriving]]:
    async with AsyncExitStack() as ending:
        files = []
        for address in addresses:
            files.append(file := Arriving(uploads, address))
            ending.push_async_callback(file.kept)
            await file.placed()
        yield files


async def test_a_file_of_another_address_takes_the_newest_place_of_the_address_that_has_most():
    uploads = Uploads(places=4)
    async with arriving(uploads, "a", "b", "a", "a", "c") as (*before, newest):
        assert await newest.placed()
        assert [await file.kept() for file in before] == [True, True, True, False]


@pytest.mark.parametrize("address", ["a", "b"])
async def test_no_address_gets_more_places_than_the_others_have_by_pushing_them_out(address: str):
    uploads = Uploads(places=4)
    async with arriving(uploads, "a", "b", "a", "b", address) as files:
        assert [await file.kept() for file in files] == [True, True, True, True, False]


async def test_a_file_that_has_had_its_time_makes_room_for_a_file_of_its_own_address():
    uploads = Uploads(places=3, place_seconds=0)
    async with arriving(uploads, "a", "b", "a", "a") as files:
        assert [await file.kept() for file in files] == [False, True, True, True]
    async with arriving(uploads, "a", "b", "c", "d") as files:
        assert [await file.kept() for file in files] == [True, True, True, False]


async def test_a_place_is_free_again_after_its_file():
    uploads = Uploads(places=1)
    for _ in range(3):
        async with uploads.place():
            pass
    with pytest.raises(TimeoutError):
        async with uploads.place():
            raise TimeoutError
    async with uploads.place():
        with pytest.raises(NoPlaceError):
            async with uploads.place():
                pass
