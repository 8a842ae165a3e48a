"""Paced reading: the number of waits depends on the bytes from the network, not on their split."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpcore2
import pytest

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.network_stream import NetworkStream
from chat_ui.protocol.transport.throttle import (
    AT_ONCE,
    FIRST,
    LONGEST,
    SHARED,
    SHORTEST,
    Throttle,
    lengthening,
    small_parts,
)
from tests.certificates import Server
from tests.clock_loop import ClockLoop
from tests.protocol.asking import QUESTION, CountedPace
from tests.stand_ins.stand_in import Reply, StandIn, lines
from tests.timeouts import TIMEOUT


class PaceToTheEnd(Throttle):
    def __init__(self) -> None:
        super().__init__()
        self.waits, self.has_begun = 0, asyncio.Event()

    async def wait(self, seconds: float = 1.0, has_end: Callable[[], bool] = lambda: False) -> None:
        self.waits += 1
        self.has_begun.set()
        while not has_end():  # noqa: ASYNC110 - nothing tells that something waits in a socket
            await asyncio.sleep(0.01)


async def waits_for(*writes: bytes, tls: Server | None = None) -> int:
    """The number of waits of an answer's reader. Each of `writes` is an HTTP chunk."""
    ours, theirs = (tls.trusting, tls.context) if tls else (None, None)
    throttle, stand_in = CountedPace(), StandIn(Reply(writes))
    async with (
        asyncio.timeout(TIMEOUT),
        stand_in.running(ssl=theirs),
        AsyncClient(throttle=throttle, verify=ours) as client,
    ):
        answer = await client.ask(Backend(stand_in.url), QUESTION)
    assert answer.text == "word " * (len(writes) - 1) + "end"
    return throttle.waits


@pytest.mark.parametrize("is_encrypted", [False, True])
async def test_simultaneous_chunks_are_read_together(tmp_path: Path, *, is_encrypted: bool) -> None:
    tls = Server(tmp_path) if is_encrypted else None
    word, end = lines({"delta": {"content": "word "}}), lines({"delta": {"content": "end"}})
    few, many = [await waits_for(*[word] * words, end, tls=tls) for words in (1, 400)]
    assert many < few + 20


async def test_a_loop_in_debug_mode_reads() -> None:
    asyncio.get_running_loop().set_debug(True)
    assert await waits_for(lines({"delta": {"content": "end"}})) < 3


async def test_a_large_body_at_once_is_read_without_waits() -> None:
    word = lines({"delta": {"content": "word "}, "padding": "x" * 100_000})
    few = await waits_for(word, lines({"delta": {"content": "end"}}))
    many = await waits_for(*[word] * 100, lines({"delta": {"content": "end"}}))
    assert many < few + 50


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[ClockLoop]:
    """A loop with the clock of the whole process, running or not."""
    loop = ClockLoop()
    monkeypatch.setattr(time, "monotonic", loop.time)
    yield loop
    loop.close()


def test_lateness_is_smoothed_and_fades_and_lengthens_the_waits(clock: ClockLoop) -> None:
    throttle = Throttle()
    for late in (9.0, *[0.4] * 40):
        throttle.shown_late(late)
        clock.be_busy(0.1)
    assert 0.3 < throttle.lateness < 0.4
    clock.be_busy(3.0)
    assert throttle.lateness < 0.01
    throttle = Throttle()
    for late, pause in ((1.0, LONGEST), (0.0, SHORTEST)):
        for _ in range(400):
            throttle.shown_late(late)
            clock.be_busy(0.01)
        assert throttle.pause == pytest.approx(pause, rel=0.1)


def test_a_late_loop_is_given_more_time(clock: ClockLoop) -> None:
    async def late() -> None:
        for _ in range(5):
            waiting = asyncio.ensure_future(throttle.wait())
            await asyncio.sleep(0)
            clock.be_busy(LONGEST)
            await waiting

    throttle = Throttle()
    assert throttle.pause == SHORTEST
    clock.run_until_complete(late())
    assert throttle.pause > 1.2 * SHORTEST
    assert throttle.lateness > 0


def test_a_busy_thread_is_given_more_time(clock: ClockLoop, monkeypatch: pytest.MonkeyPatch) -> None:
    def pause_at(load: float) -> float:
        """The pause after two seconds in which the thread uses that part of a core."""
        monkeypatch.setattr(time, "thread_time", lambda: load * clock.time())
        end = clock.time() + 2
        while clock.time() < end:
            clock.run_until_complete(throttle.wait())
        return throttle.pause

    throttle = Throttle()
    assert pause_at(0.9) == LONGEST
    assert pause_at(0.05) == SHORTEST
    # A busy thread reads as often as it flushes.
    assert pause_at(0.4) == SHARED


class ThinkingWire(httpcore2.AsyncNetworkStream):
    """Brings a word 0.6 s after the wait for it begins."""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore2's interface
        await asyncio.sleep(0.6)
        return b"word"[:max_bytes]


class NotedPace(Throttle):
    async def wait(self, seconds: float = 1.0, has_end: Callable[[], bool] = lambda: False) -> None:
        self.seconds = seconds


def test_pauses_begin_short_after_any_thinking_time(clock: ClockLoop) -> None:
    async def paused() -> float:
        stream, throttle = NetworkStream(ThinkingWire()), NotedPace()
        await stream.read(1024)
        stream.throttle = throttle
        await stream.read(1024)
        return throttle.seconds

    assert clock.run_until_complete(paused()) == 0


async def test_the_end_of_an_answer_is_seen_before_it_is_read() -> None:
    one, two, three = [lines({"delta": {"content": f"{word} "}}) for word in ("one", "two", "three")]
    throttle = PaceToTheEnd()
    stand_in = StandIn(Reply([one, throttle.has_begun, two, three]))
    async with asyncio.timeout(TIMEOUT), stand_in.running(), AsyncClient(throttle=throttle) as client:
        answer = await client.ask(Backend(stand_in.url), QUESTION)
    assert answer.text == "one two three "
    assert throttle.waits == 1


@pytest.mark.parametrize(("is_over", "returned"), [(True, 0.1), (False, 0.2)])
def test_a_reader_that_sees_the_end_waits_half_as_long(
    monkeypatch: pytest.MonkeyPatch, returned: float, *, is_over: bool
) -> None:
    monkeypatch.setattr(Throttle, "pause", 0.2)
    clock, looked = ClockLoop(), list[float]()
    clock.run_until_complete(Throttle().wait(1.0, lambda: not looked.append(clock.time()) and is_over))
    assert (looked, clock.time()) == ([0.1], returned)
    clock.close()


@pytest.mark.parametrize(("usual", "most"), [(SHORTEST, 21), (SHARED, 14)])
def test_the_first_pauses_are_short_and_few(usual: float, most: int) -> None:
    pauses: list[float] = []
    while sum(pauses) < 0.5:
        pauses.append(lengthening(sum(pauses), usual))
    assert pauses[0] == FIRST
    assert pauses == sorted(pauses)
    assert len(pauses) <= most
    assert lengthening(0.5, usual) == lengthening(60.0, usual) == usual


def test_a_large_body_is_read_in_parts_of_limited_size():
    pieces = [b"a" * (2 * AT_ONCE + 1), b"", b"b" * AT_ONCE]
    parts = list(small_parts(pieces))
    assert b"".join(parts) == b"".join(pieces)
    assert [len(part) for part in parts] == [AT_ONCE, AT_ONCE, 1, 0, AT_ONCE]
