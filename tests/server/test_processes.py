"""Functions that run in worker processes, and the queue of uploads."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import psutil
import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from chat_ui.errors import NoPlaceError, TooCostlyError
from chat_ui.languages.language import Language
from chat_ui.languages.translation import gettext, speaking
from chat_ui.server.processes import pool
from chat_ui.server.processes.caller import Caller, reset_caller, set_caller
from chat_ui.server.processes.pool import NICENESS, Processes, Uploads
from chat_ui.server.processes.worker import message


@contextmanager
def calling_from(address: str, gone: asyncio.Event | None = None) -> Iterator[None]:
    """Work for a request from an address, whose client leaves when `gone` is set."""
    is_gone = gone or asyncio.Event()

    async def receive() -> Message:
        await is_gone.wait()
        return {"type": "http.disconnect"}

    caller = Caller(address, receive)
    within = set_caller(caller)
    try:
        yield
    finally:
        reset_caller(within)
        caller.end()


def count_for(seconds: float) -> int:
    until, count = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        count += 1
    return count


def say_send() -> str:
    return gettext("Send")


@pytest.fixture
async def processes() -> AsyncIterator[Processes]:
    made = Processes(seconds=600)
    yield made
    await made.end()


@pytest.fixture
def short_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOMENT", "_FIRST_MOMENT"):
        monkeypatch.setattr(pool, name, 0.1)


@asynccontextmanager
async def long_work(processes: Processes, *people: str) -> AsyncIterator[list[asyncio.Task[int]]]:
    """Have a process count for an hour for each of these people within the context."""
    tasks = [asyncio.create_task(processes.run(person, count_for, 3600.0)) for person in people]
    await asyncio.sleep(0)
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_function_runs_in_another_process_in_its_callers_language(processes: Processes, tmp_path: Path):
    (file := tmp_path / "nl.po").write_text('msgid "Send"\nmsgstr "Sturen"\n', encoding="utf-8")
    assert await processes.run("ann", os.getsid, 0) != os.getsid(0), "Ctrl+C reaches the server alone"
    assert await processes.run("ann", os.nice, 0) == min(os.nice(0) + NICENESS, 19), "the server comes first"
    with pytest.raises(ValueError, match="invalid literal"):
        await processes.run("ann", int, "one")
    with speaking(Language("nl", file)):
        assert await processes.run("ann", say_send) == "Sturen"
    assert await processes.run("ann", say_send) == "Send"
    with speaking(Language("nl", tmp_path / "gone.po")):
        assert await processes.run("ann", say_send) == "Send", "a catalogue that is gone is English"


async def test_work_beyond_its_time_or_memory_is_ended_and_the_next_runs(processes: Processes):
    with pytest.raises(TooCostlyError):
        await processes.run("ann", count_for, 3600.0, seconds=0.1)
    with pytest.raises(TooCostlyError):
        await processes.run("ann", time.sleep, 3600.0, seconds=0.1)
    with pytest.raises(TooCostlyError):
        await processes.run("ann", bytearray, 8 * 1024**3)
    # Time of other processes on a busy machine does not count.
    assert await processes.run("ann", time.sleep, 1.2, seconds=1) is None


async def test_a_person_with_running_work_does_not_delay_another(processes: Processes):
    async with long_work(processes, *["ann"] * 5):
        assert await processes.run("bob", int, "1") == 1


async def test_the_address_with_the_least_used_time_is_next_by_lightest_work():
    processes, done = Processes(at_once=1), list[str]()

    async def call(address: str, person: str, seconds: float = 0, weight: int = 0) -> None:
        with calling_from(address):
            await processes.run(person, time.sleep, seconds, weight=weight)
        done.append(person)

    people = [("a", "a1", 2.0, 0), ("a", "a2", 0, 2), ("a", "a3", 0, 1), ("b", "b1", 0, 0), ("b", "b2", 0, 0)]
    people.append(("c", "c1", 0, 9))
    await asyncio.gather(*(call(*one) for one in people))
    assert done == ["a1", "b1", "c1", "b2", "a3", "a2"]


@pytest.mark.usefixtures("short_moments")
async def test_long_work_leaves_a_process_to_short_work():
    processes = Processes(at_once=2, seconds=600)
    async with long_work(processes, *(f"person {number}" for number in range(3))):
        assert [await processes.run("ann", int, "1") for _ in range(3)] == [1, 1, 1]


@pytest.mark.usefixtures("short_moments")
async def test_long_work_is_finished_in_another_free_process():
    processes = Processes(at_once=2, seconds=600)
    async with long_work(processes, "ann") as (first,):
        second = asyncio.create_task(processes.run("bob", count_for, 0.5))
        assert await processes.run("cid", int, "1") == 1
        first.cancel()
        assert await second > 0


async def test_work_ends_with_its_request():
    processes, gone = Processes(at_once=1, seconds=600), asyncio.Event()
    first = await processes.run("bob", os.getpid)
    with calling_from("a", gone):
        asyncio.get_running_loop().call_soon(gone.set)
        with pytest.raises(ClientDisconnect):
            await processes.run("ann", count_for, 3600.0)
        with pytest.raises(ClientDisconnect):
            await processes.run("ann", count_for, 3600.0)
    assert await processes.run("bob", os.getpid) != first
    assert not psutil.pid_exists(first)


async def test_shared_work_does_not_end_with_one_request():
    processes, gone = Processes(), asyncio.Event()
    gone.set()
    with calling_from("a", gone):
        shared = asyncio.create_task(processes.run("ann", int, "1"))
        with pytest.raises(ClientDisconnect):
            await processes.run("ann", count_for, 3600.0)
    assert await shared == 1


def test_a_worker_is_silent_after_its_server_was_killed():
    reading, writing = os.pipe()
    os.close(reading)
    request = b"".join(message((int, ("1",), 1)))
    command = [sys.executable, "-m", "chat_ui.server.processes.worker", str(2**31), "5"]
    ended = subprocess.run(command, input=request, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert ended.stderr == b""


class Arriving:
    """An upload that keeps its place until it ends or loses the place to another."""

    def __init__(self, uploads: Uploads, address: str) -> None:
        self._uploads = uploads
        self._address = address
        self._is_placed = asyncio.Event()
        self._end = asyncio.Event()
        self._task = asyncio.create_task(self._arrive())

    async def placed(self) -> bool:
        """Whether the upload has a place, once decided."""
        waiting = asyncio.create_task(self._is_placed.wait())
        await asyncio.wait((waiting, self._task), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        return not self._task.done()

    async def kept(self) -> bool:
        """Whether the upload had its place to the end."""
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


async def test_an_upload_takes_the_newest_place_of_the_busiest_address():
    uploads = Uploads(places=4)
    async with arriving(uploads, "a", "b", "a", "a", "c") as (*before, newest):
        assert await newest.placed()
        assert [await file.kept() for file in before] == [True, True, True, False]


@pytest.mark.parametrize("address", ["a", "b"])
async def test_an_address_cannot_displace_others_for_more_than_its_share(address: str):
    uploads = Uploads(places=4)
    async with arriving(uploads, "a", "b", "a", "b", address) as files:
        assert [await file.kept() for file in files] == [True, True, True, True, False]


async def test_an_upload_beyond_its_time_makes_room_for_its_own_address():
    uploads = Uploads(places=3, place_seconds=0)
    async with arriving(uploads, "a", "b", "a", "a") as files:
        assert [await file.kept() for file in files] == [False, True, True, True]
    async with arriving(uploads, "a", "b", "c", "d") as files:
        assert [await file.kept() for file in files] == [True, True, True, False]


async def test_a_place_is_free_after_its_upload():
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
